"""Speech in flite's voices and noise in, the skills' words or nothing out."""

from __future__ import annotations

import functools
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import soundfile

from assistant.core.errors import RecognitionError
from assistant.core.messages import Word
from assistant.core.speakable import always
from audio.asr.domain import are_there, prepare
from audio.asr.pocketsphinx import PocketSphinxRecognizer
from audio.asr.recognizer import Recognition, recognition
from audio.asr.second_look.general import GeneralEnglish
from tests.support.belief import BELIEF

RATE = 16_000
SENTENCES = [
    f"{verb} the {room} {thing}"
    for verb in ("turn on", "turn off", "switch on", "switch off")
    for room in ("kitchen", "bedroom", "office")
    for thing in ("light", "fan", "zigbee")
] + [
    f"set a timer for {number} {unit}"
    for number in ("two", "five", "ten", "twenty")
    for unit in ("minutes", "seconds", "hours")
]


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("asr")


@pytest.fixture(scope="module")
def recognizer(cache: Path) -> PocketSphinxRecognizer:
    return PocketSphinxRecognizer(
        always(SENTENCES), ["computer"], cache_dir=cache, look=GeneralEnglish(clock=lambda: 0.0)
    )


@pytest.fixture
def speak() -> Callable[..., np.ndarray]:
    if shutil.which("flite") is None:
        pytest.skip("flite is not installed")

    return spoken


@functools.cache
def spoken(text: str, voice: str = "slt") -> np.ndarray:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "said.wav"
        subprocess.run(["flite", "-voice", voice, "-t", text, "-o", str(file)], check=True)
        samples, rate = soundfile.read(file, dtype="int16")
    every = np.arange(0, len(samples), rate / RATE)
    samples = np.interp(every, np.arange(len(samples)), samples).astype(np.int16)
    rest = np.random.default_rng(1).normal(0, 8, RATE // 2).astype(np.int16)
    return np.concatenate((rest, samples, rest))


def hear(recognizer: PocketSphinxRecognizer, samples: np.ndarray, chunk: int = 2400) -> Recognition:
    recognizer.start()
    for at in range(0, len(samples), chunk):
        recognizer.feed(samples[at : at + chunk])
    return recognizer.finish()


@pytest.mark.parametrize("voice", ["slt", "rms", "awb"])
@pytest.mark.parametrize(
    "text",
    ["turn on the kitchen light", "turn off the bedroom fan", "set a timer for five minutes"],
)
def test_each_voice_is_heard(
    recognizer: PocketSphinxRecognizer,
    speak: Callable[..., np.ndarray],
    voice: str,
    text: str,
) -> None:
    heard = hear(recognizer, speak(text, voice))
    assert heard.text == text
    assert [word.text for word in heard.words] == text.split()
    assert all(0.0 < word.confidence <= 1.0 for word in heard.words)
    assert all(a.end_s <= b.start_s + 0.02 for a, b in pairwise(heard.words))


def test_the_wake_word_may_come_first(
    recognizer: PocketSphinxRecognizer, speak: Callable[..., np.ndarray]
) -> None:
    heard = hear(recognizer, speak("computer, set a timer for ten seconds"))
    assert heard.text == "computer set a timer for ten seconds"


@pytest.mark.parametrize("at_s", [0.8, 1.0, 1.2])
def test_other_speech_may_end_just_before_the_wake_word(
    recognizer: PocketSphinxRecognizer, speak: Callable[..., np.ndarray], at_s: float
) -> None:
    command = speak("computer, set a timer for ten seconds")[RATE // 4 :]
    other = speak("the old man went to the river", "rms")[int(at_s * RATE) :][: int(0.3 * RATE)]
    heard = hear(recognizer, np.concatenate((other, command)))
    assert heard.text == "computer set a timer for ten seconds"


def test_the_same_sound_gives_the_same_words_whatever_came_before(
    recognizer: PocketSphinxRecognizer, speak: Callable[..., np.ndarray]
) -> None:
    sound = speak("switch off the office light", "rms")
    first = hear(recognizer, sound)
    hear(recognizer, (sound * 0.3).astype(np.int16))
    assert hear(recognizer, sound, chunk=1111) == first


def noises() -> Iterator[np.ndarray]:
    rng = np.random.default_rng(3)
    yield np.zeros(0, np.int16)
    yield np.zeros(2 * RATE, np.int16)
    yield rng.normal(0, 20, 2 * RATE).astype(np.int16)
    yield rng.normal(0, 3000, 2 * RATE).astype(np.int16)
    yield (9000 * np.sin(np.arange(2 * RATE) * 2 * np.pi * 440 / RATE)).astype(np.int16)


@pytest.mark.parametrize("samples", list(noises()), ids=["none", "zero", "soft", "loud", "tone"])
def test_silence_and_noise_are_no_words(
    recognizer: PocketSphinxRecognizer, samples: np.ndarray
) -> None:
    assert hear(recognizer, samples).text == ""


@pytest.mark.parametrize("every_s", [120, pytest.param(30, marks=pytest.mark.depth)])
def test_kitchen_noise_is_no_words(
    recognizer: PocketSphinxRecognizer, shared_data: Path, every_s: int
) -> None:
    samples, _ = soundfile.read(shared_data / "audio/noise/kitchen.flac", dtype="int16")
    for at in range(0, len(samples) - 5 * RATE, every_s * RATE):
        assert hear(recognizer, samples[at : at + 5 * RATE]).text == ""


def test_other_speech_is_not_bent_into_the_domain(
    recognizer: PocketSphinxRecognizer, speak: Callable[..., np.ndarray]
) -> None:
    heard = hear(recognizer, speak("the old man went to the river to catch some fish"))
    assert heard.text not in SENTENCES
    assert len(heard.text.split()) >= 4  # the general model's words


def test_without_a_second_look_other_speech_is_nothing(
    cache: Path, speak: Callable[..., np.ndarray]
) -> None:
    alone = PocketSphinxRecognizer(always(SENTENCES), cache_dir=cache)
    assert hear(alone, speak("the old man went to the river to catch some fish")).text == ""
    assert hear(alone, speak("turn on the kitchen light")).text == "turn on the kitchen light"


def test_the_domain_is_built_once_and_again_when_the_sentences_change(tmp_path: Path) -> None:
    PocketSphinxRecognizer(always(["stop"]), cache_dir=tmp_path)
    first = {file: file.stat().st_ino for file in tmp_path.iterdir()}
    PocketSphinxRecognizer(always(["stop"]), cache_dir=tmp_path)
    assert {file: file.stat().st_ino for file in tmp_path.iterdir()} == first
    PocketSphinxRecognizer(always(["stop", "go on"]), cache_dir=tmp_path)
    assert len(list(tmp_path.iterdir())) == 2 * len(first)


def test_few_domains_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("audio.asr.domain._KEPT", 2)
    used = prepare(always(["stop"]), (), tmp_path)
    for number in ("one", "two", "three"):
        prepare(always([f"stop {number}"]), (), tmp_path)
        assert are_there(prepare(always(["stop"]), (), tmp_path))
        assert are_there(used)  # it was made first, and used last
    assert len(list(tmp_path.glob("*.fsg"))) == len(list(tmp_path.glob("*.dict"))) == 2


def test_no_sentences_are_refused(tmp_path: Path) -> None:
    with pytest.raises(RecognitionError, match="at least one sentence"):
        PocketSphinxRecognizer(always([]), cache_dir=tmp_path)


ANSWERS = ("yes", "yes please", "no", "no thanks", "cancel", "the zanzibar one")


def answer(
    recognizer: PocketSphinxRecognizer, samples: np.ndarray, answers: tuple[str, ...] = ANSWERS
) -> Recognition:
    recognizer.start(answers)
    recognizer.feed(samples)
    return recognizer.finish()


@pytest.mark.parametrize("voice", ["slt", "rms"])
@pytest.mark.parametrize("text", ["yes", "no", "no thanks", "the zanzibar one"])
def test_an_expected_answer_is_heard(
    recognizer: PocketSphinxRecognizer,
    speak: Callable[..., np.ndarray],
    voice: str,
    text: str,
) -> None:
    heard = answer(recognizer, speak(text, voice))
    assert (heard.text, heard.expected) == (text, True)
    assert all(0.0 < word.confidence <= 1.0 for word in heard.words)
    assert answer(recognizer, speak(text, voice), ()).text != text  # the control


def test_what_is_no_answer_is_heard_as_ever(
    recognizer: PocketSphinxRecognizer, speak: Callable[..., np.ndarray]
) -> None:
    command = speak("turn on the kitchen light")
    assert answer(recognizer, command) == hear(recognizer, command)
    long = speak("the old man went to the river to catch some fish and no one saw him there")
    assert not answer(recognizer, long).expected
    for samples in noises():
        assert answer(recognizer, samples).text == ""


def test_other_answers_take_the_place_of_the_last_ones(
    recognizer: PocketSphinxRecognizer, speak: Callable[..., np.ndarray]
) -> None:
    assert answer(recognizer, speak("cancel")).expected
    assert not answer(recognizer, speak("cancel"), ("the second one",)).expected
    assert answer(recognizer, speak("the second one"), ("the second one",)).expected


class Look:
    """A second look that hears one thing in everything."""

    name = "look"
    forks = True

    def start(self) -> None:
        pass

    def follow(self, sound: bytes, cepstral_mean: str, passed_s: float) -> None:
        pass

    def finish(self, sound: bytes, cepstral_mean: str, speech_s: float) -> Recognition:
        word = Word(text="marmalade", start_s=0.0, end_s=1.0, confidence=0.9)
        return recognition((word,), self.name) if sound else recognition((), self.name)

    def agrees(self, sound: bytes, cepstral_mean: str, text: str) -> bool:
        return text == "marmalade"


@pytest.mark.parametrize(
    ("plausible", "look", "heard"),
    [
        (True, Look(), "turn on the kitchen light"),
        (False, Look(), "marmalade"),
        (False, None, ""),
    ],
)
def test_words_that_are_no_plausible_sentence_are_left_to_the_second_look(
    cache: Path,
    speak: Callable[..., np.ndarray],
    plausible: bool,
    look: Look | None,
    heard: str,
) -> None:
    asked: list[str] = []

    def judge(text: str) -> float:
        asked.append(text)
        return -10.0 if plausible else -100.0

    recognizer = PocketSphinxRecognizer(
        always(SENTENCES),
        cache_dir=cache,
        look=look,
        likelihood=judge,
        calibration=BELIEF.pocketsphinx,
    )
    assert hear(recognizer, speak("turn on the kitchen light")).text == heard
    assert asked[-2:] == ["turn on the kitchen light"] * 2  # of what each ear heard


@pytest.mark.parametrize(
    ("said", "heard"),
    [("turn on the kitchen light", "turn on the kitchen light"), ("furnace in the kitchen is", "")],
)
def test_what_is_unasked_counts_where_the_general_model_hears_it_too(
    cache: Path, speak: Callable[..., np.ndarray], said: str, heard: str
) -> None:
    look = GeneralEnglish(clock=lambda: 0.0)
    recognizer = PocketSphinxRecognizer(always(SENTENCES), cache_dir=cache, look=look)
    assert hear(recognizer, speak(said)).text == "turn on the kitchen light"
    recognizer.start(unasked=True)
    recognizer.feed(speak(said))
    assert recognizer.finish().text == heard
