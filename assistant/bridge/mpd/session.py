"""One connection to MPD: commands as lines, answers within bounds."""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import AsyncIterator, Awaitable, Sequence
from contextlib import asynccontextmanager
from typing import TypeVar

from assistant.bridge.local import local_socket
from assistant.bridge.player import NotDoneError
from assistant.core.errors import BridgeError

Pairs = list[tuple[str, str]]
"""An answer: names and values in their order, the names in lower case."""

LONGEST_LINE_BYTES = 16_384
"""Most bytes of a line; MPD's own paths and tags have at most 4096."""
LARGEST_ANSWER_BYTES = 32 << 20
"""Most bytes of an answer: the titles of half a million songs."""
MOST_PAIRS = 1000
"""Most lines that are kept of an answer; the rest is read, and dropped."""
MOST_LETTERS = 4 << 20
"""Most letters that are kept of an answer, each of which may take four bytes."""
GREETING_S = 10.0
"""Seconds until the connection is proved."""
ANSWER_S = 2.0
"""Seconds for an answer."""
LOST = "the connection was lost"
BAD_PASSWORD, NOT_ALLOWED = 3, 4
"""Numbers of MPD's refusals."""
SUBSYSTEMS = ("player", "mixer", "options", "playlist", "database", "stored_playlist")
"""What MPD tells the changes of."""

T = TypeVar("T")

_ACK = re.compile(r"ACK \[(\d{1,6})@\d{1,6}\] \{[^}]*\} ?(.*)")
_PAIR = re.compile(r"([A-Za-z0-9_-]{1,40}): (.*)", re.DOTALL)


class RefusedError(NotDoneError):
    """MPD says that a command cannot be carried out; `code` is its number."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


def quoted(argument: str) -> str:
    """An argument of a command; raises `BridgeError` for one that would end its line."""
    if not argument.isprintable():
        raise BridgeError("bridge.argument", "MPD cannot be told what is not printable")
    escaped = argument.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


class Session:
    """A connection that has proved itself; one answer is waited for at a time."""

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, there: str
    ) -> None:
        self._reader, self._writer, self._there = reader, writer, there

    async def ask(
        self, *commands: str, within_s: float | None = None, most_pairs: int = MOST_PAIRS
    ) -> Pairs:
        """What MPD answers to commands, of which it carries out all until one is refused.

        Raises `RefusedError`, and `BridgeError` where the connection is of no use any more.
        """
        lines = ("command_list_begin", *commands, "command_list_end")
        self._send(lines if len(commands) > 1 else commands)
        return await self._within(
            ANSWER_S if within_s is None else within_s, self._answer(most_pairs)
        )

    async def idle(self, until: asyncio.Event, within_s: float) -> set[str]:
        """What has changed: waits for a change, for `until`, or for so many seconds.

        Raises as `ask`; a connection that is dead is noticed when the time is over.
        """
        self._send((f"idle {' '.join(SUBSYSTEMS)}",))
        answer = asyncio.ensure_future(self._answer(MOST_PAIRS))
        waiting = asyncio.ensure_future(until.wait())
        try:
            await asyncio.wait((answer, waiting), timeout=within_s, return_when="FIRST_COMPLETED")
            if not answer.done():
                self._send(("noidle",))
            changes = await self._within(ANSWER_S, answer)
        finally:
            for task in (answer, waiting):
                task.cancel()
            await asyncio.gather(answer, waiting, return_exceptions=True)
        return {value for name, value in changes if name == "changed"}

    async def greeted(self, password: str | None) -> None:
        """Prove the connection; raises `BridgeError` for what is no MPD, or refuses."""
        greeting = await self._within(GREETING_S, self._line())
        if not greeting.startswith("OK MPD "):
            raise self._strange()
        try:
            if password is not None:
                await self.ask(f"password {quoted(password)}", within_s=GREETING_S)
            await self.ask("status", within_s=GREETING_S)
        except RefusedError as error:
            if error.code not in (BAD_PASSWORD, NOT_ALLOWED):
                raise BridgeError("bridge.refused", f"{self._there} refuses: {error}") from None
            told = "refuses the password" if password is not None else "asks for a password"
            message = f"{self._there} {told}; see mpd.password_file"
            raise BridgeError("bridge.password", message) from None

    def _send(self, lines: Sequence[str]) -> None:
        self._writer.write("".join(f"{line}\n" for line in lines).encode())

    async def _within(self, seconds: float, answer: Awaitable[T]) -> T:
        try:
            async with asyncio.timeout(seconds):
                return await answer
        except TimeoutError as error:
            raise BridgeError("bridge.silent", f"{self._there} does not answer") from error
        except OSError as error:
            raise BridgeError("bridge.away", LOST) from error

    async def _answer(self, most_pairs: int) -> Pairs:
        pairs: Pairs = []
        left, room = LARGEST_ANSWER_BYTES, MOST_LETTERS
        while (line := await self._line()) != "OK":
            left -= len(line)
            if refusal := _ACK.fullmatch(line):
                raise RefusedError(int(refusal[1]), refusal[2][:200])
            pair = _PAIR.fullmatch(line)
            if pair is None:
                raise self._strange()
            if left < 0:
                message = f"{self._there} answers more than {LARGEST_ANSWER_BYTES} bytes"
                raise BridgeError("bridge.answer", message)
            if len(pairs) < most_pairs and len(line) <= room:
                room -= len(line)
                pairs.append((pair[1].lower(), pair[2]))
        return pairs

    async def _line(self) -> str:
        try:
            line = await self._reader.readuntil(b"\n")
        except asyncio.IncompleteReadError as error:
            raise BridgeError("bridge.away", LOST) from error
        except asyncio.LimitOverrunError as error:
            message = f"{self._there} sends a line of more than {LONGEST_LINE_BYTES} bytes"
            raise BridgeError("bridge.answer", message) from error
        return line[:-1].decode("utf-8", "replace")

    def _strange(self) -> BridgeError:
        message = f"{self._there} does not speak as MPD does; see mpd.host and mpd.port"
        return BridgeError("bridge.answer", message)


@asynccontextmanager
async def opened(host: str, port: int, password: str | None) -> AsyncIterator[Session]:
    """A session that has proved itself; raises `BridgeError` with what is wrong."""
    there = f"MPD at {host}:{port}"
    line = await local_socket(host, port, there)
    reader, writer = await asyncio.open_connection(sock=line, limit=LONGEST_LINE_BYTES)
    try:
        session = Session(reader, writer, there)
        await session.greeted(password)
        yield session
    finally:
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()
