"""Speech that nobody asked for, as a skill sees it, and when there is to be none."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Literal, Protocol

import msgspec

from assistant.skill.reply import Undo

Priority = Literal["low", "normal", "urgent"]
MOST_WAITING = 20
"""Most announcements of one skill that wait."""
LONGEST_TEXT = 1000
"""Most characters of an announcement."""


class Announcement(msgspec.Struct, frozen=True, kw_only=True):
    """An announcement that waits for its time, or for silence."""

    id: str
    text: str
    priority: Priority


class Announcements(Protocol):
    """A skill's announcements; they survive a restart and a power cut, and are spoken once."""

    def announce(
        self,
        text: str,
        *,
        priority: Priority = "normal",
        at: datetime | None = None,
        after: timedelta | None = None,
        expires: timedelta | None = None,
        area: str = "",
    ) -> str:
        """Say `text` at a time, after a while, or as soon as nobody speaks; return its id.

        What cannot be said within `expires` after its time is not said at all. It is said in the
        `area` with that id where one of the `rooms` is there, else where the device stands. Raises
        `SkillError` for too many or too long announcements, and for times without a zone or beyond
        a year.
        """

    @property
    def rooms(self) -> tuple[str, ...]:
        """Ids of the areas beside this one in which there is a loudspeaker now."""

    def heard_in(self, area: str) -> str:
        """Id of the area in which is heard now what is for `area`: that one, or the device's own.

        "" where the device stands in none.
        """

    def waiting(self) -> tuple[Announcement, ...]:
        """Those that were not heard yet, the next first."""

    def cancel(self, announcement_id: str) -> None:
        """Forget one, if it waits."""


class DoNotDisturb(Protocol):
    """Whether only what is urgent may be announced, as the user has asked."""

    @property
    def active(self) -> bool:
        """Whether it is so now."""

    @property
    def until(self) -> datetime | None:
        """When it ends; None where it is not so, or until somebody says so."""

    def begin(self, duration: timedelta | None = None, until: datetime | None = None) -> Undo:
        """Let it be so for a while, until a time, or until somebody ends it; return the undo."""

    def end(self) -> Undo:
        """End it, and return the undo."""
