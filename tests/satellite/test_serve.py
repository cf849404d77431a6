"""Wyoming's own client is the base of a satellite whose devices are scripted."""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager, closing, suppress
from pathlib import Path

import pytest
from wyoming.audio import AudioChunk, AudioStart
from wyoming.client import AsyncTcpClient
from wyoming.event import Event, async_read_event, async_write_event
from wyoming.info import Describe, Info
from wyoming.ping import Ping
from wyoming.pipeline import PipelineStage, RunPipeline

from assistant.core.errors import RoomsError
from assistant.core.messages import PlaybackEnded, PlaybackStarted
from assistant.rooms.detection import run_satellite
from assistant.satellite import serve
from assistant.satellite.satellite import AWAY
from assistant.satellite.serve import LINES_A_MINUTE, MOST_CONNECTIONS, MOST_IDLE
from tests.support.pairing import NOBODY, paired
from tests.support.served_satellite import HERE, Served, serving, until

OTHER, THIRD = "127.0.0.2", "127.0.0.3"
RUN = run_satellite()
ASKS = Describe().event()


@asynccontextmanager
async def client(made: Served) -> AsyncIterator[AsyncTcpClient]:
    """Somebody who has called."""
    caller = AsyncTcpClient(HERE, made.server.port, read_timeout=60)
    await caller.connect()
    try:
        yield caller
    finally:
        with suppress(ConnectionError):  # it was hung up on
            await caller.disconnect()


async def asked(caller: AsyncTcpClient, *events: Event) -> Event | None:
    """The next event after these were sent; None where the satellite hangs up."""
    with suppress(ConnectionError):
        for event in events:
            await caller.write_event(event)
        return await caller.read_event()
    return None


async def is_base(base: AsyncTcpClient) -> bool:
    """Whether a base that has the satellite run is served; it is when this returns."""
    answer = await asked(base, RUN, Ping().event())
    return answer is not None and answer.type == "pong"


def run(story: Callable[[], Coroutine[None, None, None]]) -> None:
    asyncio.run(story())


@pytest.mark.parametrize("bases", [("127.0.0.2",), ("nowhere.invalid",), ()])
def test_an_address_that_is_not_named_gets_nothing(
    bases: tuple[str, ...], caplog: pytest.LogCaptureFixture
) -> None:
    async def story() -> None:
        async with serving(*bases) as made, client(made) as stranger:
            assert await asked(stranger, ASKS) is None

    run(story)
    assert "an address that --base does not name calls" in caplog.text


def test_a_base_may_be_named() -> None:
    async def story() -> None:
        async with serving("nowhere.invalid", "localhost") as made, asyncio.timeout(60):
            answer = None
            while answer is None:  # its name is still looked up
                async with client(made) as base:
                    answer = await asked(base, ASKS)
            assert Info.from_event(answer).satellite is not None

    run(story)


def test_what_is_heard_goes_to_the_base_and_news_of_its_reply() -> None:
    async def story() -> None:
        async with serving(HERE) as made, client(made) as base:
            assert await is_base(base)
            made.wakes()
            kinds = [(await base.read_event() or ASKS).type for _ in range(3)]
            assert kinds == ["detection", "run-pipeline", "audio-chunk"]
            made.devices.give(
                PlaybackStarted(utterance_id="base-1"), PlaybackEnded(utterance_id="base-1")
            )
            assert (await base.read_event() or ASKS).type == "played"

    run(story)


def test_who_only_asks_what_it_is_takes_nothing_over() -> None:
    async def story() -> None:
        async with serving(HERE) as made, client(made) as base, client(made) as other:
            assert await is_base(base)
            answer = await asked(other, ASKS)
            assert answer is not None
            made.wakes()
            assert (await base.read_event() or ASKS).type == "detection"

    run(story)


def test_a_second_base_takes_over() -> None:
    async def story() -> None:
        async with serving(HERE) as made, client(made) as first, client(made) as second:
            assert await is_base(first)
            assert await is_base(second)
            assert await first.read_event() is None
            made.wakes()
            assert (await second.read_event() or ASKS).type == "detection"
            assert made.board.player.said == []

    run(story)


def test_a_base_that_comes_and_goes_is_told_of_a_few_times_a_minute(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO)

    async def story() -> None:
        async with serving(HERE) as made:
            for _ in range(2 * LINES_A_MINUTE):
                async with client(made) as base:
                    assert await is_base(base)

    run(story)
    told = [caplog.text.count(one) for one in ("a base is here", "the base is gone")]
    assert told == [LINES_A_MINUTE, LINES_A_MINUTE]


def test_a_base_that_leaves_is_noticed(caplog: pytest.LogCaptureFixture) -> None:
    async def story() -> None:
        async with serving(HERE) as made:
            async with client(made) as base:
                assert await is_base(base)
            await until(lambda: "the base is gone" in caplog.text)
            made.wakes()
            await until(lambda: made.board.player.said == [AWAY])
            async with client(made) as base:
                assert await is_base(base)

    run(story)


def test_a_base_that_falls_silent_is_noticed(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(serve, "IDLE_S", 1.0)

    async def story() -> None:
        async with serving(HERE) as made, client(made) as base:
            assert await is_base(base)
            assert await base.read_event() is None

    run(story)
    assert "rooms.slow" in caplog.text
    assert "the base is gone" in caplog.text


def test_a_base_that_takes_nothing_is_hung_up_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serve, "MOST_WAITING", 5)

    async def story() -> None:
        async with serving(HERE) as made, client(made) as base:
            assert await is_base(base)
            await asked(base, RunPipeline(PipelineStage.ASR, PipelineStage.TTS).event(), ASKS)
            made.devices.give(*(made.board.frame() for _ in range(10)))
            kinds = []
            while (event := await base.read_event()) is not None:
                kinds.append(event.type)
            assert len(kinds) <= 5
            await until(lambda: made.board.player.said == [AWAY])

    run(story)


@pytest.mark.parametrize(
    "event",
    [
        Event("audio-start", {}),
        Event("timer-started", {"id": "t1", "total_seconds": -1e15}),
        AudioChunk(22_050, 2, 1, b"abc").event(),
        Event("x" * 200),
    ],
)
def test_a_malformed_event_ends_the_connection_and_no_other(
    event: Event, caplog: pytest.LogCaptureFixture
) -> None:
    async def story() -> None:
        async with serving(HERE) as made:
            async with client(made) as base:
                assert await is_base(base)
                start = AudioStart(22_050, 2, 1).event()
                assert await asked(base, start, event, ASKS) is None
            async with client(made) as base:
                assert await is_base(base)

    run(story)
    assert "asyncio" not in {record.name for record in caplog.records}
    assert caplog.messages[0].startswith("satellite: ")
    assert caplog.messages[1].startswith("satellite.gone: the base is gone")


def test_a_crowd_is_turned_away(caplog: pytest.LogCaptureFixture) -> None:
    async def story() -> None:
        async with serving(HERE) as made, AsyncExitStack() as crowd:
            callers = [
                await crowd.enter_async_context(client(made)) for _ in range(MOST_CONNECTIONS)
            ]
            for caller in callers:
                assert await asked(caller, ASKS) is not None
            async with client(made) as one_more:
                assert await asked(one_more, ASKS) is None
            assert await asked(callers[0], ASKS) is not None

    run(story)
    assert f"more than {MOST_CONNECTIONS} connections" in caplog.text


def test_a_crowd_of_one_base_keeps_no_other_out() -> None:
    async def story() -> None:
        async with serving(HERE, OTHER) as made, AsyncExitStack() as crowd:
            for _ in range(MOST_CONNECTIONS):
                caller = await crowd.enter_async_context(client(made))
                assert await asked(caller, ASKS) is not None
            reader, writer = await asyncio.open_connection(
                HERE, made.server.port, local_addr=(OTHER, 0)
            )
            await async_write_event(RUN, writer)
            await async_write_event(Ping().event(), writer)
            answer = await asyncio.wait_for(async_read_event(reader), 60)
            assert answer is not None
            assert answer.type == "pong"
            writer.close()

    run(story)


async def _leave(writer: asyncio.StreamWriter) -> None:
    writer.close()
    with suppress(OSError):
        await writer.wait_closed()


@pytest.mark.parametrize("pairs", [True, False])
def test_idle_connections_from_its_address_keep_no_base_out(tmp_path: Path, pairs: bool) -> None:
    """Each of them comes before the base, and stays; also while that is there already."""
    base, trust = paired(tmp_path, "hall") if pairs else (NOBODY, NOBODY)

    async def story() -> None:
        async with serving(HERE, trust=trust) as made, AsyncExitStack() as crowd:
            for _ in range(2):
                for _ in range(2 * MOST_IDLE):
                    idle = socket.create_connection((HERE, made.server.port))
                    crowd.callback(idle.close)
                    await asyncio.sleep(0)
                reader, writer = await asyncio.open_connection(
                    HERE, made.server.port, ssl=base.context(base.satellite("hall"))
                )
                crowd.push_async_callback(_leave, writer)
                for event in (RUN, Ping().event()):
                    await async_write_event(event, writer)
                answer = await asyncio.wait_for(async_read_event(reader), 60)
                assert answer is not None
                assert answer.type == "pong"
            assert len(made.server.callers) <= 2

    run(story)


@pytest.mark.parametrize("named", [True, False])
def test_strangers_do_not_take_the_connections_of_those_who_are_named(named: bool) -> None:
    async def story() -> None:
        bases = (HERE, OTHER, THIRD) if named else (HERE,)
        async with serving(*bases) as made, AsyncExitStack() as crowd:
            lines = []
            for number in range(10 * MOST_CONNECTIONS):
                where = OTHER if number % 2 else THIRD
                reader, writer = await asyncio.open_connection(
                    HERE, made.server.port, local_addr=(where, 0)
                )
                crowd.callback(writer.close)
                lines.append(reader)
            assert not len(made.server.callers)
            async with client(made) as base:
                assert await is_base(base)

    run(story)


def test_a_port_that_is_taken_is_told() -> None:
    async def story() -> None:
        async with serving(HERE) as made:
            other = Served((HERE,), made.server.port)
            with closing(other.devices), pytest.raises(RoomsError, match="cannot listen at 127"):
                await other.server.run()

    run(story)


def test_it_ends_with_a_base_that_stays() -> None:
    async def story() -> None:
        async with AsyncExitStack() as stays:
            async with serving(HERE) as made:
                base = await stays.enter_async_context(client(made))
                assert await is_base(base)
            assert await base.read_event() is None

    run(story)
