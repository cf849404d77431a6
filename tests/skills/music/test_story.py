"""A household and its MPD: what is said goes through the skills and the bridge, and comes back."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack, closing

import numpy as np
import pytest

from assistant.bridge import kept
from assistant.bridge.mpd.link import Mpd
from assistant.core.clock import boottime_s
from assistant.core.messages import (
    DeviceChanged,
    HomeStates,
    Message,
    MusicLibrary,
)
from assistant.core.settings.mpd import PLAYER, MpdSettings
from assistant.core.speakable import Speakable, SpeakableSource
from assistant.evaluation.commands import transcribe
from audio.asr.pocketsphinx import PocketSphinxRecognizer
from audio.asr.stage import AsrStage
from nlu.interpreter import Interpreter
from nlu.stage import NluStage
from tests.skills.music.conftest import HOME
from tests.support.grammars import templates_of
from tests.support.household import Household
from tests.support.mpd import FakeMpd
from tests.support.talking import EVENING, Talk
from tests.support.voices import silence, speech

SPOKEN = (
    *("play some jazz", "play queen", "what is playing", "play it again", "shuffle the music"),
    *("turn off shuffle", "turn on the radio", "what time is it", "set a timer for ten minutes"),
)


class MusicalHousehold(Household):
    """The skills, the bridge and MPD."""

    def until_it(self, state: str, title: str = "") -> None:
        """Wait until the player tells that it is in this state, and plays this."""

        def holds(message: Message) -> bool:
            if not isinstance(message, HomeStates) or message.states.get(PLAYER) != state:
                return False
            return message.attributes.get(PLAYER, {}).get("media_title", "") == title

        self.until(holds)


@pytest.fixture
def there(things: ExitStack) -> FakeMpd:
    there = things.enter_context(closing(FakeMpd()))
    there.start()
    return there


@pytest.fixture(scope="module")
def musical() -> NluStage:
    templates = templates_of(HOME)
    return NluStage(templates, Interpreter(templates), lambda: EVENING)


@pytest.fixture
def household(
    things: ExitStack,
    there: FakeMpd,
    talks: Callable[..., Talk],
    musical: NluStage,
    monkeypatch: pytest.MonkeyPatch,
) -> MusicalHousehold:
    monkeypatch.setattr(kept, "RECONNECT_S", (0.05, 0.2))
    link = things.enter_context(closing(Mpd(MpdSettings(host="127.0.0.1", port=there.port))))
    talk = talks(home=HOME, players={PLAYER: "player"}, at_s=boottime_s())
    household = MusicalHousehold(talk, musical, link)
    household.until(lambda message: isinstance(message, MusicLibrary))
    household.until(lambda message: isinstance(message, DeviceChanged))
    return household


def test_jazz_is_put_on_and_told(there: FakeMpd, household: MusicalHousehold) -> None:
    assert household.say("play some jazz") == "I put on some jazz music."
    household.until_it("playing", "Blue in Green")
    assert household.say("what song is this") == "It's Blue in Green by Miles Davis."
    assert household.say("who sings this") == "It's Miles Davis."
    assert household.say("shuffle the music") == "I play the songs in any order."
    household.until_so(lambda: there.random)
    assert household.told == []


def test_what_is_not_there_is_named_and_the_music_plays_on(
    there: FakeMpd, household: MusicalHousehold
) -> None:
    household.say("play the playlist cooking")
    household.until_it("playing", "So What")
    assert household.say("play something by abba") == "I have nothing by abba."
    assert household.say("put on the album thriller") == "I have no album called thriller."
    assert [song.title for song in there.queue] == ["So What", "Bohemian Rhapsody"]


def test_music_that_has_gone_meanwhile_is_told(there: FakeMpd, household: MusicalHousehold) -> None:
    there.songs = []
    assert household.say("play queen") == "I put on Queen."
    household.until_told("I asked the music player, but that failed.")
    assert there.queue == []


def test_one_that_is_away_is_told_and_does_not_begin_later(
    there: FakeMpd, household: MusicalHousehold
) -> None:
    there.stop()
    household.until_it("unavailable")
    assert household.say("play some jazz") == "I can't reach the music player now."
    assert household.say("what song is this") == "I can't reach the music player now."
    there.start()
    household.until_it("off")
    assert household.say("what song is this") == "Nothing is playing."
    assert there.heard.empty()
    household.say("play some jazz")
    household.until_it("playing", "Blue in Green")


@pytest.mark.parametrize(
    ("spoken", "reply"),
    [
        ("play some jazz", "I put on some jazz music."),
        ("what is playing", "Nothing is playing."),
        ("shuffle the music", "I play the songs in any order."),
        ("turn off shuffle", "I play the songs in their own order."),
    ],
)
def test_it_is_heard(
    household: MusicalHousehold, tmp_path_factory: pytest.TempPathFactory, spoken: str, reply: str
) -> None:
    said = Speakable(sentences=dict.fromkeys(SPOKEN, 1.0))
    source = SpeakableSource("music", lambda: said)
    ear = AsrStage(PocketSphinxRecognizer(source, cache_dir=tmp_path_factory.mktemp("asr")))
    frames = (*silence(0.3), *speech(spoken), *silence(0.3))
    heard = transcribe(ear, np.frombuffer(b"".join(frames), np.int16))[0]
    assert heard.text == spoken
    assert household.hear(heard) == reply
