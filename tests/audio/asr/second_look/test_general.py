"""General English is heard within a budget, and what is late is left out."""

from __future__ import annotations

from itertools import count

import numpy as np
import pytest

from assistant.core.models.usage import USAGE
from audio.asr.second_look.general import GeneralEnglish
from tests.support.voices import speech

MEAN = "40,3,-1"
QUESTION = "where does the water come from in the summer"


@pytest.fixture(scope="module")
def sound() -> bytes:
    """Somebody asks a question, about three seconds long."""
    return b"".join(speech(QUESTION))


def slow(step_s: float) -> GeneralEnglish:
    """The model on a machine that takes `step_s` for every tenth of a second of sound."""
    ticks = count()
    return GeneralEnglish(clock=lambda: next(ticks) * step_s)


def test_a_question_is_heard_in_words_of_general_english(sound: bytes) -> None:
    general = GeneralEnglish(clock=lambda: 0.0)
    general.start()
    words = general.finish(sound, MEAN, 2.0).words
    assert [w.text for w in words][-3:] == ["in", "the", "summer"]
    assert all(0.0 < word.confidence <= 1.0 for word in words)


def test_what_it_decodes_is_counted(sound: bytes) -> None:
    USAGE.begin()
    GeneralEnglish(clock=lambda: 0.0).finish(sound, MEAN, 3.0)
    told = USAGE.news("asr")
    assert told is not None
    (used,) = told.models
    assert used.model == "pocketsphinx"
    assert used.runs > len(sound) / 32_000  # a second is several pieces
    assert used.cpu_s > 0.01


def test_what_is_not_decoded_within_the_budget_gives_nothing(sound: bytes) -> None:
    general = slow(0.05)
    general.start()
    assert general.finish(sound, MEAN, 2.0).text == ""


def test_what_follows_the_speaker_need_not_be_decoded_at_the_end(sound: bytes) -> None:
    general = slow(0.05)
    general.start()
    general.follow(sound, MEAN, passed_s=20.0)
    assert general.finish(sound, MEAN, 2.0).text != ""


def test_a_step_that_takes_too_long_leaves_less_for_the_next_call() -> None:
    general = slow(0.12)
    general.start()
    two_steps = np.zeros(3200, np.int16).tobytes()
    assert [general.decode(two_steps, MEAN, 0.05) for _ in range(3)] == [False, False, True]
