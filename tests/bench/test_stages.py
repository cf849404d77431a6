"""Figures of several runs become one."""

from __future__ import annotations

from assistant.bench.stages import medians
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
