"""`assistant bridge`: the service between the daemon and the MQTT broker."""

from __future__ import annotations

import os
import signal
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer

from assistant.bridge.mqtt import Broker
from assistant.bridge.stage import BridgeStage
from assistant.cli.shared.output import errors
from assistant.core.bus import Address, Bus
from assistant.core.config import Config, MqttSettings, config_files, load_config
from assistant.core.errors import BridgeError, ConfigError
from assistant.core.messages import HomeCommand, HomeStates, Message, Reload
from assistant.core.worker import Worker
from assistant.skill.home import Home, load_home
from assistant.supervision.logs import set_up
from assistant.supervision.sdnotify import Notifier

NAME = "bridge"
PEERS = ("skills", "control")
CONSUMERS: Mapping[type[Message], str] = {HomeCommand: NAME, HomeStates: "skills"}


class Watchdog:
    """Beats to systemd in place of the daemon's supervisor, which does not run the bridge."""

    def __init__(self, notifier: Notifier, broker: Broker) -> None:
        self._notifier, self._broker = notifier, broker

    def beat(self) -> None:
        """Report that the loop went round; raises `BridgeError` when the connection has ended."""
        if not self._broker.alive:
            message = "the connection to the broker cannot go on; the log says why"
            raise BridgeError("bridge.ended", message)
        self._notifier.alive()

    def reloading(self) -> None:
        """Report a beat: reading the settings takes only a moment."""
        self._notifier.alive()


def bridge(
    config: Annotated[Path | None, typer.Option(help="Settings, in place of the usual.")] = None,
) -> None:
    """Carry commands and states between the daemon and the MQTT broker of the settings."""
    settings, _ = load_config(config_files(config))
    set_up(NAME, settings.log.level)
    os.umask(0o077)  # as in the daemon, whose runtime folder also holds the bridge's sockets
    notifier = Notifier.from_environment()
    if settings.mqtt.host:
        _serve(settings, config, notifier)
    else:
        # Without READY=1 systemd would treat the exit as a failure.
        notifier.ready()
        errors.print("bridge: off; set mqtt.host in the settings to turn it on", markup=False)


def _serve(settings: Config, file: Path | None, notifier: Notifier) -> None:
    consumes: tuple[type[Message], ...] = (*BridgeStage.consumes, Reload)
    with (
        closing(Broker(settings.mqtt, _devices(settings))) as broker,
        closing(Address(settings.runtime_dir)) as address,
        closing(Bus(NAME, address, PEERS, CONSUMERS, consumes)) as bus,
    ):
        stage = BridgeStage(broker)
        bus.watch(broker)
        worker = Worker(
            NAME,
            stage,
            bus,
            Watchdog(notifier, broker),
            lambda: _reloaded(stage, settings.mqtt, file),
        )
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: worker.stop())
        notifier.ready()
        worker.run()
        notifier.stopping()


def _devices(settings: Config) -> list[str]:
    """The ids of the home's devices."""
    file = settings.home.file
    home = load_home(Path(file).expanduser()) if file else Home()
    return [entity.id for entity in home.entities]


def _reloaded(stage: BridgeStage, running: MqttSettings, file: Path | None) -> BridgeStage:
    settings, _ = load_config(config_files(file))
    if settings.mqtt != running:
        message = "[mqtt] has changed; run: sudo systemctl restart assistant-bridge"
        raise ConfigError("bridge.reload", message)
    stage.follow(_devices(settings))
    return stage
