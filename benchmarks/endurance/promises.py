"""An oracle for a daemon under attack: what the daemon promised, and whether it keeps it.

Each command (a `Wish`) is one of a kind: a timer with a name and a length that no other has, an
item that is on no list yet, or a device's new brightness. It is promised once a `SpokenReply` has
come that says that it `acted`. A command without such a reply may have been carried out or not, but
at most once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Literal

import msgspec

from assistant.core.messages import Message, PlaybackEnded, PlaybackStarted, SpokenReply

RING = "timer-"

Kind = Literal["timer", "item", "device"]


class Wish(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """One command: `thing` is a timer's name and seconds ("tea 40"), an item or a device's id."""

    utterance_id: str
    kind: Kind
    text: str
    thing: str
    value: str = ""


class Promised(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """The command `utterance_id` was reported as done."""

    utterance_id: str


class Seen(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """The timer `id` is there; `thing` is its name and its seconds."""

    id: str
    thing: str


class Rung(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """The ring of the timer `id` was played to its end."""

    id: str


class RangAgain(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """The ring of the timer `id` began although it had been played to its end."""

    id: str


class Killed(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """The process `name` was ended by SIGKILL."""

    name: str


Line = Wish | Promised | Seen | Rung | RangAgain | Killed
"""A line of the journal; when an attack continues, the oracle is rebuilt from these."""


class Kept(msgspec.Struct, frozen=True, kw_only=True):
    """What is in the daemon's database: timers by id, items in order, devices' brightness."""

    timers: dict[str, str]
    items: tuple[str, ...]
    devices: dict[str, str]


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """The promises that were broken."""

    lost: tuple[str, ...]
    done_again: tuple[str, ...]
    rung_again: tuple[str, ...]


class Oracle:
    """Remembers by `note` what was commanded, promised and heard."""

    def __init__(self) -> None:
        self.wishes: dict[str, Wish] = {}
        self.promised: set[str] = set()
        self.timers: dict[str, str] = {}
        """Every timer that ever existed, by id."""
        self.rung: set[str] = set()
        self.rung_again: list[str] = []
        self.killed: Counter[str] = Counter()

    def note(self, line: Line) -> None:
        """Record one line of the journal."""
        match line:
            case Wish():
                self.wishes[line.utterance_id] = line
            case Promised():
                self.promised.add(line.utterance_id)
            case Seen():
                self.timers[line.id] = line.thing
            case Rung():
                self.rung.add(line.id)
            case RangAgain():
                self.rung_again.append(line.id)
            case Killed():
                self.killed[line.name] += 1

    def learned(self, message: Message) -> Iterable[Line]:
        """The lines that a message of the daemon gives; they are not yet noted."""
        match message:
            case SpokenReply(acted=True, utterance_id=said) if said in self.wishes:
                if said not in self.promised:
                    yield Promised(utterance_id=said)
            case PlaybackStarted(utterance_id=name) if _timer(name) in self.rung:
                yield RangAgain(id=_timer(name))
            case PlaybackEnded(heard=True, interrupted=False, utterance_id=name):
                if _timer(name) in self.timers and _timer(name) not in self.rung:
                    yield Rung(id=_timer(name))

    def saw(self, kept: Kept) -> Iterable[Line]:
        """The lines that a look into the database gives."""
        for timer, thing in kept.timers.items():
            if timer not in self.timers:
                yield Seen(id=timer, thing=thing)

    def unheard(self, at_most_s: int) -> set[str]:
        """Timers of up to that length that have not been heard to their end."""
        short = {t for t, thing in self.timers.items() if int(thing.split()[-1]) <= at_most_s}
        return short - self.rung

    def judge(self, kept: Kept) -> Verdict:
        """Compare with the stored state, when nothing is in progress any more."""
        return Verdict(
            lost=(*self._lost_timers(kept), *self._lost_items(kept), *self._lost_states(kept)),
            done_again=tuple(self._done_again(kept)),
            rung_again=tuple(self.rung_again),
        )

    def _lost_timers(self, kept: Kept) -> Iterable[str]:
        """Timers that neither exist nor were heard, and those that never existed."""
        for timer, thing in self.timers.items():
            if timer not in kept.timers and timer not in self.rung:
                yield f"timer {thing}, {timer}"
        there = set(self.timers.values())
        for wish in self._of("timer", promised=True):
            if wish.thing not in there:
                yield f"timer {wish.thing}, {wish.utterance_id}"

    def _lost_items(self, kept: Kept) -> Iterable[str]:
        there = set(kept.items)
        for wish in self._of("item", promised=True):
            if wish.thing not in there:
                yield f"item {wish.thing}, {wish.utterance_id}"

    def _lost_states(self, kept: Kept) -> Iterable[str]:
        """Devices with neither the value promised last nor one commanded after it."""
        possible: dict[str, list[str]] = {}
        for wish in self._of("device"):
            if wish.utterance_id in self.promised:
                possible[wish.thing] = []
            possible.setdefault(wish.thing, []).append(wish.value)
        promised = {wish.thing for wish in self._of("device", promised=True)}
        for device in promised:
            if kept.devices.get(device) not in possible[device]:
                yield f"{device} is {kept.devices.get(device)}, not {possible[device]}"

    def _done_again(self, kept: Kept) -> Iterable[str]:
        for things in (self.timers.values(), kept.items):
            yield from (thing for thing, count in Counter(things).items() if count > 1)

    def _of(self, kind: Kind, promised: bool = False) -> Sequence[Wish]:
        return [
            wish
            for wish in self.wishes.values()
            if wish.kind == kind and (not promised or wish.utterance_id in self.promised)
        ]


def _timer(utterance_id: str) -> str:
    """The timer of that ring; "" for none. Nothing else changes a timer's end meanwhile."""
    name = utterance_id.removeprefix(RING)
    return name.partition("-")[0] if name != utterance_id else ""
