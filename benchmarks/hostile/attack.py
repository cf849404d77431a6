"""An attack: numbered blows, each the same for the same seed and number."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar, Protocol

from benchmarks.hostile.target import Effects, Target

LONGEST_ERROR = 1_000
"""Most characters of an error's message."""


class Attack(Protocol):
    """An attack, created before the daemon starts, which is then given its `settings`."""

    name: ClassVar[str]
    blows: ClassVar[int]
    """Number of blows in the attack at full size."""
    settings: str
    """Further sections of the daemon's configuration as TOML; "" for none."""

    def __init__(self, folder: Path, seed: int) -> None:
        """An attack that may put files into the empty `folder`."""

    def open(self, target: Target) -> None:
        """Prepare for blows on the daemon that now runs."""

    def blow(self, number: int) -> str:
        """Deal the blow of this number; gives "" or, in a line, the forbidden effect."""

    def wrong(self, before: Effects, after: Effects) -> list[str]:
        """What the daemon now keeps that no valid command asked for, in a line each."""

    def close(self) -> None:
        """End what `open` or `__init__` has begun."""


def ill_told(message: str, longest: int = LONGEST_ERROR) -> bool:
    """Whether an error's message is more than one line, or too long a line to read."""
    return "\n" in message or len(message) > longest


def changed(before: Effects, after: Effects) -> list[str]:
    """What was added and what is gone: all of it is wrong where nothing was requested."""
    gone = (f"gone: {row}" for row in sorted(before - after))
    return [*(f"new: {row}" for row in sorted(after - before)), *gone]
