"""The phones that the embedding is trained on, as flite and eSpeak NG tell them."""

from __future__ import annotations

import random
import shutil

import numpy as np
import pytest

from assistant.core.messages import SAMPLE_RATE_HZ
from models.training.phones import PHONES, Espeak, Spoken, flite

SAID = ["hh", "ah", "l", "ow", "k", "ih", "ch", "ah", "n"]


def phones(spoken: Spoken) -> list[str]:
    return [PHONES[number] for number in spoken.phones if PHONES[number] != "pau"]


def loudness(spoken: Spoken, phone: str) -> float:
    """The root mean square of the sound during a phone."""
    seconds = np.arange(len(spoken.sound)) / SAMPLE_RATE_HZ
    return float(np.sqrt(np.mean(spoken.sound[spoken.at(seconds) == PHONES.index(phone)] ** 2)))


@pytest.mark.skipif(shutil.which("flite") is None, reason="flite is not installed")
def test_flite_tells_its_phones() -> None:
    spoken = flite("hello kitchen", random.Random(1))
    assert phones(spoken) == SAID
    assert loudness(spoken, "ow") > 10 * loudness(spoken, "pau")


@pytest.mark.skipif(shutil.which("espeak-ng") is None, reason="eSpeak NG is not installed")
def test_espeak_tells_its_phones() -> None:
    spoken = Espeak()("hello kitchen", random.Random(1))
    assert phones(spoken) == SAID
    assert loudness(spoken, "ow") > 10 * loudness(spoken, "pau")


def test_before_and_after_the_sound_is_silence() -> None:
    spoken = Spoken(
        np.zeros(SAMPLE_RATE_HZ, np.float32), np.array([0.2, 0.5]), np.array([3, 7], np.uint8)
    )
    assert list(spoken.at(np.array([-1.0, 0.1, 0.3, 0.6, 1.5]))) == [0, 0, 3, 7, 0]
