"""`assistant eval …`: how well the assistant does on labelled data."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import closing
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import msgspec
import typer

from assistant.answer.retrieval.encoder import PassageEncoder as DocumentEncoder
from assistant.cli.shared.conversation import answering, temporary_config
from assistant.cli.shared.misses import (
    tell_misheard,
    tell_miss,
    tell_offence,
    tell_outcome,
    tell_unanswered,
)
from assistant.cli.shared.output import errors, progress, show_figures
from assistant.composition import Composition
from assistant.core.clock import time_zone
from assistant.core.config import AsrSettings, Config
from assistant.core.database import Database
from assistant.core.errors import InputError, SkillError, WakeWordError
from assistant.core.models.manifest import Library
from assistant.core.settings.mqtt import MqttSettings
from assistant.core.stage import Stage
from assistant.evaluation.answers import evaluate_answers, passages
from assistant.evaluation.clips import ClipLabel, SentenceLabel, labelled, sound_of
from assistant.evaluation.commands import evaluate_commands
from assistant.evaluation.data_sets import read_data_set
from assistant.evaluation.examples import evaluate_replies, in_voices, spoken_examples
from assistant.evaluation.home_tests import load_suites
from assistant.evaluation.intents import evaluate_intents
from assistant.evaluation.questions import (
    DOCUMENTS,
    DocumentQuestion,
    evaluate_questions,
    load_questions,
)
from assistant.evaluation.rejects import Hear, as_typed, evaluate_rejects, read_lines
from assistant.evaluation.sentences import evaluate_sentences, reader
from assistant.evaluation.shelf import Shelf
from assistant.evaluation.spoken import evaluate_spoken
from assistant.evaluation.squad import read_articles
from assistant.evaluation.wake import Recordings, evaluate_enrolment, evaluate_wake
from assistant.evaluation.week import ConversationOfWeek, evaluate_week, load_week
from audio.wake.engine import spoken
from nlu.build import answer_reader
from nlu.classifier.encoder import MODEL, SentenceEncoder
from nlu.classifier.examples import read_shipped

app = typer.Typer(
    no_args_is_help=True, help="How well the assistant does on labelled recordings and sentences."
)

SNRS_DB = "24,12,6"
FITTING_THREADS = 2
READING_THREADS = 2
EXAMPLES_VOICES = ("slt", "rms", "awb", "kal16")
"""flite's voices that speak the sentences of `eval examples`."""
RECOGNISERS = ("auto", "whisper", "pocketsphinx")

Json = Annotated[bool, typer.Option("--json", help="One JSON object a line on stdout.")]
Engine = Annotated[str, typer.Option(help="auto, whisper or pocketsphinx.")]


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

    With --enrol, the phrase as it was enrolled, and each engine that knows it.
    """
    judged = Recordings.below(directory, near, negatives)
    named = spoken(keyword)
    try:
        with progress("listening") as told:
            if enrol:
                found = list(evaluate_enrolment(judged, named, enrol, sensitivity, told))
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
    composition = Composition(_heard_by(engine, _with_broker(home)))
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
    composition = Composition(_heard_by(engine, _with_broker(home)))
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


@app.command()
def sentences(
    path: Annotated[Path, typer.Argument(help="Test YAML: a file or a folder.")],
    home: Annotated[
        Path | None, typer.Option(help="Areas and devices, where no _fixtures.yaml is beside it.")
    ] = None,
    json: Json = False,
) -> None:
    """Count the sentences that are understood as tests in Home Assistant's format expect."""
    suites = load_suites(path, home)
    composition = Composition(temporary_config(None, None))
    prepare = reader(
        composition.understanding.templates_of,
        composition.understanding.interpreter,
        composition.now(),
    )
    with progress("understanding") as told:
        figures = evaluate_sentences(suites, prepare, told, tell_miss(json))
    show_figures(f"Sentences, {path.name}", figures, json)


@app.command()
def rejects(
    file: Annotated[Path, typer.Argument(help="Sentences that ask for nothing, one a line.")],
    home: Annotated[Path | None, typer.Option(help="YAML file of areas and devices.")] = None,
    spoken: Annotated[bool, typer.Option("--spoken", help="In flite's voices in turn.")] = False,
    after: Annotated[
        str, typer.Option(help="A command; each sentence follows it without the wake word.")
    ] = "",
    json: Json = False,
) -> None:
    """Count how often talk that is not meant for the assistant makes it act or answer."""
    lines = read_lines(file)
    composition = Composition(_with_broker(home))
    nlu, skills, told_of = composition.nlu(), composition.skills, tell_offence(json)
    with TemporaryDirectory() as name, progress("listening") as told:
        asr = composition.asr() if spoken else None
        hear: Hear = as_typed
        if asr is not None:
            hear = in_voices(asr, EXAMPLES_VOICES, Path(name), unasked=bool(after))
        figures = evaluate_rejects(lines, nlu, skills, told_of, told, hear, after)
    show_figures(f"Talk of others, {file.name}", figures, json)


@app.command()
def intents(
    folder: Annotated[
        Path, typer.Argument(help="CLINC150's, HWU64's (Rasa), or SNIPS' and ATIS' layout.")
    ],
    json: Json = False,
) -> None:
    """Fit the shipped encoder's head to a data set's train split, and evaluate it on test."""
    data = read_data_set(folder)
    library = Composition(temporary_config(None, None)).library
    negatives = read_shipped(library.read(MODEL)["examples.npz"]).negatives
    with progress("embedding") as told:
        figures = evaluate_intents(
            data,
            SentenceEncoder.load(library, FITTING_THREADS),
            SentenceEncoder.load(library),
            negatives.embeddings,
            told,
        )
    show_figures(f"Intents, {folder.name}", figures, json)


@app.command()
def answers(
    file: Annotated[Path, typer.Argument(help="Passages and questions in SQuAD's format.")],
    json: Json = False,
) -> None:
    """Answer questions about passages that are together in one index."""
    articles = read_articles(file)
    encoder = DocumentEncoder.load(
        Composition(temporary_config(None, None)).library, READING_THREADS
    )
    with progress("encoding") as told:
        shelf = Shelf(list(passages(articles)), encoder, told)
    with closing(shelf), progress("asking") as told:
        figures = evaluate_answers(articles, shelf, told)
    show_figures(f"Answers, {file.name}", figures, json)


@app.command()
def questions(
    file: Annotated[
        Path, typer.Argument(help="YAML of questions; the folder documents is beside it.")
    ],
    json: Json = False,
) -> None:
    """Ask a household's questions about its documents, and list those not answered as accepted."""
    asked = load_questions(file)
    config = temporary_config(None, None)
    clock = _Clock(config)
    composition = Composition(config, now=clock)
    nlu = composition.nlu()
    with (
        answering(config, file.parent / DOCUMENTS, clock) as answers,
        progress("asking") as told,
    ):

        def stages(question: DocumentQuestion, state: Database) -> Sequence[Stage]:
            clock.set(question.asked)
            return nlu, composition.skills(state), composition.answer(answers=answers)

        figures = evaluate_questions(asked, stages, tell_unanswered(json), told)
    show_figures(f"Questions, {file.name}", figures, json)


@app.command()
def week(
    file: Annotated[Path, typer.Argument(help="YAML of conversations, with their judgements.")],
    json: Json = False,
) -> None:
    """Hold a household's conversations, and tell what changed since they were judged."""
    held = load_week(file)
    home = file.parent / held.home if held.home else None
    documents = file.parent / held.documents if held.documents else None
    config = _with_broker(home)
    clock = _Clock(config)
    composition = Composition(config, now=clock)
    known = ("", *(area.id for area in composition.home.areas))
    if strange := next((c for c in held.conversations if c.area not in known), None):
        raise InputError("week.area", f'{file}: the home has no area "{strange.area}"')
    with answering(config, documents, clock) as answers, progress("conversing") as told:

        def stages(conversation: ConversationOfWeek, state: Database) -> Sequence[Stage]:
            clock.set(conversation.begins)
            answer = composition.answer(answers=answers)
            return composition.nlu(), composition.skills(state), answer

        figures = evaluate_week(held, stages, tell_outcome(json), told)
    show_figures(f"Week, {file.name}", figures, json)


def _with_broker(home: Path | None) -> Config:
    """Settings by which commands to devices show as messages; nothing is connected."""
    return msgspec.structs.replace(
        temporary_config(None, home), mqtt=MqttSettings(host="localhost")
    )


class _Clock:
    """The present of an evaluation, in the zone of `config`: the real one until it is set."""

    def __init__(self, config: Config) -> None:
        self._zone = time_zone(config.home.time_zone)
        self._present: datetime | None = None

    def __call__(self) -> datetime:
        return self._present or datetime.now(self._zone)

    def set(self, local: datetime | None) -> None:
        """Make this local time the present; None for the real one."""
        self._present = local and local.replace(tzinfo=self._zone)


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


def _heard_by(engine: str, config: Config) -> Config:
    """The settings with this recogniser; raises `InputError` where its model is not here."""
    if engine not in RECOGNISERS:
        message = f'--engine "{engine}" is none of {", ".join(RECOGNISERS)}'
        raise InputError("eval.engine", message)
    model = config.asr.model
    if engine == "whisper" and not Library(config.models_dir).present(model):
        message = f"{model} is not here, so nothing is measured; run: assistant models pull {model}"
        raise InputError("eval.no_model", message)
    return msgspec.structs.replace(config, asr=AsrSettings(engine=engine))


def _alone(skill: Path, engine: str) -> Composition:
    """A composition with this skill only."""
    config = _heard_by(engine, temporary_config([skill], None))
    composition = Composition(config, builtin=False)
    for fault in composition.registry.faults:
        raise SkillError("skill.bad", fault.message)
    return composition
