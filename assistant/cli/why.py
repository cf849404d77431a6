"""`assistant why`: what each stage believed of the last utterances, and where the time went."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import msgspec
import typer
from rich.table import Table

from assistant.cli.shared.output import console, emit
from assistant.control.client import ControlClient
from assistant.control.recollection import KEPT, Account, Accounts, StageTime
from assistant.core.config import config_files, load_config


def why(
    count: Annotated[int, typer.Argument(min=1, max=KEPT, help="How many utterances.")] = 1,
    config: Annotated[Path | None, typer.Option(help="Settings, in place of the usual.")] = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON object a line.")] = False,
) -> None:
    """Tell why the last utterances were answered as they were, and what was slow."""
    settings, _ = load_config(config_files(config))
    answer = ControlClient(settings.control_socket).ask("why", str(count))
    accounts = msgspec.convert(answer, Accounts).accounts
    for account in reversed(accounts):
        if json:
            emit(account)
        else:
            _print(account)
    if not (accounts or json):
        console.print("Nothing has been said since the assistant was started.")


def _print(account: Account) -> None:
    heard = f"“{account.heard}”" if account.heard else "nothing that it understands"
    console.print(f"{_ago(account.ago_s)}: {heard}", markup=False, soft_wrap=True)
    for name, values in _beliefs(account):
        console.print(f"  {name:<14} {values}", markup=False, soft_wrap=True)
    if account.times:
        console.print(_table(account.times))


def _ago(seconds: float) -> str:
    return f"{seconds:.0f} s ago" if seconds < 120 else f"{seconds / 60:.0f} min ago"


def _beliefs(account: Account) -> Iterator[tuple[str, str]]:
    words = " ".join(f"{word.text} {word.confidence:.2f}" for word in account.words)
    quoted = [f"“{text}”" for text in account.alternatives]
    replies = [f"“{text}”" for text in account.replies]
    nearest = f"“{account.nearest}”" if account.nearest else ""
    for name, told in (
        (f"heard, {account.engine}" if account.engine else "heard", words),
        ("sure", f"{account.sure:.2f}" if words and account.sure is not None else ""),
        ("or else", ", ".join(quoted)),
        ("understood", "; ".join(account.understood)),
        ("in doubt", "; ".join(account.choices)),
        ("not understood", account.missed),
        ("nearest", nearest),
        ("to documents", account.asked),
        ("reply", " ".join(replies)),
        ("fault", "; ".join(account.faults)),
    ):
        if told:
            yield name, told


def _table(times: tuple[StageTime, ...]) -> Table:
    table = Table("stage", "ms", "budget", "")
    for row in times:
        over = "[red]late[/red]" if row.ms > row.budget_ms else ""
        table.add_row(row.stage, f"{row.ms:.0f}", f"{row.budget_ms:.0f}", over)
    return table
