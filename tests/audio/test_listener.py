"""Frames in, the whole message list out."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import count

import numpy as np
import pytest
from numpy.typing import NDArray

from assistant.core.config import Config
from assistant.core.messages import (
    SAMPLE_RATE_HZ,
    AudioChunk,
    BargeIn,
    Commit,
    Complete,
    DoubtfulWakeWord,
    Frame,
    Level,
    Message,
    NothingHeard,
    PlaybackEnded,
    PlaybackStarted,
    Tick,
    Utterance,
    Woke,
)
from assistant.core.settings.hearing import ListeningSettings, WakeSettings
from audio.build import make_listener, make_own_voice
from audio.frames import FRAME_BYTES, FRAME_S, Framer
from audio.listener import Listener
from audio.own_voice import OwnVoice
from tests.support.voices import silence, speech

VOICES = ("slt", "rms", "awb")


class Scripted:
    """A wake word engine that notices what it is told to, at the frames it is told."""

    name = "scripted"
    doubt = None

    def __init__(self, noticed: dict[int, str]) -> None:
        self._noticed, self._frame = noticed, 0

    def process(self, frame: NDArray[np.int16]) -> str | None:
        self._frame += 1
        return self._noticed.get(self._frame)

    def close(self) -> None:
        pass


def quiet_microphone(seconds: float) -> list[bytes]:
    """Silence at 48 kHz, resampled: dither of one bit is left."""
    framer, block = Framer(48_000, 1), np.zeros((1536, 1), np.int16)
    return [frame for _ in range(round(seconds / FRAME_S)) for frame in framer.push(block)]


def joined(frames: list[bytes]) -> NDArray[np.float32]:
    return np.frombuffer(b"".join(frames), np.int16).astype(np.float32)


def mix(sound: NDArray[np.float32], part: NDArray[np.float32], at_s: float) -> None:
    start = round(at_s * SAMPLE_RATE_HZ)
    sound[start : start + len(part)] += part


def numbered() -> Iterable[str]:
    return (f"u{n}" for n in count(1))


def listener(noticed_at_s: float | None = None, wake: bool = True) -> Listener:
    ids = iter(numbered())
    noticed = {} if noticed_at_s is None else {round(noticed_at_s / FRAME_S): "computer"}
    return Listener(
        ListeningSettings(), Scripted(noticed) if wake else None, new_id=lambda: next(ids)
    )


def real_listener() -> Listener:
    return make_listener(Config(), own_voice=None)


class Conversation:
    """Feeds frames, 32 ms apart, and keeps what comes out with its time."""

    def __init__(self, heard: Listener) -> None:
        self.listener, self.now_s = heard, 0.0
        self.said: list[tuple[float, Message]] = []

    def hear(self, *parts: list[bytes]) -> Conversation:
        for samples in (frame for part in parts for frame in part):
            self.now_s += FRAME_S
            self.feed(Frame(samples=samples, at_s=self.now_s))
        return self

    def feed(self, message: Message) -> Conversation:
        self.said += [(self.now_s, m) for m in self.listener.feed(message)]
        return self

    def of(self, *kinds: type[Message]) -> list[Message]:
        return [message for _, message in self.said if isinstance(message, kinds)]

    def at_s(self, kind: type[Message]) -> float:
        return next(at_s for at_s, message in self.said if isinstance(message, kind))

    @property
    def woken(self) -> list[str]:
        return [m.utterance_id for _, m in self.said if isinstance(m, Woke)]

    @property
    def story(self) -> list[str]:
        """The types in a row; what is in doubt is a question that nobody answers here."""
        left_out = (Level, DoubtfulWakeWord)
        names = [type(m).__name__ for _, m in self.said if not isinstance(m, left_out)]
        return [
            name for n, name in enumerate(names) if name != "AudioChunk" or names[n - 1] != name
        ]


def test_silence_is_only_measured() -> None:
    heard = Conversation(listener()).hear(silence(2.1))
    assert [type(m) for _, m in heard.said] == [Level] * 4
    assert heard.said[0][1] == Level(rms_dbfs=-90.0, noise_floor_dbfs=-90.0, speech=False)


def test_a_wake_word_and_then_nothing() -> None:
    heard = Conversation(listener(2.0)).hear(silence(9.0))
    assert heard.story == ["Woke", "AudioChunk", "NothingHeard"]
    assert heard.of(Woke, NothingHeard) == [
        Woke(utterance_id="u1", wake_word="computer"),
        NothingHeard(utterance_id="u1"),
    ]
    assert heard.at_s(NothingHeard) == pytest.approx(7.0, abs=2 * FRAME_S)


def test_a_wake_word_a_pause_and_a_sentence_are_one_utterance() -> None:
    sentence = speech("turn on the light")
    heard = Conversation(listener(2.0)).hear(silence(4.0), sentence, silence(2.0))
    assert heard.story == ["Woke", "AudioChunk", "Utterance", "Commit"]
    (utterance,) = heard.of(Utterance)
    assert isinstance(utterance, Utterance)
    assert utterance.wake_word == "computer"
    assert utterance.speech_s > 0.7
    assert heard.of(Commit) == [Commit(utterance_id="u1", revision=0)]
    chunks = [m for m in heard.of(AudioChunk) if isinstance(m, AudioChunk)]
    assert [chunk.sequence for chunk in chunks] == list(range(len(chunks)))
    assert all(len(chunk.samples) <= 6400 for chunk in chunks)
    assert len(chunks[-2].samples) == FRAME_BYTES  # in the pause at its end nothing is held back
    sound = b"".join(chunk.samples for chunk in chunks)
    assert len(sound) / 32_000 == pytest.approx(utterance.duration_s)
    assert b"".join(sentence) in sound


def test_who_interrupts_at_once_is_not_taken_to_have_said_the_last_words_again() -> None:
    question, stop = speech("what can you do"), speech("computer")
    answered_s = 1.0 + len(question) * FRAME_S + 0.35
    noticed_s = answered_s + len(stop) * FRAME_S
    own_voice = OwnVoice()
    wakes = Scripted({round(at_s / FRAME_S): "computer" for at_s in (1.0, noticed_s)})
    heard = Conversation(Listener(ListeningSettings(complete_silence_s=0.3), wakes, own_voice))
    heard.hear(silence(1.0), question, silence(0.25))
    heard.feed(Complete(utterance_id=heard.woken[0], revision=0, complete=True))
    heard.hear(silence(0.1))
    assert heard.story == ["Woke", "AudioChunk", "Utterance", "Commit"]
    own_voice.plays(np.ones(48_000, np.int16), answered_s - 0.1)
    heard.feed(PlaybackStarted(utterance_id=heard.woken[0]))
    heard.hear(stop, silence(2.0))
    chunks = [m for m in heard.of(AudioChunk) if isinstance(m, AudioChunk)]
    last = b"".join(m.samples for m in chunks if m.utterance_id == heard.woken[1])
    assert stop[-2] in last
    assert all(frame not in last for frame in question if any(frame))


def test_without_a_wake_word_whatever_is_spoken_is_an_utterance() -> None:
    first, second = speech("what time is it"), speech("set a timer for five minutes", "rms")
    heard = Conversation(listener(wake=False))
    heard.hear(silence(1.0), first, silence(2.0), second, silence(2.0))
    assert heard.story == ["Woke", "AudioChunk", "Utterance", "Commit"] * 2
    sounds = [
        b"".join(m.samples for m in heard.of(AudioChunk) if m.utterance_id == name)  # type: ignore[attr-defined]
        for name in ("u1", "u2")
    ]
    voiced = [b"".join(first[8:-8]), b"".join(second[8:-8])]
    assert [v in s for v, s in zip(voiced, sounds, strict=True)] == [True, True]


def test_a_question_opens_the_microphone_without_a_wake_word() -> None:
    heard = Conversation(listener()).hear(silence(1.0))
    heard.feed(PlaybackStarted(utterance_id="r", at_s=heard.now_s))
    heard.feed(PlaybackEnded(utterance_id="r", listen=True, at_s=heard.now_s))
    heard.hear(silence(0.5), speech("yes please"), silence(2.0))
    assert heard.story == ["Woke", "AudioChunk", "Utterance", "Commit"]
    assert heard.of(Woke) == [Woke(utterance_id="u1", wake_word="")]


def test_who_thinks_in_the_middle_of_an_answer_is_waited_for() -> None:
    heard = Conversation(listener()).hear(silence(1.0))
    heard.feed(PlaybackEnded(utterance_id="r", listen=True, at_s=heard.now_s))
    heard.hear(silence(0.5), speech("for ten"), silence(1.0), speech("minutes"), silence(3.0))
    assert heard.story[-1] == "Commit"
    assert len(heard.of(Commit)) == 1


@pytest.mark.parametrize(
    "ended",
    [
        PlaybackEnded(utterance_id="r", heard=False),
        PlaybackEnded(utterance_id="r", interrupted=True),
        PlaybackEnded(utterance_id="r", listen=True, interrupted=True),
    ],
)
def test_other_replies_do_not(ended: PlaybackEnded) -> None:
    heard = Conversation(listener()).feed(ended).hear(speech("yes please"), silence(1.0))
    assert heard.story == []


# ── what goes on from a reply that asked nothing ────────────────────────────────────────────


def after_a_reply(heard: Conversation) -> Conversation:
    heard.hear(silence(1.0)).feed(PlaybackStarted(utterance_id="r", at_s=heard.now_s))
    return heard.feed(PlaybackEnded(utterance_id="r", at_s=heard.now_s))


def test_what_is_said_right_after_a_reply_is_passed_on_as_unasked() -> None:
    heard = after_a_reply(Conversation(listener()))
    heard.hear(silence(0.5), speech("and the fan"), silence(2.0))
    assert heard.story == ["AudioChunk", "Utterance", "Commit"]
    (utterance,) = heard.of(Utterance)
    assert isinstance(utterance, Utterance)
    assert (utterance.unasked, utterance.wake_word) == (True, "")
    chunks = [m for m in heard.of(AudioChunk) if isinstance(m, AudioChunk)]
    assert {chunk.follows for chunk in chunks} == {"r"}


def test_silence_after_a_reply_closes_the_microphone_without_a_word() -> None:
    heard = after_a_reply(Conversation(listener())).hear(silence(5.0), speech("and the fan"))
    assert {type(m) for _, m in heard.said} == {Level, AudioChunk}
    assert heard.listener.deadline_s() is None


def test_a_wake_word_within_other_talk_after_a_reply_begins_anew() -> None:
    heard = after_a_reply(Conversation(listener(4.0)))
    talk = speech("the old man went to the river to catch some fish", "rms")[: round(2 / FRAME_S)]
    heard.hear(silence(0.9), talk, silence(0.2), speech("turn on the light"), silence(2.0))
    assert heard.story == ["AudioChunk", "Woke", "AudioChunk", "Utterance", "Commit"]
    (utterance,) = heard.of(Utterance)
    assert isinstance(utterance, Utterance)
    assert (utterance.unasked, utterance.wake_word) == (False, "computer")
    assert heard.of(Commit) == [Commit(utterance_id=heard.woken[0], revision=0)]


def test_the_next_reply_is_not_taken_for_what_goes_on() -> None:
    heard = after_a_reply(Conversation(listener())).hear(silence(0.3))
    heard.feed(PlaybackStarted(utterance_id="s", at_s=heard.now_s))
    heard.hear(speech("one moment please"), silence(1.0))
    assert {type(m) for _, m in heard.said} == {Level, AudioChunk}


@pytest.mark.parametrize(("seconds", "wake"), [(0.0, True), (3.0, False)])
def test_no_moment_is_waited_where_none_is_set_or_none_is_needed(
    seconds: float, wake: bool
) -> None:
    settings = ListeningSettings(follow_up_s=seconds)
    quiet = Conversation(Listener(settings, Scripted({}) if wake else None))
    after_a_reply(quiet)
    assert quiet.listener.deadline_s() is None


def test_the_wake_word_over_a_reply_stops_it_and_is_listened_to() -> None:
    heard = Conversation(listener(2.0)).feed(PlaybackStarted(utterance_id="r"))
    heard.hear(silence(2.5), speech("turn on the light"), silence(2.0))
    assert heard.story == ["BargeIn", "Woke", "AudioChunk", "Utterance", "Commit"]
    assert heard.of(BargeIn) == [BargeIn(utterance_id="r")]


def test_a_microphone_that_falls_silent_for_good_ends_the_utterance() -> None:
    heard = Conversation(listener(2.0)).hear(silence(2.5), speech("turn on the light"))
    assert heard.listener.deadline_s() == pytest.approx(heard.now_s + 1.0)
    heard.feed(Tick(at_s=heard.now_s + 1.0))
    assert heard.story == ["Woke", "AudioChunk", "Utterance", "Commit"]
    assert heard.listener.deadline_s() is None


def test_stop_over_a_reply_counts_only_when_somebody_spoke() -> None:
    def story(sound: list[bytes]) -> list[str]:
        noticed = round(2.5 / FRAME_S)
        heard = Conversation(
            Listener(ListeningSettings(), Scripted({}), stop_word=Scripted({noticed: "stop"}))
        )
        return heard.feed(PlaybackStarted(utterance_id="r")).hear(silence(1.9), sound).story

    assert story([*speech("stop"), *silence(1.0)]) == ["BargeIn"]
    assert story(silence(1.0)) == []


def test_the_end_of_the_command_is_no_stop_over_its_reply() -> None:
    command = [*silence(1.9), *speech("stop")]
    noticed = round(0.1 / FRAME_S)
    heard = Conversation(
        Listener(ListeningSettings(), Scripted({}), stop_word=Scripted({noticed: "stop"}))
    )
    heard.hear(command).feed(PlaybackStarted(utterance_id="r"))
    assert heard.hear(silence(1.0)).story == []


def test_own_words_in_the_echo_wake_nobody() -> None:
    def story(own_voice: OwnVoice) -> list[str]:
        ids = iter(numbered())
        heard = Conversation(
            Listener(
                ListeningSettings(), Scripted({60: "computer"}), own_voice, new_id=lambda: next(ids)
            )
        )
        heard.feed(PlaybackStarted(utterance_id="r"))
        own_voice.plays(np.zeros(32_000, np.int16), 0.0)
        return heard.hear(silence(2.5)).story

    assert story(OwnVoice([Scripted({55: "computer"})])) == []
    assert story(OwnVoice([Scripted({10: "computer"})])) == ["BargeIn", "Woke", "AudioChunk"]
    assert story(OwnVoice([])) == ["BargeIn", "Woke", "AudioChunk"]


def test_a_wake_word_that_begins_over_the_end_of_a_reply_is_kept_whole() -> None:
    own_voice, sentence = OwnVoice(), speech("computer, turn on the light")
    heard = Conversation(Listener(ListeningSettings(), Scripted({94: "computer"}), own_voice))
    own_voice.plays(np.zeros(round(2.4 * SAMPLE_RATE_HZ), np.int16), 0.0)
    heard.feed(PlaybackStarted(utterance_id="r", at_s=0.0))
    heard.hear(silence(2.0), sentence[:13])
    heard.feed(PlaybackEnded(utterance_id="r", at_s=heard.now_s, heard=True))
    heard.hear(sentence[13:], silence(2.0))
    (utterance,) = heard.of(Utterance)
    assert isinstance(utterance, Utterance)
    assert utterance.wake_word == "computer"
    sound = b"".join(m.samples for m in heard.of(AudioChunk) if isinstance(m, AudioChunk))
    assert b"".join(sentence[:90]) in sound


# ── with Porcupine and flite ────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("voice", VOICES)
def test_words_in_one_breath_with_the_wake_word_are_kept(voice: str) -> None:
    sentence = speech("computer, turn on the light", voice)
    heard = Conversation(real_listener()).hear(silence(2.0), sentence, silence(3.0))
    assert heard.story == ["Woke", "AudioChunk", "Utterance", "Commit"]
    sound = b"".join(m.samples for m in heard.of(AudioChunk))  # type: ignore[attr-defined]
    assert b"".join(sentence[12:]) in sound


@pytest.mark.parametrize("voice", VOICES)
@pytest.mark.parametrize("text", ["computer, stop", "computer, yes"])
def test_a_word_right_after_the_wake_word_ends_in_time(voice: str, text: str) -> None:
    heard = Conversation(real_listener()).hear(silence(2.0), speech(text, voice), silence(7.0))
    assert heard.story == ["Woke", "AudioChunk", "Utterance", "Commit"]
    assert heard.at_s(Commit) - heard.at_s(Woke) < 1.6


@pytest.mark.parametrize("voice", [*VOICES, "kal16"])
def test_who_only_says_the_wake_word_has_five_seconds_to_go_on(voice: str) -> None:
    bare, late = speech("computer", voice), speech("what time is it", voice)
    heard = Conversation(real_listener()).hear(silence(2.0), bare, silence(7.0))
    assert heard.story == ["Woke", "AudioChunk", "NothingHeard"]
    heard = Conversation(real_listener()).hear(silence(2.0), bare, silence(3.5), late, silence(2.0))
    assert heard.story == ["Woke", "AudioChunk", "Utterance", "Commit"]


def story_over_a_reply(sound: list[bytes]) -> list[str]:
    heard = Conversation(make_listener(Config(), own_voice=OwnVoice()))
    return heard.feed(PlaybackStarted(utterance_id="r")).hear(sound).story


@pytest.mark.parametrize("voice", VOICES)
def test_a_reply_is_stopped_by_stop(voice: str) -> None:
    hiss = quiet_microphone(60 * FRAME_S)
    sound = [*hiss, *speech("stop", voice), *hiss[:30]]
    assert story_over_a_reply(sound) == ["BargeIn"]


def test_a_reply_is_not_stopped_by_the_hiss_of_a_quiet_microphone() -> None:
    assert story_over_a_reply(quiet_microphone(30.0)) == []


STOPPED, WOKEN = ("stop", ["BargeIn"]), ("computer", ["BargeIn", "Woke"])


@pytest.mark.parametrize(
    ("word", "story", "at_s"),
    [
        (*STOPPED, 1.6),
        (*WOKEN, 2.2),
        ("", [], 0.0),
        *(
            pytest.param(*said, at_s, marks=pytest.mark.depth)
            for said, moments in ((STOPPED, (1.0, 2.2, 2.8)), (WOKEN, (1.0, 1.6, 2.8)))
            for at_s in moments
        ),
    ],
)
def test_a_word_over_the_echo_of_a_reply_is_heard_and_the_reply_is_not(
    word: str, story: list[str], at_s: float
) -> None:
    # 24 dB below who speaks, and as late as a sound card and a small room make it.
    echo_is, late_s = 10 ** (-24 / 20), 0.06
    reply = joined(speech("to begin, say computer, and to end, say stop, and I am quiet at once"))
    sound = np.zeros(len(reply) + 2 * SAMPLE_RATE_HZ, np.float32)
    mix(sound, echo_is * reply, late_s)
    if word:
        mix(sound, joined(speech(word, "rms")), at_s)
    own_voice = make_own_voice(Config())
    heard = Conversation(make_listener(Config(), own_voice=own_voice)).hear(silence(1.0))
    own_voice.plays(reply.astype(np.int16), heard.now_s)
    heard.feed(PlaybackStarted(utterance_id="r"))
    blocks = Framer(SAMPLE_RATE_HZ, 1).push(sound.astype(np.int16)[:, np.newaxis])
    # The reply plays on here, so that its end may be asked for twice.
    assert list(dict.fromkeys(heard.hear(list(blocks)).story))[: len(story) or 1] == story


def test_several_keywords_are_listened_for_at_once() -> None:
    config = Config(wake=WakeSettings(keywords={"computer": 0.8, "jarvis": 0.6, "view_glass": 0.8}))
    heard = Conversation(make_listener(config))
    heard.hear(silence(1.0), speech("jarvis"), silence(7.0), speech("computer"), silence(7.0))
    assert [m.wake_word for m in heard.of(Woke)] == ["jarvis", "computer"]  # type: ignore[attr-defined]


def test_speech_without_the_wake_word_is_nobodys_business() -> None:
    heard = Conversation(real_listener())
    heard.hear(silence(1.0), speech("turn on the light in the kitchen, please"), silence(2.0))
    assert heard.story == []
