"""Processes for the test of the control plane: real workers on a real bus."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import ClassVar

from assistant.control.metrics_store import MetricsStore
from assistant.control.recollection import Recollection
from assistant.control.server import ControlServer
from assistant.control.stage import ControlStage
from assistant.core.bus import Address, Bus
from assistant.core.messages import Level, Message, Reload, Tick
from assistant.core.stage import Source, Stage
from assistant.core.worker import Worker
from assistant.supervision.heartbeat import Heartbeat

PEERS = ("control", "meter")
METERED_EVERY_S = 0.05


class Meter:
    """Tells a level now and then."""

    consumes: ClassVar[tuple[type[Message], ...]] = ()

    def __init__(self) -> None:
        self._due_s = 0.0

    def feed(self, message: Message) -> Iterator[Message]:
        assert isinstance(message, Tick)
        self._due_s = message.at_s + METERED_EVERY_S
        yield Level(rms_dbfs=-50.0, noise_floor_dbfs=-60.0, speech=False)

    def deadline_s(self) -> float:
        return self._due_s


def meter(heartbeat: Heartbeat, runtime: str) -> None:
    """A stage that speaks without being spoken to."""
    _serve("meter", Meter(), heartbeat, runtime)


def control(heartbeat: Heartbeat, runtime: str) -> None:
    """The control process."""
    server = ControlServer(Path(runtime) / "control.sock", {}, heartbeat.line)
    stage = ControlStage(
        server, MetricsStore(Path(runtime) / "metrics.jsonl", keep=10), Recollection()
    )
    _serve("control", stage, heartbeat, runtime, server)


def _serve(name: str, stage: Stage, heartbeat: Heartbeat, runtime: str, *sources: Source) -> None:
    with (
        closing(Address(Path(runtime))) as address,
        closing(Bus(name, address, PEERS, {}, (*stage.consumes, Reload))) as bus,
    ):
        for source in sources:
            bus.watch(source)
        worker = Worker(name, stage, bus, heartbeat)
        signal.signal(signal.SIGTERM, lambda *_: worker.stop())
        worker.run()
        for source in sources:
            source.close()
