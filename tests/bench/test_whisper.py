"""The bench of whisper on a tiny shape: two ways that say the same, one of them quicker."""

from __future__ import annotations

from assistant.bench.whisper import measure
from assistant.bench.whisper_model import WhisperShape

SMALL = WhisperShape(layers=1, width=64, heads=1)


def test_our_windows_give_the_tokens_of_faster_whisper() -> None:
    figures = measure(runs=1, threads=1, shape=SMALL, seconds=(4.0,))
    (speed,) = figures.speeds
    assert (speed.seconds, figures.threads, figures.runs) == (4.0, 1, 1)
    assert speed.ours_ms > 0 < speed.transcribe_ms
    assert figures.same_tokens == figures.tokens == 80
