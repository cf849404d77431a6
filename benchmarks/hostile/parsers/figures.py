"""What came of the inputs of one parser, and whether it held."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
from rich.table import Table

MOST_MS = 1000.0
"""Most CPU time of an input, in milliseconds."""
COSTLY_MS = 100.0
"""CPU time from which an input is compared with the honest one of its size."""
MOST_TIMES = 2.0
"""How often the cost of the honest one of its size an input may have."""
MOST_GROWN_MB = 50.0
"""Most memory that one input may take at its peak."""
MOST_LEFT_MB = 20.0
"""Most memory that may still be held after a part of the inputs, above that after the first."""
TOLD = 20
"""Most faults of which a line is kept."""


class Cost(msgspec.Struct, frozen=True, kw_only=True):
    """One input beside the honest one of its size; CPU times are in milliseconds."""

    number: int = -1
    size_bytes: int = 0
    ms: float = 0.0
    honest_ms: float = 0.0

    @property
    def times(self) -> float:
        """The factor between them; 0 for what is cheap."""
        return self.ms / max(self.honest_ms, 1e-3) if self.ms >= COSTLY_MS else 0.0

    def __str__(self) -> str:
        return f"{self.ms:.1f} / {self.honest_ms:.1f} ms ({self.size_bytes:,} B)"


class Figures(msgspec.Struct, kw_only=True):
    """Counts and extremes of the inputs from 0 on; `told` has a line for the first faults."""

    parser: str
    seed: int = 1
    inputs: int = 0
    taken: int = 0
    refused: int = 0
    faults: int = 0
    told: list[str] = []
    slowest: Cost = Cost()
    """The one with the most CPU time."""
    dearest: Cost = Cost()
    """The one with the most against the honest one of its size."""
    grown_mb: float = 0.0
    most_grown_mb: float = MOST_GROWN_MB
    left_mb: float = 0.0
    most_left_mb: float = MOST_LEFT_MB
    minutes: float = 0.0

    @property
    def held(self) -> bool:
        """Whether nothing else was raised, and nothing cost too much."""
        return (
            self.faults == 0
            and self.slowest.ms <= MOST_MS
            and self.dearest.times <= MOST_TIMES
            and self.grown_mb <= self.most_grown_mb
            and self.left_mb <= self.most_left_mb
        )


def added(one: Figures, other: Figures) -> Figures:
    """The sum of two parts."""
    return Figures(
        parser=one.parser,
        seed=one.seed,
        inputs=one.inputs + other.inputs,
        taken=one.taken + other.taken,
        refused=one.refused + other.refused,
        faults=one.faults + other.faults,
        told=[*one.told, *other.told][:TOLD],
        slowest=max(one.slowest, other.slowest, key=lambda cost: cost.ms),
        dearest=max(one.dearest, other.dearest, key=lambda cost: cost.times),
        grown_mb=max(one.grown_mb, other.grown_mb),
        most_grown_mb=other.most_grown_mb,
        left_mb=max(one.left_mb, other.left_mb),
        most_left_mb=other.most_left_mb,
        minutes=round(one.minutes + other.minutes, 2),
    )


def table(rows: Iterable[Figures]) -> Table:
    """The figures as a table for people."""
    shown = Table(
        *("parser", "inputs", "taken", "refused", "faults", "slowest / honest"),
        *("times", "memory", "left", "minutes", "held"),
    )
    for row in rows:
        shown.add_row(
            *(row.parser, f"{row.inputs:,}", f"{row.taken:,}", f"{row.refused:,}"),
            *(str(row.faults), str(row.slowest), f"{row.dearest.times:.1f}"),
            *(f"{row.grown_mb:.1f} MB", f"{row.left_mb:.1f} MB", f"{row.minutes:.1f}"),
            "yes" if row.held else "NO",
        )
    return shown
