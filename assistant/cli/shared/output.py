"""Output of commands: rich text for people, one JSON object on each line for programs."""

from __future__ import annotations

import contextlib
import re
import sys
from collections.abc import Callable, Iterator
from typing import Any

import msgspec
from rich.console import Console, ConsoleOptions, RenderableType
from rich.progress import Progress
from rich.segment import Segment
from rich.table import Table

from assistant.core.errors import printable

LONGEST_TEXT = 20_000
"""Most characters of a text that is shown to people, of one style."""


class SafeConsole(Console):
    """A console on which no text that it is given moves the terminal, or fills it without end."""

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterator[Segment]:
        """What is shown; its own control codes stay, those of a text are written as escapes."""
        for segment in super().render(renderable, options):
            if segment.control:
                yield segment
            else:
                yield Segment(printable(segment.text, LONGEST_TEXT), segment.style)


console = SafeConsole(highlight=False)
"""Standard output, for people."""

errors = SafeConsole(stderr=True, highlight=False)
"""Standard error, for errors and for progress, which must not mix with results."""


def emit(value: Any) -> None:
    """Print one JSON object on a line of its own, at once."""
    write_json(msgspec.json.encode(value).decode() + "\n")


def write_json(lines: str) -> None:
    """Print lines of JSON, at once, with every control character of theirs as an escape."""
    sys.stdout.write(_RAW.sub(_escaped, lines))
    sys.stdout.flush()


_RAW = re.compile("[\x7f-\x9f]")
"""Control characters that JSON may have as they are."""


def _escaped(found: re.Match[str]) -> str:
    return f"\\u{ord(found[0]):04x}"


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
