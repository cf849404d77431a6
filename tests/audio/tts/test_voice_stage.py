"""Replies and faults in, the whole list of speech out."""

from __future__ import annotations

import itertools
from collections.abc import Iterable

import numpy as np
import pytest

from assistant.core.errors import SpeakingError
from assistant.core.messages import (
    BargeIn,
    DeviceChanged,
    Message,
    SafeModeEntered,
    Simplify,
    Speech,
    SpokenReply,
    StageFailed,
    StageRestarted,
)
from audio.tts.apology import AT_MOST, SAME_EVERY_S
from audio.tts.stage import LARGEST_BYTES, VoiceStage
from audio.tts.voice import Samples


class EchoVoice:
    """Gives one sample a character, and refuses what holds `refused`."""

    name = "echo"

    def __init__(self, refused: str = "\0", samples_each: int = 1) -> None:
        self.heard: list[str] = []
        self._refused, self._samples_each = refused, samples_each

    def synthesise(self, text: str) -> Samples:
        self.heard.append(text)
        if self._refused in text:
            raise SpeakingError("voice.failed", "no")
        return Samples(np.ones(len(text) * self._samples_each, np.int16), 8000)


def speeches(messages: Iterable[Message]) -> list[Speech]:
    return [m for m in messages if isinstance(m, Speech)]


def said(stage: VoiceStage, message: Message) -> str:
    return " ".join(speech.text for speech in speeches(stage.feed(message)))


def test_of_a_ring_every_sentence_says_that_it_is_to_be_heard_once() -> None:
    ring = SpokenReply(utterance_id="timer-1", text="Done. Really.", once=True)
    assert [speech.once for speech in speeches(VoiceStage(EchoVoice()).feed(ring))] == [True, True]


def test_a_reply_is_spoken_sentence_by_sentence() -> None:
    reply = SpokenReply(utterance_id="u1", text="Done. Which room?", listen=True)
    assert list(VoiceStage(EchoVoice()).feed(reply)) == [
        Speech(
            utterance_id="u1",
            sequence=0,
            samples=b"\1\0" * 5,
            rate_hz=8000,
            text="Done.",
            last=False,
        ),
        Speech(
            utterance_id="u1",
            sequence=1,
            samples=b"\1\0" * 11,
            rate_hz=8000,
            text="Which room?",
            last=True,
            listen=True,
        ),
    ]


def test_the_first_sentence_leaves_before_the_second_is_made_and_closing_stops_it() -> None:
    voice = EchoVoice()
    generator = iter(VoiceStage(voice).feed(SpokenReply(utterance_id="u", text="One. Two. Three.")))
    next(generator)
    assert voice.heard == ["One."]
    generator.close()  # type: ignore[attr-defined]
    assert voice.heard == ["One."]


def test_equal_sentences_are_not_mistaken_for_the_last() -> None:
    stage = VoiceStage(EchoVoice())
    spoken = speeches(stage.feed(SpokenReply(utterance_id="u", text="Ring. Ring. Ring.")))
    assert [s.last for s in spoken] == [False, False, True]


def test_an_empty_reply_is_closed_without_a_sound() -> None:
    (speech,) = speeches(VoiceStage(EchoVoice()).feed(SpokenReply(utterance_id="u", text=" ")))
    assert (speech.samples, speech.last, speech.text) == (b"", True, "")


def test_a_long_sound_is_sent_in_pieces_the_bus_can_carry() -> None:
    stage = VoiceStage(EchoVoice(samples_each=LARGEST_BYTES // 8))
    spoken = speeches(stage.feed(SpokenReply(utterance_id="u", text="A long sentence. B.")))
    assert all(len(s.samples) <= LARGEST_BYTES for s in spoken)
    assert [s.sequence for s in spoken] == list(range(len(spoken)))
    assert [s.last for s in spoken] == [False] * (len(spoken) - 1) + [True]
    assert sum(len(s.samples) for s in spoken) == 18 * 2 * (LARGEST_BYTES // 8)


def test_a_reply_that_cannot_be_finished_is_closed_before_the_fault_is_told() -> None:
    reply = SpokenReply(utterance_id="u", text="Fine. Bad luck?", listen=True)
    generator = iter(VoiceStage(EchoVoice("Bad")).feed(reply))
    spoken = [next(generator), next(generator)]
    with pytest.raises(SpeakingError):
        next(generator)
    told = [(s.text, s.sequence, s.last, s.listen) for s in speeches(spoken)]
    assert told == [("Fine.", 0, False, False), ("", 1, True, False)]


def test_signs_are_spoken_but_the_text_is_kept() -> None:
    voice = EchoVoice()
    (speech,) = speeches(VoiceStage(voice).feed(SpokenReply(utterance_id="u", text="It is 20 °C.")))
    assert (voice.heard, speech.text) == (["It is 20 degrees Celsius."], "It is 20 °C.")


@pytest.mark.parametrize(
    ("message", "words"),
    [
        (
            StageFailed(stage="nlu", code="x", message="y"),
            "Sorry, something went wrong in my understanding.",
        ),
        (
            StageRestarted(stage="asr", reason="killed"),
            "Sorry, my speech recognition stopped for a moment. I'm back.",
        ),
        (
            StageRestarted(stage="audio", reason="hung"),
            "Sorry, my hearing stopped for a moment. I'm back.",
        ),
        (
            SafeModeEntered(stage="skills"),
            "I have switched off my skills after several failures. "
            "The command assistant doctor helps to find out why.",
        ),
        (DeviceChanged(device="microphone", present=False), "My microphone is gone."),
        (
            DeviceChanged(device="microphone", present=False, others=1),
            "One of my microphones is gone.",
        ),
        (
            StageFailed(stage="skills", code="skill.raised", message="y", part="coffee"),
            "Sorry, something went wrong in the skill coffee.",
        ),
        (
            StageFailed(stage="skills", code="skill.unreachable", message="y", part="coffee"),
            "Sorry, I can't reach the server of the skill coffee.",
        ),
        (
            StageFailed(stage="skills", code="storage.full", message="y"),
            "I couldn't save that: my disk is full.",
        ),
        (
            StageFailed(stage="skills", code="storage.quota", message="y", part="box"),
            "I couldn't save that: it is more than I may keep.",
        ),
        (
            Simplify(stage="answer", why="slow", for_s=60.0),
            "I am slow just now. For a while I say what I find as it stands there.",
        ),
        (
            Simplify(stage="nlu", why="failing", for_s=60.0),
            "Something keeps failing in my understanding. "
            "For a while I understand my own sentences only.",
        ),
        (Simplify(stage="answer", why="slow", for_s=60.0, again=True), ""),
        (Simplify(stage="answer", why="slow", for_s=0.0), ""),
        (DeviceChanged(device="loudspeaker", present=False), ""),
        (BargeIn(utterance_id="u"), ""),
    ],
)
def test_what_goes_wrong_is_told_by_name(message: Message, words: str) -> None:
    assert said(VoiceStage(EchoVoice()), message) == words


def test_each_of_two_microphones_that_goes_and_comes_back_is_told() -> None:
    stage = VoiceStage(EchoVoice())
    changes = [(False, 1), (False, 0), (True, 0), (True, 1), (True, 1)]
    told = [
        said(
            stage,
            DeviceChanged(device="microphone", present=present, others=others, at_s=20.0 * number),
        )
        for number, (present, others) in enumerate(changes)
    ]
    assert told == [
        "One of my microphones is gone.",
        "My microphone is gone.",
        "I can hear again.",
        "One of my microphones is back.",
        "",
    ]


def test_who_is_there_from_the_start_is_not_said_to_be_back() -> None:
    stage = VoiceStage(EchoVoice())
    presence = [True, True, False, False, True, True, False]
    told = [
        said(stage, DeviceChanged(device="broker", present=present, at_s=30.0 * number))
        for number, present in enumerate(presence)
    ]
    gone, back = (
        "I have lost the connection to your home.",
        "I am connected to your home again.",
    )
    assert told == ["", "", gone, "", back, "", gone]


def test_a_fault_in_an_utterance_is_spoken_as_its_reply() -> None:
    fault = StageFailed(stage="nlu", code="x", message="y", utterance_id="u7")
    (speech,) = speeches(VoiceStage(EchoVoice()).feed(fault))
    assert (speech.utterance_id, speech.last) == ("u7", True)


def test_for_bytes_that_were_no_message_nobody_apologises() -> None:
    fault = StageFailed(stage="nlu", code="codec.malformed", message="y", at_s=100.0)
    assert said(VoiceStage(EchoVoice()), fault) == ""


def test_a_crash_loop_does_not_chatter() -> None:
    stage = VoiceStage(EchoVoice())
    loop = [StageRestarted(stage="asr", reason="killed", at_s=100.0 + s) for s in range(60)]
    times = [m.at_s for m in loop if said(stage, m)]
    assert times[0] == 100.0
    assert len(times) <= AT_MOST
    assert all(b - a >= SAME_EVERY_S for a, b in itertools.pairwise(times))


def test_apologies_of_all_kinds_together_are_limited_and_return_with_time() -> None:
    stage = VoiceStage(EchoVoice())
    names = ["asr", "nlu", "skills", "answer", "audio", "voice"]
    faults = [StageFailed(stage=n, code="x", message="y", at_s=1.0) for n in names]
    assert sum(bool(said(stage, fault)) for fault in faults) == AT_MOST
    later = StageFailed(stage="nlu", code="x", message="y", at_s=1000.0)
    assert said(stage, later)


def test_a_reply_in_several_messages_is_one_row_of_speech() -> None:
    stage = VoiceStage(EchoVoice())
    first = speeches(stage.feed(SpokenReply(utterance_id="u1", text="One.", more=True)))
    second = speeches(stage.feed(SpokenReply(utterance_id="u1", text="Two.")))
    assert [(s.sequence, s.text, s.last) for s in (*first, *second)] == [
        (0, "One.", False),
        (1, "Two.", True),
    ]
