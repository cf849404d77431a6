"""A crowd of hostile peers keeps no honest one out; without shares it would."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing

import pytest

from assistant.rooms.callers import Callers
from assistant.rooms.services import MOST_CONNECTIONS
from benchmarks.crowd import DESCRIBE, WAYS, attack, crowd
from benchmarks.hostile.wyoming.peer import PING, is_answered
from tests.support.processes import until
from tests.support.rooms import House
from tests.support.served_satellite import HERE, serving

ASKED, WITHIN_S = 5, 30.0


async def answered(port: int, frame: bytes, answer: bytes) -> bool:
    """Whether an honest one is served each time that it calls."""
    came = [
        await asyncio.to_thread(is_answered, port, HERE, frame, answer, WITHIN_S)
        for _ in range(ASKED)
    ]
    return all(came)


@asynccontextmanager
async def meanwhile(*attacks: asyncio.Task[None]) -> AsyncIterator[None]:
    """Attack while this is open."""
    try:
        yield
    finally:
        for one in attacks:
            one.cancel()
        await asyncio.gather(*attacks, return_exceptions=True)


def test_a_crowd_keeps_nobody_honest_from_the_services_and_a_satellite() -> None:
    async def story(house: House) -> tuple[bool, bool]:
        async with serving(HERE) as made:
            port, board = house.services.port, made.server.port
            async with meanwhile(asyncio.create_task(crowd(30, port, board))):
                await asyncio.to_thread(until, lambda: house.services.connections > 5)
                there = await answered(port, DESCRIBE, b'"info"')
                return there, await answered(board, PING, b"pong")

    with closing(House()) as house:
        assert asyncio.run(story(house)) == (True, True)


@pytest.mark.parametrize("shares", [True, False])
def test_the_one_who_is_honest_needs_a_share(shares: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    half = WAYS[1]
    if not shares:
        monkeypatch.setattr(Callers, "_made_room", lambda self, address: False)

    async def story(house: House) -> bool:
        port = house.services.port
        greedy = (attack(f"127.0.1.{n % 8}", port, half) for n in range(MOST_CONNECTIONS))
        async with meanwhile(*map(asyncio.create_task, greedy)):
            await asyncio.to_thread(until, lambda: house.services.connections == MOST_CONNECTIONS)
            return await answered(port, DESCRIBE, b'"info"')

    with closing(House()) as house:
        assert asyncio.run(story(house)) is shares
