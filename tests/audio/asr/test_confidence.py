"""What was said is surer than what was made of other words; no number leaves 0 to 1."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from assistant.core.speakable import always
from audio.asr.confidence import Evidence
from audio.asr.domain import prepare
from audio.asr.likelihood import Likelihood
from audio.asr.pocketsphinx import PocketSphinxRecognizer
from tests.audio.asr.test_pocketsphinx import SENTENCES, hear, speak
from tests.support.belief import BELIEF

__all__ = ["speak"]

certainty = BELIEF.pocketsphinx.sentence.chance
is_plausible = BELIEF.pocketsphinx.is_plausible
USUAL = Evidence(likelihood=-16.0, words=4.0, least=0.7, fit=-0.0033, pace=0.045, agreed=1.0)


@pytest.fixture(scope="module")
def recognizer(tmp_path_factory: pytest.TempPathFactory) -> PocketSphinxRecognizer:
    cache = tmp_path_factory.mktemp("asr")
    likelihood = Likelihood(prepare(always(SENTENCES), (), cache).network)
    return PocketSphinxRecognizer(
        always(SENTENCES),
        cache_dir=cache,
        likelihood=likelihood.of,
        calibration=BELIEF.pocketsphinx,
    )


@pytest.mark.parametrize("voice", ["slt", "rms"])
def test_what_was_said_is_surer_than_what_was_made_of_other_words(
    recognizer: PocketSphinxRecognizer, speak: Callable[..., np.ndarray], voice: str
) -> None:
    said = hear(recognizer, speak("turn on the kitchen light", voice))
    made = hear(recognizer, speak("furnace in the kitchen is", voice))
    assert said.text == "turn on the kitchen light"
    assert made.text in SENTENCES
    assert made.confidence < said.confidence <= 1.0


def test_each_thing_that_speaks_for_a_text_makes_it_surer() -> None:
    assert 0.8 < certainty(USUAL) < 0.99
    for doubt in ({"likelihood": -30.0}, {"least": 0.2}, {"fit": -0.006}, {"pace": 0.09}):
        assert certainty(USUAL._replace(**doubt)) < certainty(USUAL) - 0.05, doubt


@pytest.mark.parametrize("fit", [-1e3, -1.0, 0.0])
def test_the_oddest_sound_gives_a_chance_all_the_same(fit: float) -> None:
    assert 0.0 <= certainty(USUAL._replace(fit=fit)) <= 1.0


def test_a_longer_text_may_cost_more() -> None:
    assert is_plausible(-30.0, 3)
    assert not is_plausible(-30.0, 2)
    assert not is_plausible(float("-inf"), 100)


def test_nothing_heard_is_no_doubt(tmp_path: Path, recognizer: PocketSphinxRecognizer) -> None:
    assert hear(recognizer, np.zeros(16_000, np.int16)).words == ()


def test_what_follows_a_pause_is_looked_at_too(
    recognizer: PocketSphinxRecognizer, speak: Callable[..., np.ndarray]
) -> None:
    begun, rest = (speak(text)[4_000:-4_000] for text in ("turn off the", "bedroom fan"))
    sound = np.concatenate((begun, rest))
    heard, at_once = hear(recognizer, sound, chunk=512), hear(recognizer, sound, chunk=len(sound))
    assert heard.text == at_once.text == "turn off the bedroom fan"
    # In the pause the trigram heard the first words alone, with which no text agrees.
    assert heard.confidence == at_once.confidence
