"""A stand-in of MPD, which speaks its protocol as far as the bridge does; checked against 0.23.12.

It has a few songs, plays them without a sound, and tells of what changes to who is idle.
"""

from __future__ import annotations

import contextlib
import queue
import shlex
import socket
import socketserver
import threading
from collections.abc import Callable, Iterator
from typing import NamedTuple

from tests.support.network import free_port

PATIENCE_S = 60.0
GREETING = b"OK MPD 0.23.5\n"
_NOT_EXIST, _PASSWORD, _PERMISSION, _UNKNOWN = 50, 3, 4, 5


class Song(NamedTuple):
    """A song of the library."""

    title: str
    artist: str
    album: str
    genre: str

    @property
    def lines(self) -> list[str]:
        """As `currentsong` tells it."""
        tags = [f"{name.title()}: {value}" for name, value in self._asdict().items() if value]
        return [f"file: {self.title.casefold()}.flac", *tags]


SONGS = (
    Song("So What", "Miles Davis", "Kind of Blue", "Jazz"),
    Song("Blue in Green", "Miles Davis", "Kind of Blue", "Jazz"),
    Song("Bohemian Rhapsody", "Queen", "A Night at the Opera", "Rock"),
)


class AckError(Exception):
    """A refusal, with its number."""

    def __init__(self, number: int, why: str) -> None:
        super().__init__(why)
        self.number = number


class FakeMpd:
    """MPD at a port of its own, which can be stopped and started again."""

    def __init__(self) -> None:
        self.port = free_port()
        self.songs: list[Song] = list(SONGS)
        self.playlists: dict[str, list[Song]] = {"Cooking": [SONGS[0], SONGS[2]]}
        self.queue: list[Song] = []
        self.state, self.volume, self.random, self.place = "stop", 40, False, 0
        self.password = ""
        self.greeting = GREETING
        self.silent: set[str] = set()
        """Commands that are not answered."""
        self.instead: dict[str, bytes] = {}
        """Command → what is sent in place of its answer."""
        self.refusing: dict[str, str] = {}
        """Command → why it is refused."""
        self.connected = 0
        self.heard: queue.Queue[str] = queue.Queue()
        """Every line but those of the bridge's own looking."""
        self._idle: dict[_Client, set[str]] = {}
        self._clients: set[_Client] = set()
        self._lock = threading.RLock()
        self._server: socketserver.ThreadingTCPServer | None = None

    def start(self) -> None:
        """Serve; it is there when this returns."""

        class Handler(socketserver.BaseRequestHandler):
            def handle(handler) -> None:  # noqa: N805 - the stand-in is `self`
                self._serve(_Client(handler.request))

        server = socketserver.ThreadingTCPServer(("127.0.0.1", self.port), Handler, False)
        server.allow_reuse_address = server.daemon_threads = True
        server.server_bind()
        server.server_activate()
        self._server = server
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()

    def stop(self) -> None:
        """End at once, with all connections."""
        server, self._server = self._server, None
        if server is not None:
            server.shutdown()
            server.server_close()
            for client in list(self._clients):
                client.hang_up()

    def close(self) -> None:
        """As `stop`."""
        self.stop()

    def next_heard(self) -> str:
        """The next line that was a command to do something."""
        return self.heard.get(timeout=PATIENCE_S)

    def by_hand(self, **what: object) -> None:
        """Change the state, as somebody else does, and tell of it."""
        with self._lock:
            for name, value in what.items():
                assert hasattr(self, name)
                setattr(self, name, value)
            self._tell("player", "mixer", "options")

    def changed(self, subsystem: str) -> None:
        """Tell of a change."""
        with self._lock:
            self._tell(subsystem)

    # ── a connection ────────────────────────────────────────────────────────────────────────

    def _serve(self, client: _Client) -> None:
        self.connected += 1
        self._clients.add(client)
        client.allowed = not self.password
        with contextlib.suppress(OSError, ValueError):
            client.send(self.greeting)
            for line in client.lines():
                self._answer(client, line)
        self._idle.pop(client, None)
        self._clients.discard(client)

    def _answer(self, client: _Client, line: str) -> None:
        with self._lock:
            if line == "noidle":
                if self._idle.pop(client, None) is not None and "noidle" not in self.silent:
                    client.send(b"OK\n")
                return
            if line.startswith("idle") and "idle" not in self.instead:
                self._idle[client] = set(line.split()[1:])
                self._tell()
                return
            lines = [line]
        if line == "command_list_begin":
            lines = list(iter(lambda: next(client.lines()), "command_list_end"))
        with self._lock:
            told: list[str] = []
            for number, one in enumerate(lines):
                verb = one.partition(" ")[0]
                if verb in self.silent:
                    return
                if verb in self.instead:
                    client.send(self.instead[verb])
                    return
                try:
                    told += self._done(client, one)
                except AckError as error:
                    client.send(f"ACK [{error.number}@{number}] {{{verb}}} {error}\n".encode())
                    return
            client.send("".join(f"{one}\n" for one in (*told, "OK")).encode())

    def _done(self, client: _Client, line: str) -> list[str]:
        verb, *arguments = shlex.split(line)
        if why := self.refusing.get(verb):
            raise AckError(_NOT_EXIST, why)
        if verb == "password":
            client.allowed = arguments == [self.password]
            if not client.allowed:
                raise AckError(_PASSWORD, "incorrect password")
            return []
        if not client.allowed:
            raise AckError(_PERMISSION, f'you don\'t have permission for "{verb}"')
        looks = getattr(self, f"_look_{verb}", None)
        if looks is not None:
            return list(looks(*arguments))
        does: Callable[..., None] | None = getattr(self, f"_do_{verb}", None)
        if does is None:
            raise AckError(_UNKNOWN, f'unknown command "{verb}"')
        self.heard.put(line)
        does(*arguments)
        self._tell("player", "mixer", "options", "playlist")
        return []

    def _tell(self, *subsystems: str) -> None:
        """Tell who is idle of changes; others are told as soon as they are."""
        for client in list(self._clients):
            client.untold |= set(subsystems)
            if told := sorted(client.untold & self._idle.get(client, set())):
                del self._idle[client]
                client.untold -= set(told)
                client.send("".join(f"changed: {one}\n" for one in told).encode() + b"OK\n")

    # ── what it tells ───────────────────────────────────────────────────────────────────────

    def _look_status(self) -> Iterator[str]:
        if self.volume >= 0:
            yield f"volume: {self.volume}"
        yield f"random: {int(self.random)}"
        yield f"playlistlength: {len(self.queue)}"
        yield f"state: {self.state}"

    def _look_currentsong(self) -> Iterator[str]:
        if self.state != "stop" and self.queue:
            yield from self.queue[self.place].lines

    def _look_list(self, tag: str) -> Iterator[str]:
        for name in sorted({getattr(song, tag) for song in self.songs}):
            yield f"{tag.title()}: {name}"

    def _look_listplaylists(self) -> Iterator[str]:
        for name in self.playlists:
            yield from (f"playlist: {name}", "Last-Modified: 2026-01-05T18:30:00Z")

    def _look_listplaylist(self, name: str) -> Iterator[str]:
        if name not in self.playlists:
            raise AckError(_NOT_EXIST, "No such playlist")
        for song in self.playlists[name]:
            yield song.lines[0]

    def _look_stats(self) -> Iterator[str]:
        yield f"songs: {len(self.songs)}"

    def _look_count(self, *filters: str) -> Iterator[str]:
        yield from (f"songs: {len(self._found(filters))}", "playtime: 0")

    def _found(self, filters: tuple[str, ...]) -> list[Song]:
        pairs = list(zip(filters[::2], filters[1::2], strict=True))
        return [s for s in self.songs if all(getattr(s, tag) == value for tag, value in pairs)]

    # ── what it does ────────────────────────────────────────────────────────────────────────

    def _do_clear(self) -> None:
        self.queue, self.place, self.state = [], 0, "stop"

    def _do_findadd(self, *filters: str) -> None:
        self.queue += self._found(filters)

    def _do_add(self, uri: str) -> None:
        streamed = [Song(uri, "", "", "")] if "://" in uri else []
        self.queue += streamed or [s for s in self.songs if not uri or s.lines[0].endswith(uri)]

    def _do_load(self, name: str) -> None:
        self.queue += self.playlists[name]

    def _do_shuffle(self) -> None:
        self.queue.reverse()

    def _do_play(self) -> None:
        self.state = "play" if self.queue else "stop"

    def _do_pause(self, on: str) -> None:
        if self.state != "stop":
            self.state = "pause" if on == "1" else "play"

    def _do_stop(self) -> None:
        self.state = "stop"

    def _do_next(self) -> None:
        self.place = min(self.place + 1, max(0, len(self.queue) - 1))

    def _do_previous(self) -> None:
        self.place = max(self.place - 1, 0)

    def _do_seekcur(self, seconds: str) -> None:
        if self.state == "stop":
            raise AckError(55, "Not playing")

    def _do_setvol(self, percent: str) -> None:
        if self.volume < 0:
            raise AckError(52, "problems setting volume")
        self.volume = int(percent)

    def _do_random(self, on: str) -> None:
        self.random = on == "1"


class _Client:
    """One connection, as the stand-in sees it."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection, self._file, self.allowed = connection, connection.makefile("rb"), True
        self.untold: set[str] = set()
        """The subsystems that have changed since it was told."""

    def lines(self) -> Iterator[str]:
        """Each line that comes."""
        while line := self._file.readline():
            yield line.decode().rstrip("\n")

    def send(self, content: bytes) -> None:
        """Send bytes."""
        with contextlib.suppress(OSError):
            self._connection.sendall(content)

    def hang_up(self) -> None:
        """End it."""
        with contextlib.suppress(OSError):
            self._connection.shutdown(socket.SHUT_RDWR)
