"""Helpers for a skill's tests: a context in memory, a fixed time, and a conversation.

    from assistant.skill.testing import converse, memory_context

    def test_asks_for_the_duration():
        told = converse(skill, "HassStartTimer", answers=[timedelta(minutes=5)])
        assert told == ["For how long?", "Timer for five minutes, starting now."]

`context` is a pytest fixture; import it into a conftest.py to use it.
"""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import pytest

from assistant.core.database import Database
from assistant.core.home.forecast import ForecastDay
from assistant.core.messages import Slot, SlotValue
from assistant.skill.announcements import Announcement, Priority
from assistant.skill.context import Context, ListItem, Request, Timer
from assistant.skill.device.memory import MemoryDevice
from assistant.skill.files import MemoryFiles
from assistant.skill.home import Area, Entity, Floor, Home
from assistant.skill.log import SkillLog
from assistant.skill.memory import MemoryAlarms, MemoryCalendar, MemoryNetwork, MemoryPlans
from assistant.skill.network import Network
from assistant.skill.reply import Cancelled, Undo
from assistant.skill.skill import Skill
from assistant.skill.storage import Cell, Storage, TableMigration

NOW = datetime(2026, 1, 5, 18, 30, tzinfo=UTC)
"""A Monday evening."""
CANCEL = Cancelled()
"""The answer that stands for the user saying "stop"."""


class MemoryTimers:
    """`Timers` whose time stands still."""

    def __init__(self) -> None:
        self._timers: dict[str, Timer] = {}
        self._numbers = itertools.count(1)
        self.last: Timer | None = None
        self.rung: Timer | None = None

    def start(self, duration: timedelta, name: str = "", area: str = "") -> Timer:
        """Start a timer."""
        self.last = Timer(
            id=str(next(self._numbers)),
            name=name,
            duration=duration,
            remaining=duration,
            place=len(self._timers) + 1,
            area=area,
        )
        return self._keep(self.last)

    def all(self) -> tuple[Timer, ...]:
        """Every timer, the next due first."""
        placed = (
            msgspec.structs.replace(timer, place=place)
            for place, timer in enumerate(self._timers.values(), start=1)
        )
        return tuple(sorted(placed, key=lambda timer: timer.remaining))

    def cancel(self, timer_id: str) -> None:
        """Remove a timer."""
        timer = self._timers.pop(timer_id, None)
        if timer is not None and not timer.ringing:
            self.last = timer

    def extend(self, timer_id: str, by: timedelta) -> Timer:
        """Move a timer's end."""
        timer = self._timers[timer_id]
        left = max(timedelta(0), timer.remaining + by)
        return self._keep(msgspec.structs.replace(timer, remaining=left))

    def rename(self, timer_id: str, name: str) -> None:
        """Give a timer another name."""
        self._keep(msgspec.structs.replace(self._timers[timer_id], name=name))

    def ring_in(self, timer_id: str, area: str) -> None:
        """Give a timer another room."""
        self._keep(msgspec.structs.replace(self._timers[timer_id], area=area))

    def pause(self, timer_id: str) -> None:
        """Mark a timer as paused."""
        self._keep(msgspec.structs.replace(self._timers[timer_id], paused=True))

    def resume(self, timer_id: str) -> None:
        """Mark a timer as running."""
        self._keep(msgspec.structs.replace(self._timers[timer_id], paused=False))

    def restore(self, timer: Timer) -> None:
        """Put a timer back."""
        self._keep(timer)

    def ring(self, timer_id: str) -> None:
        """Let a timer ring."""
        timer = self._timers[timer_id]
        rung = msgspec.structs.replace(timer, remaining=timedelta(0), ringing=True)
        self.last = self.rung = self._keep(rung)

    def _keep(self, timer: Timer) -> Timer:
        self._timers[timer.id] = timer
        return timer


class MemoryHome:
    """`HomeControl` over a `Home`; `commands` are those given, as (entity id, command).

    A test sets the `forecasts`, by device.
    """

    def __init__(self, home: Home) -> None:
        self.commands: list[tuple[str, str]] = []
        self.forecasts: dict[str, tuple[ForecastDay, ...] | None] = {}
        self._floors = home.floors
        self._areas = home.areas
        self._entities = {entity.id: entity for entity in home.entities}

    @property
    def floors(self) -> tuple[Floor, ...]:
        """Every floor."""
        return self._floors

    @property
    def areas(self) -> tuple[Area, ...]:
        """Every area."""
        return self._areas

    @property
    def entities(self) -> tuple[Entity, ...]:
        """Every device with its state."""
        return tuple(self._entities.values())

    def forecast(self, entity_id: str) -> tuple[ForecastDay, ...] | None:
        """What a test lets a device foretell."""
        return self.forecasts.get(entity_id, ())

    def set_state(self, entity_id: str, state: str) -> None:
        """Bring a device into `state`."""
        entity = self._entities[entity_id]
        self._entities[entity_id] = msgspec.structs.replace(entity, state=state)

    def set_attribute(self, entity_id: str, name: str, value: SlotValue) -> None:
        """Set an attribute, or remove it."""
        entity = self._entities[entity_id]
        kept = {n: v for n, v in entity.attributes.items() if n != name}
        attributes = kept if value is None else kept | {name: value}
        self._entities[entity_id] = msgspec.structs.replace(entity, attributes=attributes)

    def command(self, entity_id: str, command: str) -> bool:
        """Record a command."""
        self.commands.append((entity_id, command))
        return True


class MemoryLists:
    """`Lists` in memory; a test sets the lists that are `out_of_reach`."""

    def __init__(self) -> None:
        self.out_of_reach: set[str] = set()
        self._items: dict[str, ListItem] = {}
        self._numbers = itertools.count(1)
        self.made: tuple[str, ...] = ()

    def make(self, name: str) -> None:
        """Make a list."""
        self.made = (*self.made, name)

    def drop(self, name: str) -> None:
        """Delete a list, with what is on it."""
        self.made = tuple(other for other in self.made if other != name)
        self._items = {i: o for i, o in self._items.items() if o.list_id != name.casefold()}

    def items(self, list_id: str) -> tuple[ListItem, ...]:
        """What is on a list."""
        return tuple(item for item in self._items.values() if item.list_id == list_id)

    def is_current(self, list_id: str) -> bool:
        """Whether a test lets a list be reached."""
        return list_id not in self.out_of_reach

    def add(self, list_id: str, text: str) -> ListItem:
        """Put something on a list."""
        item = ListItem(id=str(next(self._numbers)), list_id=list_id, text=text)
        self._items[item.id] = item
        return item

    def set_done(self, item_id: str, done: bool) -> None:
        """Check something off, or put it back."""
        self._items[item_id] = msgspec.structs.replace(self._items[item_id], done=done)

    def remove(self, item_id: str) -> None:
        """Take something off."""
        self._items.pop(item_id, None)


class MemoryValues:
    """`StoredValues` in memory."""

    def __init__(self) -> None:
        self._values: dict[str, bytes] = {}

    def read(self, key: str) -> bytes | None:
        """The value of a key."""
        return self._values.get(key)

    def write(self, key: str, value: bytes) -> None:
        """Keep a value, of any size."""
        self._values[key] = value

    def remove(self, key: str) -> None:
        """Remove a key."""
        self._values.pop(key, None)

    def keys(self, prefix: str) -> tuple[str, ...]:
        """The keys that begin with `prefix`."""
        return tuple(sorted(key for key in self._values if key.startswith(prefix)))


class MemoryTables:
    """`Tables` in memory, made by a skill's migrations."""

    def __init__(self, migrations: Sequence[TableMigration] = ()) -> None:
        self._database = Database(None, ())
        weakref.finalize(self, self._database.close)  # a test has no end at which to close it
        for migration in migrations:
            migration(self)

    def execute(self, sql: str, *parameters: Cell) -> list[tuple[Any, ...]]:
        """Run one statement and return its rows."""
        return self._database.execute_for_guest(sql, *parameters)


class MemoryAnnouncements:
    """`Announcements` in memory; `made` are all that were made, with their times.

    `areas` are where those are said that are for an area, and `rooms` where there are loudspeakers.
    """

    def __init__(self) -> None:
        self.made: list[tuple[Announcement, datetime | timedelta | None]] = []
        self.areas: dict[str, str] = {}
        self.rooms: tuple[str, ...] = ()

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
        """Keep an announcement."""
        made = Announcement(id=str(len(self.made) + 1), text=text, priority=priority)
        if area:
            self.areas[made.id] = area
        self.made.append((made, at if at is not None else after))
        return made.id

    def heard_in(self, area: str) -> str:
        """The area, where a loudspeaker is there."""
        return area if area in self.rooms else ""

    def waiting(self) -> tuple[Announcement, ...]:
        """Every announcement."""
        return tuple(made for made, _ in self.made)

    def cancel(self, announcement_id: str) -> None:
        """Forget one."""
        self.made = [(made, when) for made, when in self.made if made.id != announcement_id]


class MemoryDoNotDisturb:
    """`DoNotDisturb` that a test sets."""

    def __init__(self) -> None:
        self.active = False
        self.until: datetime | None = None

    def begin(self, duration: timedelta | None = None, until: datetime | None = None) -> Undo:
        """Let it hold, until a time where one is given."""
        self.active, self.until = True, until
        return Undo("do_not_disturb.set", "")

    def end(self) -> Undo:
        """End it."""
        self.active, self.until = False, None
        return Undo("do_not_disturb.set", "")


@dataclass
class MemoryConversation:
    """A `Conversation` whose content a test sets; `undone` counts the calls of `undo`."""

    last_reply: str = ""
    acted: bool = False
    about: tuple[str, ...] = ()
    answered: bool = False
    failed: bool = False
    last_act: str = ""
    abilities: tuple[str, ...] = ()
    recorded: bool = False
    can_undo: bool = False
    undoing: tuple[Undo, ...] = ()
    undone: int = field(default=0, init=False)

    def undo(self) -> bool:
        """Count the call, and return `can_undo`."""
        self.undone += 1
        return self.can_undo


def memory_context(
    home: Home | None = None,
    area: str = "",
    now: datetime = NOW,
    skill: Skill | None = None,
    settings: msgspec.Struct | None = None,
    network: Network | None = None,
    files: Mapping[str, bytes] | None = None,
) -> Context:
    """A context that keeps everything in memory; `area` is the id of the speaker's.

    `files` are those that may be read, by their whole paths.
    With `skill` it has the tables that its migrations make, and its `settings`, or their defaults.
    """
    declared = skill.settings if skill else None
    known = home or Home()
    return Context(
        clock=lambda: now,
        timers=MemoryTimers(),
        home=MemoryHome(known),
        lists=MemoryLists(),
        plans=MemoryPlans(),
        alarms=MemoryAlarms(now),
        calendar=MemoryCalendar(),
        conversation=MemoryConversation(),
        storage=Storage(MemoryValues()),
        tables=MemoryTables(skill.migrations if skill else ()),
        announcements=MemoryAnnouncements(),
        do_not_disturb=MemoryDoNotDisturb(),
        network=network or MemoryNetwork(),
        log=SkillLog(skill.name if skill else "test"),
        files=MemoryFiles(files or {}),
        device=MemoryDevice(),
        settings=settings if settings is not None else declared and declared(),
        area=next((one for one in known.areas if one.id == area), None),
    )


@pytest.fixture
def context() -> Context:
    """A context in memory, with no home, on the evening of `NOW`."""
    return memory_context()


def converse(
    skill: Skill,
    intent: str,
    context: Context | None = None,
    *,
    text: str = "",
    answers: Sequence[Any] = (),
    **slots: SlotValue,
) -> list[str]:
    """The texts that the skill says, question by question, when called with `slots` as on the bus.

    `answers` are typed values, in order; `CANCEL` stands for "stop" and raises `Cancelled` here
    unless the skill handles it.
    """
    given = tuple(Slot(name=name, value=value, raw=str(value)) for name, value in slots.items())
    request = Request(utterance_id="test", text=text, intent=intent, slots=given)
    dialog = skill.call(request, context or memory_context())
    told = []
    replies = iter(answers)
    try:
        told.append(next(dialog).text)
        while True:
            answer = next(replies)
            query = dialog.throw(answer) if answer is CANCEL else dialog.send(answer)
            told.append(query.text)
    except StopIteration as end:
        if end.value is not None:
            told.append(end.value.text)
    return told
