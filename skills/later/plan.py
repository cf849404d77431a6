"""What a plan is made of, as it is stored."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

import msgspec

from assistant.core.messages import SunEvent
from assistant.skill import Request, Undo
from assistant.skill.context import Answer
from skills.countdown import Ending

LocalTime = Annotated[datetime, msgspec.Meta(tz=False)]
"""Date and time of the user's clock, in whichever zone the home then is."""


class After(Ending, frozen=True, kw_only=True, tag=True):
    """Due when a length of time has passed."""


class Unsure(msgspec.Struct, frozen=True, kw_only=True):
    """When something was wished for, by a clock that was not trusted, and by CLOCK_BOOTTIME."""

    local: LocalTime
    boot_id: str
    boot_s: float


class AtTime(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Due when the user's clock shows `local`, and again by `rule`."""

    local: LocalTime
    rule: str = ""
    """RFC 5545 RRULE; "" for once."""
    since: LocalTime | None = None
    """The rule's DTSTART."""
    sun: SunEvent | None = None
    """The event that tells its time of day; None for the clock."""
    unsure: Unsure | None = None
    """None where the date is sure."""


Due = After | AtTime


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """A command that waits for its time, or what takes one back that was carried out for a while.

    Without a `request` the steps of `undo` are due.
    """

    id: str
    title: str
    """What will be done, as a phrase that fits "I will …"."""
    said: str
    """The user's words."""
    area: str
    """Id of the area where they were said; "" for none."""
    due: Due
    request: Request | None = None
    answers: tuple[Answer, ...] = ()
    pin: bool = False
    """Whether the right PIN was said when it was wished."""
    about: tuple[str, ...] = ()
    """The ids of the things that were spoken of before, which "them" stands for."""
    undo: tuple[Undo, ...] = ()
