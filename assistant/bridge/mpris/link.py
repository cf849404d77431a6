"""The connection to the players of the session, which is restored when it fails."""

from __future__ import annotations

import asyncio
import logging
from functools import partial

from assistant.bridge.mpris.commands import carry_out
from assistant.bridge.mpris.reports import read_status
from assistant.bridge.mpris.session import Session, opened
from assistant.bridge.player import AUDIBLE, PlayerLink
from assistant.core.messages import HomeCommand
from assistant.core.settings.mpris import PLAYER

ALIVE_EVERY_S = 5.0
"""Seconds after which the players are looked at without news of them."""
LOOK_EVERY_S = 0.1
"""Fewest seconds between two looks: a player may tell of changes without an end."""

log = logging.getLogger(__name__)


class Mpris(PlayerLink):
    """The players of the session, as one media player of the home."""

    def __init__(self) -> None:
        super().__init__(log, "mpris", PLAYER, "session")
        self._meant = ""
        self._loud = AUDIBLE / 100
        self._start()

    async def _once(self) -> None:
        try:
            async with opened() as session:
                await self._live(session)
        finally:
            self._gone()

    async def _live(self, session: Session) -> None:
        """Do what is commanded, and tell what changes, until the connection ends."""
        await self._look(session)
        self._ready()
        while True:
            await self._serve(partial(self._carry_out, session), partial(self._look, session))
            changed = await session.change(self._wanted, ALIVE_EVERY_S)
            if changed or not self._wanted.is_set():
                await self._look(session)
                await asyncio.sleep(LOOK_EVERY_S)

    async def _carry_out(self, session: Session, command: HomeCommand) -> None:
        status = await read_status(session, self._meant)
        await carry_out(command, session, status, self._loud)

    async def _look(self, session: Session) -> None:
        """Tell the daemon what the player does now that is meant."""
        status = await read_status(session, self._meant)
        self._meant = status.player
        if status.volume:
            self._loud = status.volume
        state, attributes = status.report()
        self._report({PLAYER: state}, {PLAYER: attributes})
