"""`assistant satellite`: a microphone and a loudspeaker that serve a base elsewhere."""

from __future__ import annotations

import asyncio
import os
import signal
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

from assistant.cli.network.watchdog import Watchdog
from assistant.core.config import config_files, load_config
from assistant.core.errors import AudioError
from assistant.core.settings.wyoming import SATELLITE_PORT
from assistant.pairing.at_satellite import Pairing
from assistant.pairing.secret import of_key
from assistant.pairing.trust import Trust
from assistant.rooms.discovery.announcing import Announcer
from assistant.rooms.discovery.multicast import SATELLITE
from assistant.satellite.build import Parts, parts
from assistant.satellite.serve import Server
from assistant.supervision.logs import set_up
from assistant.supervision.sdnotify import Notifier

NAME = "satellite"


def satellite(
    base: Annotated[
        list[str],
        typer.Option(help="Name or address of who may use it: another Hark, or Home Assistant."),
    ],
    name: Annotated[str, typer.Option(help="What it calls itself, in place of the host.")] = "",
    area: Annotated[str, typer.Option(help="The room where it stands.")] = "",
    address: Annotated[str, typer.Option(help="Address to listen at, in place of every one.")] = "",
    port: Annotated[int, typer.Option(help="TCP port to listen at; 0 for any.")] = SATELLITE_PORT,
    announce: Annotated[
        bool, typer.Option("--announce", help="Let the base find it by its name, by multicast DNS.")
    ] = False,
    key: Annotated[
        Path | None, typer.Option(help="File with a key to be paired by, in place of a number.")
    ] = None,
    config: Annotated[Path | None, typer.Option(help="Settings, in place of the usual.")] = None,
) -> None:
    """Be the ear and the voice of a base elsewhere, with a microphone and a loudspeaker."""
    settings, _ = load_config(config_files(config))
    set_up(NAME, settings.log.level)
    notifier = Notifier.from_environment()
    trust = Trust.of(settings)
    secret = of_key(key) if key else None
    with ExitStack() as opened:
        name = name or os.uname().nodename
        made = parts(settings, name, area, opened)
        pairing = Pairing(trust, made.satellite.announce, secret)
        asyncio.run(_serve(made, base, address, port, pairing, name if announce else "", notifier))
    notifier.stopping()


async def _serve(
    made: Parts,
    base: list[str],
    address: str,
    port: int,
    pairing: Pairing,
    name: str,
    notifier: Notifier,
) -> None:
    """Serve until a signal comes, announced as `name`, or not where that is ""."""

    def require_player() -> None:
        if not made.playback.alive:
            raise AudioError("audio.player_died", "the player has died")

    watchdog = Watchdog(notifier, require_player)
    server = Server(made.satellite, made.sources, base, address, port, pairing, watchdog.beat)
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, server.stop)
    notifier.ready()
    announcing = asyncio.create_task(_announce(server, address, name))
    try:
        await server.run()
    finally:
        announcing.cancel()


async def _announce(server: Server, address: str, name: str) -> None:
    if name:
        await server.listening.wait()
        await Announcer(name, SATELLITE, address, server.port).run()
