"""Figures of several runs become one."""

from __future__ import annotations

from assistant.bench.stages import medians, until_done
from assistant.control.metrics import StageFigures


def test_a_stage_counts_by_its_median_run() -> None:
    def run(asr_ms: float, *further: StageFigures) -> tuple[StageFigures, ...]:
        asr = StageFigures(stage="asr", utterances=2, p50_ms=asr_ms, p95_ms=2 * asr_ms)
        return (*further, asr)

    total = StageFigures(stage="total", utterances=1, p50_ms=7, p95_ms=8)
    assert medians([run(10), run(900, total), run(20)]) == (
        StageFigures(stage="asr", utterances=6, p50_ms=20, p95_ms=40),
        total,
    )


def test_what_was_said_is_done_before_the_voice_begins() -> None:
    turns = [
        {"endpointing": 0.2, "asr": 0.01, "skills": 0.01, "voice": 0.04, "total": 0.26},
        {"endpointing": 0.2, "answer": 0.5, "voice": 0.1, "total": 0.8},
    ]
    done = until_done(turns)
    assert done == StageFigures(stage="action", utterances=2, p50_ms=200.0, p95_ms=220.0)
