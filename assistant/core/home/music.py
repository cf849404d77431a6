"""Music by its kind and name, and the command that has a player play it."""

from __future__ import annotations

from typing import Literal, get_args

import msgspec

from assistant.core.errors import UNDECODABLE

PLAY = "play"
"""First word of the command; the music follows as JSON."""

ADDRESSES = ("http://", "https://")
"""How the addresses of streams begin."""

Kind = Literal["station", "playlist", "genre", "artist", "album", "title", "all"]
KINDS: tuple[Kind, ...] = get_args(Kind)


class Music(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is to be played; `name` is as the player's library has it, "" for all.

    Of albums and titles only those `by` an artist, where one is given. A radio station's stream is
    at its `address` (http or https); without one it is a source that a player has by its name.
    """

    kind: Kind
    name: str = ""
    by: str = ""
    address: str = ""

    @property
    def command(self) -> str:
        """The command that plays it."""
        return f"{PLAY} {msgspec.json.encode(self).decode()}"

    @classmethod
    def read(cls, command: str) -> Music | None:
        """What a command plays; None for any other command."""
        verb, _, what = command.partition(" ")
        if verb != PLAY:
            return None
        try:
            music = msgspec.json.decode(what, type=cls)
        except UNDECODABLE:
            return None
        there = bool(music.name) != (music.kind == "all")
        streamed = (music.kind == "station") == music.address.startswith(ADDRESSES)
        return music if there and streamed else None
