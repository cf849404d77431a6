"""`assistant wake …`: wake words of one's own, enrolled from a few examples."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from assistant.cli.shared.output import console, emit, progress
from assistant.control.mute import is_muted
from assistant.core.config import Config as Settings
from assistant.core.config import config_files, load_config
from assistant.core.errors import InputError
from assistant.core.models.manifest import Library
from assistant.evaluation.clips import sound_of
from audio.wake.engine import spoken
from audio.wake.own.background import load_background
from audio.wake.own.embedding import SpeechEmbedding
from audio.wake.own.enrolment import Example, enrol, require_phrase, unusable
from audio.wake.own.recorder import ExampleRecorder
from audio.wake.own.store import EnrolledPhrases

app = typer.Typer(no_args_is_help=True, help="Wake words of your own, from a few examples.")

Config = Annotated[Path | None, typer.Option(help="Settings, in place of the usual.")]
Json = Annotated[bool, typer.Option("--json", help="One JSON object a line on stdout.")]

EXAMPLES = 5
TRIES_AN_EXAMPLE = 3


@app.command()
def add(
    phrase: Annotated[str, typer.Argument(help='Such as "hey amelia", as it is written.')],
    files: Annotated[
        list[Path] | None,
        typer.Argument(metavar="[FILE…]", help="Recordings of it; none: the microphone."),
    ] = None,
    examples: Annotated[
        int, typer.Option(min=3, max=50, help="How often to say it to the microphone.")
    ] = EXAMPLES,
    config: Config = None,
    json: Json = False,
) -> None:
    """Enrol a word or phrase: FILEs that hold it once each, or said to the microphone."""
    settings = load_config(config_files(config))[0]
    name = spoken(phrase)
    require_phrase(name)
    said = [Example(str(file), sound_of(file)) for file in files or ()]
    if not files:
        said = list(_from_microphone(name, examples, settings))
    library = Library(settings.models_dir)
    background, embedding = load_background(library), SpeechEmbedding(library)
    with progress("learning") as told:
        learnt = enrol(name, said, background, embedding, told)
    EnrolledPhrases(settings.state_dir).save(name, learnt.detector)
    if json:
        refused = [one._asdict() for one in learnt.refused]
        emit({"phrase": name, "examples": len(learnt.detector.templates), "refused": refused})
        return
    for one in learnt.refused:
        _tell(f"{one.name} {one.reason}")
    kept = len(learnt.detector.templates)
    _tell(f'"{name}" is enrolled from {kept} examples. Now name it in the settings and reload:')
    _tell(f'  [wake]\n  keywords = {{ "{name}" = 0.7 }}')


@app.command("list")
def list_phrases(config: Config = None, json: Json = False) -> None:
    """List the phrases that are enrolled, and whether the settings name them."""
    settings = load_config(config_files(config))[0]
    named = {spoken(keyword) for keyword in settings.wake.keywords}
    for phrase in EnrolledPhrases(settings.state_dir).phrases:
        if json:
            emit({"phrase": phrase, "used": phrase in named})
        else:
            _tell(phrase if phrase in named else f"{phrase} (wake.keywords does not name it)")


@app.command()
def remove(phrase: str, config: Config = None) -> None:
    """Forget an enrolled phrase."""
    settings = load_config(config_files(config))[0]
    EnrolledPhrases(settings.state_dir).remove(phrase)
    _tell(f'"{spoken(phrase)}" is forgotten.')


def _from_microphone(phrase: str, count: int, settings: Settings) -> Iterator[Example]:
    """Ask until there are `count` examples that can be learnt from, or it is no use."""
    if is_muted(settings):
        raise InputError("audio.muted", "the microphone is muted; run assistant unmute first")
    found = 0
    with ExampleRecorder(settings.audio.inputs[:1], settings.listening) as recorder:
        for number in range(1, count * TRIES_AN_EXAMPLE + 1):
            _tell(f'Say "{phrase}" ({found + 1} of {count}).')
            example = Example(f"example {number}", recorder.record())
            if reason := unusable(example.sound):
                _tell(f"That {reason}.")
                continue
            found += 1
            yield example
            if found == count:
                return


def _tell(line: str) -> None:
    console.print(line, markup=False, soft_wrap=True)
