"""Short forms in flite's voices: heard where no sentence fits as well, and nowhere else."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import msgspec
import numpy as np
import pytest

from assistant.core.models.calibration import read_calibration
from assistant.core.models.manifest import SHIPPED, Library
from assistant.core.speakable import Speakable, SpeakableSource
from audio.asr.acoustic.transform import MODEL
from audio.asr.domain import prepare
from audio.asr.likelihood import Likelihood
from audio.asr.pocketsphinx import PocketSphinxRecognizer
from audio.asr.recognizer import Recognition
from audio.asr.short_forms import NOTHING, Heard, ShortFormCalibration
from tests.audio.asr.test_pocketsphinx import SENTENCES, hear, noises, speak

__all__ = ["speak"]

CALIBRATION = read_calibration(Library(SHIPPED), MODEL, ShortFormCalibration)
FORMS = ("another five minutes", "cancel it", "and the bedroom", "twice as long", "off again")
SAID = Speakable(sentences=dict.fromkeys(SENTENCES, 1.0), short=dict.fromkeys(FORMS, 1.0))


def recognizer_of(cache: Path, calibration: ShortFormCalibration | None) -> PocketSphinxRecognizer:
    source = SpeakableSource("short forms", lambda: SAID)
    prefixes = ["computer"]
    likelihood = Likelihood(prepare(source, prefixes, cache).network).of
    return PocketSphinxRecognizer(
        source, prefixes, cache_dir=cache, likelihood=likelihood, short_forms=calibration
    )


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("asr")


@pytest.fixture(scope="module")
def recognizer(cache: Path) -> PocketSphinxRecognizer:
    return recognizer_of(cache, CALIBRATION)


@pytest.mark.parametrize("voice", ["slt", "rms"])
@pytest.mark.parametrize("text", ["another five minutes", "cancel it", "and the bedroom"])
def test_a_short_form_is_heard(
    recognizer: PocketSphinxRecognizer, speak: Callable[..., np.ndarray], text: str, voice: str
) -> None:
    heard = hear(recognizer, speak(text, voice))
    assert heard.text == " ".join(word.text for word in heard.words) == text
    assert CALIBRATION.least <= heard.confidence <= 1.0


def test_it_may_follow_the_wake_word(
    recognizer: PocketSphinxRecognizer, speak: Callable[..., np.ndarray]
) -> None:
    heard = hear(recognizer, speak("computer, another five minutes"))
    assert heard.text == "computer another five minutes"


def test_without_its_calibration_none_is_heard(
    cache: Path, speak: Callable[..., np.ndarray]
) -> None:
    alone = recognizer_of(cache, None)
    assert all(hear(alone, speak(text)).text != text for text in FORMS)


@pytest.mark.parametrize("text", ["turn on the kitchen light", "set a timer for five minutes"])
def test_a_sentence_stays_one(
    recognizer: PocketSphinxRecognizer,
    cache: Path,
    speak: Callable[..., np.ndarray],
    text: str,
) -> None:
    sound = speak(text)
    assert hear(recognizer, sound).text == text


@pytest.mark.parametrize(
    "text", ["the old man went to the river", "did you see my keys", "my mother called again"]
)
@pytest.mark.parametrize("voice", ["slt", "rms"])
def test_talk_is_none(
    recognizer: PocketSphinxRecognizer, speak: Callable[..., np.ndarray], text: str, voice: str
) -> None:
    assert hear(recognizer, speak(text, voice)).text not in FORMS


@pytest.mark.parametrize("samples", list(noises()), ids=["none", "zero", "soft", "loud", "tone"])
def test_noise_is_none(recognizer: PocketSphinxRecognizer, samples: np.ndarray) -> None:
    assert hear(recognizer, samples).text == ""


def unasked(recognizer: PocketSphinxRecognizer, sound: np.ndarray) -> Recognition:
    recognizer.start(unasked=True)
    recognizer.feed(sound)
    return recognizer.finish()


def test_what_is_unasked_is_none(
    recognizer: PocketSphinxRecognizer, speak: Callable[..., np.ndarray]
) -> None:
    sound = speak("another five minutes")
    assert unasked(recognizer, sound).text not in FORMS
    assert hear(recognizer, sound).text in FORMS  # the control


def test_in_longer_speech_none_is_looked_for(cache: Path, speak: Callable[..., np.ndarray]) -> None:
    shorter = recognizer_of(cache, msgspec.structs.replace(CALIBRATION, longest_s=0.5))
    assert hear(shorter, speak("another five minutes")).text not in FORMS


def test_the_likelier_it_is_and_the_better_it_fits_the_surer_it_is() -> None:
    leads = (-math.inf, -1.0, 0.0, CALIBRATION.least_lead, 0.2, 1e3)
    sure = [CALIBRATION.confidence(Heard((), lead, fit=-0.003)) for lead in leads]
    assert sure == sorted(sure)
    assert 0.0 == sure[2] < CALIBRATION.least < sure[3] < sure[-1] <= 1.0
    assert CALIBRATION.confidence(Heard((), 0.1, fit=-0.006)) < CALIBRATION.least
    assert CALIBRATION.confidence(NOTHING) == 0.0
