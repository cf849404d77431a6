"""One connection to the session's bus: calls to players, answers within bounds."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from typing import Any

from jeepney import (
    DBusAddress,
    DBusErrorResponse,
    MatchRule,
    Message,
    Properties,
    message_bus,
    new_method_call,
)
from jeepney.io.asyncio import DBusRouter, open_dbus_connection
from jeepney.io.common import RouterClosed
from jeepney.wrappers import unwrap_msg

from assistant.bridge.player import NotDoneError
from assistant.core.errors import BridgeError

NAMES = "org.mpris.MediaPlayer2"
_OBJECT, _INTERFACE = "/org/mpris/MediaPlayer2", "org.mpris.MediaPlayer2.Player"
MOST_PLAYERS = 16
"""Most players that are looked at."""
ANSWER_S = 1.0
"""Seconds for an answer."""
CONNECT_S = 10.0
_ENDINGS = (OSError, EOFError, ValueError, RuntimeError, TimeoutError, asyncio.InvalidStateError)
"""What jeepney raises where it cannot connect, or a connection ends."""
LONGEST_REFUSAL = 200

Told = Mapping[str, Any]
"""Properties of a player, each with its value, of whatever type the player gave it."""


class Session:
    """A connection to the bus, on which players come and go."""

    def __init__(self, router: DBusRouter, news: asyncio.Queue[Message]) -> None:
        self._router, self._news = router, news

    async def follow(self, stack: AsyncExitStack) -> None:
        """Hear of players that come, go or change, until `stack` is closed."""
        for rule in _changes():
            stack.enter_context(self._router.filter(rule, queue=self._news))
            await self._ask(message_bus.AddMatch(rule))

    async def players(self) -> list[str]:
        """The bus names of the players that run; raises `BridgeError` where the bus is gone."""
        (names,) = await self._ask(message_bus.ListNames())
        return sorted(n for n in names if n.startswith(f"{NAMES}."))[:MOST_PLAYERS]

    async def read(self, player: str) -> Told:
        """What a player tells of itself; {} for one that tells nothing; raises as `players`."""
        try:
            told = await self._ask(Properties(_at(player)).get_all())
        except NotDoneError:
            return {}
        return variants(told[0]) if told else {}

    async def call(self, player: str, method: str, signature: str = "", *given: Any) -> None:
        """Have a player do something; raises `NotDoneError` where it refuses, and as `players`."""
        await self._ask(new_method_call(_at(player), method, signature or None, given))

    async def put(self, player: str, name: str, signature: str, value: Any) -> None:
        """Set a property of a player; raises as `call`."""
        await self._ask(Properties(_at(player)).set(name, signature, value))

    async def change(self, until: asyncio.Event, within_s: float) -> bool:
        """Wait for a change of a player, for `until`, or for so many seconds.

        Whether it was a change.
        """
        change = asyncio.ensure_future(self._news.get())
        waiting = asyncio.ensure_future(until.wait())
        try:
            await asyncio.wait((change, waiting), timeout=within_s, return_when="FIRST_COMPLETED")
            return change.done()
        finally:
            for task in (change, waiting):
                task.cancel()
            await asyncio.gather(change, waiting, return_exceptions=True)

    async def _ask(self, message: Message) -> tuple[Any, ...]:
        with _named_faults():
            async with asyncio.timeout(ANSWER_S):
                answer: tuple[Any, ...] = unwrap_msg(await self._router.send_and_get_reply(message))
            return answer


def variants(told: Any) -> dict[str, Any]:
    """The values of a dictionary of variants, as D-Bus has it; a player may give anything else."""
    if not isinstance(told, Mapping):
        return {}
    pairs = ((n, v) for n, v in told.items() if isinstance(v, tuple) and len(v) == 2)
    return {name: value for name, (_, value) in pairs}


def _changes() -> Iterator[MatchRule]:
    yield MatchRule(
        type="signal",
        interface="org.freedesktop.DBus.Properties",
        member="PropertiesChanged",
        path=_OBJECT,
    )
    owner = MatchRule(type="signal", sender="org.freedesktop.DBus", member="NameOwnerChanged")
    owner.add_arg_condition(0, NAMES, kind="namespace")
    yield owner


def _at(player: str) -> DBusAddress:
    return DBusAddress(_OBJECT, bus_name=player, interface=_INTERFACE)


@contextmanager
def _named_faults() -> Iterator[None]:
    try:
        yield
    except DBusErrorResponse as error:
        raise NotDoneError(str(error)[:LONGEST_REFUSAL]) from None
    except TimeoutError:
        raise NotDoneError("it does not answer") from None
    except (OSError, EOFError, RouterClosed, KeyError) as error:
        # Where the connection ends, jeepney has forgotten what waits, and looks for it (KeyError).
        raise BridgeError("bridge.away", "the connection to the session was lost") from error


@asynccontextmanager
async def opened() -> AsyncIterator[Session]:
    """A connection to the bus of `DBUS_SESSION_BUS_ADDRESS`; raises `BridgeError` without one."""
    try:
        async with AsyncExitStack() as stack:
            async with asyncio.timeout(CONNECT_S):
                line = await open_dbus_connection()
            stack.callback(line.writer.close)
            router = await stack.enter_async_context(DBusRouter(line))
            session = Session(router, asyncio.Queue(maxsize=1))
            await session.follow(stack)
            yield session
    except KeyError as error:  # the variable is not set
        told = "there is no session here; start `assistant bridge` in the one that has the players"
        raise BridgeError("bridge.session", told) from error
    except _ENDINGS as error:
        raise BridgeError("bridge.away", f"the session's bus is away: {error}") from error
