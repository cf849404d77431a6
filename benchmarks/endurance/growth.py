"""Whether processes grow: their measured memory and files, and how much of that is growth."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from contextlib import suppress
from itertools import groupby

import msgspec

from assistant.supervision.bounds import resource_usage

WINDOW = 10
"""Number of looks at either end whose medians are compared, so that no single one decides."""


class Look(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """A process at one moment: after so many utterances, its memory and its open files."""

    utterances: int
    name: str
    pid: int
    resident_bytes: int
    descriptors: int


class Growth(msgspec.Struct, frozen=True, kw_only=True):
    """The growth of one process, from when it was warm to its end.

    `grown_mb` is the median of its last looks minus that of its first. `reload_mb` is the part that
    came with the first reload, when the old stage and the new one existed at the same time: the
    next reload reuses that memory. `mb_per_1000` is the slope by least squares in megabytes a
    thousand utterances, `files` how many more are open.
    """

    name: str
    utterances: int
    resident_mb: float
    grown_mb: float
    reload_mb: float
    mb_per_1000: float
    files: int


def look(name: str, pid: int, utterances: int) -> Look | None:
    """The process's present state; None when it is gone."""
    with suppress(OSError):
        size, files = resource_usage(pid)
        return Look(
            utterances=utterances,
            name=name,
            pid=pid,
            resident_bytes=size,
            descriptors=files,
        )
    return None


def growths(looks: Sequence[Look], warm: int, reloads: Sequence[int] = ()) -> list[Growth]:
    """The growth of each life that was long enough, by name, without its first `warm` utterances.

    `reloads` are the utterances before which settings were read again.
    """
    found = []
    ordered = sorted(looks, key=lambda one: (one.name, one.pid, one.utterances))
    for (name, _), life in groupby(ordered, key=lambda one: (one.name, one.pid)):
        all_of_it = list(life)
        begun = all_of_it[0].utterances
        seen = [one for one in all_of_it if one.utterances - begun >= warm]
        if len(seen) >= 2 * WINDOW:
            first = next((number for number in reloads if number > begun), None)
            found.append(_growth(name, seen, first))
    return found


def _growth(name: str, seen: Sequence[Look], reload: int | None) -> Growth:
    first, last = seen[:WINDOW], seen[-WINDOW:]
    before = [one for one in seen if reload is not None and one.utterances < reload][-WINDOW:]
    after = [one for one in seen if reload is not None and one.utterances > reload][:WINDOW]
    step_mb = _median_mb(after) - _median_mb(before) if before and after else 0.0
    resident = [one.resident_bytes / 1e6 for one in seen]
    utterances = [float(one.utterances) for one in seen]
    more = statistics.median(one.descriptors for one in last) - statistics.median(
        one.descriptors for one in first
    )
    return Growth(
        name=name,
        utterances=seen[-1].utterances - seen[0].utterances,
        resident_mb=round(_median_mb(last), 1),
        grown_mb=round(_median_mb(last) - _median_mb(first), 2),
        reload_mb=round(step_mb, 2),
        mb_per_1000=round(1000 * statistics.linear_regression(utterances, resident).slope, 3),
        files=round(more),
    )


def _median_mb(looks: Sequence[Look]) -> float:
    return statistics.median(one.resident_bytes for one in looks) / 1e6
