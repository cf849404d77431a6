"""The sockets between stages: PUSH/PULL carries work, PUB/SUB carries control and events.

Every process binds two endpoints under its own name, `NAME.work` (PULL) and `NAME.events` (PUB),
and connects to those of its peers, so any process can stop and start while the others run.
"""

from __future__ import annotations

import contextlib
import itertools
import math
import os
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Protocol

import zmq

from assistant.core.clock import boottime_s
from assistant.core.codec import UNPUBLISHED, checked, decode, encode, published, topic, wire_name
from assistant.core.errors import BusError, CodecError
from assistant.core.files import make_private, try_lock
from assistant.core.layout import ROOMS
from assistant.core.messages import Message, SelfTest, Work, is_for_peer
from assistant.core.stage import Source
from assistant.core.zmtp import LARGEST_MESSAGE_BYTES, Frames, Receiver

QUEUED_MESSAGES = 256
SEND_TIMEOUT_MS = 2000
LARGEST_SUBSCRIPTION_BYTES = 1024
"""Most bytes of a message to a sending socket, which receives only subscriptions."""
QUEUED_PIECES = 16
"""Most pieces, each of up to 8 kB, that wait to be read from one connection."""
PIECES_A_TURN = 1024
MOST_CONNECTIONS = 64
MOST_HELD_BYTES = 2 * LARGEST_MESSAGE_BYTES
"""Most bytes of unfinished messages, of all connections together."""


class Address:
    """Where to reach a process: a path in the runtime directory, or a name inside this process."""

    def __init__(self, runtime_dir: Path | None) -> None:
        self._directory = runtime_dir
        self.context = zmq.Context()
        self.context.set(zmq.BLOCKY, False)

    def endpoint(self, name: str, socket: str) -> str:
        """The ZeroMQ endpoint of one socket of one process."""
        if self._directory is None:
            return f"inproc://{name}.{socket}"
        return f"ipc://{self._directory / name}.{socket}"

    @property
    def exposed(self) -> bool:
        """Whether anything besides our own stages can reach the sockets."""
        return self._directory is not None

    def close(self) -> None:
        """End the ZeroMQ context; every bus on it must be closed before."""
        self.context.term()

    @contextlib.contextmanager
    def claim(self, name: str) -> Iterator[None]:
        """Lock `name` for this process; a second bind would silently take over the endpoint."""
        if self._directory is None:
            yield
            return
        try:
            make_private(self._directory)
        except OSError as error:
            message = f"{self._directory} cannot hold the sockets: {error.strerror}"
            raise BusError("bus.folder", message) from error
        with (self._directory / f"{name}.lock").open("w") as lock:
            if not try_lock(lock):
                message = f"another assistant is running here: {lock.name} is locked; stop it first"
                raise BusError("bus.taken", message)
            lock.write(f"{os.getpid()}\n")
            lock.flush()
            yield


class Inlet(Protocol):
    """A socket that only receives, one whole message at a time."""

    socket: zmq.Socket[bytes]

    def connect(self, endpoint: str) -> None:
        """Hear the publisher at `endpoint`, now and whenever it comes back."""

    @property
    def has_decoded(self) -> bool:
        """Whether a message is ready here that polling the socket does not show."""

    def take(self) -> Frames | None:
        """The next message; None when no more has arrived. Raises `CodecError` for a bad one."""


class BoundedInlet:
    """Receives over paths, from any program that connects, within limits of memory.

    libzmq does not limit the frames of a message, so this reads raw bytes from it (ZMQ_STREAM).
    """

    def __init__(self, socket: zmq.Socket[bytes], kind: str, topics: Iterable[bytes] = ()) -> None:
        self.socket = socket
        self._new_receiver = partial(Receiver, kind, tuple(topics))
        self._publishers: dict[bytes, str] = {}
        self._numbers = itertools.count(1)
        self._receivers: dict[bytes, Receiver] = {}
        self._ready: deque[Frames | CodecError] = deque()

    def connect(self, endpoint: str) -> None:
        """Hear the publisher at `endpoint`, now and whenever it comes back."""
        # A new name each time: libzmq aborts the process when a name is used again too early.
        name = f"{next(self._numbers)} {endpoint}".encode()
        self._publishers[name] = endpoint
        self.socket.set(zmq.CONNECT_ROUTING_ID, name)
        self.socket.connect(endpoint)

    @property
    def has_decoded(self) -> bool:
        """Whether messages that have been read wait to be taken."""
        return bool(self._ready)

    def take(self) -> Frames | None:
        """The next message; None when no more has arrived. Raises `CodecError` for a bad one."""
        for _ in range(PIECES_A_TURN):
            if self._ready:
                break
            try:
                peer = self.socket.recv(zmq.NOBLOCK)
            except zmq.Again:
                return None
            self._arrived(peer, self.socket.recv(zmq.NOBLOCK))
        message = self._ready.popleft() if self._ready else None
        if isinstance(message, CodecError):
            raise message
        return message

    def _arrived(self, peer: bytes, piece: bytes) -> None:
        receiver = self._receivers.get(peer)
        try:
            if not piece:
                self._came_or_went(peer)
            elif receiver is not None:
                self._read(peer, receiver, piece)
            elif peer in self._publishers:
                # libzmq's queue was full, so the notice that it left was lost, and the notice of
                # its return was taken for that one.
                self._look_again_for(peer)
        except CodecError as error:
            self._hang_up(peer, error)

    def _came_or_went(self, peer: bytes) -> None:
        if self._receivers.pop(peer, None) is not None:
            return
        if len(self._receivers) == MOST_CONNECTIONS:
            message = f"more than {MOST_CONNECTIONS} connections came; the most silent one goes"
            self._hang_up(self._most_silent(), CodecError("codec.crowd", message))
        receiver = self._new_receiver()
        if self._send(peer, receiver.says()):
            self._receivers[peer] = receiver

    def _most_silent(self) -> bytes:
        # First one that has not greeted: it holds no messages that would be lost with it.
        mute = (peer for peer, receiver in self._receivers.items() if not receiver.greeted)
        return next(mute, next(iter(self._receivers)))

    def _read(self, peer: bytes, receiver: Receiver, piece: bytes) -> None:
        before = receiver.held
        messages = list(receiver.receive(piece))
        if messages:  # it moves to the end: it was the last to send
            self._receivers[peer] = self._receivers.pop(peer)
            self._ready.extend(messages)
        if said := receiver.says():
            self._send(peer, said)
        if receiver.held > before:
            self._limit_held()

    def _limit_held(self) -> None:
        held = {peer: receiver.held for peer, receiver in self._receivers.items()}
        if sum(held.values()) > MOST_HELD_BYTES:
            message = f"more than {MOST_HELD_BYTES} bytes came unfinished; the largest part goes"
            self._hang_up(max(held, key=held.__getitem__), CodecError("codec.held", message))

    def _hang_up(self, peer: bytes, why: CodecError) -> None:
        self._receivers.pop(peer, None)
        if peer in self._publishers:
            self._look_again_for(peer)
        else:
            self._send(peer, b"")
        # The traceback would keep in memory what the connection has sent.
        self._ready.append(why.with_traceback(None))

    def _look_again_for(self, publisher: bytes) -> None:
        endpoint = self._publishers.pop(publisher)
        self.socket.disconnect(endpoint)
        self.connect(endpoint)

    def _send(self, peer: bytes, piece: bytes) -> bool:
        """Send `piece` and return whether `peer` is still connected.

        After it has left, what it sent before and the notice of its leaving may still arrive.
        """
        try:
            self.socket.send_multipart([peer, piece], zmq.NOBLOCK)
        except zmq.ZMQError:
            return False
        return True


class LocalInlet:
    """Receives within this process, where only our own stages can send."""

    has_decoded = False

    def __init__(self, socket: zmq.Socket[bytes]) -> None:
        self.socket = socket

    def connect(self, endpoint: str) -> None:
        """Hear the publisher at `endpoint`."""
        self.socket.connect(endpoint)

    def take(self) -> Frames | None:
        """The next message; None when no more has arrived."""
        try:
            return self.socket.recv_multipart(zmq.NOBLOCK)
        except zmq.Again:
            return None


class Bus:
    """One process's end of the bus.

    `consumers` names the process that each Work type goes to, `peers` the processes whose events
    this one subscribes to, and `consumes` the types that it receives.
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
        self._work = self._inlet(zmq.PULL)
        self._work.socket.bind(address.endpoint(name, "work"))
        self._events = self._socket(zmq.PUB)
        self._events.bind(address.endpoint(name, "events"))
        wanted = [topic(kind) for kind in consumes if consumers.get(kind) != name]
        self._broadcasts = self._inlet(zmq.SUB, wanted)
        self._peers: set[str] = {name}
        self.follow(peers)
        self._outlets: dict[str, zmq.Socket[bytes]] = {}
        self._poller = zmq.Poller()
        self._poller.register(self._work.socket, zmq.POLLIN)
        self._poller.register(self._broadcasts.socket, zmq.POLLIN)
        self._sources: dict[int, Source] = {}
        self._refused: deque[CodecError] = deque(maxlen=QUEUED_MESSAGES)

    def watch(self, source: Source) -> None:
        """Poll `source` beside the sockets."""
        self._sources[source.fileno()] = source
        self._poller.register(source.fileno(), zmq.POLLIN)

    def follow(self, peers: Iterable[str]) -> None:
        """Hear the events of further processes; keeps trying to reach one that is not running."""
        for peer in peers:
            if peer not in self._peers:
                self._peers.add(peer)
                self._broadcasts.connect(self._address.endpoint(peer, "events"))

    def send(self, message: Message) -> None:
        """Send work to its one consumer, and publish all but the `UNPUBLISHED` types.

        Raises `BusError` when the consumer's queue stays full.
        """
        frames = encode(message)
        if isinstance(message, Work) and (consumer := self._consumer(message)):
            self._push(consumer, frames, wire_name(type(message)))
        if not isinstance(message, UNPUBLISHED):
            shown = published(message)
            self._events.send_multipart(frames if shown is message else encode(shown))

    def send_to(self, process: str, message: Message) -> None:
        """Send one process a message, as work is sent, and publish nothing.

        Raises `BusError` when its queue stays full.
        """
        self._push(process, encode(message), wire_name(type(message)))

    def leave(self, process: str) -> None:
        """Send nothing more to a process that has ended; what it has not taken is dropped."""
        if (outlet := self._outlets.pop(process, None)) is not None:
            outlet.close()

    def test(self) -> None:
        """Send this process a `SelfTest` through its own socket."""
        self._push(self._name, encode(SelfTest(stage=self._name)), "SelfTest")

    def receive(self, timeout_s: float) -> Iterator[Message]:
        """Wait up to `timeout_s` and give what came: control, then sources, then one `Work`."""
        until_s = boottime_s() + timeout_s
        arrived = False
        while not arrived:
            ready = self._wait(until_s - boottime_s())
            for message in self._arrived(ready):
                arrived = True
                yield message
            # Bytes that are no message, such as a greeting, do not count as an arrival. As they
            # may never stop coming, the loop also ends when the time is over.
            arrived |= boottime_s() >= until_s or bool(self._refused)
            arrived |= not self._sources.keys().isdisjoint(ready)

    def _wait(self, timeout_s: float) -> dict[object, int]:
        """The sockets and descriptors that are ready; none when the time is over."""
        waiting = self._broadcasts.has_decoded or self._work.has_decoded
        return dict(self._poller.poll(0 if waiting else max(0, math.ceil(timeout_s * 1000))))

    def _arrived(self, ready: Mapping[object, int]) -> Iterator[Message]:
        if self._broadcasts.socket in ready or self._broadcasts.has_decoded:
            yield from self.broadcasts()
        for descriptor, source in self._sources.items():
            if descriptor in ready:
                yield from source.read()
        if self._work.socket in ready or self._work.has_decoded:
            yield from itertools.islice(self._messages(self._work), 1)

    def broadcasts(self) -> Iterator[Message]:
        """The broadcasts that have arrived, without waiting; those over a limit come next time."""
        return self._messages(self._broadcasts)

    def refused(self) -> Iterator[CodecError]:
        """The errors of what was refused since the last call."""
        while self._refused:
            yield self._refused.popleft()

    def close(self) -> None:
        """Close every socket, at once."""
        inlets = (self._work.socket, self._broadcasts.socket)
        for socket in (*inlets, self._events, *self._outlets.values()):
            socket.close()
        self._claims.close()

    def _socket(self, kind: int) -> zmq.Socket[bytes]:
        socket = self._address.context.socket(kind)
        socket.set(zmq.LINGER, 0)
        socket.set(zmq.MAXMSGSIZE, LARGEST_SUBSCRIPTION_BYTES)
        socket.set(zmq.SNDHWM, QUEUED_MESSAGES)
        socket.set(zmq.RCVHWM, QUEUED_MESSAGES)
        socket.set(zmq.SNDTIMEO, SEND_TIMEOUT_MS)
        # A restarted peer must be found again well before people notice a pause.
        socket.set(zmq.RECONNECT_IVL, 20)
        socket.set(zmq.RECONNECT_IVL_MAX, 200)
        return socket

    def _messages(self, inlet: Inlet) -> Iterator[Message]:
        for _ in range(QUEUED_MESSAGES):
            try:
                if (frames := inlet.take()) is None:
                    return
                message = checked(decode(frames))
            except CodecError as error:
                self._refused.append(error)
            else:
                yield message

    def _inlet(self, kind: int, topics: Sequence[bytes] = ()) -> Inlet:
        if self._address.exposed:
            socket = self._socket(zmq.STREAM)
            socket.set(zmq.RCVHWM, QUEUED_PIECES)
            return BoundedInlet(socket, "SUB" if kind == zmq.SUB else "PULL", topics)
        socket = self._socket(kind)
        for subscribed in topics:
            socket.set(zmq.SUBSCRIBE, subscribed)
        return LocalInlet(socket)

    def _consumer(self, message: Work) -> str | None:
        """Whom work goes to: what is for a peer to `rooms`, which has it voiced if need be."""
        for_peer = is_for_peer(message) and self._name != ROOMS
        return ROOMS if for_peer else self._consumers.get(type(message))

    def _push(self, consumer: str, frames: list[bytes], what: str) -> None:
        if consumer not in self._outlets:
            outlet = self._socket(zmq.PUSH)
            outlet.connect(self._address.endpoint(consumer, "work"))
            self._outlets[consumer] = outlet
        try:
            self._outlets[consumer].send_multipart(frames)
        except zmq.Again as error:
            raise BusError("bus.full", f"{consumer} takes no {what}: its queue is full") from error
