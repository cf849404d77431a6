"""What a skill's handlers may wait for, and what they are told when it comes."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, time, timedelta
from inspect import signature
from typing import Any, Literal

import msgspec

from assistant.core.errors import SkillError
from assistant.skill.home import Entity

GIVEN = ("event", "context")
"""The parameters that a handler may have."""


class Every(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """A time that comes again: on the days of an RFC 5545 rule, at a time of the home's clock.

    With `sun` it is an event of that day's sun, moved by `offset`.
    """

    rule: str = "FREQ=DAILY"
    at: time = time()
    sun: Literal["", "dawn", "sunrise", "sunset", "dusk"] = ""
    offset: timedelta = timedelta(0)


class StateChange(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """A device comes into another state; what is "" fits every device, and every state."""

    entity: str = ""
    """Its id, such as "lock.front_door"."""
    domain: str = ""
    """The part of its id before the dot."""
    to: str = ""
    """The state that it comes into."""

    def fits(self, entity_id: str, state: str) -> bool:
        """Whether this is what is waited for."""
        return (
            self.entity in ("", entity_id)
            and self.domain in ("", entity_id.partition(".")[0])
            and self.to in ("", state)
        )


Trigger = Every | StateChange


class TimeReached(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """The time `at` has come; `late` is how long ago, as after a time without power."""

    at: datetime
    late: timedelta = timedelta(0)


class StateChanged(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """A device has come into the state that `entity` has; it was in `before`."""

    entity: Entity
    before: str


Event = TimeReached | StateChanged


class Subscription(msgspec.Struct, frozen=True, kw_only=True):
    """One handler of a skill, known as `key`, and what it waits for."""

    key: str
    trigger: Trigger


class Handler(msgspec.Struct, frozen=True, kw_only=True):
    """A function that is called when its trigger comes."""

    function: Callable[..., Any]
    trigger: Trigger

    @property
    def subscription(self) -> Subscription:
        """It as a value; another trigger makes another key."""
        trigger = msgspec.json.encode(self.trigger).decode()
        return Subscription(key=f"{self.function.__name__} {trigger}", trigger=self.trigger)

    def call(self, event: Event, context: Any) -> None:
        """Call the function; raises what it raises, and `SkillError` where it gives anything."""
        given = {"event": event, "context": context}
        wanted = signature(self.function).parameters
        found = self.function(**{name: given[name] for name in wanted})
        if found is not None:
            told = f"a handler gives nothing, but {self.function.__name__} gave "
            raise SkillError("skill.handler", told + type(found).__name__)

    def fault(self) -> str:
        """Why it is no handler; "" where it is one."""
        strange = [name for name in signature(self.function).parameters if name not in GIVEN]
        if strange:
            return f'parameter "{strange[0]}" is none of {", ".join(GIVEN)}'
        if not isinstance(self.trigger, Every | StateChange):
            return f"waits for a {type(self.trigger).__name__}, which is no Every or StateChange"
        return _rule_fault(self.trigger.rule) if isinstance(self.trigger, Every) else ""


def _rule_fault(rule: str) -> str:
    # Not at the top: the supervisor imports this module to read the home, but reads no rule.
    from dateutil.rrule import rrulestr

    try:
        rrulestr(rule, dtstart=datetime(2026, 1, 5))
    except (ValueError, KeyError, TypeError) as error:
        return f'"{rule}" is no RFC 5545 rule: {error}'
    return "comes every second, which is too often" if "FREQ=SECONDLY" in rule else ""
