"""Commands to the player as lines of MPD, which name states and no changes."""

from __future__ import annotations

from collections.abc import Iterator

from assistant.bridge.mpd.reports import Status
from assistant.bridge.mpd.session import RefusedError, Session, quoted
from assistant.bridge.player import unknown
from assistant.core.home.music import Music
from assistant.core.messages import HomeCommand

_STATES = {"playing": "play", "on": "play", "paused": "pause 1", "idle": "stop", "off": "stop"}
_COMMANDS = {"next": "next", "previous": "previous", "stop": "stop"}
_IN_ORDER = ("station", "album", "playlist", "title")
"""Kinds that are played in their own order; all others in any."""
_NOTHING = 50
"""MPD's number for what it does not have."""


async def carry_out(command: HomeCommand, session: Session, status: Status, loud: int) -> None:
    """Have MPD do what is commanded; `loud` is the volume before it was muted.

    Raises `RefusedError` where it cannot, `BridgeError` as `Session.ask`, and for what no line
    of MPD does.
    """
    if (music := Music.read(command.command)) is not None:
        await _play(music, session)
        return
    lines = list(_lines(command, status, loud))
    if not lines:
        raise unknown(command, "MPD has no command")
    if "play" in lines and not status.queued:
        raise RefusedError(_NOTHING, "there is nothing in its queue to play")
    await session.ask(*lines)


def _lines(command: HomeCommand, status: Status, loud: int) -> Iterator[str]:
    if command.command == "again":
        if status.state in ("playing", "paused"):
            yield "seekcur 0"
        yield "play"
    elif command.command:
        if line := _COMMANDS.get(command.command):
            yield line
        return
    if line := _STATES.get(command.state):
        yield line
    for name, value in command.attributes.items():
        match name, value:
            case "volume_level", int() | float() if 0 <= value <= 1:
                yield f"setvol {round(value * 100)}"
            case "is_volume_muted", True:
                yield "setvol 0"
            case "is_volume_muted", False if not status.volume:
                yield f"setvol {loud}"
            case "is_volume_muted", False:
                yield f"setvol {status.volume}"
            case "shuffle", bool():
                yield f"random {int(value)}"


async def _play(music: Music, session: Session) -> None:
    """Put music in the place of the queue, which stays as it is where there is no such music."""
    if music.kind == "station":
        added, found = f"add {quoted(music.address)}", True
    elif music.kind == "playlist":
        added = f"load {quoted(music.name)}"
        found = bool(await session.ask(f"listplaylist {quoted(music.name)}"))
    elif music.kind == "all":
        added = 'add ""'
        found = dict(await session.ask("stats")).get("songs", "0") != "0"
    else:
        by = f" artist {quoted(music.by)}" if music.by else ""
        wanted = f"{music.kind} {quoted(music.name)}{by}"
        added = f"findadd {wanted}"
        found = dict(await session.ask(f"count {wanted}")).get("songs", "0") != "0"
    if not found:
        raise RefusedError(_NOTHING, "there is no such music any more")
    mixed = () if music.kind in _IN_ORDER else ("shuffle",)
    await session.ask("clear", added, *mixed, "play")
