"""How well sentences, talk and whole conversations are understood."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from assistant.cli.evaluation.common import EXAMPLES_VOICES, Clock, Engine, Json, with_broker
from assistant.cli.shared.conversation import answering, heard_by, temporary_config
from assistant.cli.shared.misses import (
    tell_miss,
    tell_offence,
    tell_outcome,
)
from assistant.cli.shared.output import progress, show_figures
from assistant.composition import Composition
from assistant.core.database import Database
from assistant.core.errors import InputError
from assistant.core.stage import Stage
from assistant.evaluation.data_sets import read_data_set
from assistant.evaluation.examples import in_voices
from assistant.evaluation.home_tests import load_suites
from assistant.evaluation.intents import evaluate_intents
from assistant.evaluation.rejects import Hear, as_typed, evaluate_rejects, read_lines
from assistant.evaluation.sentences import evaluate_sentences, reader
from assistant.evaluation.week import ConversationOfWeek, evaluate_week, load_week
from nlu.classifier.encoder import MODEL, SentenceEncoder
from nlu.classifier.examples import read_shipped

app = typer.Typer()

FITTING_THREADS = 2


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
    engine: Engine = "auto",
    json: Json = False,
) -> None:
    """Count how often talk that is not meant for the assistant makes it act or answer."""
    if engine != "auto" and not spoken:
        raise InputError("eval.engine", "--engine needs --spoken, as nothing typed is recognised")
    lines = read_lines(file)
    composition = Composition(heard_by(engine, with_broker(home)))
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
def week(
    file: Annotated[Path, typer.Argument(help="YAML of conversations, with their judgements.")],
    json: Json = False,
) -> None:
    """Hold a household's conversations, and tell what changed since they were judged."""
    held = load_week(file)
    home = file.parent / held.home if held.home else None
    documents = file.parent / held.documents if held.documents else None
    config = with_broker(home)
    clock = Clock(config)
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
