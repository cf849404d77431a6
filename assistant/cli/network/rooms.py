"""`assistant rooms`: the service that serves others in the home over Wyoming."""

from __future__ import annotations

import os
import signal
from collections.abc import Mapping
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from assistant.cli.network.watchdog import Watchdog
from assistant.cli.shared.output import errors
from assistant.core.bus import Address, Bus
from assistant.core.config import Config, config_files, load_config
from assistant.core.errors import ConfigError, RoomsError
from assistant.core.layout import ROOMS
from assistant.core.messages import (
    AudioChunk,
    Commit,
    Message,
    Reload,
    Speech,
    SpokenReply,
    Transcript,
    Utterance,
)
from assistant.core.worker import Worker
from assistant.pairing.trust import Trust
from assistant.rooms.description import description
from assistant.rooms.network import Network
from assistant.rooms.stage import OVERHEARD, RoomsStage
from assistant.rooms.wake_words import WakeWords
from assistant.supervision.logs import set_up
from assistant.supervision.sdnotify import Notifier

PEERS = ("audio", "asr", "nlu", "skills", "answer", "voice", "control")
"""The processes whose events are heard."""
CONSUMERS: Mapping[type[Message], str] = {
    AudioChunk: "asr",
    Utterance: "asr",
    Transcript: "nlu",
    Commit: "skills",
    SpokenReply: "voice",
    Speech: "audio",
}


def rooms(
    config: Annotated[Path | None, typer.Option(help="Settings, in place of the usual.")] = None,
) -> None:
    """Let others in the home use recognition, voice and skills, over Wyoming."""
    settings, _ = load_config(config_files(config))
    set_up(ROOMS, settings.log.level)
    os.umask(0o077)  # as in the daemon, whose runtime folder also holds this service's sockets
    notifier = Notifier.from_environment()
    if not settings.wyoming.used:
        # Without READY=1 systemd would treat the exit as a failure.
        notifier.ready()
        told = (
            "rooms: off; name who may come in with wyoming.allow, or a satellite with"
            " [wyoming.satellites.NAME], in the settings to turn it on"
        )
        errors.print(told, markup=False, soft_wrap=True)
        return
    _serve(settings, config, notifier)
    notifier.stopping()


def _serve(settings: Config, file: Path | None, notifier: Notifier) -> None:
    words = WakeWords(settings.wake)
    engines = settings.asr.engine, settings.voice.engine
    about = description(*engines, words.keywords, settings.wyoming.acts == "there")
    heard: tuple[type[Message], ...] = (*OVERHEARD, Reload)
    trust = Trust.of(settings)
    with (
        closing(Network(settings.wyoming, about, settings.listening, words, trust)) as network,
        closing(Address(settings.runtime_dir)) as address,
        closing(Bus(ROOMS, address, PEERS, CONSUMERS, heard)) as bus,
    ):
        stage = RoomsStage(network)
        bus.watch(network.daemon)
        worker = Worker(
            *(ROOMS, stage, bus, Watchdog(notifier, partial(_require_alive, network))),
            lambda: _reloaded(stage, settings, file),
        )
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: worker.stop())
        notifier.ready()
        worker.run()


def _require_alive(network: Network) -> None:
    """Raise `RoomsError` when the thread of the connections has ended."""
    if not network.alive:
        raise RoomsError("rooms.ended", "the connections cannot go on; the log says why")


def _reloaded(stage: RoomsStage, running: Config, file: Path | None) -> RoomsStage:
    settings, _ = load_config(config_files(file))
    used, before = ((of.wyoming, of.listening, of.wake) for of in (settings, running))
    if used != before:
        message = (
            "[wyoming], [listening] or [wake] has changed; run: sudo systemctl restart"
            " assistant-satellites"
        )
        raise ConfigError("rooms.reload", message)
    return stage
