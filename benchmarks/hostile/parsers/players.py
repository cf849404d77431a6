"""Players: what MPD answers, and what the session's players tell of themselves."""

from __future__ import annotations

import asyncio
import random
from functools import cache
from typing import Any

import msgspec
from jeepney import HeaderFields, Message

from assistant.bridge.mpd.library import read_names
from assistant.bridge.mpd.reports import read_status
from assistant.bridge.mpd.session import LONGEST_LINE_BYTES, RefusedError, Session
from assistant.bridge.mpris import reports as mpris
from assistant.bridge.mpris.session import NAMES
from assistant.bridge.mpris.session import Session as BusSession
from assistant.bridge.player import NotDoneError
from assistant.core.codec import encode
from assistant.core.errors import BridgeError
from assistant.core.messages import HomeStates, MusicLibrary
from benchmarks.hostile.parsers.parser import Parser


class _Silent:
    """Takes what is written to MPD."""

    def write(self, _: bytes) -> None:
        pass


@cache
def _runner() -> asyncio.Runner:
    return asyncio.Runner()


def _read_mpd(content: bytes) -> bool:
    return _runner().run(_taken(content))


async def _taken(content: bytes) -> bool:
    reader = asyncio.StreamReader(limit=LONGEST_LINE_BYTES)
    reader.feed_data(content)
    reader.feed_eof()
    writer: Any = _Silent()
    session = Session(reader, writer, "MPD")
    await session.greeted(None)
    state, attributes = (await read_status(session)).report()
    encode(
        HomeStates(states={"media_player.mpd": state}, attributes={"media_player.mpd": attributes})
    )
    names = {kind: found async for kind, found in read_names(session)}
    encode(MusicLibrary(names=names))
    return True


def _music(size: int) -> bytes:
    songs = max(1, size // 24)
    titles = b"".join(b"title: Song number %5d\n" % number for number in range(songs))
    return _GREETING + _STATUS + _SONG + _REST.replace(b"title: So What\n", titles)


def _song(rng: random.Random) -> bytes:
    """A status with numbers as no player has them, and tags of every kind."""
    number = rng.choice(
        (b"-1", b"101", b"9" * 4_300, b"9" * 5_000, b"nan", "٣".encode(), b"", b"0x10", b"1e9")
    )
    key = rng.choice((b"volume", b"playlistlength", b"random", b"state"))
    text = rng.choice((b"", b" ", b"\0", b"\x1b[2J", b"\xff\xfe", "\u202e".encode(), b"x" * 5_000))
    tag = rng.choice((b"Title", b"Artist", b"file", b"Name", b"Album", b"x" * 41))
    status = b"%s: %s\nstate: play\nOK\n" % (key, number)
    return _GREETING + status + b"%s: %s\nOK\n" % (tag, text) + _REST


_GREETING = b"OK MPD 0.23.5\nOK\n"
_STATUS = b"volume: 50\nrandom: 0\nstate: play\nplaylistlength: 3\nOK\n"
_SONG = b"file: jazz/so_what.flac\nTitle: So What\nArtist: Miles Davis\nAlbum: Kind of Blue\nOK\n"
_REST = (
    b"artist: Miles Davis\nartist: Nina Simone\nOK\nalbum: Kind of Blue\nOK\n"
    b"playlist: Dinner\nLast-Modified: 2026-01-01T00:00:00Z\nOK\ngenre: Jazz\nOK\n"
    b"title: So What\nOK\nOK\nOK\n"
)
MPD = Parser(
    read=_read_mpd,
    refusals=(BridgeError, RefusedError),
    samples=(_GREETING + _STATUS + _SONG + _REST,),
    honest=_music,
    pieces=(
        *(
            b"OK\n",
            b"ACK [5@0] {play} no\n",
            b"ACK [3@0] {} x\n",
            b"artist: ",
            b"title: x\n",
            b"OK MPD ",
        ),
        *(
            b"state: play\n",
            b"volume: ",
            b"file: ",
            b"playlist: \n",
            b": ",
            b"ACK [",
            b"] {",
            b"binary: 9\n",
        ),
    ),
    nests=((b"[", b"]"), (b"{", b"}")),
    attacks=(_song,),
    largest=4 << 20,
    room_mb=80,
)


class _Bus(BusSession):
    """A bus of which each player tells the same."""

    def __init__(self, told: Any) -> None:
        self._told = told

    async def _ask(self, message: Message) -> tuple[Any, ...]:
        if message.header.fields[HeaderFields.member] == "ListNames":
            return ([f"{NAMES}.{name}" for name in ("vlc", "mpv")],)
        return self._told if isinstance(self._told, tuple) else (self._told,)


def _read_mpris(content: bytes) -> bool:
    try:
        told = _variants(msgspec.json.decode(content))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return False
    status = _runner().run(mpris.read_status(_Bus(told), ""))
    state, attributes = status.report()
    encode(HomeStates(states={"media_player.x": state}, attributes={"media_player.x": attributes}))
    return bool(status.player)


def _variants(told: Any) -> Any:
    """A value of JSON as jeepney gives one: a pair with a signature is a tuple."""
    if isinstance(told, dict):
        return {name: _variants(value) for name, value in told.items()}
    if isinstance(told, list):
        every = [_variants(value) for value in told]
        return tuple(every) if told and isinstance(told[0], str) else every
    return told


_PLAYER = (
    b'{"PlaybackStatus":["s","Playing"],"Volume":["d",0.5],"Shuffle":["b",false],"Metadata":["a{sv}",'
    b'{"xesam:title":["s","So What"],"xesam:artist":["as",["Miles Davis"]],'
    b'"xesam:album":["s","Kind of Blue"],"xesam:url":["s","file:///jazz/so%20what.flac"]}]}'
)
MPRIS = Parser(
    read=_read_mpris,
    refusals=(BridgeError, NotDoneError),
    samples=(_PLAYER,),
    honest=lambda size: _PLAYER.replace(b"So What", b"x" * max(1, size - len(_PLAYER))),
    pieces=(
        b'"xesam:artist":',
        b'["s","x"]',
        b'"Metadata":["a{sv}",{',
        b'"Volume":["d",',
        b"Paused",
    ),
    nests=((b"[", b"]"), (b'{"a":', b"}")),
    room_mb=80,
)
