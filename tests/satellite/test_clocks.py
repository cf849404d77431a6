"""A satellite whose clocks differ from the base's is heard and answered as any other."""

from __future__ import annotations

import asyncio

import pytest

from assistant.core.clock import boottime_s
from assistant.core.messages import RoomTimers, SpokenReply, Utterance
from assistant.satellite import serve
from tests.satellite.test_bad_network import SAID, TEA, House, commanded
from tests.support.served_satellite import HERE, serving, until

YEAR_S = 365 * 86_400.0


@pytest.mark.parametrize(
    "differs_s",
    [
        "has just been started",
        *(
            pytest.param(differs_s, marks=pytest.mark.depth)
            for differs_s in (0.0, 0.1, -0.1, 7_200.0, 10 * YEAR_S)
        ),
    ],
)
def test_the_clock_of_a_satellite_says_nothing_to_its_base(
    differs_s: float | str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ahead_s = 1.0 - boottime_s() if isinstance(differs_s, str) else differs_s
    monkeypatch.setattr(serve, "boottime_s", lambda: boottime_s() + ahead_s)

    async def story() -> tuple[House, list[str]]:
        async with serving(HERE) as made:
            listening = asyncio.create_task(made.listen())
            house = House(made.server.port)
            house.daemon.replies = [SpokenReply(utterance_id="", text="ok")]
            try:
                await until(lambda: house.came_and_went)
                house.daemon.tells(RoomTimers(area="kitchen", timers=(TEA,)))
                await commanded(made, house)
            finally:
                await asyncio.to_thread(house.daemon.close)
                listening.cancel()
            await until(lambda: not len(made.server.callers))
            early, late = made.board.waits(450), made.board.waits(60)
            assert early == []
            return house, late

    house, rings = asyncio.run(story())
    (said,) = (one for one in house.daemon.seen if isinstance(one, Utterance))
    assert said.duration_s == pytest.approx(len(SAID) * 0.032, abs=1.0)
    assert abs(said.speech_ended_at_s - boottime_s()) < 60
    assert b"".join(SAID) in house.heard
    assert all(house.came_and_went)
    assert rings == ["Your tea timer is done."]
