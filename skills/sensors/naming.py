"""Which sensors are meant: by the names of the file, or as what was told of last."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta

import msgspec

from assistant.english.numbers import read_number
from assistant.english.words import words
from assistant.skill import Context, Reply, Request
from assistant.skill.sensors import Noticed, Sensor
from skills.sensors.wording import called, the

FRESH = timedelta(minutes=10)
"""Time in which "that" means what was told of."""
MOST_NAMES = 1000
"""Most names that are expected, as of music."""
SPOKEN_OF = "spoken of "
"""Key of what was told of in a room, which follows it."""
Holds = Callable[[Request, Context], bool]
"""Whether a short form means the request that it was read as."""
_BESIDE = frozenset(("the", "a", "an", "my", "our", "of", "in", "at", "sensor", "s"))


class SpokenOf(msgspec.Struct, frozen=True):
    """The anomalies that a reply told of, and when."""

    at: datetime
    ids: tuple[str, ...]


def names(context: Context) -> list[str]:
    """The names that may be said: of machines and places first, then of each sensor."""
    sensors = context.sensors.described.sensors
    of = (the(one.of) for one in sensors if one.of)
    return list(dict.fromkeys((*of, *map(called, sensors))))[:MOST_NAMES]


def meant(said: str, context: Context) -> tuple[Sensor, ...]:
    """The sensors that words name: one, or all of a machine; () for none."""
    sensors, wanted = context.sensors.described.sensors, _key(said)
    if not wanted:
        return ()
    whole = tuple(one for one in sensors if _key(f"{one.name} {one.of}") == wanted)
    return whole or tuple(one for one in sensors if one.of and _key(one.of) == wanted)


def is_meant(request: Request, context: Context) -> bool:
    """Whether a short form names a sensor or a machine."""
    slot = request.slot("machine")
    return slot is not None and bool(meant(str(slot.value), context))


def named_or(bare: Holds) -> Holds:
    """A condition of short forms: a sensor or machine is named, or without a name `bare` holds."""

    def holds(request: Request, context: Context) -> bool:
        named = request.slot("machine") is not None
        return is_meant(request, context) if named else bare(request, context)

    return holds


def spoken_of(context: Context) -> tuple[Noticed, ...]:
    """What was told of a moment ago, by a reply or unasked; () for nothing."""
    key = SPOKEN_OF + context.room
    replied: SpokenOf | None = context.storage.get(key, SpokenOf | None, None)
    told = context.sensors.told
    unasked = SpokenOf(told[1], told[0]) if told is not None else None
    both = [one for one in (replied, unasked) if one and context.now - one.at <= FRESH]
    if not both:
        return ()
    ids = max(both, key=lambda one: one.at).ids
    return tuple(one for one in context.sensors.noticed() if one.anomaly.id in ids)


def is_spoken_of(request: Request, context: Context) -> bool:
    """Whether "that" is an anomaly, and nothing that rings now."""
    rings = context.timers.rung or context.alarms.rung
    return not rings and bool(spoken_of(context))


def that(context: Context) -> tuple[Noticed, ...]:
    """What was told of a moment ago, or else what is wrong now."""
    return spoken_of(context) or context.sensors.wrong()


def telling(text: str, told: Iterable[Noticed], context: Context, done: bool = True) -> Reply:
    """A reply that tells of anomalies, so that "that" means them next."""
    ids = tuple(one.anomaly.id for one in told)
    context.storage.set(SPOKEN_OF + context.room, SpokenOf(context.now, ids))
    return Reply(text, about=ids, done=done)


def of(sensors: Sequence[Sensor], noticed: Iterable[Noticed]) -> tuple[Noticed, ...]:
    """The anomalies of some sensors."""
    ids = {one.id for one in sensors}
    return tuple(one for one in noticed if one.anomaly.sensor in ids)


def named(sensors: Sequence[Sensor]) -> str:
    """Sensors as they are spoken of: the one, or the machine of several."""
    return f"the {called(sensors[0])}" if len(sensors) == 1 else the(sensors[0].of)


def _key(name: str) -> frozenset[str]:
    """The words by which names are compared: "Motor 3" is "the motor three"."""
    said, found, at = words(name), set[str](), 0
    while at < len(said):
        number, end = read_number(said, at) or (None, at + 1)
        found.add(said[at] if number is None else str(number))
        at = end
    return frozenset(found) - _BESIDE
