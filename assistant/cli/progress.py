"""A progress bar on a terminal, and nothing elsewhere."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

from rich.progress import Progress

from assistant.cli.output import errors


@contextlib.contextmanager
def progress(what: str) -> Iterator[Callable[[int, int], None]]:
    """While open, show on stderr how many of all are done; the yielded function is told both."""
    with Progress(console=errors, transient=True, disable=not errors.is_terminal) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
