"""Metrics: the stage times of each utterance, and counts of failures; never the user's words."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from assistant.control.exposition import Histogram, family, labels
from assistant.control.model_metrics import ModelCounts
from assistant.control.sensor_metrics import SensorCounts
from assistant.core.messages import (
    Commit,
    Interpretation,
    Message,
    ModelsUsed,
    PlaybackStarted,
    QualityAlert,
    Question,
    Reloaded,
    Replaced,
    SafeModeEntered,
    Simplify,
    SpokenReply,
    StageFailed,
    StageRestarted,
    Transcript,
    Utterance,
    Work,
)

Times = dict[str, float]
"""Stage → seconds of one utterance."""

STAGES = ("endpointing", "asr", "nlu", "commit", "skills", "answer", "voice", "total")
"""Names in the order of the chain; in `commit` understood speech waits for the listener."""

BUDGET_S = {
    "endpointing": 0.7,
    "asr": 0.3,
    "nlu": 0.06,
    "commit": 0.7,
    "skills": 0.05,
    "answer": 1.0,
    "voice": 0.2,
    "total": 0.75,
}
"""Stage → seconds that it may take for an utterance; `total` is what most replies keep to."""

OPEN_UTTERANCES = 32
BUCKETS_S = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 5.0, 10.0)


class Stopwatch:
    """Computes the stage times of each utterance from events, at the first sound of its reply."""

    def __init__(self) -> None:
        self._open: dict[str, list[Message]] = {}

    def observe(self, message: Message) -> Times | None:
        """The utterance's times when `message` is the start of its reply's playback."""
        if isinstance(message, PlaybackStarted):
            return times([*self._open.pop(message.utterance_id, ()), message])
        if isinstance(
            message, Utterance | Transcript | Interpretation | Commit | Question | SpokenReply
        ):
            self._keep(message)
        return None

    def _keep(self, message: Work) -> None:
        if message.utterance_id not in self._open:
            while len(self._open) >= OPEN_UTTERANCES:
                del self._open[next(iter(self._open))]
        self._open.setdefault(message.utterance_id, []).append(message)


def times(events: Sequence[Message]) -> Times | None:
    """One utterance's stage times from its events; None when speech or playback is missing.

    The committed revision counts, and the first of several replies.
    """
    revision = next((m.revision for m in events if isinstance(m, Commit)), None)
    at_s: dict[type[Message], float] = {}
    ended_s = None
    for message in events:
        if revision is None or getattr(message, "revision", revision) == revision:
            at_s.setdefault(type(message), message.at_s)
            if isinstance(message, Utterance) and ended_s is None:
                ended_s = message.speech_ended_at_s
    if ended_s is None or PlaybackStarted not in at_s:
        return None
    return _between(at_s, ended_s)


def _between(at_s: Mapping[type[Message], float], ended_s: float) -> Times:
    """The stage times as differences between successive instants; absent instants are skipped."""
    heard = at_s.get(Utterance)
    decided = at_s.get(Commit)
    understood = at_s.get(Interpretation)
    # A commit that comes before the words are understood costs nothing.
    begun = None if decided is None or understood is None else max(decided, understood)
    chain = (
        ("endpointing", heard),
        ("asr", at_s.get(Transcript)),
        ("nlu", understood),
        ("commit", begun),
        ("skills", at_s.get(Question, at_s.get(SpokenReply))),
        ("answer", at_s.get(SpokenReply) if Question in at_s else None),
        ("voice", at_s[PlaybackStarted]),
    )
    found: Times = {}
    before_s = ended_s
    for stage, instant_s in chain:
        if instant_s is not None:
            found[stage] = max(0.0, instant_s - before_s)
            before_s = instant_s
    found["total"] = at_s[PlaybackStarted] - ended_s
    return found


class StageFigures(msgspec.Struct, frozen=True, kw_only=True):
    """The times of one stage over many utterances, in milliseconds."""

    stage: str
    utterances: int
    p50_ms: float
    p95_ms: float


def figures(measured: Iterable[Times]) -> tuple[StageFigures, ...]:
    """The figures of each stage that was measured, in the order of the chain."""
    kept = list(measured)
    columns = {stage: [t[stage] for t in kept if stage in t] for stage in STAGES}
    return tuple(
        StageFigures(
            stage=stage,
            utterances=len(seconds),
            p50_ms=round(percentile(seconds, 0.50) * 1000, 1),
            p95_ms=round(percentile(seconds, 0.95) * 1000, 1),
        )
        for stage, seconds in columns.items()
        if seconds
    )


def percentile(values: Sequence[float], share: float) -> float:
    """The nearest-rank percentile: the smallest value that at least `share` do not exceed."""
    ranked = sorted(values)
    return ranked[max(0, math.ceil(share * len(ranked)) - 1)]


def restarted_stage(message: Message) -> str:
    """The stage that `message` reports as restarted or rebuilt; "" for none."""
    match message:
        case (
            StageRestarted(stage=stage)
            | Reloaded(stage=stage, error="")
            | Replaced(stage=stage, error="")
        ):
            return stage
    return ""


class Counts:
    """Counts of events since the process started, for Prometheus."""

    def __init__(self) -> None:
        self.utterances = 0
        self._failures: Counter[tuple[str, str]] = Counter()
        self._restarts: Counter[str] = Counter()
        self._safe_modes: Counter[str] = Counter()
        self._quality: dict[tuple[str, str], bool] = {}
        self._simpler: dict[str, bool] = {}
        self._alerts: Counter[tuple[str, str]] = Counter()
        self._seconds = Histogram(
            "stage_seconds", "stage", "Where an utterance's time went.", BUCKETS_S
        )
        self._sensors, self._models = SensorCounts(), ModelCounts()

    def observe(self, message: Message) -> None:
        """Count `message`."""
        self._sensors.observe(message)
        match message:
            case Commit():
                self.utterances += 1
            case ModelsUsed():
                self._models.observe(message)
            case StageFailed(stage=stage, code=code):
                self._failures[stage, code] += 1
            case StageRestarted(stage=stage):
                self._restarts[stage] += 1
            case SafeModeEntered(stage=stage):
                self._safe_modes[stage] += 1
            case QualityAlert(stage=stage, what=what):
                self._quality[stage, what] = not message.over
            case Simplify(stage=stage, why=why, for_s=for_s):
                self._simpler[stage] = for_s > 0
                self._alerts[stage, why] += for_s > 0 and not message.again
        # A stage that restarts forgets its alerts and will not report that they are over.
        anew = restarted_stage(message)
        self._quality |= {k: False for k in self._quality if k[0] == anew}

    def measured(self, seconds: Times) -> None:
        """Count one utterance's stage times."""
        for stage, value in seconds.items():
            self._seconds.add(stage, value)

    def prometheus(self) -> str:
        """All metrics in Prometheus's text format."""
        lines = family("utterances_total", "counter", "Utterances that were acted on.")
        lines += [f"hark_utterances_total {self.utterances}"]
        lines += family("failures_total", "counter", "Failures by stage and code.")
        lines += [
            f"hark_failures_total{labels(stage=stage, code=code)} {count}"
            for (stage, code), count in sorted(self._failures.items())
        ]
        for name, counter, text in (
            ("restarts_total", self._restarts, "Processes that were started again."),
            ("safe_modes_total", self._safe_modes, "Processes that failed too often."),
        ):
            lines += family(name, "counter", text)
            lines += [f"hark_{name}{labels(stage=s)} {n}" for s, n in sorted(counter.items())]
        lines += family("quality_alert", "gauge", "1 while answers are worse than expected.")
        lines += [
            f"hark_quality_alert{labels(stage=stage, what=what)} {int(worse)}"
            for (stage, what), worse in sorted(self._quality.items())
        ]
        lines += family("simpler", "gauge", "1 while a stage takes its simpler path.")
        lines += [f"hark_simpler{labels(stage=s)} {int(on)}" for s, on in self._simpler.items()]
        lines += family("alerts_total", "counter", "How often a stage began to, and why.")
        lines += [
            f"hark_alerts_total{labels(stage=stage, why=why)} {count}"
            for (stage, why), count in sorted(self._alerts.items())
        ]
        lines += [*self._seconds.lines(STAGES), *self._models.lines(), *self._sensors.lines()]
        return "\n".join(lines) + "\n"
