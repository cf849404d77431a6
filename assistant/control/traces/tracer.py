"""When an utterance's spans are complete, and where they go then."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from assistant.control.recollection import Recollection
from assistant.control.traces.otlp import Exporter
from assistant.control.traces.ring import LineRing, LoggedRing
from assistant.control.traces.spans import spans_of
from assistant.core.clock import boottime_s
from assistant.core.messages import Commit, Message, PlaybackStarted, TraceMade

SETTLED_S = 1.0
"""Seconds after the first sound in which messages of other processes have come."""
UNHEARD_S = 30.0
"""Seconds after the decision to act in which a reply is heard, if there is one."""
MOST_OPEN = 64
"""Most utterances that are waited for."""


class Tracer:
    """Observes every event after `recollection` has, and traces each utterance once, at the end.

    Lines go to the `ring` and, where it `forwards`, to the bus. A failure to write is logged and
    affects no utterance. `generator` names the model that words answers.
    """

    def __init__(
        self,
        recollection: Recollection,
        ring: LineRing | None = None,
        forwards: bool = False,
        generator: str = "",
        epoch_ns: Callable[[], int] = lambda: time.time_ns() - round(boottime_s() * 1e9),
    ) -> None:
        self._recollection, self._forwards = recollection, forwards
        self._ring = LoggedRing(ring) if ring is not None else None
        self._generator, self._epoch_ns = generator, epoch_ns
        self._exporter = Exporter()
        self._due_s: dict[str, float] = {}

    def observe(self, message: Message) -> None:
        """Note when the utterance of `message` is to be traced."""
        if not (self._ring or self._forwards):
            return
        match message:
            case Commit(utterance_id=name) if len(self._due_s) < MOST_OPEN:
                self._due_s.setdefault(name, message.at_s + UNHEARD_S)
            case PlaybackStarted(utterance_id=name) if name in self._due_s:
                self._due_s[name] = min(self._due_s[name], message.at_s + SETTLED_S)

    def deadline_s(self) -> float | None:
        """When `tick` is due; None while nothing is traced."""
        return min(self._due_s.values(), default=None)

    def tick(self, at_s: float) -> Iterator[TraceMade]:
        """Trace the utterances that are due; give what is to be forwarded."""
        for name in [name for name, due_s in self._due_s.items() if due_s <= at_s]:
            del self._due_s[name]
            spans = spans_of(self._recollection.events(name), self._generator)
            if spans:
                line = self._exporter.line(name, spans, self._epoch_ns())
                if self._ring is not None:
                    self._ring.add(line)
                if self._forwards:
                    yield TraceMade(export=line.decode())
