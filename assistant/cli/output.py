"""Output of commands: rich text for people, one JSON object on each line for programs."""

from __future__ import annotations

import sys
from typing import Any

import msgspec
from rich.console import Console

console = Console(highlight=False)
"""Standard output, for people."""

errors = Console(stderr=True, highlight=False)
"""Standard error, for errors and for progress, which must not mix with results."""


def emit(value: Any) -> None:
    """Print one JSON object on a line of its own, at once."""
    sys.stdout.write(msgspec.json.encode(value).decode() + "\n")
    sys.stdout.flush()
