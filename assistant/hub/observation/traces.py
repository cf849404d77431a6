"""The spans of the hub's calls, as those of the device's utterances: times and no words.

| span                            | from                     | to                           |
|---------------------------------|--------------------------|------------------------------|
| the call, by its path           | its first byte is here   | its reply is sent            |
| · recognition, understanding, … | the stage is asked       | the last of its reply        |
| · · queue                       | then                     | a worker's stage begins with |
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from assistant.control.traces.otlp import SERVER, Exporter
from assistant.control.traces.ring import LoggedRing
from assistant.control.traces.spans import Span, Value
from assistant.core.clock import boottime_s
from assistant.core.layout import ASR
from assistant.hub.observation.watch import CallRecord, StageRecord
from assistant.hub.service import LATE
from assistant.hub.stages import ANSWER, NLU, VOICE

NAMES = {ASR: "recognition", NLU: "understanding", ANSWER: "answer", VOICE: "synthesis"}
"""Stage → its span, as in the traces of the device."""


class CallTracer:
    """Writes the spans of each call that asked a stage to the `ring`.

    They belong to the caller's trace where it named one, else to one of their own.
    """

    def __init__(
        self,
        ring: LoggedRing,
        epoch_ns: Callable[[], int] = lambda: time.time_ns() - round(boottime_s() * 1e9),
    ) -> None:
        self._ring, self._epoch_ns = ring, epoch_ns
        self._exporter = Exporter("hark-hub", SERVER)

    def observe(self, call: CallRecord) -> None:
        """Trace a call that is over."""
        if call.stages:
            spans = spans_of_call(call)
            line = self._exporter.line(call.utterance_id, spans, self._epoch_ns(), call.caller)
            self._ring.add(line)


def spans_of_call(call: CallRecord) -> tuple[Span, ...]:
    """The spans of a call, the whole first."""
    facts: dict[str, Value] = {
        "hark.utterance.id": call.utterance_id,
        "hark.tenant": call.tenant,
        "hark.status": call.status,
    }
    failed = next((asked.error for asked in call.stages if asked.error), "")
    error = failed or ("hub.late" if call.status == LATE else "")
    whole = Span(call.path, call.began_s, call.ended_s, "hub", "", facts, error=error)
    parts = (
        span for number, asked in enumerate(call.stages) for span in _spans(asked, call, number)
    )
    return (whole, *parts)


def _spans(asked: StageRecord, call: CallRecord, number: int) -> Iterator[Span]:
    name = NAMES.get(asked.stage, asked.stage)
    facts: dict[str, Value] = {"hark.retries": asked.retries, "hark.lighter": asked.is_lighter}
    begins_s, ends_s = asked.asked_s, asked.ended_s
    yield Span(name, begins_s, ends_s, asked.stage, call.path, facts, error=asked.error)
    if asked.began_s:
        began_s = min(max(asked.began_s, begins_s), ends_s)
        yield Span("queue", begins_s, began_s, "hub", name, number=number)
