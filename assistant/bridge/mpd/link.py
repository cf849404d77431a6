"""The connection to MPD, which is restored when it fails."""

from __future__ import annotations

import logging
from functools import partial
from pathlib import Path

from assistant.bridge.mpd.commands import carry_out
from assistant.bridge.mpd.library import read_names
from assistant.bridge.mpd.reports import read_status
from assistant.bridge.mpd.session import RefusedError, Session, opened
from assistant.bridge.password import read_password
from assistant.bridge.player import AUDIBLE, PlayerLink
from assistant.core.errors import BridgeError
from assistant.core.messages import HomeCommand, MusicLibrary
from assistant.core.settings.mpd import PLAYER, MpdSettings

ALIVE_EVERY_S = 15.0
"""Seconds after which a silent connection is asked whether it lives."""
MUSIC = ("database", "stored_playlist")
"""Subsystems whose change may have changed what music there is."""

log = logging.getLogger(__name__)


class Mpd(PlayerLink):
    """MPD, a media player of the home."""

    def __init__(self, settings: MpdSettings) -> None:
        file = settings.password_file
        self._password_file = Path(file).expanduser() if file else None
        super().__init__(log, "mpd", PLAYER, "player", self._password_file)
        self._settings = settings
        self._loud = AUDIBLE
        self._start()

    async def _once(self) -> None:
        try:
            async with opened(
                self._settings.host, self._settings.port, self._password()
            ) as session:
                await self._live(session)
        except RefusedError as error:
            raise BridgeError("bridge.refused", f"MPD refuses to tell its state: {error}") from None
        finally:
            self._gone()

    async def _live(self, session: Session) -> None:
        """Do what is commanded, and tell what changes, until the connection ends."""
        await self._look(session)
        self._ready()
        await self._read_library(session)
        while True:
            await self._serve_by(session)
            changes = await session.idle(self._wanted, ALIVE_EVERY_S)
            if changes:
                await self._look(session)
            if not changes.isdisjoint(MUSIC):
                await self._read_library(session)

    async def _serve_by(self, session: Session) -> None:
        await self._serve(partial(self._carry_out, session), partial(self._look, session))

    async def _carry_out(self, session: Session, command: HomeCommand) -> None:
        await carry_out(command, session, await read_status(session), self._loud)

    async def _look(self, session: Session) -> None:
        """Tell the daemon what the player does now."""
        status = await read_status(session)
        if status.volume:
            self._loud = status.volume
        state, attributes = status.report()
        self._report({PLAYER: state}, {PLAYER: attributes})

    async def _read_library(self, session: Session) -> None:
        """Tell the daemon what music there is; in between, what is commanded is done."""
        names = {}
        try:
            async for kind, found in read_names(session):
                names[kind] = found
                await self._serve_by(session)
        except RefusedError as error:
            self._complaints.of("mpd", f"does not tell its music: {error} (bridge.refused)")
        self._offer(MusicLibrary(names=names))

    def _password(self) -> str | None:
        """The password in the settings' file; raises `BridgeError`, which quotes nothing of it."""
        file = self._password_file
        return read_password(file, "mpd.password_file") if file is not None else None
