"""What is told of the satellites, and which of several rooms listens when all hear the same."""

from __future__ import annotations

import msgspec

from assistant.core.parts import Control, Id


class SatelliteChanged(Control, frozen=True, kw_only=True):
    """A satellite came or went; that it is there is told again and again."""

    satellite: Id
    area: Id
    """Where it stands."""
    present: bool


class RoomTimer(msgspec.Struct, frozen=True, kw_only=True):
    """A timer of a room."""

    id: Id
    name: str
    total_s: float
    left_s: float
    paused: bool


class RoomTimers(Control, frozen=True, kw_only=True):
    """The timers of an area, which its satellite rings by itself while the base is away."""

    area: Id
    timers: tuple[RoomTimer, ...]


class Compare(Control, frozen=True, kw_only=True):
    """A wake word was noticed in some room; the device is to say how clearly it hears that."""

    contest: Id
    """The utterance that began so."""


class Compared(Control, frozen=True, kw_only=True):
    """How clearly the device hears what was just said."""

    contest: Id
    clearness_db: float
    """Speech over noise, as `audio.clearness` measures it."""
    imprint: str
    """By which the same sound is known in other rooms, in hexadecimal digits."""


class Outheard(Control, frozen=True, kw_only=True):
    """Another room hears an utterance better: what is heard of it here is dropped."""

    utterance_id: Id


class ListenHere(Control, frozen=True, kw_only=True):
    """The device hears best what was said where the wake word was noticed, and is to listen."""

    wake_word: str
    ended_at_s: float
    """When the wake word ended."""
