"""A whisper model of a few kilobytes that says a given sentence, whatever it hears.

All weights are zero but the decoder's positions: at each place the position alone decides the next
token, through layers that only pass it on. CTranslate2 and faster-whisper run it like any other.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from assistant.bench.whisper_model import WhisperShape, specified, write_tokenizer

SHAPE = WhisperShape(layers=1, width=64, heads=1)
SPECIAL = (
    "<|endoftext|>",
    "<|startoftranscript|>",
    "<|startofprev|>",
    "<|nospeech|>",
    "<|notimestamps|>",
)
STAMPS = tuple(f"<|{n * 0.02:.2f}|>" for n in range(1501))


def write_whisper(
    folder: Path, says: list[str], no_speech: bool = False, after: int = 0, knows: str = ""
) -> Path:
    """Write the model that says the words of `says` in turn, after so many tokens of hints.

    It `knows` further words, of which hints may be made.
    """
    words = ["Ġ" + word for word in dict.fromkeys([*says, *knows.split()])]
    vocabulary = [*words, *SPECIAL, *STAMPS]
    folder.mkdir(parents=True, exist_ok=True)
    write_tokenizer(folder, words, [*SPECIAL, *STAMPS])
    spec = specified(SHAPE, vocabulary, lambda *size: np.zeros(size, np.float32))
    script = [vocabulary.index("Ġ" + word) for word in says]
    script.append(vocabulary.index("<|endoftext|>"))
    positions = np.zeros((SHAPE.text_places, SHAPE.width), np.float32)
    projection = np.zeros((len(vocabulary), SHAPE.width), np.float32)
    start = after + 1 if after else 0  # the hints follow <|startofprev|>
    for place, token in enumerate(script, start=1):  # 0 is <|startoftranscript|>
        positions[start + place, place] = 8.0
        projection[token, place] += 8.0
    positions[start, 0] = 8.0
    projection[vocabulary.index("<|nospeech|>"), 0] = 8.0 if no_speech else -8.0
    # Codes of at most 64: some processors add pairs of products in 16 bits, which overflow.
    projection[:, -1] = 16.0
    spec.decoder.position_encodings.encodings = positions
    spec.decoder.projection.weight = projection
    spec.validate()
    spec.save(str(folder))
    return folder
