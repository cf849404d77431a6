"""`assistant bridge`: the service between the daemon and the network."""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from assistant.bridge.caldav.link import CalDav
from assistant.bridge.collector import Collector
from assistant.bridge.discovery.link import DiscoveringBroker
from assistant.bridge.home_assistant.link import HomeAssistant
from assistant.bridge.link import Link
from assistant.bridge.mpd.link import Mpd
from assistant.bridge.mpris.link import Mpris
from assistant.bridge.mqtt import Broker
from assistant.bridge.network.build import serve_network
from assistant.bridge.network.grants import grants_servers
from assistant.bridge.network.server import NetworkServer
from assistant.bridge.stage import BridgeStage
from assistant.cli.network.watchdog import Watchdog
from assistant.cli.shared.output import errors
from assistant.control.client import ControlClient
from assistant.core.bus import Address, Bus
from assistant.core.config import Config, config_files, load_config
from assistant.core.errors import BridgeError, ConfigError, ControlError
from assistant.core.layout import SENSORS
from assistant.core.messages import (
    CalendarCommand,
    CalendarReport,
    HomeCommand,
    HomeDescribed,
    HomeForecasts,
    HomeLists,
    HomeReceipt,
    HomeStates,
    Message,
    MusicLibrary,
    Reload,
    SensorAlarm,
    SensorValues,
)
from assistant.core.network.exchange import Allowed, Refused
from assistant.core.sensors.described import Sensors, load_sensors
from assistant.core.worker import Worker
from assistant.skill.home import Home, load_home
from assistant.supervision.logs import set_up
from assistant.supervision.sdnotify import Notifier

NAME = "bridge"
BEAT_S = 2.0
SWITCHES_S = 0.0005
"""Seconds for which one thread may hold up another: an alarm shall not wait while the connection's
thread reads values."""
MUTED_WITHIN_S = 1.0
"""Seconds in which the daemon says whether it is muted."""
PEERS = ("skills", "control", "audio", SENSORS)
CONSUMERS: Mapping[type[Message], str] = {
    HomeCommand: NAME,
    CalendarCommand: NAME,
    CalendarReport: "skills",
    HomeReceipt: "skills",
    HomeStates: "skills",
    HomeForecasts: "skills",
    HomeLists: "skills",
    MusicLibrary: "skills",
    HomeDescribed: "control",
    SensorAlarm: NAME,
    SensorValues: SENSORS,
}

log = logging.getLogger(__name__)


def bridge(
    config: Annotated[Path | None, typer.Option(help="Settings, in place of the usual.")] = None,
) -> None:
    """Carry what passes between the daemon and the home's devices, and what skills ask."""
    settings, _ = load_config(config_files(config))
    set_up(NAME, settings.log.level)
    sys.setswitchinterval(SWITCHES_S)
    os.umask(0o077)  # as in the daemon, whose runtime folder also holds the bridge's sockets
    ended = threading.Event()  # from now on, as whoever finds the socket may end this process
    _when_told_to_end(ended.set)
    notifier = Notifier.from_environment()
    if not (settings.uses_bridge or settings.hub.url or grants_servers(settings)):
        # Without READY=1 systemd would treat the exit as a failure.
        notifier.ready()
        told = (
            "bridge: off; set home_assistant.url, mqtt.host, mpd.host, mpris.on, calendar.url,"
            " traces.endpoint or hub.url in the settings, or grant a skill a server, to turn it on"
        )
        errors.print(told, markup=False, soft_wrap=True)
        return
    with closing(serve_network(settings, lambda: load_config(config_files(config))[0])) as network:
        if settings.uses_bridge:
            _serve(settings, config, notifier, network, ended)
        else:
            _wait(Watchdog(notifier, partial(_require_alive, network)), notifier, ended)
        notifier.stopping()


def _serve(
    settings: Config,
    file: Path | None,
    notifier: Notifier,
    network: NetworkServer,
    ended: threading.Event,
) -> None:
    consumes: tuple[type[Message], ...] = (*BridgeStage.consumes, Reload)
    sensors = _sensors(settings)
    with ExitStack() as opened:
        links = [opened.enter_context(closing(made)) for made in _links(settings, sensors)]
        calendars = [link for link in links if isinstance(link, CalDav)]
        address = opened.enter_context(closing(Address(settings.runtime_dir)))
        bus = opened.enter_context(closing(Bus(NAME, address, PEERS, CONSUMERS, consumes)))
        forward = None
        if settings.traces.endpoint:
            forward = opened.enter_context(closing(Collector(settings.traces))).forward
        stage = BridgeStage(*links, sensors=sensors, forward=forward)
        network.home = lambda: _reached([link for link in links if link not in calendars])
        network.calendar = lambda: _reached(calendars)
        for link in links:
            bus.watch(link)
        worker = Worker(
            NAME,
            stage,
            bus,
            Watchdog(notifier, partial(_require_alive, network, *links)),
            lambda: _reloaded(stage, settings, file),
        )
        _when_told_to_end(worker.stop)
        if ended.is_set():
            worker.stop()
        notifier.ready()
        worker.run()


def _require_alive(network: NetworkServer, *links: Link) -> None:
    """Raise `BridgeError` when a connection has ended."""
    if not all(link.alive for link in links):
        raise BridgeError("bridge.ended", "a connection cannot go on; the log says why")
    if not network.alive:
        raise BridgeError("bridge.ended", "the network of skills hangs; the log says why")


def _wait(watchdog: Watchdog, notifier: Notifier, ended: threading.Event) -> None:
    """Let the network be served, without any devices, until SIGTERM."""
    notifier.ready()
    while not ended.wait(BEAT_S):
        watchdog.beat()


def _when_told_to_end(end: Callable[[], None]) -> None:
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: end())


def _links(settings: Config, sensors: Sensors) -> Iterator[Link]:
    """The connections to devices and the calendar; raises `ConfigError` for unusable settings."""
    if settings.calendar.url:
        yield CalDav(settings.calendar)
    if settings.mpd.host:
        yield Mpd(settings.mpd)
    if settings.mpris.on:
        yield Mpris()
    if settings.reaches_home:
        yield _home(settings, sensors)


def _home(settings: Config, sensors: Sensors) -> Link:
    if settings.home_assistant.url and settings.mqtt.host:
        message = "mqtt.host and home_assistant.url are both set; devices are reached by one"
        raise ConfigError("bridge.both", message)
    if settings.home_assistant.url:
        named = _devices(settings) if settings.home.file else None
        return HomeAssistant(settings.home_assistant, named, sensors)
    broker = DiscoveringBroker if settings.mqtt.discover else Broker
    return broker(settings.mqtt, _devices(settings), lambda: _muted(settings), sensors)


def _sensors(settings: Config) -> Sensors:
    """The sensors in the user's own file; raises `InputError` for one that cannot be used."""
    file = settings.sensors_file
    sensors = load_sensors(file) if file is not None else Sensors()
    unheard = [
        sensor.id
        for sensor in sensors.sensors
        if not (settings.mqtt.host if sensor.topic else settings.reaches_home)
    ]
    if unheard:
        told = "%s gets no values, nor do %d more: set mqtt.host (sensors.unheard)"
        log.warning(told, unheard[0], len(unheard) - 1)
    return sensors


def _muted(settings: Config) -> bool | None:
    """Whether the daemon is muted; None where it does not say."""
    with contextlib.suppress(ControlError):
        for answer in ControlClient(settings.control_socket).follow("mute", MUTED_WITHIN_S):
            return bool(answer.get("muted"))
    return None


def _reached(links: Iterable[Link]) -> Allowed | Refused:
    """Whether these can be reached, as far as one knows."""
    for link in links:
        if link.presence is None:
            return Refused(code="bridge.away", message="it is being connected to; try again")
        if not link.presence.present:
            return Refused(code="bridge.away", message=link.presence.detail)
    return Allowed()


def _devices(settings: Config) -> list[str]:
    """The ids of the devices in the user's own file."""
    file = settings.home.file
    home = load_home(Path(file).expanduser()) if file else Home()
    return [entity.id for entity in home.entities]


def _reloaded(stage: BridgeStage, running: Config, file: Path | None) -> BridgeStage:
    settings, _ = load_config(config_files(file))
    for name in ("mqtt", "home_assistant", "mpd", "mpris", "calendar"):
        if getattr(settings, name) != getattr(running, name):
            message = f"[{name}] has changed; run: sudo systemctl restart assistant-bridge"
            raise ConfigError("bridge.reload", message)
    hubs = [(one.hub.url, one.hub.key_file, one.hub.certificate) for one in (settings, running)]
    if hubs[0] != hubs[1]:
        message = "[hub] has changed; run: sudo systemctl restart assistant-bridge"
        raise ConfigError("bridge.reload", message)
    if settings.traces.endpoint != running.traces.endpoint:
        message = "traces.endpoint has changed; run: sudo systemctl restart assistant-bridge"
        raise ConfigError("bridge.reload", message)
    if bool(settings.home.file) != bool(running.home.file) and running.home_assistant.url:
        message = "home.file has changed; run: sudo systemctl restart assistant-bridge"
        raise ConfigError("bridge.reload", message)
    sensors = _sensors(settings)
    stage.follow(_devices(settings))
    stage.follow_sensors(sensors)
    return stage
