"""What a base and a satellite that are both Hark tell each other beside Wyoming's own fields.

The base says that it is one as it has the satellite run; of a wake word they tell in contexts.
"""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from wyoming.event import Event
from wyoming.satellite import RunSatellite

from audio.clearness import Heard

KEY = "hark"
LONGEST_S = 10.0
"""Most seconds that are told: of sound from before a wake word, or since its end."""
MOST_DB = 100.0
"""Most decibels that are told: 16 bits hold 96."""
LONGEST_NAME = 100
"""Most characters of a wake word's name."""
_Name = Annotated[str, msgspec.Meta(max_length=LONGEST_NAME)]


def run_satellite() -> Event:
    """Has a satellite run, and tells it that the base is a Hark."""
    return Event(RunSatellite().event().type, {KEY: {}})


def from_hark(event: Event) -> bool:
    """Whether a base that has the satellite run is a Hark."""
    return KEY in event.data


class Noticed(msgspec.Struct, frozen=True, kw_only=True):
    """How a satellite hears a wake word; one that tells nothing sends no sound from before it."""

    preroll_s: float = 0.0
    """Seconds of sound before the detection that come first."""
    keyword_ended_s: float = 0.0
    """Seconds before the detection at which the wake word ended."""
    heard: Heard | None = None
    """How clearly it is heard."""

    def context(self) -> dict[str, Any]:
        """The context of a detection, or of "not-detected" where another room asks."""
        return {KEY: msgspec.to_builtins(self)}

    @classmethod
    def of(cls, context: dict[str, Any] | None) -> Noticed:
        """What a context tells, numbers within bounds; raises `msgspec.ValidationError`."""
        told = msgspec.convert((context or {}).get(KEY, {}), cls)
        heard = told.heard
        if heard is not None:
            bounded_db = min(max(-MOST_DB, heard.clearness_db), MOST_DB)
            heard = heard._replace(clearness_db=bounded_db)
        return msgspec.structs.replace(
            told,
            preroll_s=_bounded(told.preroll_s),
            keyword_ended_s=_bounded(told.keyword_ended_s),
            heard=heard,
        )


class Comparing(msgspec.Struct, frozen=True, kw_only=True):
    """A base asks how clearly a satellite hears the wake word that another room noticed."""

    ended_s: float
    """Seconds before now at which the wake word ended."""

    def context(self) -> dict[str, Any]:
        """The context of "detect"."""
        return {KEY: msgspec.to_builtins(self)}

    @classmethod
    def of(cls, context: dict[str, Any] | None) -> Comparing | None:
        """What a context asks; None for a "detect" that means something else."""
        asked = (context or {}).get(KEY)
        return None if asked is None else cls(ended_s=_bounded(msgspec.convert(asked, cls).ended_s))


class Ended(msgspec.Struct, frozen=True, kw_only=True):
    """A base has heard enough; of wake words that it does not know yet that says nothing."""

    detections: int
    """How many detections of the satellite it has taken since it connected."""

    def context(self) -> dict[str, Any]:
        """The context of a "transcript"."""
        return {KEY: msgspec.to_builtins(self)}

    @classmethod
    def of(cls, context: dict[str, Any] | None) -> Ended | None:
        """What a context tells; None for another base. Raises `msgspec.ValidationError`."""
        told = (context or {}).get(KEY)
        return None if told is None else msgspec.convert(told, cls)


def name_of(told: Any) -> str:
    """The name of a wake word, "" for none; raises `msgspec.ValidationError` for what is none."""
    name: str = msgspec.convert(told or "", _Name)
    return name


def _bounded(seconds: float) -> float:
    return min(max(0.0, seconds), LONGEST_S)
