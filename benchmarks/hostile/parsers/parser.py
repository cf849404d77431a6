"""A parser of what comes from outside, and where each is found."""

from __future__ import annotations

import importlib
import random
from collections.abc import Callable
from importlib.util import find_spec
from types import MappingProxyType

import msgspec

Read = Callable[[bytes], bool]
"""A function that has an input parsed; gives whether it was taken, or raises."""


class Parser(msgspec.Struct, frozen=True, kw_only=True):
    """One parser: how it is called, what it is given, and what it may raise."""

    read: Read
    refusals: tuple[type[Exception], ...]
    """The project's own errors; any other is a fault."""
    samples: tuple[bytes, ...]
    """Honest inputs, each of which is taken."""
    honest: Callable[[int], bytes]
    """Makes an honest input of about so many bytes."""
    pieces: tuple[bytes, ...] = ()
    """Words of its grammar, to be repeated and put where they do not belong."""
    nests: tuple[tuple[bytes, bytes], ...] = ()
    """What opens, and what closes, one level of its grammar."""
    attacks: tuple[Callable[[random.Random], bytes], ...] = ()
    """Makers of inputs that its grammar alone suggests."""
    largest: int = 65_536
    """Most bytes of an input, which those that read it see to."""
    room_mb: int = 128
    """Memory that its unit leaves it."""
    has_own_process: bool = False
    """Whether each input has a process of its own, in which it may take all of that."""


_HERE = "benchmarks.hostile.parsers"
PARSERS = MappingProxyType(
    {
        "caldav": f"{_HERE}.calendars:CALDAV",
        "calendar": f"{_HERE}.calendars:CALENDAR",
        "feed": f"{_HERE}.feeds:FEED",
        "home-assistant": f"{_HERE}.home_assistant:HOME_ASSISTANT",
        "home": f"{_HERE}.files:HOME_FILE",
        "sentences": f"{_HERE}.files:SENTENCES",
        "backup": f"{_HERE}.files:BACKUP",
        "restored": f"{_HERE}.files:RESTORED",
        "html": f"{_HERE}.documents:HTML",
        "markdown": f"{_HERE}.documents:MARKDOWN",
        "epub": f"{_HERE}.documents:EPUB",
        "contacts": f"{_HERE}.documents:CONTACTS",
        "events": f"{_HERE}.documents:EVENTS",
        **({"hub": f"{_HERE}.hub:HUB"} if find_spec("fastapi") else {}),
        "control": f"{_HERE}.requests:CONTROL",
        "mdns": f"{_HERE}.network:MDNS",
        "mqtt-discovery": f"{_HERE}.mqtt:MQTT_DISCOVERY",
        "mqtt-states": f"{_HERE}.mqtt:MQTT_STATES",
        "mpd": f"{_HERE}.players:MPD",
        "mpris": f"{_HERE}.players:MPRIS",
    }
)
"""Name → the module and the name there; that of the hub where its extra is installed."""


def load(path: str) -> Parser:
    """The parser at a path such as those of `PARSERS`; no other's module is imported."""
    module, _, name = path.partition(":")
    found: Parser = getattr(importlib.import_module(module), name)
    return found
