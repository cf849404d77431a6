"""A satellite on the network: it listens at a port, and serves the base that the owner named.

Until it is paired it speaks with that in plain; afterwards with the paired one by TLS, and with
nobody else.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
import ssl
from collections.abc import Callable, Iterable, Sequence
from functools import partial

from wyoming.event import Event
from wyoming.satellite import RunSatellite

from assistant.bridge.complaints import Complaints
from assistant.core.clock import boottime_s
from assistant.core.errors import AudioError, RoomsError
from assistant.core.messages import Frame, PlaybackEnded, PlaybackStarted, Tick
from assistant.core.stage import Source
from assistant.pairing.at_satellite import Pairing
from assistant.pairing.steps import TYPE, step_of
from assistant.pairing.trust import Stamp
from assistant.rooms.callers import Callers
from assistant.rooms.wire import (
    MALFORMED,
    MOST_HEADER_BYTES,
    TRUST,
    forget,
    read_event,
    write_event,
)
from assistant.satellite.satellite import Satellite

IDLE_S = 10.0
"""Seconds without an event after which the base is gone: it pings every other second."""
MOST_CONNECTIONS = 8
"""Most connections of those that are named; others do not count."""
MOST_IDLE = 32
"""Most connections that have not shown yet whose they are; the one that came first goes first."""
FOUND_EVERY_S = 30.0
"""Seconds after which the names of the bases are looked up again."""
MOST_WAITING = 600
"""Most events that wait for a slow base, twenty seconds of sound; then it is hung up on."""
LOOK_EVERY_S = 0.25
HANDSHAKE_S = 10.0
LINES_A_MINUTE = 5
"""Most lines of the log about one thing in a minute: a base that was restarted comes and goes."""

log = logging.getLogger(__name__)


class Server:
    """Serves `bases`, names or addresses, at `port`; frames and news come from `sources`."""

    def __init__(
        self,
        satellite: Satellite,
        sources: Iterable[Source],
        bases: Sequence[str],
        address: str,
        port: int,
        pairing: Pairing,
        beat: Callable[[], None] = lambda: None,
    ) -> None:
        self._satellite, self._sources = satellite, tuple(sources)
        self._bases = {base: _addresses(base, socket.AI_NUMERICHOST) for base in bases}
        """Name or address → the addresses that it has, as last found."""
        self._address, self.port, self._beat = address, port, beat
        self._pairing, self._trust = pairing, pairing.trust
        self._complaints = Complaints(log, most=LINES_A_MINUTE)
        self.callers = Callers(MOST_CONNECTIONS, MOST_CONNECTIONS)
        """Who is connected of those that are named, and has shown that it is a base."""
        self._unproven: list[Connection] = []
        """Those that have not, in the order in which they came."""
        self._tasks = set[asyncio.Task[None]]()
        self._connections = set[Connection]()
        self._base: Connection | None = None
        self._ending = asyncio.Event()
        self.listening = asyncio.Event()
        """Set when `port` is the one that is listened at."""

    def stop(self) -> None:
        """End, from the thread of the loop."""
        self._ending.set()

    async def run(self) -> None:
        """Serve until `stop`; raises `RoomsError` where it cannot listen."""
        loop = asyncio.get_running_loop()
        try:
            server = await asyncio.start_server(
                self._called, self._address or None, self.port, limit=MOST_HEADER_BYTES
            )
        except OSError as error:
            where = f"{self._address or 'every address'}, port {self.port}"
            raise RoomsError("satellite.port", f"cannot listen at {where}: {error}") from error
        self.port = server.sockets[0].getsockname()[1]
        self.listening.set()
        for source in self._sources:
            loop.add_reader(source.fileno(), self._hear, source)
        finding = asyncio.create_task(self._find())
        try:
            await self._look()
        finally:
            finding.cancel()
            server.close()  # since Python 3.12, `async with` would wait for the base to hang up
            for source in self._sources:
                loop.remove_reader(source.fileno())
            for connection in tuple(self._connections):
                connection.close()

    async def _look(self) -> None:
        while not self._ending.is_set():
            self._satellite.tick(Tick(at_s=boottime_s()))
            self._beat()
            self._look_for_pairing()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(LOOK_EVERY_S):
                    await self._ending.wait()

    def _look_for_pairing(self) -> None:
        """Hang up on all who came before it was paired, or paired no more."""
        paired = self._trust.base.stamp
        for connection in tuple(self._connections):
            if connection.paired != paired:
                connection.close()

    def _hear(self, source: Source) -> None:
        for message in source.read():
            if isinstance(message, Frame):
                self._send(self._satellite.hear(message))
            elif isinstance(message, PlaybackStarted | PlaybackEnded):
                self._send(self._satellite.told(message))

    def _send(self, events: Iterable[Event]) -> None:
        for event in events:
            if self._base is not None:
                self._base.send(event)

    def _called(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve who called; nothing is read before it is known whether that is to be decrypted."""
        writer.transport.pause_reading()  # type: ignore[attr-defined]
        task = asyncio.get_running_loop().create_task(self._serve(reader, writer))
        self._tasks.add(task)
        task.add_done_callback(partial(self._over, writer))

    def _over(self, writer: asyncio.StreamWriter, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        writer.transport.abort()  # of a stranger, or where it has not even begun

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        caller = writer.get_extra_info("peername")[0]
        if not any(caller in addresses for addresses in self._bases.values()):
            self._complaints.of("satellite", "an address that --base does not name calls")
            await forget(reader)
            return
        connection = Connection(writer, self._trust.base.stamp)
        self._connections.add(connection)
        try:
            event = await self._met(connection, reader, writer)
            with self.callers.let_in(caller, connection.close):
                await self._obey(connection, event, reader, writer)
        except (AudioError, RoomsError) as error:
            culprit = "satellite.trust" if error.code == TRUST else "satellite"
            self._complaints.of(culprit, f"a connection ends: {error.message} ({error.code})")
        except MALFORMED:
            self._complaints.of("satellite", "an event lacks a field (rooms.event)")
        except asyncio.CancelledError:
            pass  # at the end; asyncio of Python 3.11 would log a task that is cancelled
        finally:
            self._connections.discard(connection)
            connection.close()
            await forget(reader)
            if self._base is connection:
                self._base = None
                self._satellite.lost()
                self._complaints.of("satellite.gone", "the base is gone")

    async def _met(
        self, connection: Connection, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> Event | None:
        """The first event of who called, by TLS where there is a pairing.

        Until it comes nobody knows whose the connection is, and it keeps no other out.
        """
        if len(self._unproven) >= MOST_IDLE:
            self._unproven.pop(0).close()
            self._complaints.of("satellite", f"more than {MOST_IDLE} connections say nothing")
        self._unproven.append(connection)
        connection.meeting = asyncio.current_task()
        try:
            await self._encrypt(writer)
            return await read_event(reader, IDLE_S)
        finally:
            connection.meeting = None
            if connection in self._unproven:
                self._unproven.remove(connection)

    async def _encrypt(self, writer: asyncio.StreamWriter) -> None:
        """Let in the paired base alone, by TLS, where there is one."""
        context = self._trust.context(self._trust.base, server_side=True)
        if context is None:
            writer.transport.resume_reading()  # type: ignore[attr-defined]
            return
        try:
            await writer.start_tls(context, ssl_handshake_timeout=HANDSHAKE_S)
        except ssl.SSLCertVerificationError as error:
            raise RoomsError(TRUST, "another than the paired base calls") from error
        except OSError as error:
            raise RoomsError(TRUST, "who calls does not speak TLS as the paired base") from error

    async def _obey(
        self,
        connection: Connection,
        event: Event | None,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:
        """Obey a connection from an event on; who has the satellite run is the base from then."""
        while event is not None and not connection.closed:
            if event.type == TYPE:
                await self._pairing.converse(step_of(event), reader, writer)
                return
            if RunSatellite.is_type(event.type) and self._base is not connection:
                if self._base is not None:
                    self._base.close()
                    self._satellite.lost()
                self._base = connection
                self._complaints.of("satellite.here", "a base is here", logging.INFO)
            for answer in self._satellite.obey(event, boottime_s()):
                connection.send(answer)
            muted = self._base is connection and self._satellite.muted
            event = await read_event(reader, None if muted else IDLE_S)

    async def _find(self) -> None:
        """Look up names, whose addresses change; while they are not found, the last ones hold."""
        names = [base for base, addresses in self._bases.items() if not addresses]
        while names:
            for name in names:
                found = await asyncio.to_thread(_addresses, name)
                self._bases[name] = found or self._bases[name]
            await asyncio.sleep(FOUND_EVERY_S)


def _addresses(base: str, flags: int = 0) -> set[str]:
    """The addresses of a name or address, also as they come by IPv6; none for what is unknown."""
    try:
        found = socket.getaddrinfo(base, None, type=socket.SOCK_STREAM, flags=flags)
    except (OSError, UnicodeError):  # a name that is none
        return set()
    addresses = {str(info[4][0]) for info in found}
    return addresses | {f"::ffff:{one}" for one in addresses}


class Connection:
    """What goes to one who called: a queue, so that a slow network holds up no frame."""

    def __init__(self, writer: asyncio.StreamWriter, paired: Stamp | None) -> None:
        self._writer, self.paired = writer, paired
        self._waiting: asyncio.Queue[Event] = asyncio.Queue(MOST_WAITING)
        self._task = asyncio.create_task(self._run())
        self.meeting: asyncio.Task[None] | None = None
        """What waits for its first event."""

    @property
    def closed(self) -> bool:
        """Whether nothing goes out any more."""
        return self._task.done()

    def send(self, event: Event) -> None:
        """Send an event after those before it; a base that takes none is hung up on."""
        try:
            self._waiting.put_nowait(event)
        except asyncio.QueueFull:
            self.close()

    def close(self) -> None:
        """Hang up; what was not taken yet is dropped."""
        self._task.cancel()
        if self.meeting is not None:
            self.meeting.cancel()  # asyncio has no transport left that is lost in a handshake
        else:
            self._writer.transport.abort()

    async def _run(self) -> None:
        with contextlib.suppress(RoomsError):
            while True:
                await write_event(await self._waiting.get(), self._writer)
