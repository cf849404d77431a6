"""Chunks and the end of an utterance in, transcripts out."""

from __future__ import annotations

import os
import signal
from collections.abc import Sequence

import msgspec
import numpy as np
import pytest
from numpy.typing import NDArray

from assistant.core.messages import (
    Asked,
    AudioChunk,
    DoubtfulWakeWord,
    KeepSound,
    Message,
    NothingHeard,
    Outheard,
    Tick,
    Transcript,
    Utterance,
    WakeWordConfirmed,
    Word,
)
from assistant.core.settings.wyoming import PEER
from audio.asr.recognizer import Recognition, Recognizer, recognition
from audio.asr.stage import MOST_BY_PEERS, AsrStage
from audio.asr.waiting import AFTER_WORDS


class Counting:
    """Says "computer" and how many samples it was fed since it was started."""

    name = "counting"
    forks = True

    def start(
        self, answers: Sequence[str] = (), unasked: bool = False, in_a_row: bool = False
    ) -> None:
        self.samples, self.answers, self.unasked = 0, answers, unasked
        self.in_a_row = in_a_row

    def feed(self, samples: NDArray[np.int16]) -> None:
        self.samples += len(samples)

    def finish(self) -> Recognition:
        texts = ["computer", str(self.samples)]
        words = tuple(Word(text=t, start_s=0.0, end_s=0.1, confidence=0.5) for t in texts)
        return recognition(words, self.name)


class Endless(Counting):
    """Never comes to an end in a fork."""

    def __init__(self) -> None:
        self._made_in = os.getpid()

    def finish(self) -> Recognition:
        while os.getpid() != self._made_in:
            signal.pause()
        return super().finish()


def chunk(utterance: str, samples: int = 1600, follows: str = "") -> AudioChunk:
    sound = bytes(2 * samples)
    return AudioChunk(utterance_id=utterance, sequence=0, samples=sound, follows=follows)


def end(utterance: str, revision: int = 0, wake_word: str = "computer") -> Utterance:
    return Utterance(
        utterance_id=utterance,
        revision=revision,
        wake_word=wake_word,
        duration_s=1.0,
        speech_s=0.5,
        speech_ended_at_s=1.0,
    )


def transcripts(
    *messages: Message, recognizer: Recognizer | None = None
) -> list[tuple[str, int, str]]:
    stage = AsrStage(recognizer or Counting())
    out = [said for message in messages for said in stage.feed(message)]
    while stage.deadline_s() is not None:
        out += stage.feed(Tick())
    return [(t.utterance_id, t.revision, t.text) for t in out if isinstance(t, Transcript)]


def test_an_utterance_becomes_its_transcript_without_the_wake_word() -> None:
    assert transcripts(chunk("a"), chunk("a"), end("a")) == [("a", 0, "3200")]


def test_a_follow_up_has_no_wake_word_to_lose() -> None:
    assert transcripts(chunk("a"), end("a", wake_word="")) == [("a", 0, "computer 1600")]


def test_speech_after_an_early_revision_is_heard_with_what_came_before() -> None:
    messages = chunk("a"), end("a", 0), chunk("a"), end("a", 1), end("a", 2)
    assert transcripts(*messages) == [("a", 0, "1600"), ("a", 1, "3200"), ("a", 2, "3200")]


def test_a_new_utterance_takes_the_place_of_one_that_never_ended() -> None:
    messages = chunk("a"), chunk("b", 800), end("a"), end("b")
    assert transcripts(*messages) == [("b", 0, "800")]


def test_an_end_without_sound_gives_nothing() -> None:
    assert transcripts(end("a")) == []


def test_an_utterance_that_never_ends_is_heard_for_three_minutes_only() -> None:
    minute = chunk("a", 60 * 16_000)
    assert transcripts(*[minute] * 5, end("a")) == [("a", 0, str(180 * 16_000))]
    assert transcripts(*[minute] * 5, chunk("b"), end("b")) == [("b", 0, "1600")]


@pytest.mark.parametrize("peer", ["", "kitchen"])
def test_answers_are_expected_of_what_follows_the_question_alone(peer: str) -> None:
    counting = Counting()
    stage = AsrStage(counting)
    list(stage.feed(Asked(utterance_id="q", answers=("yes", "no"))))
    for utterance, follows, expected in (
        ("woken", "", ()),
        ("other", "p", ()),
        ("answer", "q", ("yes", "no")),
    ):
        said = msgspec.structs.replace(chunk(utterance, follows=follows), peer=peer)
        list(stage.feed(said))
        assert counting.answers == expected, utterance


def test_an_engine_is_told_what_was_unasked() -> None:
    counting = Counting()
    stage = AsrStage(counting)
    for unasked in (True, False):
        heard = msgspec.structs.replace(chunk(f"unasked {unasked}", follows="q"), unasked=unasked)
        list(stage.feed(heard))
        assert counting.unasked is unasked


@pytest.mark.parametrize(
    ("wake_words", "text", "unasked"),
    [(("okay nabu", "computer"), "1600", False), (("jarvis",), "computer 1600", True)],
)
def test_what_is_unasked_and_begins_with_a_missed_wake_word_is_asked(
    wake_words: Sequence[str], text: str, unasked: bool
) -> None:
    stage = AsrStage(Counting(), wake_words=wake_words)
    list(stage.feed(msgspec.structs.replace(chunk("a", follows="q"), unasked=True)))
    over = msgspec.structs.replace(end("a", wake_word=""), unasked=True)
    (transcript,) = stage.feed(over)
    assert isinstance(transcript, Transcript)
    assert (transcript.text, transcript.unasked) == (text, unasked)


@pytest.mark.parametrize(("later", "kept"), [(0, 6400), (1, 6400), (2, None)])
def test_the_sound_of_an_utterance_is_kept_though_another_is_heard(
    later: int, kept: int | None
) -> None:
    given: dict[str, int] = {}
    stage = AsrStage(Counting(), keep=lambda name, samples: given.update({name: len(samples)}))
    others = [chunk(f"other{number}") for number in range(later)]
    for message in (chunk("a"), chunk("a"), end("a"), *others, KeepSound(utterance_id="a")):
        list(stage.feed(message))
    assert given == ({"a": kept} if kept else {})


@pytest.mark.parametrize("others", [0, 1])
@pytest.mark.parametrize("secret", [False, True])
def test_the_sound_of_a_secret_is_kept_by_nobody(secret: bool, others: int) -> None:
    given: list[str] = []
    stage = AsrStage(Counting(), keep=lambda name, samples: given.append(name))
    said = msgspec.structs.replace(chunk("a"), secret=secret)
    later = [chunk(f"other{number}") for number in range(others)]
    for message in (said, end("a"), *later, KeepSound(utterance_id="a")):
        list(stage.feed(message))
    assert given == ([] if secret else ["a"])


def test_a_secret_stays_one_and_may_be_several_answers_in_a_row() -> None:
    counting = Counting()
    stage = AsrStage(counting)
    list(stage.feed(Asked(utterance_id="q", answers=("one", "two"), in_a_row=True)))
    list(stage.feed(msgspec.structs.replace(chunk("a", follows="q"), secret=True)))
    (transcript,) = stage.feed(end("a"))
    assert isinstance(transcript, Transcript)
    assert transcript.secret
    assert (counting.answers, counting.in_a_row) == (("one", "two"), True)


def of_peer(utterance: str, samples: int = 1600) -> AudioChunk:
    return msgspec.structs.replace(chunk(utterance, samples), peer=PEER)


def end_of_peer(utterance: str) -> Utterance:
    return msgspec.structs.replace(end(utterance, wake_word=""), peer=PEER, dictated=True)


PAUSE = len(AFTER_WORDS)


def test_what_a_peer_says_is_recognised_as_it_comes() -> None:
    recognizer = Counting()
    stage = AsrStage(recognizer)
    for message in (of_peer("a"), of_peer("a")):
        assert not list(stage.feed(message))
    assert recognizer.samples == 3200
    (told,) = stage.feed(end_of_peer("a"))
    assert isinstance(told, Transcript)
    assert (told.text, told.peer, told.dictated) == (f"computer {3200 + PAUSE}", PEER, True)


@pytest.mark.parametrize(
    "messages",
    [
        (of_peer("a"), of_peer("b"), of_peer("a"), end_of_peer("a"), end_of_peer("b")),
        (of_peer("a"), of_peer("b"), of_peer("a"), end_of_peer("b"), end_of_peer("a")),
        (of_peer("a"), of_peer("b"), end_of_peer("b"), of_peer("a"), end_of_peer("a")),
    ],
)
def test_several_peers_are_heard_whole(messages: tuple[Message, ...]) -> None:
    told = {name: text for name, _, text in transcripts(*messages)}
    assert told == {"a": f"computer {3200 + PAUSE}", "b": f"computer {1600 + PAUSE}"}


@pytest.mark.parametrize(
    "messages",
    [
        (chunk("a"), of_peer("b"), chunk("a"), end_of_peer("b"), end("a")),
        (of_peer("b"), chunk("a"), end_of_peer("b"), chunk("a"), end("a")),
        (of_peer("b"), chunk("a"), chunk("a"), end("a"), end_of_peer("b")),
        (chunk("a"), of_peer("b"), chunk("a"), end("a"), end_of_peer("b")),
    ],
)
def test_and_so_is_the_device_itself(messages: tuple[Message, ...]) -> None:
    told = {name: text for name, _, text in transcripts(*messages)}
    assert told == {"a": "3200", "b": f"computer {1600 + PAUSE}"}


def test_what_was_told_makes_way_for_what_begins() -> None:
    """Of the device, more sound may come; what a peer says then is recognised as it comes."""
    recognizer = Counting()
    stage = AsrStage(recognizer)
    for message in (chunk("a"), end("a"), chunk("a", 800), of_peer("b"), chunk("a", 800)):
        list(stage.feed(message))
    assert recognizer.samples == 1600
    (told,) = stage.feed(end_of_peer("b"))
    assert isinstance(told, Transcript)
    (again,) = stage.feed(end("a", 1))
    assert isinstance(again, Transcript)
    assert (told.text, again.text) == (f"computer {1600 + PAUSE}", "3200")


def test_where_nothing_was_said_another_room_is_heard_as_it_comes() -> None:
    recognizer = Counting()
    stage = AsrStage(recognizer)
    for message in (chunk("a"), NothingHeard(utterance_id="a"), of_peer("b", 800)):
        list(stage.feed(message))
    assert recognizer.samples == 800


def test_what_may_follow_a_reply_makes_way_for_another_room() -> None:
    recognizer = Counting()
    stage = AsrStage(recognizer)
    listens_on = msgspec.structs.replace(chunk("a"), unasked=True)
    for message in (listens_on, of_peer("b", 800), listens_on, of_peer("b", 800)):
        list(stage.feed(message))
    assert recognizer.samples == 1600
    list(stage.feed(chunk("c")))
    assert recognizer.samples == len(chunk("c").samples) // 2


def of_satellite(message: AudioChunk | Utterance, name: str = "kitchen") -> Message:
    return msgspec.structs.replace(message, peer=name, area=name)


def test_what_goes_on_at_a_satellite_is_recognised_whole() -> None:
    """A revision offers what was said so far; the sound before it is not lost."""
    told = transcripts(
        of_satellite(chunk("a")),
        of_satellite(end("a", 0, wake_word="")),
        of_satellite(chunk("a")),
        of_satellite(end("a", 1, wake_word="")),
    )
    assert [text for _, _, text in told] == ["computer 1600", "computer 3200"]


def test_what_waits_is_forgotten_when_another_room_hears_it_better() -> None:
    told = transcripts(
        of_satellite(chunk("a")),
        of_satellite(chunk("b"), "bedroom"),
        of_satellite(end("b", 0, wake_word=""), "bedroom"),
        Outheard(utterance_id="b"),
        of_satellite(end("a", 0, wake_word="")),
        recognizer=Endless(),
    )
    assert [name for name, _, _ in told] == ["a"]


def test_a_new_utterance_of_a_satellite_replaces_one_that_never_ended() -> None:
    told = transcripts(
        of_satellite(chunk("a")),
        of_satellite(chunk("b"), "bedroom"),
        of_satellite(chunk("c")),
        of_satellite(end("a", wake_word="")),
        of_satellite(end("b", wake_word=""), "bedroom"),
        of_satellite(end("c", wake_word="")),
    )
    assert sorted(name for name, _, _ in told) == ["b", "c"]


@pytest.mark.parametrize("dropped", [NothingHeard, Outheard])
def test_what_another_room_hears_better_is_forgotten(
    dropped: type[NothingHeard] | type[Outheard],
) -> None:
    counting = Counting()
    stage = AsrStage(counting)
    list(stage.feed(of_satellite(chunk("a", 3200))))
    list(stage.feed(dropped(utterance_id="a")))
    assert list(stage.feed(of_satellite(end("a", wake_word="")))) == []
    list(stage.feed(of_satellite(chunk("b"), "bedroom")))
    assert counting.samples == 1600  # as it comes, as nothing else is heard


def test_of_peers_that_never_end_the_oldest_goes() -> None:
    many = [of_peer(f"u{number}") for number in range(MOST_BY_PEERS + 1)]
    ends = [end_of_peer("u0"), end_of_peer(f"u{MOST_BY_PEERS}")]
    assert [name for name, _, _ in transcripts(*many, *ends)] == [f"u{MOST_BY_PEERS}"]


@pytest.mark.parametrize("heard", [True, False])
def test_recognition_confirms_what_it_hears_alone(heard: bool) -> None:
    asked = list[tuple[str, int]]()

    def confirms(word: str, samples: NDArray[np.int16]) -> bool:
        asked.append((word, len(samples)))
        return heard

    stage = AsrStage(Counting(), confirms=confirms)
    doubt = DoubtfulWakeWord(utterance_id="d", wake_word="stop", samples=bytes(3200))
    confirmed = [WakeWordConfirmed(utterance_id="d")] if heard else []
    assert list(stage.feed(doubt)) == confirmed
    assert asked == [("stop", 1600)]
