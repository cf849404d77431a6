"""How many spoken PINs the ear hears right, with the question for one and without it.

    python -m benchmarks.hearing.pins [--pins 25] [--voices slt,rms,awb,kal16]

Four digits are drawn and said in flite's voices, digit by digit ("one two three four") and in pairs
("twelve thirty four"), into recognition as the daemon makes it.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from pathlib import Path

import msgspec
import numpy as np

from assistant.cli.shared.conversation import RECOGNISERS, heard_by
from assistant.cli.shared.output import emit
from assistant.composition import Composition
from assistant.core.config import Config, StorageSettings
from assistant.core.messages import Asked
from assistant.english.commands.digits import digits_of
from assistant.english.numbers import spell
from assistant.evaluation.commands import transcribe
from audio.asr.stage import AsrStage
from audio.frames import at_rate
from audio.tts.flite import PATIENCE_S, Flite
from skills.likely import likely_answers
from skills.rights.pin import ASK_PIN

SEED = 1
RATE_HZ = 16_000
_QUIET = np.zeros(round(0.3 * RATE_HZ), np.int16)


def ways(pin: str) -> dict[str, str]:
    """How a PIN of four digits may be said."""
    digits = " ".join(spell(int(digit)) for digit in pin)
    pairs = (pin[:2], pin[2:])
    if any(pair[0] == "0" for pair in pairs):
        return {"digits": digits}
    return {"digits": digits, "pairs": " ".join(spell(int(pair)) for pair in pairs)}


def measure(asr: AsrStage, pins: list[str], voices: list[str], asks: bool) -> dict[str, object]:
    """Say each PIN in each voice and count those of which every digit is right."""
    follows = "question" if asks else ""
    if asks:
        list(asr.feed(Asked(utterance_id=follows, answers=likely_answers(ASK_PIN), in_a_row=True)))
    said: dict[str, list[bool]] = {}
    for voice in voices:
        speaker = Flite(voice, PATIENCE_S)
        for pin in pins:
            for way, text in ways(pin).items():
                made = speaker.synthesise(text)
                sound = at_rate(made.pcm, made.rate_hz, RATE_HZ)
                heard, _ = transcribe(asr, np.concatenate((_QUIET, sound, _QUIET)), follows=follows)
                right = digits_of(heard.text) == pin
                for key in (way, f"{way} {voice}"):
                    said.setdefault(key, []).append(right)
    return {
        "asked": asks,
        "right": {key: round(sum(found) / len(found), 3) for key, found in said.items()},
        "pins": {key: len(found) for key, found in said.items()},
    }


def main() -> None:
    """Measure with the question, and without it, which is the control."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--pins", type=int, default=25)
    options.add_argument("--voices", default="slt,rms,awb,kal16")
    options.add_argument("--engine", choices=RECOGNISERS, default="auto")
    given = options.parse_args()
    draw = random.Random(SEED)
    pins = [f"{draw.randrange(10_000):04d}" for _ in range(given.pins)]
    with tempfile.TemporaryDirectory() as folder:
        storage = StorageSettings(state=str(Path(folder) / "state"))
        config = msgspec.structs.replace(Config(), storage=storage)
        asr = Composition(heard_by(given.engine, config)).asr()
        for asks in (True, False):
            emit(measure(asr, pins, given.voices.split(","), asks))


if __name__ == "__main__":
    main()
