"""The names of the music that MPD has."""

from __future__ import annotations

from collections.abc import AsyncIterator

from assistant.bridge.mpd.session import Session
from assistant.core.home.music import KINDS, Kind
from assistant.core.home.names import name_fault

MOST_NAMES = 5000
"""Most names in all, of the kinds in their order."""
MOST_LINES = 100_000
"""Most lines of an answer that are looked at."""
LIST_S = 20.0
"""Seconds for an answer: a list of many titles takes a small machine some."""


async def read_names(session: Session) -> AsyncIterator[tuple[Kind, tuple[str, ...]]]:
    """Each kind with its names, one after another; raises as `Session.ask`."""
    left = MOST_NAMES
    for kind in KINDS:
        if kind in ("station", "all"):
            continue
        line = "listplaylists" if kind == "playlist" else f"list {kind}"
        told = await session.ask(line, within_s=LIST_S, most_pairs=MOST_LINES)
        names = dict.fromkeys(value for name, value in told if name == kind and _sayable(value))
        taken = tuple(names)[:left]
        left -= len(taken)
        yield kind, taken


def _sayable(name: str) -> bool:
    return name == name.strip() and not name_fault(name)
