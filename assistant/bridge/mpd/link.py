"""The connection to MPD, which is restored when it fails."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Iterable
from pathlib import Path

from assistant.bridge.complaints import Complaints
from assistant.bridge.kept import KeptLink
from assistant.bridge.link import FRESH_S, Outcome
from assistant.bridge.mpd.commands import AUDIBLE, carry_out
from assistant.bridge.mpd.library import read_names
from assistant.bridge.mpd.reports import Status, read_status
from assistant.bridge.mpd.session import RefusedError, Session, opened
from assistant.core.clock import boottime_s
from assistant.core.errors import BridgeError
from assistant.core.files import read_private
from assistant.core.messages import HomeCommand, MusicLibrary
from assistant.core.settings.mpd import PLAYER, MpdSettings

ALIVE_EVERY_S = 15.0
"""Seconds after which a silent connection is asked whether it lives."""
WAITING_COMMANDS = 32
"""Most commands that wait for their turn."""
LARGEST_PASSWORD_BYTES = 1024
MUSIC = ("database", "stored_playlist")
"""Subsystems whose change may have changed what music there is."""

log = logging.getLogger(__name__)


class Mpd(KeptLink):
    """MPD, a media player of the home.

    What it is to do is tried once, and never later: music that begins by itself after an hour is
    no help to anybody.
    """

    def __init__(self, settings: MpdSettings) -> None:
        file = settings.password_file
        self._password_file = Path(file).expanduser() if file else None
        super().__init__(log, "mpd", self._password_file, device="player")
        self._settings = settings
        self._complaints = Complaints(log)
        self._waiting: deque[HomeCommand] = deque()
        self._wanted = asyncio.Event()
        self._on_their_way: set[int] = set()
        self._loud = AUDIBLE
        self._serving = False
        self._start()

    def follow(self, entity_ids: Iterable[str]) -> None:
        """Do nothing, as it has one player, whatever the home's file names."""

    def serves(self, entity_id: str) -> bool:
        """Whether a device is its player."""
        return entity_id == PLAYER

    def publish(self, command: HomeCommand) -> None:
        """Have the player do something; raises `BridgeError` when too many commands wait."""
        if command.ids and self._on_their_way.issuperset(command.ids):
            return
        if not self._present:
            self._give_up(command)
            return
        if len(self._waiting) >= WAITING_COMMANDS:
            self._give_up(command)
            raise BridgeError("bridge.full", f"MPD answers nothing: {PLAYER} was not told")
        self._on_their_way |= set(command.ids)
        self._loop.call_soon_threadsafe(self._begin, command)

    # ── the thread of the connection ────────────────────────────────────────────────────────

    async def _once(self) -> None:
        try:
            async with opened(
                self._settings.host, self._settings.port, self._password()
            ) as session:
                await self._live(session)
        except RefusedError as error:
            raise BridgeError("bridge.refused", f"MPD refuses to tell its state: {error}") from None
        finally:
            self._serving = False
            self._report({PLAYER: "unavailable"}, {PLAYER: {}})
            while self._waiting:
                self._give_up(self._waiting.popleft())

    async def _live(self, session: Session) -> None:
        """Do what is commanded, and tell what changes, until the connection ends."""
        await self._look(session)
        self._serving = True
        self._changed(True, "")
        await self._read_library(session)
        while True:
            await self._serve(session)
            changes = await session.idle(self._wanted, ALIVE_EVERY_S)
            if changes:
                await self._look(session)
            if not changes.isdisjoint(MUSIC):
                await self._read_library(session)

    async def _look(self, session: Session) -> Status:
        """Tell the daemon what the player does now."""
        status = await read_status(session)
        if status.volume:
            self._loud = status.volume
        state, attributes = status.report()
        self._report({PLAYER: state}, {PLAYER: attributes})
        return status

    async def _read_library(self, session: Session) -> None:
        """Tell the daemon what music there is; in between, what is commanded is done."""
        names = {}
        try:
            async for kind, found in read_names(session):
                names[kind] = found
                await self._serve(session)
        except RefusedError as error:
            self._complaints.of("mpd", f"does not tell its music: {error} (bridge.refused)")
        self._offer(MusicLibrary(names=names))

    # ── what is to happen there ─────────────────────────────────────────────────────────────

    def _begin(self, command: HomeCommand) -> None:
        if not self._serving:
            self._give_up(command)
            return
        self._waiting.append(command)
        self._wanted.set()

    async def _serve(self, session: Session) -> None:
        """Do what is commanded, one after the other."""
        self._wanted.clear()
        while self._waiting:
            await self._carry_out(self._waiting.popleft(), session)

    async def _carry_out(self, command: HomeCommand, session: Session) -> None:
        if command.command and command.given_at_s < boottime_s() - FRESH_S:
            self._over(command, "unsent")
            return
        outcome: Outcome = "unsure" if command.command else "failed"
        try:
            await carry_out(command, session, await read_status(session), self._loud)
            outcome = "sent"
        except RefusedError as error:
            self._complaints.of("mpd", f"a command fails: {error} (bridge.refused)")
            outcome = "failed"
        except BridgeError as error:
            if error.code not in ("bridge.service", "bridge.argument"):
                raise
            self._complaints.of("mpd", f"{error.message} ({error.code})")
            outcome = "failed"
        finally:
            self._over(command, outcome)
        await self._look(session)

    def _give_up(self, command: HomeCommand) -> None:
        self._over(command, "unsent" if command.command else "failed")

    def _over(self, command: HomeCommand, outcome: Outcome) -> None:
        self._conclude(command.ids, outcome)
        self._on_their_way -= set(command.ids)
        self._wake()

    def _password(self) -> str | None:
        """The password in the settings' file; raises `BridgeError`, which quotes nothing of it."""
        if self._password_file is None:
            return None
        where = f"mpd.password_file: {self._password_file}"
        try:
            content = read_private(self._password_file, LARGEST_PASSWORD_BYTES + 1)
            password = content.decode("utf-8").rstrip("\r\n")
        except OSError as error:
            raise BridgeError("bridge.password", f"{where}: {error.strerror}") from error
        except UnicodeDecodeError:
            raise BridgeError("bridge.password", f"{where} holds no text") from None
        if not password.isprintable() or not 0 < len(content) <= LARGEST_PASSWORD_BYTES:
            raise BridgeError("bridge.password", f"{where} holds no password")
        return password
