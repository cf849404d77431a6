"""What is sent to a satellite's loudspeaker, and the news of it, in virtual time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine

import numpy as np
import pytest
from wyoming.audio import AudioChunk, AudioStart, AudioStop
from wyoming.event import Event

from assistant.core.messages import Message, PlaybackEnded, PlaybackStarted, Speech
from assistant.rooms.base import player as player_module
from assistant.rooms.base.player import AHEAD_S, BLOCK_S, PLAYED_S, RATE_HZ, SatellitePlayer
from tests.support.virtual_time import in_virtual_time, virtual_s

LATER_S = 100.0
"""Seconds after which all is over."""


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(player_module, "boottime_s", virtual_s)


class Satellite:
    """Keeps what a player sends and tells, with the time; it takes no time for it."""

    def __init__(self) -> None:
        self.player = SatellitePlayer(self._take, self._hear)
        self.came: list[tuple[float, Event | Message]] = []

    async def _take(self, event: Event) -> None:
        self.came.append((virtual_s(), event))

    def _hear(self, news: Message) -> None:
        self.came.append((virtual_s(), news))

    @property
    def story(self) -> list[str]:
        """What came, in order; chunks in a row as one."""
        words = [_word(one) for _, one in self.came]
        return [w for n, w in enumerate(words) if w != "audio-chunk" or words[n - 1] != w]

    @property
    def sent(self) -> list[tuple[float, AudioChunk]]:
        """The chunks, and when they were sent."""
        return [
            (at_s, AudioChunk.from_event(one))
            for at_s, one in self.came
            if isinstance(one, Event) and AudioChunk.is_type(one.type)
        ]

    def at_s(self, word: str) -> float:
        """When the first of a kind came."""
        return next(at_s for at_s, one in self.came if _word(one) == word)


def _word(one: Event | Message) -> str:
    if isinstance(one, Event):
        return one.type
    if isinstance(one, PlaybackStarted):
        return f"{one.utterance_id} started"
    assert isinstance(one, PlaybackEnded)
    how = "cut" if one.interrupted else "heard" if one.heard else "unheard"
    return f"{one.utterance_id} {how}"


def told(act: Callable[[Satellite], Coroutine[None, None, None]]) -> Satellite:
    """A satellite whose player runs while `act` is done, and long after."""

    async def story() -> Satellite:
        satellite = Satellite()
        running = asyncio.create_task(satellite.player.run())
        await act(satellite)
        await asyncio.sleep(LATER_S)
        running.cancel()
        return satellite

    return in_virtual_time(story())


def reply(
    name: str, seconds: float, sequence: int = 0, last: bool = True, rate_hz: int = RATE_HZ
) -> Speech:
    return Speech(
        utterance_id=name,
        sequence=sequence,
        samples=np.full(round(seconds * rate_hz), 1000, np.int16).tobytes(),
        rate_hz=rate_hz,
        text="",
        last=last,
    )


def test_a_reply_is_sent_as_sound_of_one_form() -> None:
    async def act(satellite: Satellite) -> None:
        satellite.player.play(reply("r1", 1.0, rate_hz=16_000))

    satellite = told(act)
    assert satellite.story == [
        "audio-start",
        "r1 started",
        "audio-chunk",
        "audio-stop",
        "r1 heard",
    ]
    start = next(one for _, one in satellite.came if isinstance(one, Event))
    assert AudioStart.from_event(start).rate == RATE_HZ
    chunks = [chunk for _, chunk in satellite.sent]
    assert {(one.rate, one.width, one.channels) for one in chunks} == {(RATE_HZ, 2, 1)}
    assert sum(one.seconds for one in chunks) == pytest.approx(1.0, abs=BLOCK_S)
    assert np.diff([one.timestamp or 0 for one in chunks]) == pytest.approx(1000 * BLOCK_S)


def test_no_more_is_sent_than_what_is_to_be_played_soon() -> None:
    async def act(satellite: Satellite) -> None:
        satellite.player.play(reply("r1", 10.0))

    satellite = told(act)
    began_s, sent_s = satellite.at_s("audio-start"), 0.0
    ahead: list[float] = []
    for at_s, chunk in satellite.sent:
        ahead.append(sent_s - (at_s - began_s))
        sent_s += chunk.seconds
    assert max(ahead) == pytest.approx(AHEAD_S)
    assert min(ahead[10:]) == pytest.approx(AHEAD_S)  # nor less, once it has begun
    assert sent_s == pytest.approx(10.0)


def test_what_nobody_says_was_played_counts_as_heard_when_it_must_be_over() -> None:
    async def act(satellite: Satellite) -> None:
        satellite.player.play(reply("r1", 2.0))

    satellite = told(act)
    took_s = satellite.at_s("r1 heard") - satellite.at_s("audio-start")
    assert took_s == pytest.approx(2.0 + PLAYED_S)


def test_what_was_played_is_over() -> None:
    async def act(satellite: Satellite) -> None:
        satellite.player.play(reply("r1", 2.0))
        await asyncio.sleep(2.3)
        assert satellite.player.playing == "r1"
        assert not satellite.player.was_played()

    satellite = told(act)
    assert satellite.at_s("r1 heard") - satellite.at_s("audio-start") == pytest.approx(2.3)
    assert satellite.player.playing == ""


def test_what_is_played_before_all_was_sent_is_early() -> None:
    async def act(satellite: Satellite) -> None:
        satellite.player.play(reply("r1", 2.0))
        await asyncio.sleep(1.0)
        assert satellite.player.was_played()

    told(act)


def test_a_reply_is_cut_and_the_next_one_is_played() -> None:
    async def act(satellite: Satellite) -> None:
        satellite.player.play(reply("r1", 5.0, last=False))
        await asyncio.sleep(1.0)
        satellite.player.stop()
        satellite.player.play(reply("r1", 5.0, sequence=1))
        await asyncio.sleep(1.0)
        satellite.player.play(reply("r2", 1.0))

    satellite = told(act)
    stream = ["audio-start", "audio-chunk", "audio-stop"]
    assert [one for one in satellite.story if one.startswith("audio")] == stream * 2
    news = [one for one in satellite.story if not one.startswith("audio")]
    assert news[:2] == ["r1 started", "r1 cut"]
    assert news[-2:] == ["r2 started", "r2 heard"]
    assert sum(chunk.seconds for _, chunk in satellite.sent) < 1.0 + AHEAD_S + 1.0 + 3 * BLOCK_S


def test_a_reply_that_was_all_sent_can_still_be_cut() -> None:
    async def act(satellite: Satellite) -> None:
        satellite.player.play(reply("r1", 2.0))
        await asyncio.sleep(1.9)
        satellite.player.stop()
        satellite.player.stop()

    satellite = told(act)
    assert satellite.story[-3:] == ["audio-chunk", "audio-stop", "r1 cut"]


def test_to_stop_when_nothing_plays_is_nothing() -> None:
    async def act(satellite: Satellite) -> None:
        satellite.player.stop()
        await asyncio.sleep(1.0)
        satellite.player.play(reply("r1", 1.0))

    assert told(act).story[-1] == "r1 heard"


def test_sentences_of_a_reply_follow_without_a_pause() -> None:
    async def act(satellite: Satellite) -> None:
        satellite.player.play(reply("r1", 1.0, last=False))
        await asyncio.sleep(0.5)
        satellite.player.play(reply("r1", 1.0, sequence=1))

    satellite = told(act)
    assert satellite.story == ["audio-start", "r1 started", "audio-chunk", "audio-stop", "r1 heard"]
    samples = np.frombuffer(b"".join(one.audio for _, one in satellite.sent), np.int16)
    assert np.count_nonzero(samples) == 2 * RATE_HZ


def test_replies_in_a_row_begin_and_end_in_order() -> None:
    async def act(satellite: Satellite) -> None:
        satellite.player.play(reply("r1", 1.0))
        satellite.player.play(reply("r2", 1.0))
        await asyncio.sleep(1.5)
        assert satellite.player.playing == "r2"

    satellite = told(act)
    news = [one for one in satellite.story if not one.startswith("audio")]
    assert news == ["r1 started", "r1 heard", "r2 started", "r2 heard"]
    began_s = satellite.at_s("audio-start")
    assert satellite.at_s("r1 heard") - began_s == pytest.approx(1.0, abs=BLOCK_S)


@pytest.mark.parametrize("cut_after_s", [0.5, 0.9, 0.95, 1.0, 1.2])
@pytest.mark.parametrize("seconds", [1.0, 13 * BLOCK_S])
def test_of_replies_in_a_row_that_are_cut_none_is_told_to_play_on(
    seconds: float, cut_after_s: float
) -> None:
    async def act(satellite: Satellite) -> None:
        satellite.player.play(reply("r1", seconds))
        satellite.player.play(reply("r2", 1.0))
        await asyncio.sleep(cut_after_s)
        satellite.player.stop()
        assert satellite.player.playing == ""

    satellite = told(act)
    assert satellite.player.playing == ""
    ends = [one for one in satellite.story if one.startswith("r1") and one != "r1 started"]
    assert ends == ["r1 heard" if cut_after_s > seconds + BLOCK_S else "r1 cut"]
    assert satellite.story.count("r2 cut") == 1
    assert "r2 started" not in satellite.story[satellite.story.index("r2 cut") :]


def test_a_reply_that_waits_for_the_one_before_it_is_not_lost() -> None:
    async def act(satellite: Satellite) -> None:
        satellite.player.play(reply("r1", 1.0))
        await asyncio.sleep(0.95)
        satellite.player.play(reply("r2", 1.0))
        assert not satellite.player.was_played()  # of r1 all was sent

    assert told(act).story[-2:] == ["audio-stop", "r2 heard"]


def test_a_repetition_of_one_that_was_heard_leaves_alone_what_plays() -> None:
    async def act(satellite: Satellite) -> None:
        satellite.player.play(reply("r1", 0.5))
        await asyncio.sleep(5.0)
        satellite.player.play(reply("r2", 2.0))
        await asyncio.sleep(1.0)
        satellite.player.play(reply("r1", 0.5))
        assert satellite.player.playing == "r2"

    satellite = told(act)
    assert satellite.story.count("r1 heard") == 2  # it is acknowledged
    assert satellite.story[-1] == "r2 heard"


def test_what_begins_while_somebody_speaks_is_soft() -> None:
    async def act(satellite: Satellite) -> None:
        satellite.player.lower(True)
        satellite.player.play(reply("r1", 0.5))

    loudest = max(np.frombuffer(one.audio, np.int16).max() for _, one in told(act).sent)
    assert loudest == 250


def test_the_events_are_those_of_wyoming() -> None:
    async def act(satellite: Satellite) -> None:
        satellite.player.play(reply("r1", 0.5))

    events = [one for _, one in told(act).came if isinstance(one, Event)]
    assert AudioStart.is_type(events[0].type)
    assert AudioStop.is_type(events[-1].type)
    assert AudioStop.from_event(events[-1]).timestamp == pytest.approx(560)
