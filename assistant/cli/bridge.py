"""`assistant bridge`: the service between the daemon and the network."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer

from assistant.bridge.mqtt import Broker
from assistant.bridge.network.build import serve_network
from assistant.bridge.network.grants import grants_servers
from assistant.bridge.network.server import NetworkServer
from assistant.bridge.stage import BridgeStage
from assistant.cli.shared.output import errors
from assistant.core.bus import Address, Bus
from assistant.core.config import Config, MqttSettings, config_files, load_config
from assistant.core.errors import BridgeError, ConfigError
from assistant.core.messages import HomeCommand, HomeReceipt, HomeStates, Message, Reload
from assistant.core.worker import Worker
from assistant.skill.home import Home, load_home
from assistant.supervision.logs import set_up
from assistant.supervision.sdnotify import Notifier

NAME = "bridge"
BEAT_S = 2.0
PEERS = ("skills", "control")
CONSUMERS: Mapping[type[Message], str] = {
    HomeCommand: NAME,
    HomeReceipt: "skills",
    HomeStates: "skills",
}


class Watchdog:
    """Beats to systemd in place of the daemon's supervisor, which does not run the bridge."""

    def __init__(self, notifier: Notifier, network: NetworkServer, broker: Broker | None) -> None:
        self._notifier, self._network, self._broker = notifier, network, broker

    def beat(self) -> None:
        """Report that all goes round; raises `BridgeError` when a connection has ended."""
        if self._broker is not None and not self._broker.alive:
            message = "the connection to the broker cannot go on; the log says why"
            raise BridgeError("bridge.ended", message)
        if not self._network.alive:
            raise BridgeError("bridge.ended", "the network of skills hangs; the log says why")
        self._notifier.alive()

    def reloading(self) -> None:
        """Report a beat: reading the settings takes only a moment."""
        self._notifier.alive()


def bridge(
    config: Annotated[Path | None, typer.Option(help="Settings, in place of the usual.")] = None,
) -> None:
    """Carry what passes between the daemon and the MQTT broker, and what skills ask servers."""
    settings, _ = load_config(config_files(config))
    set_up(NAME, settings.log.level)
    os.umask(0o077)  # as in the daemon, whose runtime folder also holds the bridge's sockets
    notifier = Notifier.from_environment()
    if not settings.mqtt.host and not grants_servers(settings):
        # Without READY=1 systemd would treat the exit as a failure.
        notifier.ready()
        told = (
            "bridge: off; set mqtt.host in the settings, or grant a skill a server, to turn it on"
        )
        errors.print(told, markup=False)
        return
    with closing(serve_network(settings, lambda: load_config(config_files(config))[0])) as network:
        if settings.mqtt.host:
            _serve(settings, config, notifier, network)
        else:
            _wait(Watchdog(notifier, network, None), notifier)
        notifier.stopping()


def _serve(settings: Config, file: Path | None, notifier: Notifier, network: NetworkServer) -> None:
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
            Watchdog(notifier, network, broker),
            lambda: _reloaded(stage, settings.mqtt, file),
        )
        _when_told_to_end(worker.stop)
        notifier.ready()
        worker.run()


def _wait(watchdog: Watchdog, notifier: Notifier) -> None:
    """Let the network be served, without a broker, until SIGTERM."""
    ended = threading.Event()
    _when_told_to_end(ended.set)
    notifier.ready()
    while not ended.wait(BEAT_S):
        watchdog.beat()


def _when_told_to_end(end: Callable[[], None]) -> None:
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: end())


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
