"""Records what delivered models answer to their canaries: `python -m models.training.canary NAME…`.

The inputs stand in `canaries/NAME.txt`: on each line a text, or a JSON object. Read the outputs in
the model's `canary.json` before you commit them: a wrong answer is no measure for later versions.
It needs only the packages that the daemon needs.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import msgspec

from assistant.core.models.canary import FILE, Canaries, CanaryCase
from assistant.core.models.manifest import Library
from assistant.model_files.acceptance import opened
from models.training.config import MODELS, TRAINING

SHARES = {"intent": 0.9, "slots": 0.8, "reader": 0.8, "generator": 0.6}
"""Kind → share of the canaries that a version must answer as the recorded version did.

The share is less than 1, because another good version may separate two intents, or end a span, in a
different place. A broken version gets almost none right.
"""


def record(name: str, models: Path = MODELS, inputs: Path = TRAINING / "canaries") -> Canaries:
    """Write the model's `canary.json`; raises `ModelError`, or `KeyError` for an unknown kind."""
    library = Library(models, models)
    answer = opened(library, name)
    if answer is None:
        raise KeyError(f"no function opens models of the kind of {name}")
    lines = (inputs / f"{name}.txt").read_text("utf-8").splitlines()
    cases = [_parsed(line) for line in lines if line.strip()]
    made = Canaries(
        share=SHARES[library.artefact(name).kind],
        cases=tuple(CanaryCase(input=case, output=answer(case)) for case in cases),
    )
    (models / name / FILE).write_text(_written(made), "utf-8")
    return made


def _parsed(line: str) -> Any:
    return json.loads(line) if line.startswith("{") else line.strip()


def _written(canaries: Canaries) -> str:
    """The JSON with one case on each line, for people to read."""
    cases = ",\n    ".join(json.dumps(msgspec.to_builtins(c)) for c in canaries.cases)
    return f'{{\n  "share": {canaries.share},\n  "cases": [\n    {cases}\n  ]\n}}\n'


if __name__ == "__main__":
    for model in sys.argv[1:]:
        sys.stdout.write(f"{model}: {len(record(model).cases)} canaries\n")
