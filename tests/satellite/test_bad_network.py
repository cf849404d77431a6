"""A satellite and its base understand each other over a bad Wi-Fi."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import numpy as np
import pytest

from assistant.core.messages import (
    AudioChunk,
    PlaybackEnded,
    RoomTimer,
    RoomTimers,
    SatelliteChanged,
    SpokenReply,
)
from assistant.core.settings.wyoming import SatelliteSettings, WyomingSettings
from assistant.rooms.base.player import RATE_HZ
from benchmarks import bad_network
from benchmarks.bad_network import BadNetwork
from tests.support.served_satellite import HERE, Served, serving, until
from tests.support.stand_in_daemon import StandIn
from tests.support.voices import speech

pytestmark = pytest.mark.depth
TEA = RoomTimer(id="t1", name="tea", total_s=600.0, left_s=500.0, paused=False)
SAID = speech("turn on the light")


class House:
    """A stand-in daemon whose satellite is behind a network."""

    def __init__(self, port: int) -> None:
        kitchen = SatelliteSettings(address=HERE, port=port)
        self.daemon = StandIn(WyomingSettings(satellites={"kitchen": kitchen}))

    @property
    def came_and_went(self) -> list[bool]:
        """Whether the satellite was there, each time that it was told."""
        return [one.present for one in self.daemon.seen if isinstance(one, SatelliteChanged)]

    @property
    def heard(self) -> bytes:
        """All sound that came from the satellite."""
        return b"".join(one.samples for one in self.daemon.seen if isinstance(one, AudioChunk))

    def count(self, kind: type[object]) -> int:
        """How many messages of a kind came."""
        return sum(isinstance(one, kind) for one in self.daemon.seen)


@asynccontextmanager
async def behind_a_bad_network() -> AsyncIterator[tuple[Served, House, BadNetwork]]:
    """A satellite, and the house that it belongs to."""
    async with serving(HERE) as made:
        network = BadNetwork(made.server.port)
        tasks = [asyncio.create_task(one) for one in (network.serve(), made.listen())]
        await until(lambda: network.port)
        house = House(network.port)
        try:
            await until(lambda: house.came_and_went)
            yield made, house, network
        finally:
            await asyncio.to_thread(house.daemon.close)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)


async def commanded(made: Served, house: House) -> None:
    """Say the wake word and a command, and wait until the reply was played."""
    ended, before = house.count(PlaybackEnded), len(made.board.player.sentences)
    made.say(SAID)
    await until(lambda: any(s.last for s in made.board.player.sentences[before:]))
    made.plays(made.board.player.sentences[-1].utterance_id)
    await until(lambda: house.count(PlaybackEnded) > ended)


def test_a_command_and_its_reply_come_whole_and_the_room_stays() -> None:
    async def story() -> tuple[Served, House, BadNetwork]:
        async with behind_a_bad_network() as (made, house, network):
            await until(lambda: made.board.satellite.runs)
            house.daemon.replies = [SpokenReply(utterance_id="", text="a long answer")]
            house.daemon.tells(RoomTimers(area="kitchen", timers=(TEA,)))
            for _ in range(2):
                await commanded(made, house)
        return made, house, network

    made, house, network = asyncio.run(story())
    assert network.lost > 0
    assert (network.connections, set(house.came_and_went)) == (1, {True})
    assert b"".join(SAID) in house.heard
    ends = [one for one in house.daemon.seen if isinstance(one, PlaybackEnded)]
    assert [(one.heard, one.interrupted) for one in ends] == [(True, False)] * 2
    played = np.frombuffer(b"".join(s.samples for s in made.board.player.sentences), np.int16)
    assert np.count_nonzero(played) == pytest.approx(2 * RATE_HZ * 65_000 / 8000, rel=0.01)
    assert made.board.waits(501) == ["Your tea timer is done."]


def test_a_network_that_loses_for_longer_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bad_network, "AGAIN_S", (6.0, 8.0))
    monkeypatch.setattr(bad_network, "LOST", 0.2)

    async def story() -> list[bool]:
        async with behind_a_bad_network() as (_, house, _):
            await until(lambda: False in house.came_and_went)
            return house.came_and_went

    assert asyncio.run(story())[:2] == [True, False]
