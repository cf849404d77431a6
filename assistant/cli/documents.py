"""`assistant documents …`: the texts that questions are answered from."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.table import Table
from rich.text import Text

from assistant.cli.shared.output import console, emit, errors
from assistant.core.config import Config as Settings
from assistant.core.config import config_files, load_config
from assistant.core.errors import InputError
from assistant.core.messages import (
    DocumentsDone,
    DocumentsListed,
    DocumentsProgress,
    DocumentSummary,
)
from assistant.documents import requests

app = typer.Typer(no_args_is_help=True, help="The texts that questions are answered from.")

Config = Annotated[Path | None, typer.Option(help="Settings, in place of the usual.")]
Json = Annotated[bool, typer.Option("--json", help="One JSON object a line on stdout.")]


@app.command()
def add(
    paths: Annotated[list[str], typer.Argument(metavar="PATH…", help="Files and folders.")],
    config: Config = None,
    json: Json = False,
) -> None:
    """Read text, Markdown, HTML, PDF, EPUB, ICS and vCard files; added folders stay watched."""
    settings, wanted = _settings(config), [_absolute(path) for path in paths]
    with _bars() as show:
        for told in requests.ask(settings, "add", wanted):
            if isinstance(told, DocumentsProgress):
                show(told)
                if told.fault:
                    _say(told.fault, json, {"type": "Fault", "message": told.fault})
            elif isinstance(told, DocumentsDone):
                done = f"{told.documents} documents with {told.passages} passages are here"
                _say(done, json, _figures(told))


@app.command("list")
def list_documents(config: Config = None, json: Json = False) -> None:
    """List every document: its kind, how many passages it has, and why it could not be read."""
    table = Table("title", "kind", "passages", "not encoded", "path", "fault")
    for column in table.columns:
        column.overflow = "fold"
    for told in requests.ask(_settings(config), "list", ()):
        for one in told.documents if isinstance(told, DocumentsListed) else ():
            if json:
                emit(one)
            cells = (one.title, one.kind, one.passages, one.unencoded, one.path, one.fault)
            table.add_row(*(Text(str(cell)) for cell in cells))
    if not json:
        console.print(table)


@app.command()
def remove(
    names: Annotated[list[str], typer.Argument(metavar="NAME…", help="Paths or titles.")],
    config: Config = None,
    json: Json = False,
) -> None:
    """Remove documents and folders from the index; the files themselves stay."""
    wanted = [_absolute(name) if name and Path(name).exists() else name for name in names]
    for told in requests.ask(_settings(config), "remove", wanted):
        if isinstance(told, DocumentsDone):
            done = f"{told.documents} documents with {told.passages} passages are forgotten"
            _say(done, json, _figures(told))


@app.command()
def summarise(
    name: Annotated[list[str], typer.Argument(metavar="NAME…", help="A title, or a part of it.")],
    words: Annotated[int | None, typer.Option(help="Most words; else 2 or 3 sentences.")] = None,
    config: Config = None,
    json: Json = False,
) -> None:
    """Summarise a document, or "the cleaning chapter of the oven manual"."""
    wanted = [" ".join(name), *([str(words)] if words is not None else [])]
    for told in requests.ask(_settings(config), "summarise", wanted):
        if isinstance(told, DocumentSummary):
            text, where = " ".join(told.sentences), {"title": told.title, "place": told.place}
            value = {**where, "path": told.path, "sentences": told.sentences, "text": text}
            _say(text, json, value)


def _settings(config: Path | None) -> Settings:
    return load_config(config_files(config))[0]


def _absolute(name: str) -> str:
    path = Path(name)
    if not name or not path.exists():
        raise InputError("documents.missing", f"{name!r}: there is no such file or folder")
    return str(path.resolve())


def _figures(done: DocumentsDone) -> dict[str, Any]:
    return {"documents": done.documents, "passages": done.passages}


def _say(line: str, json: bool, value: Any) -> None:
    if json:
        emit(value)
    else:
        console.print(line, markup=False, soft_wrap=True)


@contextmanager
def _bars() -> Iterator[Callable[[DocumentsProgress], None]]:
    """Show progress bars for files read and passages encoded, on a terminal only."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=errors, transient=True, disable=not errors.is_terminal) as bars:
        files = bars.add_task("reading files", total=None)
        passages = bars.add_task("encoding passages", total=None)

        def show(told: DocumentsProgress) -> None:
            bars.update(files, completed=told.files_done, total=told.files)
            bars.update(passages, completed=told.encoded, total=told.passages)

        yield show
