"""Trains the rewriter, which says in plain sentences what people say at home.

1. `python -m models.training.understanding.train GGUF CHECKPOINT --held HOME …` trains an adapter
   of SmolLM2 135M on pairs of what was said and plain sentences, and goes on after an
   interruption. A round of 12,500 pairs takes 35 to 50 minutes on two cores; it needs the extra
   `[train]`.
2. `… .publish CHECKPOINT FOLDER/adapter.npz` writes it in eight bits, as a device reads it.
3. `… .evaluate GGUF FOLDER/adapter.npz ROWS HOME …` rewrites what was said in homes that were held
   out, and `… .calibrate ROWS FOLDER/calibration.json` fits how likely a rewrite is right.
4. `assistant models import rewriter FOLDER` has the assistant use both, and `assistant models pull
   smollm2-135m-instruct` fetches the model that they are for.
"""
