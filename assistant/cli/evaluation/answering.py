"""How well questions are answered from documents."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer

from assistant.answer.retrieval.encoder import PassageEncoder as DocumentEncoder
from assistant.cli.evaluation.common import Clock, Json
from assistant.cli.shared.conversation import answering, temporary_config
from assistant.cli.shared.misses import tell_unanswered
from assistant.cli.shared.output import progress, show_figures
from assistant.composition import Composition
from assistant.core.database import Database
from assistant.core.stage import Stage
from assistant.evaluation.answering.answers import evaluate_answers, passages
from assistant.evaluation.answering.questions import (
    DOCUMENTS,
    DocumentQuestion,
    evaluate_questions,
    load_questions,
)
from assistant.evaluation.answering.shelf import Shelf
from assistant.evaluation.answering.squad import read_articles

app = typer.Typer()

READING_THREADS = 2


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
    clock = Clock(config)
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
