"""The sockets between stages: PUSH/PULL carries work, PUB/SUB carries control and events.

Every process binds two endpoints under its own name, `NAME.work` (PULL) and `NAME.events` (PUB),
and connects to those of its peers, so that any process may come and go while the others stay.
"""

from __future__ import annotations

import contextlib
import fcntl
import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO

import zmq

from assistant.core.codec import decode, encode, topic
from assistant.core.errors import BusError
from assistant.core.messages import AudioChunk, Message, SelfTest, Speech, Work
from assistant.core.stage import Source

LARGEST_MESSAGE_BYTES = 4_000_000
QUEUED_MESSAGES = 256
SEND_TIMEOUT_MS = 2000
UNPUBLISHED = (AudioChunk, Speech, SelfTest)
"""Audio has one consumer and no watchers, and a self-test is nobody else's business."""


class Address:
    """Where a process is found: a path in the runtime directory, or a name inside this process."""

    def __init__(self, runtime_dir: Path | None) -> None:
        self._directory = runtime_dir
        self.context = zmq.Context()
        self.context.set(zmq.BLOCKY, False)

    def endpoint(self, name: str, socket: str) -> str:
        """The ZeroMQ endpoint of one socket of one process."""
        if self._directory is None:
            return f"inproc://{name}.{socket}"
        return f"ipc://{self._directory / name}.{socket}"

    def close(self) -> None:
        """Give the ZeroMQ context back, after every bus on it was closed."""
        self.context.term()

    @contextlib.contextmanager
    def claim(self, name: str) -> Iterator[None]:
        """Hold `name` for this process; a second bind would silently take the endpoint over."""
        if self._directory is None:
            yield
            return
        self._directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        with (self._directory / f"{name}.lock").open("w") as lock:
            _lock(lock, name)
            yield


class Bus:
    """One process's end of the bus.

    `consumers` names the process that each Work type goes to; `peers` are all processes whose
    events may be subscribed to; `consumes` are the types that this process wants.
    """

    def __init__(
        self,
        name: str,
        address: Address,
        peers: Sequence[str],
        consumers: Mapping[type[Message], str],
        consumes: Iterable[type[Message]],
    ) -> None:
        self._name, self._address, self._consumers = name, address, consumers
        self._claims = contextlib.ExitStack()
        self._claims.enter_context(address.claim(name))
        self._work = self._socket(zmq.PULL)
        self._work.bind(address.endpoint(name, "work"))
        self._events = self._socket(zmq.PUB)
        self._events.bind(address.endpoint(name, "events"))
        self._heard = self._subscribe(peers, consumes)
        self._outlets: dict[str, zmq.Socket[bytes]] = {}
        self._poller = zmq.Poller()
        self._poller.register(self._work, zmq.POLLIN)
        self._poller.register(self._heard, zmq.POLLIN)
        self._sources: dict[int, Source] = {}

    def watch(self, source: Source) -> None:
        """Poll `source` beside the sockets."""
        self._sources[source.fileno()] = source
        self._poller.register(source.fileno(), zmq.POLLIN)

    def send(self, message: Message) -> None:
        """Work goes to its one consumer, and all but audio to whoever watches.

        Raises `BusError` when the consumer's queue stays full.
        """
        frames = encode(message)
        if isinstance(message, Work) and (consumer := self._consumers.get(type(message))):
            self._push(consumer, frames, type(message).__name__)
        if not isinstance(message, UNPUBLISHED):
            self._events.send_multipart(frames)

    def test(self) -> None:
        """Send this process a `SelfTest` through its own socket."""
        self._push(self._name, encode(SelfTest(stage=self._name)), "SelfTest")

    def receive(self, timeout_s: float) -> Iterator[Message]:
        """Wait up to `timeout_s` and give what came: control first, then sources, then one work."""
        ready = dict(self._poller.poll(max(0, math.ceil(timeout_s * 1000))))
        if self._heard in ready:
            yield from self.heard()
        for descriptor, source in self._sources.items():
            if descriptor in ready:
                yield from source.read()
        if self._work in ready:
            yield decode(self._work.recv_multipart())

    def heard(self) -> Iterator[Message]:
        """Every broadcast that has arrived, without waiting."""
        with contextlib.suppress(zmq.Again):
            while True:
                yield decode(self._heard.recv_multipart(zmq.NOBLOCK))

    def close(self) -> None:
        """Close every socket, at once."""
        for socket in (self._work, self._events, self._heard, *self._outlets.values()):
            socket.close()
        self._claims.close()

    def _socket(self, kind: int) -> zmq.Socket[bytes]:
        socket = self._address.context.socket(kind)
        socket.set(zmq.LINGER, 0)
        socket.set(zmq.MAXMSGSIZE, LARGEST_MESSAGE_BYTES)
        socket.set(zmq.SNDHWM, QUEUED_MESSAGES)
        socket.set(zmq.RCVHWM, QUEUED_MESSAGES)
        socket.set(zmq.SNDTIMEO, SEND_TIMEOUT_MS)
        # A restarted peer must be found again within a fraction of the pause that people notice.
        socket.set(zmq.RECONNECT_IVL, 20)
        socket.set(zmq.RECONNECT_IVL_MAX, 200)
        return socket

    def _subscribe(
        self, peers: Sequence[str], consumes: Iterable[type[Message]]
    ) -> zmq.Socket[bytes]:
        socket = self._socket(zmq.SUB)
        for kind in consumes:
            if self._consumers.get(kind) != self._name:
                socket.set(zmq.SUBSCRIBE, topic(kind))
        for peer in peers:
            if peer != self._name:
                socket.connect(self._address.endpoint(peer, "events"))
        return socket

    def _push(self, consumer: str, frames: list[bytes], what: str) -> None:
        if consumer not in self._outlets:
            outlet = self._socket(zmq.PUSH)
            outlet.connect(self._address.endpoint(consumer, "work"))
            self._outlets[consumer] = outlet
        try:
            self._outlets[consumer].send_multipart(frames)
        except zmq.Again as error:
            raise BusError("bus.full", f"{consumer} takes no {what}: its queue is full") from error


def _lock(file: IO[str], name: str) -> None:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        message = f"another assistant is running here: {file.name} is locked; stop it first"
        raise BusError("bus.taken", message) from error
    file.write(f"{os.getpid()}\n")
    file.flush()
