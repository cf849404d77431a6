"""A base that is no Hark: it takes all sound for words, and may mute the satellite."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import suppress

import numpy as np
import pytest
from numpy.typing import NDArray
from wyoming.audio import AudioChunk
from wyoming.client import AsyncTcpClient
from wyoming.event import Event
from wyoming.info import Info
from wyoming.ping import Ping, Pong
from wyoming.satellite import PauseSatellite, RunSatellite

from assistant.core.messages import Frame, Speech
from assistant.core.settings.hearing import ListeningSettings
from assistant.pairing.at_satellite import Pairing
from assistant.rooms.detection import run_satellite
from assistant.satellite import serve
from assistant.satellite.satellite import AWAY, MUTED, Satellite
from assistant.satellite.serve import Server
from audio.ear import Ear
from audio.frames import FRAME_BYTES, FRAME_S, Samples
from audio.listener import KEYWORD_ENDS_BEFORE_S
from audio.own_voice import OwnVoice
from tests.support.pairing import NOBODY

MUTE, RUN = PauseSatellite().event(), RunSatellite().event()
IDLE_S = 0.8


class Always:
    """Notices the wake word in the frame that is not silent."""

    name, locates, doubt = "always", False, None

    def process(self, frame: NDArray[np.int16]) -> str | None:
        """The wake word, or nothing."""
        return "computer" if frame.any() else None

    def close(self) -> None:
        """Nothing is held."""


class Quiet:
    """A player of nothing."""

    def play(self, speech: Speech) -> None:
        """Nothing is played."""

    def earcon(self, samples: Samples) -> None:
        """Nothing is played."""

    def lower(self, lowered: bool) -> None:
        """Nothing sounds."""

    def stop(self) -> None:
        """Nothing sounds."""


class Board:
    """A satellite, and the words that it has said by itself."""

    def __init__(self) -> None:
        self.said: list[str] = []
        ear = Ear(ListeningSettings(), Always(), OwnVoice())
        self.satellite = Satellite(ear, Quiet(), Info(), self._say)

    def _say(self, words: str) -> tuple[bytes, int]:
        self.said.append(words)
        return b"", 16_000

    def obey(self, *events: Event) -> None:
        """Take events of the base."""
        for event in events:
            list(self.satellite.obey(event, 0.0))

    def woken(self) -> list[AudioChunk]:
        """The sound that is sent once the wake word was noticed after two seconds."""
        sent = [event for frame in _frames() for event in self.satellite.hear(frame)]
        return [AudioChunk.from_event(event) for event in sent if AudioChunk.is_type(event.type)]


def _frames() -> Iterator[Frame]:
    last = round(2.0 / FRAME_S)
    for number in range(1, last + 1):
        samples = (b"\x00" if number < last else b"\x01") * FRAME_BYTES
        yield Frame(samples=samples, at_s=number * FRAME_S)


@pytest.fixture
def board() -> Board:
    return Board()


def test_the_wake_word_is_not_sent_to_who_would_take_it_for_words(board: Board) -> None:
    board.obey(RUN)
    assert len(board.woken()) == pytest.approx(KEYWORD_ENDS_BEFORE_S / FRAME_S, abs=1)


def test_another_hark_is_sent_it_as_it_tells_it_apart(board: Board) -> None:
    board.obey(run_satellite())
    assert len(board.woken()) > 1.0 / FRAME_S


def test_while_muted_it_sends_nothing_and_says_why(board: Board) -> None:
    board.obey(RUN, MUTE)
    assert (board.woken(), board.said) == ([], [MUTED])


def test_unmuted_it_sends_again(board: Board) -> None:
    board.obey(RUN, MUTE, RUN)
    assert board.woken()
    assert board.said == []


def test_a_muting_base_that_is_lost_cannot_be_reached(board: Board) -> None:
    board.obey(RUN, MUTE)
    board.satellite.lost()
    assert (board.woken(), board.said) == ([], [AWAY])


@pytest.mark.parametrize(("told", "stays"), [((RUN, MUTE), True), ((RUN,), False)])
def test_only_a_base_that_muted_it_may_be_silent(
    told: tuple[Event, ...], stays: bool, board: Board, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serve, "IDLE_S", IDLE_S)

    async def answered() -> bool:
        pairing = Pairing(NOBODY, board.satellite.announce)
        server = Server(board.satellite, (), ["127.0.0.1"], "127.0.0.1", 0, pairing)
        serving = asyncio.create_task(server.run())
        while server.port == 0:
            await asyncio.sleep(0.01)
        answer = None
        with suppress(ConnectionError):  # it was hung up on
            async with AsyncTcpClient("127.0.0.1", server.port) as base:
                for event in told:
                    await base.write_event(event)
                await asyncio.sleep(2 * IDLE_S)
                await base.write_event(Ping().event())
                answer = await base.read_event()
        server.stop()
        await serving
        return answer is not None and Pong.is_type(answer.type)

    assert asyncio.run(answered()) is stays
