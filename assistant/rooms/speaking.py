"""A text of a peer that is spoken to it, be it that the text comes bit by bit."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable

from wyoming.audio import AudioChunk, AudioStart, AudioStop
from wyoming.error import Error
from wyoming.event import Event

from assistant.core.errors import RoomsError
from assistant.english.sentences import sentences, so_far
from assistant.rooms.asking import SAMPLE_BYTES, Peer, require_short, spoken
from assistant.rooms.callers import Turns
from assistant.rooms.daemon import Daemon
from assistant.rooms.wire import BrokenError

SENT_BYTES = 8192
"""Bytes of a voice's sound in one event."""


class Speaking:
    """One text in the daemon's voice, whose sound is passed to `send` as it is made.

    `turns` let the daemon work on a few requests at a time. A sentence is asked for when the peer
    has taken those before it: one that takes nothing costs no more.
    """

    def __init__(
        self,
        daemon: Daemon,
        peer: Peer,
        turns: Turns,
        send: Callable[[Event], Awaitable[None]],
    ) -> None:
        self._daemon, self._peer, self._turns, self._send = daemon, peer, turns, send
        self._waiting = ""
        self._begun = self._failed = False

    async def add(self, text: str) -> None:
        """Take the next part of the text, and speak the sentences that are whole.

        Where it cannot be spoken the peer is told, and what follows is passed over.
        """
        async with self._told():
            whole, self._waiting = so_far(require_short(self._waiting + text))
            await self._speak(whole)

    async def finish(self) -> None:
        """Speak what is left, and tell that the sound has ended."""
        async with self._told():
            await self._speak(sentences(self._waiting))
        await self._send(AudioStop().event())

    @contextlib.asynccontextmanager
    async def _told(self) -> AsyncIterator[None]:
        try:
            yield
        except BrokenError:
            raise
        except RoomsError as error:
            self._failed = True
            await self._send(Error(text=error.message, code=error.code).event())

    async def _speak(self, found: list[str]) -> None:
        for sentence in found:
            if not self._failed:
                await self._say(sentence)

    async def _say(self, sentence: str) -> None:
        async with self._turns.own, self._turns.voice:
            parts = [part async for part in spoken(self._daemon, sentence, self._peer)]
        for part in parts:
            form = (part.rate_hz, SAMPLE_BYTES, 1)
            if not self._begun:
                self._begun = True
                await self._send(AudioStart(*form).event())
            for at in range(0, len(part.samples), SENT_BYTES):
                sound = part.samples[at : at + SENT_BYTES]
                await self._send(AudioChunk(*form, sound).event())
