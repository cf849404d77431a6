"""`assistant record …`: whether what is said is kept, what there is, and what of it was wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import msgspec
import typer
from rich.table import Table

from assistant.cli.shared.output import console, emit
from assistant.cli.shared.questions import confirm
from assistant.control.client import ControlClient
from assistant.core.config import Config as Settings
from assistant.core.config import config_files, load_config
from assistant.core.errors import ControlError
from assistant.outcome import in_words
from assistant.recordings.folder import Recordings, recorded
from assistant.recordings.keeper import RecordingState, carry_out

app = typer.Typer(no_args_is_help=True, help="Recordings of what is said, kept with your consent.")

Config = Annotated[Path | None, typer.Option(help="Settings, in place of the usual.")]
Json = Annotated[bool, typer.Option("--json", help="One JSON object a line on stdout.")]

_QUESTION = (
    "The sound of what is said to the assistant, and what it made of it, will be kept in {folder},"
    " which only you can read, for {days} days and up to {megabytes} MB. It stays on this device,"
    " and each start says so aloud. Does everybody in the home agree?"
)


@app.command()
def on(
    yes: Annotated[bool, typer.Option("--yes", help="Everybody agrees; ask nothing.")] = False,
    config: Config = None,
    json: Json = False,
) -> None:
    """Keep what is said from now on, after a question."""
    settings = _settings(config)
    limits, folder = settings.recordings, Recordings.of(settings).folder
    question = _QUESTION.format(
        folder=folder, days=limits.most_days, megabytes=limits.most_megabytes
    )
    if not (yes or confirm(question)):
        console.print("Nothing is kept.")
        raise typer.Exit(1)
    _tell(_ask(settings, "on"), json)


@app.command()
def off(
    remove: Annotated[bool, typer.Option("--remove", help="Remove what was kept, too.")] = False,
    config: Config = None,
    json: Json = False,
) -> None:
    """Keep nothing more."""
    _tell(_ask(_settings(config), "remove" if remove else "off"), json)


@app.command()
def state(config: Config = None, json: Json = False) -> None:
    """Tell whether what is said is kept, and how much there is."""
    _tell(_ask(_settings(config)), json)


@app.command()
def wrong(
    name: Annotated[str, typer.Argument(metavar="[ID]", help="The last one, if omitted.")] = "",
    expect: Annotated[str, typer.Option(help="What was really said.")] = "",
    config: Config = None,
    json: Json = False,
) -> None:
    """Mark an utterance as a test case for `assistant replay`."""
    _tell(_ask(_settings(config), "wrong", name, expect), json)


@app.command()
def examples(config: Config = None, json: Json = False) -> None:
    """List what you have put right, and what understanding makes of it."""
    told = _ask(_settings(config))
    table = Table("id", "heard", "meant", "")
    for one in told.examples:
        if json:
            emit(one)
        table.add_row(one.id, one.heard, one.meant, one.use)
    if not json:
        console.print(table)


@app.command()
def forget(
    name: Annotated[str, typer.Argument(metavar="ID")], config: Config = None, json: Json = False
) -> None:
    """Remove an example; from the next start, or `assistant reload`, it is not learnt from."""
    _tell(_ask(_settings(config), "forget", name), json)


@app.command("list")
def list_recordings(
    folder: Annotated[Path | None, typer.Argument(help="Recordings elsewhere.")] = None,
    config: Config = None,
    json: Json = False,
) -> None:
    """List the utterances that are kept, in the order in which they were said."""
    table = Table("id", "said", "heard", "meant", "")
    for _, trace in recorded(folder or Recordings.of(_settings(config)).folder):
        if json:
            emit(trace)
        said, meant = f"{trace.said_at:%Y-%m-%d %H:%M:%S}", "; ".join(map(in_words, trace.commands))
        table.add_row(trace.id, said, trace.heard, meant, "wrong" if trace.wrong else "")
    if not json:
        console.print(table)


def _settings(config: Path | None) -> Settings:
    return load_config(config_files(config))[0]


def _ask(settings: Settings, *arguments: str) -> RecordingState:
    """Have the daemon do it, whose folder it is; where none runs, do it here."""
    try:
        answer = ControlClient(settings.control_socket).ask("record", *arguments)
    except ControlError as error:
        if error.code != "control.down":
            raise
        return carry_out(Recordings.of(settings), *arguments)
    return msgspec.convert(answer, RecordingState)


def _tell(told: RecordingState, json: bool) -> None:
    if json:
        emit(told)
        return
    verb = "What is said is kept" if told.on else "Nothing is kept"
    more = f" Examples: {len(told.examples)}." if told.examples else ""
    console.print(f"{verb}. There are {told.kept}.{more}", markup=False, soft_wrap=True)
