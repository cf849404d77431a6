"""`assistant models …`: the model files, where they are from and whether they are whole."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer
from rich.progress import BarColumn, DownloadColumn, TextColumn, TransferSpeedColumn
from rich.progress import Progress as Bar
from rich.table import Table
from rich.text import Text

from assistant import downloads
from assistant.cli.output import console, emit, errors
from assistant.core.config import config_files, load_config
from assistant.core.errors import ModelError
from assistant.core.manifest import Library, State

app = typer.Typer(no_args_is_help=True, help="Model files: list, verify, pull, import.")

Config = Annotated[Path | None, typer.Option(help="Settings, in place of the usual.")]
Json = Annotated[bool, typer.Option("--json", help="One JSON object a line on stdout.")]
Name = Annotated[str, typer.Argument(help="As `assistant models list` shows it.")]


@app.command("list")
def list_models(config: Config = None, json: Json = False) -> None:
    """Every model there is to be had, and which are here."""
    library = _library(config)
    rows = [_row(library, name) for name in library.artefacts]
    if json:
        for row in rows:
            emit(row)
        return
    table = Table(caption=f"pulled models lie in {library.pulled}", caption_justify="left")
    for title in ("name", "kind", "state"):
        table.add_column(title, no_wrap=True)
    table.add_column("MB", justify="right")
    for title in ("licence", "what it is"):
        table.add_column(title)
    for row in rows:
        size = f"{row['bytes'] / 1e6:.0f}"
        cells = (row["name"], row["kind"], row["state"], size, row["licence"], row["summary"])
        table.add_row(*map(Text, cells))
    console.print(table)


@app.command()
def verify(
    names: Annotated[list[str] | None, typer.Argument(metavar="[NAME]…")] = None,
    config: Config = None,
    json: Json = False,
) -> None:
    """Compare every byte of the models here, or those named, with the record; status 2 if amiss."""
    library = _library(config)
    wanted = names or [n for n in library.artefacts if library.state(n) is not State.ABSENT]
    faults = {name: _fault(library, name) for name in wanted}
    for name, fault in faults.items():
        if json:
            emit({"name": name, "ok": fault is None, "fault": fault or ""})
        elif fault is None:
            console.print(f"{name}: as recorded", markup=False, soft_wrap=True)
        else:
            errors.print(f"{name}: {fault}", style="red", markup=False, soft_wrap=True)
    if not wanted and not json:
        console.print("no model is here; assistant models list shows what there is")
    if any(faults.values()):
        raise typer.Exit(2)


@app.command()
def pull(name: Name, config: Config = None) -> None:
    """Fetch a model from the Hugging Face hub; an interrupted pull is resumed."""
    library = _library(config)
    if library.state(name) is State.PULLED and _fault(library, name) is None:
        console.print(f"{name} is here already, and as recorded")
        return
    with _bar() as told:
        downloads.pull(library, name, told)
    _came(library, name)


@app.command("import")
def import_model(
    name: Name,
    path: Annotated[Path, typer.Argument(help="A folder with its files, or one of them.")],
    config: Config = None,
) -> None:
    """Take a model from files that were brought here by other means."""
    library = _library(config)
    downloads.import_model(library, name, path)
    _came(library, name)


def _library(config: Path | None) -> Library:
    return Library(load_config(config_files(config))[0].models_dir)


def _row(library: Library, name: str) -> dict[str, Any]:
    artefact = library.artefact(name)
    row: dict[str, Any] = msgspec.to_builtins(artefact)
    row["bytes"] = sum(file.bytes for file in artefact.files)
    row["state"] = library.state(name).value
    return {"name": name, **row}


def _fault(library: Library, name: str) -> str | None:
    try:
        library.read(name)
    except ModelError as error:
        return error.message
    return None


def _came(library: Library, name: str) -> None:
    where, licence = library.folder(name), library.artefact(name).licence
    message = f"{name} is in {where}, verified (licence: {licence}); a running assistant uses it"
    console.print(f"{message} after: assistant reload", markup=False, soft_wrap=True)


@contextmanager
def _bar() -> Iterator[downloads.Progress]:
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn())
    with Bar(
        *columns,
        TransferSpeedColumn(),
        console=errors,
        transient=True,
        disable=not errors.is_terminal,
    ) as bar:
        tasks: dict[str, Any] = {}

        def told(file: str, more: int, size: int) -> None:
            if file not in tasks:
                tasks[file] = bar.add_task(file, total=size)
            bar.update(tasks[file], advance=more)

        yield told
