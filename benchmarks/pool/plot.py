"""Draws the replicas of a day under each policy, over the work that came, as SVG."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from benchmarks.pool.day import DAY_S, Asked

_LEFT, _TOP, _WIDTH, _HEIGHT = 44, 34, 900, 260
_COLOURS = ("#4477aa", "#cc6677", "#228833", "#aa3377")
_STYLE = "font-family: sans-serif; font-size: 13px"
_STEP_S = 60


def picture(
    day: Sequence[Asked], replicas: Mapping[str, Sequence[int]], tokens_per_s: float
) -> str:
    """The picture as SVG; `replicas` are those at each second by the policy's name."""
    work = _work(day, tokens_per_s)
    most = max(max(work), *(max(line) for line in replicas.values()))
    height = _TOP + _HEIGHT + 30
    return "\n".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{_LEFT + _WIDTH + 16}"'
            f' height="{height}" style="{_STYLE}">',
            f'<rect width="100%" height="{height}" fill="white"/>',
            f'<path d="{_steps(work, most)}V{_y(0, most)}H{_LEFT}Z" fill="#dddddd"/>',
            *_axes(most),
            *_lines(replicas, most),
            "</svg>",
            "",
        )
    )


def _work(day: Iterable[Asked], tokens_per_s: float) -> list[float]:
    """The replicas that each minute's requests would keep busy."""
    work = [0.0] * int(DAY_S / _STEP_S)
    for one in day:
        work[int(one.at_s / _STEP_S)] += one.tokens / tokens_per_s / _STEP_S
    return work


def _lines(replicas: Mapping[str, Sequence[int]], most: float) -> Iterator[str]:
    yield f'<text x="{_LEFT}" y="18">replicas, and those that the requests keep busy (grey)</text>'
    lines = enumerate(zip(replicas.items(), _COLOURS, strict=False))
    for row, ((name, line), colour) in reversed(list(lines)):  # the first is drawn over the others
        by_minute = [max(line[at : at + _STEP_S]) for at in range(0, len(line), _STEP_S)]
        yield f'<path d="{_steps(by_minute, most)}" stroke="{colour}" fill="none"/>'
        yield f'<text x="{_LEFT + 400 + 120 * row}" y="18" fill="{colour}">{name}</text>'


def _axes(most: float) -> Iterator[str]:
    for hour in range(0, 25, 3):
        x = _LEFT + _WIDTH * hour / 24
        yield f'<text x="{x:.0f}" y="{_TOP + _HEIGHT + 20}" text-anchor="middle">{hour}:00</text>'
    for count in range(0, int(most) + 1, max(1, round(most / 6))):
        y = _y(count, most)
        yield f'<text x="{_LEFT - 8}" y="{y:.0f}" text-anchor="end">{count}</text>'
        yield f'<path d="M{_LEFT} {y:.1f}h{_WIDTH}" stroke="#eeeeee"/>'


def _steps(values: Sequence[float], most: float) -> str:
    """A line that stays at each value until it changes."""
    path, last = f"M{_LEFT} {_y(values[0], most):.1f}", values[0]
    for number, value in enumerate(values):
        if value != last:
            path += f"H{_LEFT + _WIDTH * number / len(values):.1f}V{_y(value, most):.1f}"
            last = value
    return f"{path}H{_LEFT + _WIDTH}"


def _y(value: float, most: float) -> float:
    return _TOP + _HEIGHT * (1 - value / most)
