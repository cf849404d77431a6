"""The hub's metrics, as Prometheus reads them."""

from __future__ import annotations

from collections import Counter, defaultdict

from assistant.control.exposition import family, labels
from assistant.hub.observation.watch import Call


class CallFigures:
    """Counts of the calls since the start."""

    def __init__(self) -> None:
        self._calls: Counter[tuple[str, int]] = Counter()
        self._seconds: defaultdict[str, float] = defaultdict(float)

    def observe(self, call: Call) -> None:
        """Count a call that is over."""
        self._calls[call.path, call.status] += 1
        self._seconds[call.path] += call.ended_s - call.began_s

    def exposition(self) -> str:
        """The counts in Prometheus's text format."""
        lines = family("hub_requests_total", "counter", "Calls of the hub by path and status.")
        for (path, status), calls in sorted(self._calls.items()):
            lines.append(f"hark_hub_requests_total{labels(path=path, status=str(status))} {calls}")
        lines += family("hub_request_seconds_total", "counter", "Time of these calls.")
        for path, seconds in sorted(self._seconds.items()):
            lines.append(f"hark_hub_request_seconds_total{labels(path=path)} {seconds:.6f}")
        return "\n".join(lines) + "\n"
