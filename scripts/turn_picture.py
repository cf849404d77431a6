"""Draws `docs/turn.svg`, the timeline of a turn, from what `assistant bench stages --json` printed.

Run `python -m scripts.turn_picture FIGURES.json`. Each stage is a bar as long as its median, behind
the one before it; a thin line goes on to its time at 95 %.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple
from xml.sax.saxutils import escape

import msgspec

from assistant.bench.stages import StagesFigures
from assistant.control.metrics import StageFigures

PICTURE = Path(__file__).resolve().parents[1] / "docs" / "turn.svg"
MEANINGS = {
    "endpointing": "silence until what was said is offered",
    "asr": "recognition, after what it did while the person spoke",
    "nlu": "understanding",
    "commit": "waits until nothing more is likely to come",
    "skills": "done, and on disk",
    "answer": "an answer from documents",
    "voice": "first sound of the reply",
}
"""Stage → what happens in it, in the order of the chain."""

_LEFT, _WIDTH, _ROW, _TOP = 110, 620, 30, 34
_STYLE = "font-family: sans-serif; font-size: 13px"


class Bar(NamedTuple):
    """One stage, in milliseconds from the end of speech."""

    stage: str
    begin: float
    end: float
    at_95: float


def bars(stages: Sequence[StageFigures]) -> list[Bar]:
    """The stages one behind the other, each as long as its median."""
    found, begin = [], 0.0
    for one in stages:
        if one.stage in MEANINGS:
            found.append(Bar(one.stage, begin, begin + one.p50_ms, begin + one.p95_ms))
            begin += one.p50_ms
    return found


def drawn(figures: StagesFigures) -> str:
    """The picture as SVG."""
    found = bars(figures.stages)
    scale = _WIDTH / max(bar.at_95 for bar in found)
    height = _TOP + _ROW * len(found) + 34
    return "\n".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{_LEFT + _WIDTH + 320}"'
            f' height="{height}" style="{_STYLE}">',
            f'<rect width="100%" height="{height}" fill="white"/>',
            f'<text x="{_LEFT}" y="18">milliseconds after the last sound of the command:'
            f" median (bar) and 95 % (line) of {figures.utterances} commands</text>",
            *_rows(found, scale),
            f'<text x="{_LEFT}" y="{height - 10}">{_summed(figures)}</text>',
            "</svg>",
            "",
        )
    )


def _rows(found: Sequence[Bar], scale: float) -> Iterator[str]:
    for row, bar in enumerate(found):
        y = _TOP + _ROW * row
        begin, end, at_95 = (_LEFT + scale * ms for ms in bar[1:])
        yield f'<text x="{_LEFT - 8}" y="{y + 15}" text-anchor="end">{bar.stage}</text>'
        yield (
            f'<rect x="{begin:.1f}" y="{y + 3}" width="{max(1.0, end - begin):.1f}" height="16"'
            ' fill="#4477aa"/>'
        )
        yield f'<path d="M{begin:.1f} {y + 11}H{at_95:.1f}" stroke="#4477aa" fill="none"/>'
        told = f"{bar.end - bar.begin:.0f} / {bar.at_95 - bar.begin:.0f}: {MEANINGS[bar.stage]}"
        yield f'<text x="{max(end, at_95) + 8:.1f}" y="{y + 15}">{escape(told)}</text>'


def _summed(figures: StagesFigures) -> str:
    heard = next(one for one in figures.stages if one.stage == "total")
    told = {"done": figures.action, "heard": heard}
    return ", ".join(
        f"{what} after {one.p50_ms:.0f} / {one.p95_ms:.0f}" for what, one in told.items() if one
    )


def main(arguments: Sequence[str]) -> None:
    """Draw the picture from the file that the only argument names."""
    (file,) = arguments
    figures = msgspec.json.decode(Path(file).read_bytes(), type=StagesFigures)
    PICTURE.write_text(drawn(figures), "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
