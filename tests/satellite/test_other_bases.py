"""A base that is no Hark: it takes all sound for words."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from numpy.typing import NDArray
from wyoming.audio import AudioChunk
from wyoming.event import Event
from wyoming.info import Info
from wyoming.satellite import RunSatellite

from assistant.core.config import ListeningSettings
from assistant.core.messages import Frame, Speech
from assistant.rooms.detection import run_satellite
from assistant.satellite.satellite import Satellite
from audio.ear import Ear
from audio.frames import FRAME_BYTES, FRAME_S, Samples
from audio.listener import KEYWORD_ENDS_BEFORE_S
from audio.own_voice import OwnVoice

RUN = RunSatellite().event()


class Always:
    """Notices the wake word in the frame that is not silent."""

    name, locates = "always", False

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
    """A satellite that plays nothing."""

    def __init__(self) -> None:
        ear = Ear(ListeningSettings(), Always(), OwnVoice())
        self.satellite = Satellite(ear, Quiet(), Info(), lambda words: (b"", 16_000))

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
