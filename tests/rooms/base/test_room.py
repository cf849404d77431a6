"""A room by the satellite's events and the clock, without a connection."""

from __future__ import annotations

import pytest
from wyoming.audio import AudioChunk
from wyoming.event import Event

from assistant.core.messages import AudioChunk as Sound
from assistant.core.messages import Message, PlaybackEnded, Speech, Utterance
from assistant.core.settings.hearing import ListeningSettings, WakeSettings
from assistant.rooms.base.player import SatellitePlayer
from assistant.rooms.base.room import Room
from assistant.rooms.base.satellite import TICK_S
from assistant.rooms.detection import Noticed
from assistant.rooms.wake_words import WakeWords
from audio.frames import FRAME_S
from tests.support.voices import silence, speech


class Kitchen:
    """A room with a clock of its own, what it gave the daemon, and what it had sent."""

    def __init__(self) -> None:
        self.given: list[Message] = []
        self.sent: list[Event] = []
        player = SatellitePlayer(self._send, self.given.append)
        words = WakeWords(WakeSettings())
        given, sent = self.given.append, self.sent.append
        self.room = Room("kitchen", "cook", ListeningSettings(), words, player, given, sent)
        self.now_s = 100.0

    async def _send(self, event: Event) -> None:
        raise AssertionError("nothing is played here")

    def hears(self, frames: list[bytes]) -> Kitchen:
        """Have sound come as it is heard."""
        for samples in frames:
            self.now_s += FRAME_S
            self.room.hear(AudioChunk(16_000, 2, 1, samples), self.now_s)
        return self

    def streams(self, noticed: Noticed) -> None:
        """Have the satellite tell of a wake word, and begin to send what it hears."""
        self.room.notice("computer", noticed, self.now_s)
        self.room.stream("computer", self.now_s)

    def waits(self, seconds: float) -> Kitchen:
        """Let time pass without sound."""
        self.now_s += seconds
        self.room.tick(self.now_s)
        return self

    def kinds(self) -> list[str]:
        """What it gave, chunks of sound left out."""
        return [type(one).__name__ for one in self.given if not isinstance(one, Sound)]


@pytest.fixture
def kitchen() -> Kitchen:
    """A room in which a wake word was just heard, by a satellite that tells no more of it."""
    made = Kitchen()
    made.room.stream("computer", made.now_s)
    return made


def test_sound_that_nobody_waits_for_is_dropped() -> None:
    kitchen = Kitchen().hears(speech("turn on the light"))
    assert kitchen.given == []
    assert kitchen.sent == []


def test_a_satellite_that_falls_silent_frees_the_room_within_two_seconds(kitchen: Kitchen) -> None:
    kitchen.hears(silence(0.5)).waits(1.0)
    assert kitchen.room.streams
    assert kitchen.kinds() == ["Woke"]
    kitchen.waits(1.0 - TICK_S)  # the last look before two seconds are over
    assert not kitchen.room.streams
    assert kitchen.kinds() == ["Woke", "NothingHeard"]
    assert [event.type for event in kitchen.sent] == ["voice-stopped", "transcript"]


def test_a_satellite_that_sends_nothing_at_all_frees_the_room(kitchen: Kitchen) -> None:
    kitchen.waits(2.0 - TICK_S)
    assert kitchen.kinds() == ["Woke", "NothingHeard"]


def test_sound_that_comes_late_is_waited_for(kitchen: Kitchen) -> None:
    said = speech("turn on the light")
    kitchen.hears(said[:20])
    kitchen.waits(1.0)  # the network stalls, and then gives all at once
    for samples in said[20:]:
        kitchen.room.hear(AudioChunk(16_000, 2, 1, samples), kitchen.now_s)
    kitchen.hears(silence(2.0))
    (spoken,) = (one for one in kitchen.given if isinstance(one, Utterance))
    assert (spoken.peer, spoken.area, spoken.wake_word) == ("kitchen", "cook", "computer")
    sound = b"".join(one.samples for one in kitchen.given if isinstance(one, Sound))
    assert b"".join(said) in sound


def test_what_is_sent_before_the_wake_word_was_noticed_belongs_to_it() -> None:
    kitchen = Kitchen()
    word = speech("computer")
    noticed = Noticed(preroll_s=len(word) * FRAME_S, keyword_ended_s=0.45)
    kitchen.streams(noticed)
    for samples in word:  # all at once
        kitchen.room.hear(AudioChunk(16_000, 2, 1, samples), kitchen.now_s)
    kitchen.hears(silence(6.0))
    assert kitchen.kinds() == ["Woke", "NothingHeard"]  # nobody said more than the wake word
    sound = b"".join(one.samples for one in kitchen.given if isinstance(one, Sound))
    assert sound.startswith(b"".join(word))


def test_what_was_heard_before_the_wake_word_may_come_late_too() -> None:
    kitchen = Kitchen()
    before = [*silence(0.7), *speech("computer")]
    noticed = Noticed(preroll_s=len(before) * FRAME_S, keyword_ended_s=0.25)
    kitchen.streams(noticed)
    for samples in before[:5]:
        kitchen.room.hear(AudioChunk(16_000, 2, 1, samples), kitchen.now_s)
    kitchen.waits(0.5)  # the rest has to be sent again
    for samples in before[5:]:
        kitchen.room.hear(AudioChunk(16_000, 2, 1, samples), kitchen.now_s)
    kitchen.hears([*speech("turn on the light"), *silence(2.0)])
    (spoken,) = (one for one in kitchen.given if isinstance(one, Utterance))
    assert spoken.wake_word == "computer"


def test_a_command_that_comes_in_one_piece_is_heard(kitchen: Kitchen) -> None:
    kitchen.now_s += 0.01
    for samples in speech("turn on the light"):  # the satellite, or the network, was held up
        kitchen.room.hear(AudioChunk(16_000, 2, 1, samples), kitchen.now_s)
    kitchen.hears(silence(2.0))
    assert kitchen.kinds() == ["Woke", "Utterance", "Commit"]


def test_a_second_wake_word_opens_no_second_utterance(kitchen: Kitchen) -> None:
    kitchen.hears(silence(0.5))
    kitchen.room.notice("jarvis", Noticed(), kitchen.now_s)
    kitchen.hears([*speech("turn on the light"), *silence(2.0)])
    assert kitchen.kinds().count("Woke") == 1
    (spoken,) = (one for one in kitchen.given if isinstance(one, Utterance))
    assert spoken.wake_word == "computer"


def test_a_satellite_that_is_lost_is_asked_nothing_more(kitchen: Kitchen) -> None:
    kitchen.room.lost()
    assert kitchen.kinds() == ["Woke", "NothingHeard"]
    assert kitchen.sent == []


def test_what_waits_to_be_played_is_over_when_the_satellite_is_lost() -> None:
    kitchen = Kitchen()
    reply = Speech(
        utterance_id="r1", sequence=0, samples=bytes(8000), rate_hz=8000, text="", last=True
    )
    kitchen.room.take(reply)
    kitchen.room.lost()
    assert kitchen.given == [
        PlaybackEnded(utterance_id="r1", interrupted=True, heard=False, at_s=kitchen.given[0].at_s)
    ]


def test_what_follows_a_reply_may_come_late(kitchen: Kitchen) -> None:
    kitchen.hears(speech("turn on the light")).hears(silence(1.0))
    kitchen.room.reopens = True
    kitchen.waits(30.0)  # it hears nothing while a reply plays
    before = len(kitchen.kinds())
    asked = PlaybackEnded(utterance_id="r1", listen=True, heard=True, at_s=kitchen.now_s)
    kitchen.room.told(asked)
    kitchen.waits(0.6)
    assert kitchen.room.streams
    kitchen.hears(speech("two seconds")).hears(silence(2.0))
    assert "Utterance" in kitchen.kinds()[before:]
    kitchen.room.told(asked)
    kitchen.waits(2.0)  # a satellite that sends nothing at all
    assert not kitchen.room.streams


def test_a_wake_word_that_crosses_with_the_request_to_listen_is_heard(kitchen: Kitchen) -> None:
    kitchen.hears(speech("turn on the light")).hears(silence(1.0))
    kitchen.room.reopens = True
    kitchen.waits(5.0)
    kitchen.room.told(PlaybackEnded(utterance_id="r1", heard=True, at_s=kitchen.now_s))
    assert kitchen.room.streams
    before = len(kitchen.kinds())
    noticed = Noticed(preroll_s=0.5, keyword_ended_s=0.45)
    kitchen.streams(noticed)
    kitchen.hears(speech("turn on the light")).hears(silence(1.0))
    assert kitchen.kinds()[before:].count("Woke") == 1
    assert "Utterance" in kitchen.kinds()[before:]


def test_a_wake_word_just_as_the_satellite_begins_to_listen_is_heard(kitchen: Kitchen) -> None:
    kitchen.hears(speech("turn on the light")).hears(silence(1.0))
    kitchen.room.reopens = True
    kitchen.waits(5.0)
    kitchen.room.told(PlaybackEnded(utterance_id="r1", heard=True, at_s=kitchen.now_s))
    before = len(kitchen.kinds())
    noticed = Noticed(preroll_s=1.6, keyword_ended_s=0.45)
    kitchen.room.notice("computer", noticed, kitchen.now_s)  # and it sends nothing from before
    kitchen.hears(speech("turn on the light")).hears(silence(1.0))
    assert kitchen.kinds()[before:] == ["Woke", "Utterance", "Commit"]
