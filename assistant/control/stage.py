"""The control process as a stage: what it shows of all that happens, and what it has published."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import ClassVar

from assistant.control.alerts import Alerts
from assistant.control.described_home import DescribedHome
from assistant.control.metrics_store import MetricsStore
from assistant.control.recollection import Recollection
from assistant.control.sensors import ASKED_HERE, SensorsSeen
from assistant.control.server import ControlServer
from assistant.control.traces.tracer import Tracer
from assistant.core.codec import UNPUBLISHED
from assistant.core.messages import (
    Control,
    DocumentsRequest,
    HomeDescribed,
    Message,
    Reload,
    Replace,
    SafeModeEntered,
    SensorsRequest,
    Simplify,
    StageRestarted,
    TraceMade,
    Work,
    concrete,
)
from assistant.recordings.keeper import RecordingKeeper

WATCHED = tuple(
    t for t in (*concrete(Work), *concrete(Control)) if t not in (*UNPUBLISHED, TraceMade)
)
"""All but what tells of these themselves, which is made here."""
OWN = (DocumentsRequest, Reload, Replace, SensorsRequest, StageRestarted, SafeModeEntered)
"""Types that this process sends; it does not receive its own broadcasts."""


class ControlStage:
    """Shows every event to all that observe them, and publishes the supervisor's news.

    A home that the bridge describes is kept as `home`, and read by a reload.
    """

    consumes: ClassVar[tuple[type[Message], ...]] = (*WATCHED, HomeDescribed)

    def __init__(
        self,
        server: ControlServer,
        metrics: MetricsStore,
        recollection: Recollection,
        keeper: RecordingKeeper | None = None,
        home: DescribedHome | None = None,
        sensors: SensorsSeen | None = None,
        tracer: Tracer | None = None,
        alerts: Alerts | None = None,
    ) -> None:
        self._server, self._metrics, self._recollection = server, metrics, recollection
        self._keeper, self._home, self._sensors = keeper, home, sensors
        self._tracer = tracer or Tracer(recollection)
        self._alerts = alerts or Alerts(rest_s=0.0)

    def feed(self, message: Message) -> Iterator[Message]:
        """Pass `message` on; messages in `OWN` also go out on the bus."""
        if isinstance(message, HomeDescribed):
            if self._home is not None and self._home.adopt(message.text):
                yield from self._server.reload()
            return
        if not isinstance(message, WATCHED):
            due_s = self._metrics.deadline_s()
            if due_s is not None and due_s <= message.at_s:
                self._metrics.tick()
            self._server.tick(message.at_s)
            yield from self._tracer.tick(message.at_s)
            yield from self._ordered(self._alerts.tick(message.at_s))
            return
        self._server.show(message)
        times = self._metrics.observe(message)
        self._recollection.observe(message)
        self._tracer.observe(message)
        if self._sensors is not None:
            self._sensors.observe(message)
        if self._keeper is not None:
            yield from self._keeper.observe(message)
        yield from self._ordered(self._alerts.observe(message, times))
        if isinstance(message, OWN) and not _is_out(message):
            yield message

    def deadline_s(self) -> float | None:
        """When metrics or a trace are to be written, a caller has been idle for too long, or a
        stage is to take its usual path again."""
        parts = (self._metrics, self._server, self._tracer, self._alerts)
        dues_s = (part.deadline_s() for part in parts)
        return min((due_s for due_s in dues_s if due_s is not None), default=None)

    def _ordered(self, orders: Iterable[Simplify]) -> Iterator[Message]:
        """Orders to the stages, which are shown as well: no process receives its own broadcasts."""
        for order in orders:
            self._server.show(order)
            self._metrics.observe(order)
            yield order


def _is_out(message: Message) -> bool:
    """Whether this is another process's message, which is shown here and on the bus already."""
    match message:
        case Reload(stage=stage):
            return bool(stage)
        case SensorsRequest(utterance_id=asked):
            return asked != ASKED_HERE
    return False
