"""The hub's metrics, as Prometheus reads them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import msgspec

from assistant.control.exposition import Histogram, family, labels
from assistant.hub.observation.watch import CallRecord, StageRecord

BUCKETS_S = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 1.5, 2.5, 5.0, 10.0, 30.0, 60.0)
BUSY = "pool.busy"


class StageLoad(msgspec.Struct, frozen=True):
    """What serves a stage, and what its callers still wait for."""

    replicas: int
    tokens_outstanding: int


class CallFigures:
    """Figures of the calls since the start."""

    def __init__(self) -> None:
        self._calls: Counter[tuple[str, int]] = Counter()
        self._call_s = Histogram("hub_request_seconds", "path", "Time of these calls.", BUCKETS_S)
        told = "Time from a request to a stage to the end of its reply."
        self._stage_s = Histogram("hub_stage_seconds", "stage", told, BUCKETS_S)
        told = "The part of it until a worker began."
        self._queue_s = Histogram("hub_queue_seconds", "stage", told, BUCKETS_S)
        self._busy: Counter[str] = Counter()
        self._lighter: Counter[str] = Counter()
        self._retries: Counter[str] = Counter()

    def observe(self, call: CallRecord) -> None:
        """Count a call that is over."""
        self._calls[call.path, call.status] += 1
        self._call_s.add(call.path, call.ended_s - call.began_s)
        for asked in call.stages:
            self._asked(asked)

    def exposition(self, loads: Mapping[str, StageLoad]) -> str:
        """The figures, and the load of each stage now, in Prometheus's text format."""
        lines = family("hub_requests_total", "counter", "Calls of the hub by path and status.")
        for (path, status), calls in sorted(self._calls.items()):
            lines.append(f"hark_hub_requests_total{labels(path=path, status=str(status))} {calls}")
        for histogram in (self._call_s, self._stage_s, self._queue_s):
            lines += histogram.lines()
        replicas = {stage: load.replicas for stage, load in loads.items()}
        tokens = {stage: load.tokens_outstanding for stage, load in loads.items()}
        nothing = dict.fromkeys(loads, 0)  # what is there from the start can be seen to grow
        for name, kind, values, text in (
            ("replicas", "gauge", replicas, "Workers that serve."),
            ("tokens_outstanding", "gauge", tokens, "Tokens that are asked for and not made yet."),
            ("busy_total", "counter", nothing | self._busy, "Requests that had no time."),
            ("lighter_total", "counter", nothing | self._lighter, "Requests in a lighter form."),
            ("retries_total", "counter", nothing | self._retries, "Requests whose worker died."),
        ):
            lines += family(f"hub_{name}", kind, text)
            lines += [
                f"hark_hub_{name}{labels(stage=stage)} {value}"
                for stage, value in sorted(values.items())
            ]
        return "\n".join(lines) + "\n"

    def _asked(self, asked: StageRecord) -> None:
        stage = asked.stage
        if asked.error == BUSY:  # it took no time of the stage
            self._busy[stage] += 1
            return
        self._stage_s.add(stage, asked.ended_s - asked.asked_s)
        if asked.began_s:
            self._queue_s.add(stage, max(0.0, asked.began_s - asked.asked_s))
        self._lighter[stage] += asked.is_lighter
        self._retries[stage] += asked.retries
