"""What a wake word engine is not sure of counts where recognition confirms it."""

from __future__ import annotations

import math
from itertools import count

import numpy as np
from numpy.typing import NDArray

from assistant.core.messages import (
    BargeIn,
    DoubtfulWakeWord,
    Frame,
    Level,
    Message,
    PlaybackEnded,
    PlaybackStarted,
    WakeWordConfirmed,
    Woke,
)
from assistant.core.settings.hearing import ListeningSettings
from audio.frames import FRAME_S
from audio.listener import Listener
from audio.wake.doubts import CONFIRMED_WITHIN_S
from audio.wake.engine import Doubt
from tests.support.voices import silence, speech


class Doubting:
    """A wake word engine that is in doubt of a word at one frame, and never sure."""

    name, locates = "doubting", False

    def __init__(self, at_s: float, word: str) -> None:
        self._frame, self._at, self._word = 0, round(at_s / FRAME_S), word
        self.doubt: Doubt | None = None

    def process(self, frame: NDArray[np.int16]) -> str | None:
        self._frame += 1
        self.doubt = Doubt(self._word, 1.0) if self._frame == self._at else None
        return None

    def close(self) -> None:
        pass


class Room:
    """A listener that hears frames, and what it gives but for levels."""

    def __init__(self, wake: Doubting, stop: Doubting | None = None) -> None:
        ids = count(1)
        self.listener = Listener(
            ListeningSettings(), wake, stop_word=stop, new_id=lambda: f"u{next(ids)}"
        )
        self.now_s, self.given = 0.0, list[Message]()

    def hear(self, frames: list[bytes]) -> Room:
        for samples in frames:
            self.now_s += FRAME_S
            self.feed(Frame(samples=samples, at_s=self.now_s))
        return self

    def feed(self, message: Message) -> Room:
        given = self.listener.feed(message)
        self.given += (one for one in given if not isinstance(one, Level))
        return self

    def confirm(self) -> Room:
        (doubt,) = (one for one in self.given if isinstance(one, DoubtfulWakeWord))
        return self.feed(WakeWordConfirmed(utterance_id=doubt.utterance_id))

    @property
    def story(self) -> list[type[Message]]:
        return list(dict.fromkeys(type(one) for one in self.given))


def test_a_wake_word_in_doubt_wakes_once_it_is_confirmed() -> None:
    said = [*silence(1.0), *speech("computer")]
    room = Room(Doubting(1.5, "computer")).hear([*said, *silence(0.2)])
    assert room.story == [DoubtfulWakeWord]
    room.confirm()
    assert [one.wake_word for one in room.given if isinstance(one, Woke)] == ["computer"]


def test_its_sound_is_asked_about() -> None:
    frames = [*silence(1.0), *speech("computer")]
    (doubt,) = Room(Doubting(1.6, "computer")).hear(frames).given
    assert isinstance(doubt, DoubtfulWakeWord)
    noticed, lately = round(1.6 / FRAME_S), math.ceil(1.0 / FRAME_S)
    assert doubt.samples == b"".join(frames[noticed - lately : noticed])


def test_what_is_confirmed_too_late_wakes_nobody() -> None:
    room = Room(Doubting(1.5, "computer")).hear(silence(1.6 + CONFIRMED_WITHIN_S))
    assert room.confirm().story == [DoubtfulWakeWord]


def test_a_word_in_doubt_asks_nothing_while_somebody_is_listened_to() -> None:
    room = Room(Doubting(1.5, "computer")).hear(silence(1.0))
    room.feed(PlaybackEnded(utterance_id="r", listen=True, heard=True, at_s=room.now_s))
    assert DoubtfulWakeWord not in room.hear(silence(1.0)).story


def test_stop_in_doubt_ends_the_reply_once_it_is_confirmed() -> None:
    room = Room(Doubting(99.0, "computer"), Doubting(0.5, "stop"))
    room.feed(PlaybackStarted(utterance_id="r", at_s=0.0))
    room.hear([*speech("stop"), *silence(0.3)])
    assert room.story == [DoubtfulWakeWord]
    assert room.confirm().given[-1] == BargeIn(utterance_id="r")


def test_a_stop_that_is_confirmed_after_the_reply_is_over_ends_nothing() -> None:
    room = Room(Doubting(99.0, "computer"), Doubting(0.5, "stop"))
    room.feed(PlaybackStarted(utterance_id="r", at_s=0.0)).hear([*speech("stop"), *silence(0.1)])
    room.feed(PlaybackEnded(utterance_id="r", at_s=room.now_s))
    assert room.confirm().story == [DoubtfulWakeWord]
