"""The timeline of a turn: each stage behind the one before it."""

from __future__ import annotations

from xml.etree import ElementTree

from assistant.bench.stages import StagesFigures
from assistant.bench.understanding import UnderstandingFigures
from assistant.control.metrics import StageFigures
from scripts.turn_picture import Bar, bars, drawn


def timed(stage: str, p50_ms: float, p95_ms: float) -> StageFigures:
    return StageFigures(stage=stage, utterances=9, p50_ms=p50_ms, p95_ms=p95_ms)


FIGURES = StagesFigures(
    stages=(timed("endpointing", 190, 200), timed("asr", 10, 80), timed("total", 213, 283)),
    action=timed("action", 201, 271),
    late=0,
    utterances=9,
    understood=9,
    replies=9,
    runs=1,
    understanding=UnderstandingFigures(
        models_ms=None,
        match_ms=1.0,
        match_p99_ms=1.0,
        no_match_ms=1.0,
        no_match_p99_ms=1.0,
        ratio=1.0,
    ),
)


def test_each_stage_begins_where_the_one_before_ends() -> None:
    assert bars(FIGURES.stages) == [
        Bar("endpointing", 0.0, 190, 200),
        Bar("asr", 190, 200, 270),
    ]


def test_the_picture_tells_every_stage_and_the_whole() -> None:
    root = ElementTree.fromstring(drawn(FIGURES))
    texts = [text.text or "" for text in root.iter("{http://www.w3.org/2000/svg}text")]
    assert {"endpointing", "asr"} <= set(texts)
    assert any(text.startswith("10 / 80: ") for text in texts)
    assert texts[-1] == "done after 201 / 271, heard after 213 / 283"
