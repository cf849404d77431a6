"""An attack: numbered blows, each the same for the same seed and number."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar, Protocol

from benchmarks.hostile.target import Effects, Target

LONGEST_ERROR = 1_000
"""Characters of an error's message."""


class Attack(Protocol):
    """Made before the daemon starts, which `settings` are then given to."""

    name: ClassVar[str]
    blows: ClassVar[int]
    """How many make the attack at full size."""
    settings: str
    """Further sections of the daemon's configuration, TOML; "" for none."""

    def __init__(self, folder: Path, seed: int) -> None:
        """An attack that may put files into the empty `folder`."""

    def open(self, target: Target) -> None:
        """Get ready for blows on the daemon that now runs."""

    def blow(self, number: int) -> str:
        """Deal the blow of this number; "" or, in a line, what came of it that must not."""

    def wrong(self, before: Effects, after: Effects) -> list[str]:
        """What the daemon now keeps that no valid command asked for, a line each."""

    def close(self) -> None:
        """End what `open`, or the attack's making, has begun."""


def ill_told(message: str, longest: int = LONGEST_ERROR) -> bool:
    """Whether an error's message is more than a line, or a line that nobody reads to its end."""
    return "\n" in message or len(message) > longest


def changed(before: Effects, after: Effects) -> list[str]:
    """What is kept now and was not, and the reverse: all of it wrong where nothing was asked."""
    gone = (f"gone: {row}" for row in sorted(before - after))
    return [*(f"new: {row}" for row in sorted(after - before)), *gone]
