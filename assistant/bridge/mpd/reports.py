"""What MPD tells of itself, as the state and the attributes of a media player."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import PurePosixPath

import msgspec

from assistant.bridge.mpd.session import Pairs, Session
from assistant.bridge.player import sayable
from assistant.core.messages import ReportedAttributes

_DIGITS = re.compile("[0-9]{1,9}")
_STATES = {"play": "playing", "pause": "paused", "stop": "off"}
_TAGS = {"media_title": "title", "media_artist": "artist", "media_album_name": "album"}
"""Attribute → the tag that it is told of."""


class Status(msgspec.Struct, frozen=True):
    """What MPD does now."""

    state: str = "unknown"
    volume: int | None = None
    """In percent; None where no mixer can be set."""
    shuffle: bool = False
    queued: int = 0
    """Number of songs in the queue."""
    song: Mapping[str, str] = {}
    """Its tags, and its `file`."""

    def report(self) -> tuple[str, ReportedAttributes]:
        """The state, and the attributes as Home Assistant calls them."""
        attributes: ReportedAttributes = {"shuffle": self.shuffle}
        if self.volume is not None:
            attributes["volume_level"] = self.volume / 100
            attributes["is_volume_muted"] = self.volume == 0
        if self.state in ("playing", "paused"):
            told = {name: self.song.get(tag, "") for name, tag in _TAGS.items()}
            told["media_title"] = told["media_title"] or self._called
            attributes |= {name: text for name, text in told.items() if sayable(text)}
        return self.state, attributes

    @property
    def _called(self) -> str:
        """What is played, where it has no title: a station's name, or a file's."""
        return self.song.get("name") or PurePosixPath(self.song.get("file", "")).stem


async def read_status(session: Session) -> Status:
    """What MPD does now; raises as `Session.ask`."""
    told, song = dict(await session.ask("status")), await session.ask("currentsong")
    volume = _number(told.get("volume"), -1)
    return Status(
        state=_STATES.get(told.get("state", ""), "unknown"),
        volume=volume if 0 <= volume <= 100 else None,
        shuffle=told.get("random") == "1",
        queued=_number(told.get("playlistlength"), 0),
        song=_first(song),
    )


def _first(pairs: Pairs) -> dict[str, str]:
    """The tags of a song; of one that it has several times, the first."""
    return dict(reversed(pairs))


def _number(text: str | None, otherwise: int) -> int:
    return int(text) if text is not None and _DIGITS.fullmatch(text) else otherwise
