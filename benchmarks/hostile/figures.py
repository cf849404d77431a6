"""The result of an attack, and whether the daemon held."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec
from rich.table import Table

from benchmarks.hostile.burden import Burden, combined
from benchmarks.hostile.prober import Served
from benchmarks.hostile.watcher import Watched

SLOWEST_MS = 1000.0
MOST_GROWN_MB = 240.0
"""Most megabytes that one process may grow, at its peak: a reload holds understanding with its
sentences (114 MB) or speech recognition (178 MB, 118 of them the word network) twice, and a queue
of a process's largest messages may hold 60."""
MOST_LOGGED_BYTES = 200_000
"""Most bytes a minute in the log, with as many again for the first faults of each stage."""
TOLD = 20
"""Most lines about faults that are kept."""


class Figures(msgspec.Struct, kw_only=True):
    """Counts and extremes; `faults` are blows with a forbidden effect."""

    attack: str
    blows: int = 0
    minutes: float = 0.0
    faults: int = 0
    wrong_effects: int = 0
    served: Served = msgspec.field(default_factory=Served)
    watched: Watched = msgspec.field(default_factory=Watched)
    burdens: dict[str, Burden] = {}
    """The name of a way → what its blows cost, for an attack that weighs them."""
    told: list[str] = []

    @property
    def slowest_ms(self) -> float:
        """The slowest of all valid requests."""
        return max(self.served.slowest_reply_ms, self.served.slowest_status_ms)

    @property
    def grown_mb(self) -> float:
        """The peak growth of the process that grew most."""
        return max(self.watched.peak_mb.values(), default=0.0)

    @property
    def held(self) -> bool:
        """Whether the daemon held: the attack did no harm."""
        none = self.faults + self.wrong_effects + self.watched.crashes + self.served.unanswered
        return (
            none == 0
            and self.served.probes > 0
            and self.slowest_ms <= SLOWEST_MS
            and self.grown_mb <= MOST_GROWN_MB
            and self.watched.log_bytes <= MOST_LOGGED_BYTES * (1 + self.minutes)
        )


def added(one: Figures, other: Figures) -> Figures:
    """The sum of two parts of one attack."""
    return Figures(
        attack=one.attack,
        blows=one.blows + other.blows,
        minutes=round(one.minutes + other.minutes, 2),
        faults=one.faults + other.faults,
        wrong_effects=one.wrong_effects + other.wrong_effects,
        served=Served(
            probes=one.served.probes + other.served.probes,
            unanswered=one.served.unanswered + other.served.unanswered,
            slowest_reply_ms=max(one.served.slowest_reply_ms, other.served.slowest_reply_ms),
            slowest_status_ms=max(one.served.slowest_status_ms, other.served.slowest_status_ms),
        ),
        watched=Watched(
            crashes=one.watched.crashes + other.watched.crashes,
            peak_mb=_highest(one.watched.peak_mb, other.watched.peak_mb),
            left_mb=_highest(one.watched.left_mb, other.watched.left_mb),
            log_bytes=one.watched.log_bytes + other.watched.log_bytes,
        ),
        burdens={
            way: combined(one.burdens.get(way, Burden()), other.burdens.get(way, Burden()))
            for way in {**one.burdens, **other.burdens}
        },
        told=[*one.told, *other.told][:TOLD],
    )


def as_object(figures: Figures) -> dict[str, Any]:
    """The figures as one flat object."""
    plain = msgspec.to_builtins(figures)
    served, watched = plain.pop("served"), plain.pop("watched")
    told = plain.pop("told")
    return {**plain, **served, **watched, "held": figures.held, "told": told}


def table(rows: Iterable[Figures]) -> Table:
    """The figures as a table for people."""
    shown = Table(
        "attack",
        "blows",
        "minutes",
        "crashes",
        "wrong effects",
        "faults",
        "unanswered",
        "slowest probe",
        "peak growth",
        "log",
        "held",
    )
    for row in rows:
        most = max(row.watched.peak_mb, key=lambda name: row.watched.peak_mb[name], default="-")
        shown.add_row(
            *(row.attack, f"{row.blows:,}", f"{row.minutes:.1f}", str(row.watched.crashes)),
            *(str(row.wrong_effects), str(row.faults), str(row.served.unanswered)),
            *(f"{row.slowest_ms:.0f} ms", f"{row.grown_mb} MB ({most})"),
            *(f"{row.watched.log_bytes:,} B", "yes" if row.held else "NO"),
        )
    return shown


def _highest(one: dict[str, float], other: dict[str, float]) -> dict[str, float]:
    return {name: max(one.get(name, 0.0), other.get(name, 0.0)) for name in {*one, *other}}
