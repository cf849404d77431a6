"""The listener is opened by a wake word that another device has noticed."""

from __future__ import annotations

from typing import TypeVar

import pytest

from assistant.core.messages import (
    AudioChunk,
    Commit,
    Frame,
    Level,
    Message,
    NothingHeard,
    PlaybackEnded,
    Tick,
    Utterance,
    Woke,
)
from assistant.core.settings.hearing import ListeningSettings
from assistant.rooms.base.room import Elsewhere
from audio.frames import FRAME_S
from audio.listener import Listener
from tests.support.voices import silence, speech

SAID = "turn on the light"
M = TypeVar("M", bound=Message)


class Room:
    """A listener and its clock, with what it gave but for levels."""

    def __init__(self) -> None:
        self.listener = Listener(ListeningSettings(), Elsewhere(), area="kitchen", deaf_after_s=1.8)
        self.now_s, self.given = 100.0, list[Message]()

    def hears(self, frames: list[bytes]) -> Room:
        """Take frames as they come."""
        for samples in frames:
            self.now_s += FRAME_S
            self.takes(Frame(samples=samples, at_s=self.now_s))
        return self

    def takes(self, message: Message) -> Room:
        """Take a message."""
        given = self.listener.feed(message)
        self.given += (one for one in given if not isinstance(one, Level))
        return self

    def wakes(self, word: str = "computer", before_s: float = 0.0, word_s: float = 0.0) -> Room:
        """Open for a word; what began `before_s` ago is its, until `word_s` after that."""
        begins_s = self.now_s - before_s
        self.given += self.listener.wake(self.now_s, begins_s, begins_s + word_s, word)
        return self

    def of(self, kind: type[M]) -> list[M]:
        """The messages of a kind."""
        return [one for one in self.given if isinstance(one, kind)]

    @property
    def sound(self) -> bytes:
        """All sound that was given."""
        return b"".join(one.samples for one in self.given if isinstance(one, AudioChunk))


def test_what_is_to_come_is_the_utterance() -> None:
    said = speech(SAID)
    room = Room().hears(silence(1.0)).wakes().hears([*said, *silence(2.0)])
    (spoken,) = room.of(Utterance)
    assert (spoken.wake_word, spoken.area, spoken.unasked) == ("computer", "kitchen", False)
    assert [type(one) for one in room.given if not isinstance(one, AudioChunk)] == [
        *(Woke, Utterance, Commit)
    ]
    assert room.sound.startswith(b"".join(said))


def test_what_was_heard_before_is_part_of_it() -> None:
    said = speech(SAID)
    room = Room().hears(said).wakes(before_s=1.0 - FRAME_S / 2).hears(silence(2.0))
    assert room.sound.startswith(b"".join(said[-31:]))


@pytest.mark.parametrize(("word_s", "ends"), [(5.0, NothingHeard), (0.0, Commit)])
def test_the_wake_word_itself_is_no_speech(word_s: float, ends: type[Message]) -> None:
    room = Room().wakes(word_s=word_s).hears([*speech("computer"), *silence(7.0)])
    assert isinstance(room.given[-1], ends)


def test_one_that_is_open_stays_so() -> None:
    room = Room().wakes("computer").hears(silence(0.5)).wakes("jarvis").hears(silence(0.5))
    assert room.of(Woke) == [Woke(utterance_id=room.of(Woke)[0].utterance_id, wake_word="computer")]
    assert room.listener.listening


@pytest.mark.parametrize("asks", [True, False])
def test_after_a_reply_a_wake_word_begins_anew_unless_an_answer_is_awaited(asks: bool) -> None:
    room = Room().takes(PlaybackEnded(utterance_id="r1", listen=asks, heard=True, at_s=100.0))
    assert room.listener.open
    room.wakes().hears([*speech(SAID), *silence(2.0)])
    (spoken,) = room.of(Utterance)
    assert (spoken.wake_word, spoken.unasked) == ("computer", False)
    follows = {one.follows for one in room.given if isinstance(one, AudioChunk)}
    assert follows == ({"r1"} if asks else {""})


def test_without_sound_it_closes_by_the_clock() -> None:
    room = Room().wakes()
    assert room.listener.deadline_s() == pytest.approx(101.8)
    assert room.takes(Tick(at_s=101.7)).of(NothingHeard) == []
    assert len(room.takes(Tick(at_s=101.9)).of(NothingHeard)) == 1
    assert room.listener.deadline_s() is None
    assert not room.listener.open
