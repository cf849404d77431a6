"""Prometheus's text format: https://prometheus.io/docs/instrumenting/exposition_formats/."""

# Without prometheus-client, which would load an HTTP server, TLS and 8 MB into the process.

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable

_ESCAPES = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n"})


def family(name: str, kind: str, text: str) -> list[str]:
    """The lines above the samples of a metric."""
    return [f"# HELP hark_{name} {text}", f"# TYPE hark_{name} {kind}"]


def labels(**values: str) -> str:
    """What stands between a sample's name and its value."""
    return "{" + ",".join(f'{k}="{v.translate(_ESCAPES)}"' for k, v in values.items()) + "}"


class Histogram:
    """Seconds by the values of one label, as a metric that ends in `_seconds` tells them."""

    def __init__(self, name: str, label: str, text: str, buckets_s: tuple[float, ...]) -> None:
        self._name, self._label, self._text, self._buckets_s = name, label, text, buckets_s
        self._counts: Counter[str] = Counter()
        self._sums_s: defaultdict[str, float] = defaultdict(float)
        self._within: Counter[tuple[str, float]] = Counter()

    def add(self, value: str, seconds: float) -> None:
        """Count what took `seconds`."""
        self._counts[value] += 1
        self._sums_s[value] += seconds
        self._within.update((value, le) for le in self._buckets_s if seconds <= le)

    def lines(self, order: Iterable[str] = ()) -> list[str]:
        """The metric; values of the label that `order` does not name follow by their names."""
        lines, first = family(self._name, "histogram", self._text), tuple(order)
        for value in (*first, *sorted(self._counts.keys() - {*first})):
            if value in self._counts:
                lines += self._of(value)
        return lines

    def _of(self, value: str) -> list[str]:
        name, own = f"hark_{self._name}", {self._label: value}
        buckets = [
            f"{name}_bucket{labels(**own, le=str(le))} {self._within[value, le]}"
            for le in self._buckets_s
        ]
        return [
            *buckets,
            f"{name}_bucket{labels(**own, le='+Inf')} {self._counts[value]}",
            f"{name}_sum{labels(**own)} {self._sums_s[value]:.6f}",
            f"{name}_count{labels(**own)} {self._counts[value]}",
        ]
