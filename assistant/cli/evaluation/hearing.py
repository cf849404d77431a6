"""How well wake words, commands and sentences are heard."""

from __future__ import annotations

import math
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from assistant.cli.evaluation.common import EXAMPLES_VOICES, Engine, Json, with_broker
from assistant.cli.shared.conversation import heard_by, temporary_config
from assistant.cli.shared.misses import (
    tell_misheard,
)
from assistant.cli.shared.output import errors, progress, show_figures
from assistant.composition import Composition
from assistant.core.errors import InputError, SkillError, WakeWordError
from assistant.core.models.manifest import Library
from assistant.evaluation.clips import ClipLabel, SentenceLabel, labelled, sound_of
from assistant.evaluation.commands import evaluate_commands
from assistant.evaluation.examples import evaluate_replies, spoken_examples
from assistant.evaluation.spoken import evaluate_spoken
from assistant.evaluation.wake import Recordings, evaluate_enrolment, evaluate_wake
from audio.build import make_judge
from audio.wake.engine import spoken
from nlu.build import answer_reader

app = typer.Typer()

SNRS_DB = "24,12,6"


@app.command()
def wake(
    directory: Annotated[Path, typer.Argument(help="Recordings that hold the keyword once each.")],
    keyword: Annotated[str, typer.Option(help='Such as "computer" or "smart mirror".')],
    negatives: Annotated[
        Path | None, typer.Option(help="Recordings that do not hold the keyword.")
    ] = None,
    sensitivity: Annotated[float, typer.Option(min=0, max=1)] = 0.7,
    engine: Annotated[
        str, typer.Option(help="auto, porcupine, microwakeword or pocketsphinx.")
    ] = "auto",
    near: Annotated[
        Path | None, typer.Option(help="Recordings of words that sound nearly like it.")
    ] = None,
    enrol: Annotated[
        int, typer.Option(min=0, help="Enrol this many of the recordings; the others judge.")
    ] = 0,
    json: Json = False,
) -> None:
    """Count missed wake words, near words taken for it, and false alarms in the negatives.

    With --enrol, the phrase as it was enrolled, the same with what whisper confirms where its model
    is here, and each engine that knows the phrase.
    """
    judged = Recordings.below(directory, near, negatives)
    named = spoken(keyword)
    try:
        with progress("listening") as told:
            if enrol:
                config = temporary_config([], None)
                judge = make_judge(config, Library(config.models_dir))
                confirms = judge.hears if judge is not None else None
                found = list(evaluate_enrolment(judged, named, enrol, sensitivity, told, confirms))
            else:
                found = [evaluate_wake(judged, named, sensitivity, engine, told)]
    except WakeWordError as error:
        raise InputError(error.code, error.message) from error
    for figures in found:
        show_figures(f'Wake word "{named}", {figures.engine}', figures, json)


@app.command()
def commands(
    directory: Annotated[Path, typer.Argument(help="Recordings of one spoken command each.")],
    labels: Annotated[Path, typer.Option(help='JSON: {"FILE": {"intent": …, "slots": {…}}}.')],
    skill: Annotated[Path, typer.Option(help="Folder of the skill that is to understand them.")],
    noise: Annotated[Path | None, typer.Option(help="A recording of noise to mix in.")] = None,
    snr_db: Annotated[
        str | None, typer.Option(help="At these SNRs, in dB; 24,12,6 unless given.")
    ] = None,
    engine: Engine = "auto",
    json: Json = False,
) -> None:
    """Count the spoken commands that are understood exactly, clean and in noise."""
    if snr_db is not None and noise is None:
        raise InputError("eval.noise", "--snr-db needs --noise, a recording to mix in")
    levels = _levels(snr_db or SNRS_DB) if noise is not None else {}
    spoken, strays = labelled(directory, labels, ClipLabel)
    _tell_strays(strays)
    background = sound_of(noise) if noise is not None else None
    composition = _alone(skill, engine)
    with progress("recognising") as told:
        figures = evaluate_commands(
            spoken,
            composition.asr(),
            composition.nlu(),
            background,
            levels,
            told,
        )
    show_figures(f"Spoken commands, {skill.name}", figures, json)


@app.command()
def clips(
    directory: Annotated[Path, typer.Argument(help="Recordings of one spoken sentence each.")],
    labels: Annotated[
        Path, typer.Option(help='JSON: {"FILE": {"text": …, "voice": …}}; text null: no command.')
    ],
    home: Annotated[Path | None, typer.Option(help="YAML file of areas and devices.")] = None,
    engine: Engine = "auto",
    json: Json = False,
) -> None:
    """Count the spoken sentences that are understood as they are when they are typed."""
    spoken, strays = labelled(directory, labels, SentenceLabel)
    _tell_strays(strays)
    composition = Composition(heard_by(engine, with_broker(home)))
    with progress("recognising") as told:
        figures = evaluate_spoken(
            spoken,
            composition.asr(),
            composition.nlu(),
            composition.skills,
            tell_misheard(json),
            told,
        )
    show_figures(f"Spoken sentences, {directory.name}", figures, json)


@app.command()
def examples(
    home: Annotated[Path | None, typer.Option(help="YAML file of areas and devices.")] = None,
    each: Annotated[int, typer.Option(min=1, help="Sentences of each intent.")] = 4,
    replies: Annotated[
        bool, typer.Option("--replies", help='"Yes" and "no" in many words instead.')
    ] = False,
    engine: Engine = "auto",
    json: Json = False,
) -> None:
    """Speak sentences of every intent in flite's voices, and count those that are understood."""
    composition = Composition(heard_by(engine, with_broker(home)))
    asr, misheard = composition.asr(), tell_misheard(json)
    with TemporaryDirectory() as name, progress("recognising") as told:
        folder, voices = Path(name), EXAMPLES_VOICES
        if replies:
            read = answer_reader(composition.home, composition.now)
            answers = evaluate_replies(asr, read, voices, folder, misheard, told)
            show_figures("Answers to a question, spoken by flite", answers, json)
            return
        sentences = composition.understanding.templates.examples(vocabulary=True)
        clips = spoken_examples(sentences, each, voices, folder)
        nlu, skills = composition.nlu(), composition.skills
        figures = evaluate_spoken(clips, asr, nlu, skills, misheard, told)
    show_figures("Sentences of every intent, spoken by flite", figures, json)


def _levels(snr_db: str) -> dict[str, float]:
    """SNRs as written → dB."""
    try:
        levels = {level.strip(): float(level) for level in snr_db.split(",")}
    except ValueError:
        levels = {}
    if not levels or not all(map(math.isfinite, levels.values())):
        message = f'--snr-db "{snr_db}": write numbers with commas between, such as {SNRS_DB}'
        raise InputError("eval.snr", message)
    return levels


def _tell_strays(strays: int) -> None:
    if strays:
        errors.print(f"{strays} recordings or labels lack the other and are left out")


def _alone(skill: Path, engine: str) -> Composition:
    """A composition with this skill only."""
    config = heard_by(engine, temporary_config([skill], None))
    composition = Composition(config, builtin=False)
    for fault in composition.registry.faults:
        raise SkillError("skill.bad", fault.message)
    return composition
