"""Free text inside a sentence: which words stand around it, and that it is heard."""

from __future__ import annotations

import numpy as np
import pytest

from assistant.core.messages import Word
from assistant.core.speakable import ANYTHING, Speakable, SpeakableSource
from audio.asr.domain import prepare
from audio.asr.free_text import filled, has_phones
from audio.asr.likelihood import Likelihood
from audio.asr.pocketsphinx import PocketSphinxRecognizer
from audio.asr.recognizer import Recognition
from audio.asr.second_look.general import GeneralEnglish
from tests.support.belief import BELIEF
from tests.support.voices import silence, speech


def words(text: str) -> list[Word]:
    """Words of a second each."""
    return [
        Word(text=word, start_s=float(at), end_s=at + 1.0, confidence=1.0)
        for at, word in enumerate(text.split())
    ]


def texts(heard: str, free: str) -> list[str]:
    return [" ".join(word.text for word in way) for way in filled(words(heard), words(free))]


def test_phones_before_the_first_word_are_other_speech() -> None:
    assert not has_phones(words("++AA++ ++T++ stop"))
    assert has_phones(words("++AA++ add ++T++ ++AA++ to it"))


def test_free_words_come_first_and_then_with_those_around_them() -> None:
    ways = texts("add ++T++ ++AA++ to it", "and one red spoon to eat")
    assert ways[0] == "and one red spoon to eat"
    assert "add one red spoon to eat" in ways
    assert "add one red spoon it" not in ways
    assert not any("++" in way for way in ways)


def test_few_free_words_among_many_others_are_talk() -> None:
    assert texts("go and close up this ++AA++ ++T++", "he does not close that window") == [
        "he does not close that window",
        "go does not close that window",
        "go and not close that window",
    ]


def test_words_of_a_sentence_without_phones_stand_around_them_too() -> None:
    assert "remember that it rains" in texts("remember that oat drains", "embers that it rains")


def test_without_free_words_there_is_no_way() -> None:
    assert texts("add ++T++ to it", "") == []


SENTENCES = {
    f"remember that {ANYTHING}": 3.0,
    f"add {ANYTHING} to the shopping list": 3.0,
    "remember that the key is in the kitchen": 1.0,
    "add milk to the shopping list": 3.0,
    "turn on the kitchen light": 3.0,
    "turn off the kitchen light": 3.0,
}


@pytest.fixture(scope="module")
def recognizer(tmp_path_factory: pytest.TempPathFactory) -> PocketSphinxRecognizer:
    cache = tmp_path_factory.mktemp("asr")
    source = SpeakableSource("notes", lambda: Speakable(sentences=SENTENCES))
    likelihood = Likelihood(prepare(source, ["computer"], cache).network)
    return PocketSphinxRecognizer(
        *(source, ["computer"]),
        cache_dir=cache,
        look=GeneralEnglish(clock=lambda: 0.0),
        likelihood=likelihood.of,
        fits=likelihood.fits,
        opens=likelihood.opens,
        calibration=BELIEF.pocketsphinx,
    )


def hear(recognizer: PocketSphinxRecognizer, said: str, unasked: bool = False) -> Recognition:
    recognizer.start(unasked=unasked)
    for frame in (*silence(0.3), *speech(said), *silence(0.3)):
        recognizer.feed(np.frombuffer(frame, np.int16))
    return recognizer.finish()


@pytest.mark.parametrize(
    "said",
    [
        "remember that the plumber comes on thursday",
        "add wrapping paper to the shopping list",
        "add milk to the shopping list",
        "turn off the kitchen light",
    ],
)
def test_free_text_is_heard_beside_what_is_usual(
    recognizer: PocketSphinxRecognizer, said: str
) -> None:
    assert hear(recognizer, said).text == said


def test_free_text_of_others_is_not_heard(recognizer: PocketSphinxRecognizer) -> None:
    said = "remember that the plumber comes on thursday"
    assert hear(recognizer, said, unasked=True).text == ""
