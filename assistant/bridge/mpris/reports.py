"""What the session's players tell of themselves, as the state of one media player."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import unquote

import msgspec

from assistant.bridge.mpris.session import Session, Told, variants
from assistant.bridge.player import sayable
from assistant.core.messages import ReportedAttributes

_STATES = {"Playing": "playing", "Paused": "paused", "Stopped": "off"}
_RANK = ("playing", "paused", "off")
_TITLES = {"media_title": "xesam:title", "media_album_name": "xesam:album"}


class Status(msgspec.Struct, frozen=True):
    """What one player does now; `player` is its bus name, "" where none runs."""

    player: str = ""
    state: str = "off"
    volume: float | None = None
    """From 0 to 1; None where it has none."""
    shuffle: bool | None = None
    titles: Mapping[str, str] = {}
    """Attributes of what it plays."""

    def report(self) -> tuple[str, ReportedAttributes]:
        """The state, and the attributes as Home Assistant calls them."""
        attributes: ReportedAttributes = {}
        if self.shuffle is not None:
            attributes["shuffle"] = self.shuffle
        if self.volume is not None:
            attributes["volume_level"] = round(self.volume, 2)
            attributes["is_volume_muted"] = self.volume == 0
        if self.state in ("playing", "paused"):
            attributes |= self.titles
        return self.state, attributes


async def read_status(session: Session, before: str) -> Status:
    """What the player does that is meant: one that plays, or the one of `before`, or any.

    Raises as `Session.players`.
    """
    players = await session.players()
    told = await asyncio.gather(*(session.read(player) for player in players))
    found = [_status(player, one) for player, one in zip(players, told, strict=True)]
    there = (status for status in found if status is not None)
    return min(
        there, key=lambda one: (_RANK.index(one.state), one.player != before), default=Status()
    )


def _status(player: str, told: Told) -> Status | None:
    """None for a player that does not say what it does."""
    playback = told.get("PlaybackStatus")
    state = _STATES.get(playback) if isinstance(playback, str) else None
    if state is None:
        return None
    volume, shuffle = told.get("Volume"), told.get("Shuffle")
    if not isinstance(volume, float) or not math.isfinite(volume):
        volume = None
    return Status(
        player=player,
        state=state,
        volume=None if volume is None else min(max(volume, 0.0), 1.0),
        shuffle=shuffle if isinstance(shuffle, bool) else None,
        titles=_titles(told.get("Metadata")),
    )


def _titles(metadata: Any) -> dict[str, str]:
    tags = variants(metadata)
    found: dict[str, Any] = {name: tags.get(tag) for name, tag in _TITLES.items()}
    artists = tags.get("xesam:artist")
    found["media_artist"] = artists[0] if isinstance(artists, list) and artists else None
    address = tags.get("xesam:url")
    if not found["media_title"] and isinstance(address, str):
        found["media_title"] = unquote(PurePosixPath(address).stem)
    return {name: text for name, text in found.items() if sayable(text)}
