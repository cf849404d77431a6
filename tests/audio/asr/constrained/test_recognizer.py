"""Whisper hears the sentences that can be meant, and what is none of them as what it is."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from assistant.core.constrained.word_network import compile_network
from assistant.core.messages import SAMPLE_RATE_HZ
from assistant.core.speakable import ANYTHING
from audio.asr.constrained.decoder import PieceDecoder
from audio.asr.constrained.recognizer import ConstrainedWhisper
from audio.asr.domain import Sentences
from audio.asr.recognizer import Recognition
from audio.asr.whisper import WhisperRecognizer
from benchmarks.hearing.hours import music
from tests.support.belief import BELIEF
from tests.support.scripted_whisper import write_whisper
from tests.support.voices import speech

NAME = "\u4e00"
SENTENCES = {
    f"turn on the {NAME}": 2.0,
    f"turn off the {NAME}": 2.0,
    "set a timer for ten minutes": 1.0,
    "set it to twenty percent": 1.0,
    "what time is it": 1.0,
    f"remember that {2 * ANYTHING}": 1.0,
}
CLASSES = {NAME: {"kitchen light": 1.0, "ecobee": 1.0, "hall light": 1.0}}
NETWORK = Sentences(
    network=compile_network(SENTENCES, strict=(ANYTHING, 2 * ANYTHING)), classes=CLASSES
)

Hear = Callable[[str], Recognition]


@pytest.fixture(scope="module")
def texts() -> list[str]:
    """What the user keeps."""
    return []


@pytest.fixture(scope="module")
def recognizer(
    whisper_model: Path, tmp_path_factory: pytest.TempPathFactory, texts: list[str]
) -> ConstrainedWhisper:
    whisper = WhisperRecognizer(whisper_model)
    decoder = PieceDecoder(whisper_model, tmp_path_factory.mktemp("graphs"), 2)
    return ConstrainedWhisper(whisper, decoder, NETWORK, BELIEF.whisper, texts=lambda: tuple(texts))


@pytest.fixture(scope="module")
def hear(recognizer: ConstrainedWhisper) -> Hear:
    return lambda text: heard(recognizer, speech(text))


def heard(
    recognizer: ConstrainedWhisper,
    frames: Sequence[bytes],
    answers: Sequence[str] = (),
    in_a_row: bool = False,
) -> Recognition:
    recognizer.start(answers, in_a_row=in_a_row)
    for frame in frames:
        recognizer.feed(np.frombuffer(frame, np.int16))
    return recognizer.finish()


@pytest.mark.parametrize(
    "said",
    [
        "turn on the kitchen light",
        "turn off the kitchen light",
        "set a timer for ten minutes",
        "set it to twenty percent",
        "what time is it",
    ],
)
def test_a_sentence_is_heard_in_its_own_words(hear: Hear, said: str) -> None:
    found = hear(said)
    assert (found.text, found.engine) == (said, "whisper")
    assert found.confidence > 0.7
    assert [word.text for word in found.words] == said.split()


def test_a_name_that_whisper_does_not_know_is_one_of_its_readings(hear: Hear) -> None:
    found = hear("turn off the eco bee")
    assert "turn off the ecobee" in (found.text, *found.alternatives)


def test_anything_may_stand_where_a_sentence_has_it(hear: Hear) -> None:
    found = hear("remember that the plumber comes in the morning")
    assert found.text == "remember that the plumber comes in the morning"


def test_a_sentence_of_a_command_that_was_cut_off_is_disputed(
    recognizer: ConstrainedWhisper,
) -> None:
    frames = speech("set a timer for ten minutes")
    assert not heard(recognizer, frames).disputed
    cut_off = heard(recognizer, frames[: len(frames) // 2])
    assert cut_off.disputed or cut_off.confidence < 0.5


def test_talk_is_no_sentence(hear: Hear) -> None:
    said = "my brother told me about his new job in the city"
    assert hear(said).text == said


ANSWERS = ("yes", "no", "the kitchen one")


@pytest.mark.parametrize("said", ANSWERS)
def test_an_answer_that_is_expected_is_heard_as_one(
    recognizer: ConstrainedWhisper, said: str
) -> None:
    found = heard(recognizer, speech(said), ANSWERS)
    assert (found.text, found.expected) == (said, True)


def test_another_sentence_is_heard_where_an_answer_is_expected(
    recognizer: ConstrainedWhisper,
) -> None:
    found = heard(recognizer, speech("turn on the kitchen light"), ANSWERS)
    assert (found.text, found.expected) == ("turn on the kitchen light", False)


def test_answers_in_a_row_are_heard_one_by_one(recognizer: ConstrainedWhisper) -> None:
    digits = ("one", "two", "three", "four", "seven")
    found = heard(recognizer, speech("four seven one two"), digits, in_a_row=True)
    assert (found.text, found.expected) == ("four seven one two", True)


@pytest.fixture
def scripted(tmp_path: Path) -> Callable[..., ConstrainedWhisper]:
    """Makes a recogniser whose model says the words, and knows the others."""

    def made(*says: str, knows: str = "", no_speech: bool = False) -> ConstrainedWhisper:
        folder = write_whisper(tmp_path / "model", list(says), no_speech=no_speech, knows=knows)
        decoder = PieceDecoder(folder, tmp_path / "graphs", 1)
        sentences = Sentences(network=compile_network({"paint it black": 1.0}), classes={})
        return ConstrainedWhisper(WhisperRecognizer(folder), decoder, sentences, BELIEF.whisper)

    return made


NOISE = [np.random.default_rng(0).normal(0, 1000, 16_000).astype(np.int16).tobytes()]


def test_a_sentence_is_given_up_where_free_text_is_far_likelier(
    scripted: Callable[..., ConstrainedWhisper],
) -> None:
    found = heard(scripted("feed", "the", "cat", knows="paint it black"), NOISE)
    assert (found.text, found.alternatives) == ("feed the cat", ())


def test_digital_silence_is_nothing(scripted: Callable[..., ConstrainedWhisper]) -> None:
    assert heard(scripted("paint", "it", "black"), [bytes(32_000)]).text == ""


def test_what_was_heard_before_is_forgotten(scripted: Callable[..., ConstrainedWhisper]) -> None:
    recognizer = scripted("paint", "it", "black")
    assert heard(recognizer, NOISE).text == "paint it black"
    assert heard(recognizer, []).text == ""


def test_what_whisper_takes_for_no_speech_is_nothing(
    scripted: Callable[..., ConstrainedWhisper],
) -> None:
    deaf = scripted(*["thanks"] * 40, knows="paint it black", no_speech=True)
    assert heard(deaf, NOISE).text == ""


@pytest.mark.parametrize(
    "said",
    [
        "remind me to email professor Lindqvist about my thesis",
        "remind me to pay Mrs Featherstonehaugh",
    ],
)
def test_rare_words_are_heard_where_the_user_keeps_them(
    hear: Hear, texts: list[str], said: str
) -> None:
    *_, name = (word for word in said.split() if word.istitle())
    texts[:] = ["kitchenette", "Liverpudlian"]
    assert name not in hear(said).text
    texts += ["Lindqvist's", "Mrs Featherstonehaugh"]
    assert name in hear(said).text


def test_they_change_no_sentence_that_has_no_free_words(hear: Hear, texts: list[str]) -> None:
    texts[:] = ["kitchenette", "lytes"]
    assert hear("turn on the kitchen light").text == "turn on the kitchen light"


@pytest.mark.parametrize("answers", [(), ("yes", "no")])
def test_music_and_noise_are_no_words(
    recognizer: ConstrainedWhisper, answers: Sequence[str]
) -> None:
    rng = random.Random(5)
    length = 6 * SAMPLE_RATE_HZ
    sounds = np.concatenate(list(music(0.5, rng)))
    noises = [np.random.default_rng(2).normal(0, level, length) for level in (100, 3000)]
    for sound in (*np.split(sounds[: 4 * length], 4), *noises):
        frames = [sound.astype(np.int16).tobytes()]
        assert heard(recognizer, frames, answers).text == ""


def test_thanks_are_heard_where_somebody_says_them(hear: Hear) -> None:
    assert hear("thank you").text == "thank you"
