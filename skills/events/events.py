"""What skills wait for: noticed on the disk, then told to each handler in a turn of its own.

1. A time is a row until it comes; then, in one transaction, it becomes an event that waits, and its
   row is set to the next time. What was missed while nothing ran comes once, late.
2. A change of a device becomes an event that waits in the transaction that writes the change.
3. One event is handled at a time: what its handler does and that it was handled are committed
   together. So an event is neither lost nor handled twice, whenever the process is killed.
4. A handler that fails leaves nothing but a line in the log; its event is over.

What a handler itself changes is no event, so that handlers cannot set each other off for ever.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta

import msgspec

from assistant.core.database import Database
from assistant.core.errors import SkillError
from assistant.core.messages import Message, SunEvent, When
from assistant.skill import Context, Reply
from assistant.skill.events import Event, Every, StateChange, StateChanged, TimeReached
from skills.devices.devices import Devices
from skills.events.store import Change, EventStore, Time, Waiting
from skills.later.plan import AtTime
from skills.later.timing import Timing
from skills.registry import Registry

RECHECK_S = 60.0
"""Most seconds until the wall clock is looked at again, which may have been set."""
RETRY_S = 60.0
"""Seconds after which what could not be written is tried again."""
_MONDAY = "20260105"
"""The day from which every second day or week is counted."""

log = logging.getLogger(__name__)


class Events:
    """Tells the handlers of the skills what has happened."""

    def __init__(
        self, registry: Registry, database: Database, devices: Devices, timing: Timing
    ) -> None:
        self._registry, self._database = registry, database
        self._devices, self._timing = devices, timing
        self._store = EventStore(database)
        self._changes = [
            (manifest.name, one.key, one.trigger)
            for manifest in registry.manifests
            for one in manifest.subscriptions
            if isinstance(one.trigger, StateChange)
        ]
        self._skills = tuple(m.name for m in registry.manifests if m.subscriptions)
        self._handling = False
        self._rest_until_s = 0.0
        with database.transaction():
            self._subscribe()
        devices.watch(self._changed)

    def deadline_s(self, at_s: float) -> float | None:
        """When `handle` must be called next; None for never."""
        if not self._skills:
            return None
        if self._store.first(self._skills) is not None:
            return self._rest_until_s
        left = [max(0.0, left_s) for left_s, *_ in self._times()]
        return max(self._rest_until_s, at_s + min(*left, RECHECK_S)) if left else None

    def handle(
        self, context: Context, at_s: float, in_time: Callable[[Callable[[], Reply]], Reply]
    ) -> Iterator[Message]:
        """Tell one handler of one event; `in_time` limits what it may take."""
        if not self._skills or at_s < self._rest_until_s:
            return
        self._rest_until_s = at_s + RETRY_S
        self._notice_times()
        if (waiting := self._store.first(self._skills)) is not None:
            self._told(waiting, context, in_time)
            yield from self._devices.commands(f"event-{waiting.number}")
        self._rest_until_s = 0.0

    def _subscribe(self) -> None:
        """Set a time for each handler that waits for one and has none yet."""
        known = self._store.times()
        for (skill, key), due in known.items():
            if (near := self._timing.not_beyond(due)) != due:
                self._store.set_time(skill, key, near)
        for manifest in self._registry.manifests:
            self._store.keep(manifest.name, (one.key for one in manifest.subscriptions))
            for one in manifest.subscriptions:
                if isinstance(one.trigger, Every) and (manifest.name, one.key) not in known:
                    self._store.set_time(
                        manifest.name, one.key, self._first(manifest.name, one.trigger)
                    )

    def _first(self, skill: str, every: Every) -> AtTime | None:
        hourly = "FREQ=MINUTELY" in every.rule or "FREQ=HOURLY" in every.rule
        start = f"{self._timing.now:%Y%m%d}" if hourly else _MONDAY
        sun = (
            SunEvent(event=every.sun, offset_s=every.offset.total_seconds()) if every.sun else None
        )
        value = f"DTSTART;VALUE=DATE:{start}\nRRULE:{every.rule}"
        try:
            due = self._timing.first(When(kind="every", said="", value=value, sun=sun), every.at)
        except SkillError as error:
            log.warning("skill %s: %s (%s)", skill, error.message, error.code)
            return None
        return due if isinstance(due, AtTime) else None

    def _times(self) -> list[tuple[float, str, str, AtTime]]:
        """Each time of the skills that run, and the seconds until then."""
        return [
            (self._timing.left_s(key, due), skill, key, due)
            for (skill, key), due in self._store.times().items()
            if skill in self._skills
        ]

    def _notice_times(self) -> None:
        for _, skill, key, due in self._times():
            if due.unsure is not None and self._timing.trusted:
                self._store.set_time(skill, key, self._timing.sure(due))
        over = [time for time in self._times() if time[0] <= 0]
        if not over:
            return
        with self._database.transaction():
            for _, skill, key, due in sorted(over, key=lambda time: time[0]):
                self._add(skill, key, Time(at=self._timing.moment(due)))
                following = self._timing.following(due)
                self._store.set_time(
                    skill, key, following if isinstance(following, AtTime) else None
                )

    def _changed(self, entity_id: str, before: str, state: str) -> None:
        if self._handling:
            return
        for skill, key, trigger in self._changes:
            if trigger.fits(entity_id, state):
                self._add(skill, key, Change(entity_id=entity_id, before=before, state=state))

    def _add(self, skill: str, key: str, happened: Time | Change) -> None:
        if not self._store.add(skill, key, happened):
            log.warning("skill %s: too many events wait; one is dropped (event.dropped)", skill)

    def _told(
        self, waiting: Waiting, context: Context, in_time: Callable[[Callable[[], Reply]], Reply]
    ) -> None:
        def act() -> Reply:
            if (event := self._event(waiting, context)) is not None:
                there = replace(context, area=None)
                self._registry.handle(waiting.skill, waiting.key, event, there)
            return Reply("")

        self._handling = True
        try:
            with self._database.transaction():
                in_time(act)
                self._store.remove(waiting.number)
        except SkillError as error:
            log.error("a handler failed: %s (%s)", error.message, error.code)
            with self._database.transaction():
                self._store.remove(waiting.number)
        finally:
            self._handling = False

    def _event(self, waiting: Waiting, context: Context) -> Event | None:
        """What to tell; None where the device is gone."""
        match waiting.happened:
            case Time(at=at):
                now = self._timing.now
                late = max(timedelta(0), now - at)
                return TimeReached(at=at.astimezone(now.tzinfo), late=late)
            case Change(entity_id=entity_id, before=before, state=state):
                found = (e for e in context.home.entities if e.id == entity_id)
                entity = next(found, None)
                if entity is None:
                    return None
                then = msgspec.structs.replace(entity, state=state)
                return StateChanged(entity=then, before=before)
