"""Output of commands: rich text for people, one JSON object on each line for programs."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from typing import Any

import msgspec
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

console = Console(highlight=False)
"""Standard output, for people."""

errors = Console(stderr=True, highlight=False)
"""Standard error, for errors and for progress, which must not mix with results."""


def emit(value: Any) -> None:
    """Print one JSON object on a line of its own, at once."""
    sys.stdout.write(msgspec.json.encode(value).decode() + "\n")
    sys.stdout.flush()


@contextlib.contextmanager
def progress(what: str) -> Iterator[Callable[[int, int], None]]:
    """Show a progress bar on stderr, on a terminal only.

    The function that is given takes the number done and the total.
    """
    with Progress(console=errors, transient=True, disable=not errors.is_terminal) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def show_figures(title: str, figures: msgspec.Struct, json: bool) -> None:
    """Print the figures of an evaluation: a table, or one line of JSON."""
    if json:
        emit(figures)
        return
    table = Table("", "", title=title, show_header=False)
    for name, value in msgspec.to_builtins(figures).items():
        table.add_row(name, _plain(value))
    console.print(table)


def _plain(value: Any) -> str:
    if isinstance(value, dict):
        return "\n".join(f"{name}: {_plain(part)}" for name, part in value.items())
    return f"{value:.4g}" if isinstance(value, float) else str(value)
