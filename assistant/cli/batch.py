"""`assistant batch`: answers questions, written or spoken, from one file into another."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

from assistant.cli.shared.output import console, emit, progress
from assistant.core.config import config_files, load_config
from assistant.documents.answer_file import AnswerFile
from assistant.documents.batch import BatchFigures, answer_rest, count, figures, read
from assistant.documents.local import index
from assistant.documents.workers import WORKERS, Workers, start


def batch(
    questions: Annotated[
        Path,
        typer.Argument(
            metavar="QUESTIONS",
            help='One a line: {"id": …, "question": "…"}, {"id": …, "recording": "FILE"} or "…".',
        ),
    ],
    out: Annotated[
        Path, typer.Option(help="Answers, one a line; what an ended batch left there stays.")
    ],
    documents: Annotated[
        Path | None, typer.Option(help="A file or folder to answer from, in place of the index.")
    ] = None,
    workers: Annotated[
        int, typer.Option(min=1, max=24, help="Processes that answer at once.")
    ] = WORKERS,
    config: Annotated[Path | None, typer.Option(help="Settings, in place of the usual.")] = None,
    json: Annotated[bool, typer.Option("--json", help="The figures as a JSON object.")] = False,
) -> None:
    """Answer every question of a file from documents; run again to resume an interrupted batch."""
    settings, _ = load_config(config_files(config))
    total, recordings = count(questions)
    with AnswerFile(out) as answers:
        answers.resume(read(questions))
        found = figures(answers, answers.done)
        if answers.done < total:
            with ExitStack() as open_things:
                with progress("reading documents") as told:
                    file = open_things.enter_context(index(settings, documents, told))
                pool = open_things.enter_context(start(settings, file, workers, recordings > 0))
                with progress("answering") as told:
                    found = answer_rest(questions, answers, Workers(pool), total, told)
    _tell(out, found, json)


def _tell(out: Path, found: BatchFigures, json: bool) -> None:
    if json:
        emit(found)
        return
    by = ", ".join(f"{count} {tier}" for tier, count in found.tiers.items())
    there = f"; {found.continued} were there already" if found.continued else ""
    line = f"{out}: {found.questions} answers ({by}){there}; {found.per_second} a second"
    console.print(line, markup=False, soft_wrap=True)
