"""Commands to a player as calls of MPRIS, which name states and no changes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from assistant.bridge.mpris.reports import Status
from assistant.bridge.mpris.session import Session
from assistant.bridge.player import NotDoneError, unknown
from assistant.core.messages import HomeCommand

_STATES = {"playing": "Play", "on": "Play", "paused": "Pause", "idle": "Stop", "off": "Stop"}
_COMMANDS = {"next": "Next", "previous": "Previous", "stop": "Stop"}
_TO_THE_BEGINNING_US = -(1 << 46)
"""Microseconds to move by; a player stops moving at the beginning."""


class _Call(NamedTuple):
    method: str
    signature: str = ""
    given: tuple[Any, ...] = ()


class _Property(NamedTuple):
    name: str
    signature: str
    value: Any


async def carry_out(command: HomeCommand, session: Session, status: Status, loud: float) -> None:
    """Have the player of `status` do what is commanded; `loud` is its volume before it was muted.

    Raises `NotDoneError` where it cannot, `BridgeError` as `Session.call`, and for what no call of
    MPRIS does.
    """
    steps = list(_steps(command, loud))
    if not steps:
        raise unknown(command, "MPRIS has no call")
    if not status.player:
        raise NotDoneError("no player runs")
    for step in steps:
        if isinstance(step, _Call):
            await session.call(status.player, step.method, step.signature, *step.given)
        else:
            await session.put(status.player, *step)


def _steps(command: HomeCommand, loud: float) -> Iterator[_Call | _Property]:
    if command.command == "again":
        yield _Call("Seek", "x", (_TO_THE_BEGINNING_US,))
        yield _Call("Play")
    elif command.command:
        if method := _COMMANDS.get(command.command):
            yield _Call(method)
        return
    if method := _STATES.get(command.state):
        yield _Call(method)
    for name, value in command.attributes.items():
        match name, value:
            case "volume_level", int() | float() if 0 <= value <= 1:
                yield _Property("Volume", "d", float(value))
            case "is_volume_muted", bool():
                yield _Property("Volume", "d", 0.0 if value else loud)
            case "shuffle", bool():
                yield _Property("Shuffle", "b", value)
