"""What is planned for later, as a skill sees it."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol

import msgspec

from assistant.skill.reply import Undo


class Planned(msgspec.Struct, frozen=True, kw_only=True):
    """One command that waits for its time."""

    id: str
    title: str
    """What will be done, as a phrase that fits "I will …"."""
    then: str
    """When, in words: "at 10 pm", "every weekday at 7 am"."""
    at: datetime
    """When it is due next, with its zone."""
    said: str = ""
    """The user's words for it."""

    def __str__(self) -> str:
        return f"{self.title} {self.then}"


class Plans(Protocol):
    """The commands that wait for their time; they survive a restart and a power cut."""

    def all(self) -> tuple[Planned, ...]:
        """Every command that waits, the next due first."""

    def cancel(self, plan_id: str) -> Undo:
        """Forget one, and return the undo for that."""
