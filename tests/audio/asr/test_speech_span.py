"""Sound in, its speech out: what is quiet around it, and what ended as it began, stays away."""

from __future__ import annotations

import numpy as np
import pytest

from assistant.core.messages import SAMPLE_RATE_HZ
from audio.asr.speech_span import Samples, SpeechSpan

BLOCK = 1600


def sound(*parts: tuple[str, float]) -> Samples:
    """Parts of "speech" (loud), "quiet" or "noise" (as loud all the time), each of some seconds."""
    level = {"speech": 3000, "quiet": 10, "noise": 1000}
    rng = np.random.default_rng(1)
    made = [rng.normal(0, level[kind], round(s * SAMPLE_RATE_HZ)) for kind, s in parts]
    return np.concatenate(made).astype(np.int16)


def given(samples: Samples) -> tuple[float, Samples]:
    """Where the speech began, in seconds, and all that was given of it."""
    span = SpeechSpan()
    parts = [span.feed(samples[at : at + BLOCK]) for at in range(0, len(samples), BLOCK)]
    return span.offset_s, np.concatenate((*parts, span.finish()))


@pytest.mark.parametrize(
    ("parts", "begins_s", "length_s"),
    [
        pytest.param([("quiet", 1), ("speech", 1), ("quiet", 1)], 0.9, 1.3, id="quiet around it"),
        pytest.param([("speech", 1), ("quiet", 1)], 0.0, 1.2, id="from the beginning"),
        pytest.param(
            [("speech", 0.3), ("quiet", 0.4), ("speech", 1), ("quiet", 1)],
            0.6,
            1.3,
            id="the end of a wake word goes",
        ),
        pytest.param(
            [("speech", 0.9), ("quiet", 0.4), ("speech", 1), ("quiet", 1)],
            0.0,
            2.5,
            id="what is too long for a wake word's end stays",
        ),
        pytest.param(
            [("quiet", 0.4), ("speech", 0.3), ("quiet", 0.4), ("speech", 1), ("quiet", 1)],
            0.3,
            2.0,
            id="a short first word stays",
        ),
        pytest.param([("speech", 0.4), ("quiet", 1.5)], 0.0, 0.6, id="a single word stays"),
        pytest.param([("noise", 2)], 0.0, 2.0, id="nothing stands out of noise"),
    ],
)
def test_only_speech_is_given(
    parts: list[tuple[str, float]], begins_s: float, length_s: float
) -> None:
    began_s, speech = given(sound(*parts))
    assert began_s == pytest.approx(begins_s, abs=0.05)
    assert len(speech) / SAMPLE_RATE_HZ == pytest.approx(length_s, abs=0.05)


def test_a_pause_is_given_once_speech_goes_on() -> None:
    first = sound(("quiet", 0.5), ("speech", 1), ("quiet", 1))
    span = SpeechSpan()
    before = len(span.feed(first))
    assert before / SAMPLE_RATE_HZ == pytest.approx(1.3, abs=0.05)
    more = len(span.feed(sound(("speech", 0.5)))) + len(span.finish())
    assert (before + more) / SAMPLE_RATE_HZ == pytest.approx(2.6, abs=0.05)


def test_a_new_utterance_begins_without_the_last() -> None:
    span = SpeechSpan()
    span.feed(sound(("speech", 1)))
    span.start()
    assert len(span.feed(sound(("quiet", 0.1)))) == 0


def test_no_sound_is_no_speech() -> None:
    assert len(SpeechSpan().finish()) == 0


def test_quiet_is_told_in_pauses_and_not_before_speech_or_in_noise() -> None:
    span = SpeechSpan()

    def quiet_after(kind: str, seconds: float) -> float:
        samples = sound((kind, seconds))
        for at in range(0, len(samples), BLOCK):
            span.feed(samples[at : at + BLOCK])
        return span.quiet_s

    assert quiet_after("quiet", 1.0) == 0.0
    assert quiet_after("speech", 1.0) == 0.0
    assert quiet_after("quiet", 0.3) == pytest.approx(0.3, abs=0.05)
    assert quiet_after("speech", 0.5) == 0.0
    span.start()
    assert quiet_after("noise", 2.0) == 0.0
