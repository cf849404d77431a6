"""Measures what each number in the calibrations of understanding does, and changes one.

`python -m models.training.calibrate` tries each number of `models/intent/calibration.json` and
`models/ner/calibration.json` a little lower and a little higher, and lets the whole of
understanding read the commands and the talk in `dev`.

`python -m models.training.calibrate NAME.NUMBER VALUE` changes a number, also one of the reader or
the generator, whose effect `assistant eval answers` and the generator's card show. It needs only
the packages that the daemon needs.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from copy import copy
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from assistant.answer.generation.generator import GeneratorCalibration
from assistant.answer.retrieval.calibration import ReaderCalibration
from assistant.composition import Composition
from assistant.core.config import Config, HomeSettings, StorageSettings
from assistant.core.errors import ModelError
from assistant.core.models.calibration import FILE
from models.training.config import MODELS, NONE, TRAINING
from models.training.examples import with_file
from models.training.markup import Sentence, read
from nlu.classifier.calibration import IntentCalibration, SlotCalibration
from nlu.classifier.intent import IntentModel
from nlu.classifier.tagger import Tagger
from nlu.fallback.guesser import Guesser
from nlu.interpreter import Interpreter
from nlu.text.canonical import canonical

DEV = TRAINING / "dev"
HOME = MODELS.parent / "assistant" / "demo" / "home.yaml"
"""The home that the sentences of `dev` are about."""
NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
STEP = 0.1
KINDS: dict[str, type[msgspec.Struct]] = {
    "intent": IntentCalibration,
    "ner": SlotCalibration,
    "reader": ReaderCalibration,
    "generator": GeneratorCalibration,
}


class Outcome(NamedTuple):
    """Counts of commands that were understood rightly or wrongly, or asked about, and of lines of
    talk that were taken for a command, or asked about."""

    right: int
    wrong: int
    asked: int
    talk_taken: int
    talk_asked: int


def main(arguments: Sequence[str]) -> None:
    """Print a line for each number and value, or change one number."""
    if arguments:
        number, value = arguments
        record(*number.split("."), float(value))
        return
    with tempfile.TemporaryDirectory(prefix="hark-calibrate-") as cache:
        storage, home = StorageSettings(cache=cache), HomeSettings(file=str(HOME))
        composition, texts = Composition(Config(home=home, storage=storage)), list(sentences())
        talk = sum(text.intent == NONE for text in texts)
        sys.stdout.write(f"{len(texts) - talk} wishes, {talk} lines of talk\n")
        sys.stdout.write(f"{'number':28}{'value':>7}  {'  '.join(Outcome._fields)}\n")
        for number, value, outcome in figures(composition, texts):
            counts = "  ".join(
                f"{count:>{len(name)}}"
                for name, count in zip(Outcome._fields, outcome, strict=True)
            )
            sys.stdout.write(f"{number:28}{value:7.2f}  {counts}\n")
            sys.stdout.flush()


def figures(
    composition: Composition, texts: Sequence[Sentence]
) -> Iterator[tuple[str, float, Outcome]]:
    """Each number with its value, a lower and a higher one, and the outcome of each."""
    understanding = composition.understanding
    intents, tagger = understanding.intents, understanding.tagger
    interpreter = understanding.interpreter(understanding.templates)
    guesser = interpreter.guess
    if intents is None or tagger is None or not isinstance(guesser, Guesser):
        raise ModelError("model.missing", "the models of understanding are not here")
    now = judged(interpreter, texts)
    models: dict[str, IntentModel | Tagger] = {"intent": intents, "ner": tagger}
    for name, model in models.items():
        for number, value in msgspec.structs.asdict(model.calibration).items():
            for tried in (value - STEP, value, value + STEP):
                changed = _believed(model, number, tried)
                if changed is None:
                    continue
                guesser.use(changed)
                outcome = now if tried == value else judged(interpreter, texts)
                yield f"{name}.{number}", tried, outcome
        guesser.use(model)


def _believed(model: Any, number: str, value: float) -> Any:
    """A copy of the model with another number; None when the number cannot have that value."""
    numbers = msgspec.structs.asdict(model.calibration) | {number: round(value, 4)}
    try:
        calibration = msgspec.convert(numbers, type(model.calibration))
    except msgspec.ValidationError:
        return None
    changed = copy(model)
    changed.calibration = calibration
    return changed


def sentences() -> Iterator[Sentence]:
    """The development sentences: commands and talk."""
    for file in sorted(DEV.glob("*.txt")):
        yield from read(file)


def judged(interpreter: Interpreter, texts: Sequence[Sentence]) -> Outcome:
    """Interpret every text; a command is right when it is the only one and has the right intent."""
    counts = dict.fromkeys(Outcome._fields, 0)
    for text in texts:
        understood = interpreter(canonical(text.text), NOW)
        intents = [command.intent for command in understood.commands]
        if text.intent == NONE:
            counts["talk_taken"] += bool(intents)
            counts["talk_asked"] += bool(understood.choices)
        else:
            counts["right"] += intents == [text.intent]
            counts["wrong"] += bool(intents) and intents != [text.intent]
            counts["asked"] += bool(understood.choices)
    return Outcome(**counts)


def record(name: str, number: str, value: float, models: Path = MODELS) -> None:
    """Write a number to a model's calibration, and the file's hash to the manifest.

    Raises `ModelError` for a number that the calibration does not have.
    """
    file, manifest = models / name / FILE, models / "manifest.toml"
    numbers = json.loads(file.read_bytes()) | {number: value}
    try:
        msgspec.convert(numbers, KINDS[name])
    except msgspec.ValidationError as error:
        raise ModelError("model.calibration", f"{name}: {error}") from error
    file.write_text(json.dumps(numbers, indent=2) + "\n", "utf-8")
    manifest.write_text(with_file(manifest.read_text("utf-8"), name, file), "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
