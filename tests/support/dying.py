"""Skills or the bridge as a process that kills itself at a step.

Both are the real stage on a real bus; the skills' state is in `storage.state`.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path

from assistant.bridge import mqtt
from assistant.bridge.mqtt import Broker
from assistant.cli.network.bridge import bridge
from assistant.core.bus import Address, Bus
from assistant.core.config import load_config
from assistant.core.database import Database
from assistant.core.messages import (
    Commit,
    HomeCommand,
    HomeReceipt,
    HomeStates,
    Interpretation,
    Message,
    Reload,
    SpokenReply,
)
from assistant.core.worker import Worker
from assistant.skill.home import load_home
from skills.devices import outbox
from skills.registry import load_registry
from skills.scheduler import this_boot
from skills.stage import SkillsStage
from skills.state import open_state
from tests.support.talking import resolve

CONSUMERS: Mapping[type[Message], str] = {
    **dict.fromkeys((Interpretation, Commit, HomeReceipt, HomeStates), "skills"),
    HomeCommand: "bridge",
    SpokenReply: "listener",
}
FRESH_S = 60.0
"""In place of the bridge's own: on a busy machine a process takes seconds to start again."""


def _die(*_: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


class _Bus(Bus):
    """A bus whose process dies before or after it sends a message of a type."""

    dies: str = ""

    def send(self, message: Message) -> None:
        """Send a message, and die when it is its step."""
        name = type(message).__name__
        if self.dies == f"before {name}":
            _die()
        super().send(message)
        if self.dies == f"after {name}":
            _die()


class _State(Database):
    """A database whose process dies before it commits what it was told."""

    dies: Callable[[], bool] = staticmethod(lambda: False)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """A transaction that is cut off before its commit when it is its step."""
        with super().transaction():
            yield
            if self.dies():
                _die()


class _Beats:
    def beat(self) -> None:
        """Note nothing."""

    reloading = beat


def skills(step: str, file: Path, receipt_s: float) -> None:
    """Run the skills until a signal, or `step`; they wait for a receipt for `receipt_s`."""
    config, _ = load_config((file,))
    outbox.RECEIPT_S = receipt_s  # type: ignore[misc]
    _Bus.dies = step
    database = open_state(config.state_dir / "state.db")
    if step in ("before commit", "before forgetting"):
        waits = step == "before commit"
        database.__class__ = _State
        _State.dies = staticmethod(
            lambda: all(
                (
                    database.execute("SELECT 1 FROM acted"),
                    bool(database.execute("SELECT 1 FROM outbox")) is waits,
                )
            )
        )
    stage = SkillsStage(
        load_registry(),
        database,
        load_home(Path(config.home.file)),
        resolve,
        lambda: datetime.now(UTC),
        this_boot(),
        broker=True,
    )
    with (
        closing(Address(config.runtime_dir)) as address,
        closing(
            _Bus("skills", address, ["bridge", "listener"], CONSUMERS, (*stage.consumes, Reload))
        ) as bus,
    ):
        Worker("skills", stage, bus, _Beats()).run()


def serve_bridge(step: str, file: Path) -> None:
    """Run the bridge service until a signal, or `step`."""
    mqtt.FRESH_S = FRESH_S  # type: ignore[misc]
    publish: Callable[[Broker, HomeCommand], None] = Broker.publish
    receipt: Callable[[Broker], HomeReceipt | None] = Broker.receipt

    def published(broker: Broker, command: HomeCommand) -> None:
        if step == "before publishing":
            _die()
        publish(broker, command)
        if step == "after publishing":
            _die()

    def received(broker: Broker) -> HomeReceipt | None:
        given = receipt(broker)
        if step == "before the receipt" and given is not None:
            _die()
        return given

    Broker.publish, Broker.receipt = published, received  # type: ignore[assignment, method-assign]
    bridge(file)


def main(what: str, step: str, file: Path, receipt_s: float) -> None:
    """Run "skills" or "bridge", with the settings of `file`, until they reach a step ("": none)."""
    if what == "skills":
        skills(step, file, receipt_s)
    else:
        serve_bridge(step, file)
