"""What others can send over the sockets costs nobody but themselves."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from typing import cast

import msgspec
import pytest
import zmq

from assistant.core import bus as module
from assistant.core import codec
from assistant.core.bus import MOST_CONNECTIONS, Address, BoundedInlet, Bus
from assistant.core.clock import boottime_s
from assistant.core.codec import encode, topic
from assistant.core.errors import BusError, CodecError
from assistant.core.layout import ROOMS
from assistant.core.messages import (
    AudioChunk,
    BargeIn,
    Frame,
    Message,
    Reload,
    Speech,
    SpokenReply,
    Tick,
    Transcript,
)
from assistant.core.settings.wyoming import PEER
from assistant.core.zmtp import GREETING_BYTES, LARGEST_MESSAGE_BYTES

CONSUMERS: dict[type[Message], str] = {AudioChunk: "nlu", Transcript: "nlu"}
PEERS = ("nlu", "ear")
PATIENCE_S = 60.0
MEMORY_BYTES = 50_000_000
GREETING = (b"\xff" + bytes(8) + b"\x7f\x03\x01NULL").ljust(GREETING_BYTES, b"\0")
SENDER = GREETING + b"\x04\x1a\x05READY\x0bSocket-Type\x00\x00\x00\x04PUSH"
"""What a connection says before its first message."""

RECEIVES = """
import sys
from pathlib import Path
from assistant.core.bus import Address, Bus
from assistant.core.messages import Transcript
bus = Bus("nlu", Address(Path(sys.argv[1])), (), {Transcript: "nlu"}, (Transcript,))
print("bound", flush=True)
while not any(True for _ in bus.receive(60)):
    for refusal in bus.refused():
        print(refusal.code, flush=True)
status = Path("/proc/self/status").read_text()
print(status.partition("VmHWM:")[2].split()[0], flush=True)
"""


@pytest.fixture
def open_things() -> Iterator[ExitStack]:
    with ExitStack() as opened:
        yield opened


@pytest.fixture
def nlu(tmp_path: Path, open_things: ExitStack) -> Bus:
    return bus("nlu", tmp_path, open_things)


def bus(name: str, folder: Path, open_things: ExitStack) -> Bus:
    """One process's end, as another process would have it."""
    address = open_things.enter_context(closing(Address(folder)))
    return open_things.enter_context(closing(Bus(name, address, PEERS, CONSUMERS, (BargeIn,))))


def transcript(text: str) -> Transcript:
    return Transcript(utterance_id="u", revision=1, text=text)


def chunk(size: int) -> AudioChunk:
    return AudioChunk(utterance_id="u", sequence=0, samples=bytes(size))


def stranger(folder: Path, open_things: ExitStack) -> zmq.Socket[bytes]:
    """A socket of somebody else's that sends to nlu."""
    context = open_things.enter_context(zmq.Context())
    push: zmq.Socket[bytes] = open_things.enter_context(context.socket(zmq.PUSH))
    push.set(zmq.LINGER, 0)
    push.connect(f"ipc://{folder / 'nlu'}.work")
    return push


def taken(nlu: Bus, tries: int = 1000) -> list[object]:
    """What nlu is sent until a message comes; refusals as their codes."""
    told: list[object] = []
    for _ in range(tries):
        messages = list(nlu.receive(PATIENCE_S / tries))
        told += [refusal.code for refusal in nlu.refused()]
        if messages:
            return told + messages
    raise AssertionError("no message came")


def test_a_message_of_many_large_frames_is_never_held(
    tmp_path: Path, open_things: ExitStack
) -> None:
    receiver = open_things.enter_context(
        subprocess.Popen(
            (sys.executable, "-c", RECEIVES, tmp_path),
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            stdout=subprocess.PIPE,
        )
    )
    open_things.callback(receiver.kill)
    assert receiver.stdout is not None
    assert receiver.stdout.readline() == b"bound\n"
    status = Path(f"/proc/{receiver.pid}/status").read_text()
    before_kb = int(status.partition("VmHWM:")[2].split()[0])
    push = stranger(tmp_path, open_things)
    push.send_multipart([bytes(3_900_000)] * 60)
    assert receiver.stdout.readline() == b"codec.size\n"
    push.send_multipart(encode(transcript("hello")))
    after_kb = int(receiver.stdout.readline())
    assert (after_kb - before_kb) * 1024 < MEMORY_BYTES


@pytest.mark.parametrize(
    ("frames", "code"),
    [
        ([b"a"], "codec.frames"),
        ([b"a"] * 3, "codec.frames"),
        ([b"a"] * 100_000, "codec.frames"),
        ([topic(Transcript), b"\x91" * 100_000], "codec.malformed"),
        ([topic(Transcript), b"\x82\xa1z" + b"\x91" * 100_000], "codec.malformed"),
        ([topic(Transcript), bytes(LARGEST_MESSAGE_BYTES)], "codec.size"),
    ],
)
def test_what_is_no_message_is_refused_and_the_next_one_is_taken(
    nlu: Bus, tmp_path: Path, open_things: ExitStack, frames: list[bytes], code: str
) -> None:
    push = stranger(tmp_path, open_things)
    push.send_multipart(frames)
    push.send_multipart(encode(transcript("hello")))
    assert taken(nlu) == [code, transcript("hello")]


@pytest.mark.parametrize(
    ("message", "code"),
    [
        (Tick(at_s=1.0), "codec.inside"),
        (Frame(samples=bytes(1024)), "codec.inside"),
        *(
            (Transcript(utterance_id="u", revision=0, text="", at_s=at_s), "codec.time")
            for at_s in (1e308, float("inf"), float("-inf"), float("nan"), boottime_s() + 86_400)
        ),
    ],
)
def test_no_other_process_sets_the_time(
    nlu: Bus, tmp_path: Path, open_things: ExitStack, message: Message, code: str
) -> None:
    """A timer of nine hours rang at once, and its process ended over what is no number."""
    push = stranger(tmp_path, open_things)
    push.send_multipart(encode(message))
    now = msgspec.structs.replace(transcript("hello"), at_s=boottime_s())
    push.send_multipart(encode(now))
    assert taken(nlu) == [code, now]


def test_a_long_reply_of_sound_still_passes(
    nlu: Bus, tmp_path: Path, open_things: ExitStack
) -> None:
    long = chunk(LARGEST_MESSAGE_BYTES - 1000)
    stranger(tmp_path, open_things).send_multipart(encode(long))
    assert taken(nlu) == [long]


def connected(folder: Path, open_things: ExitStack, sent: bytes = b"") -> socket.socket:
    raw = open_things.enter_context(socket.socket(socket.AF_UNIX))
    raw.connect(f"{folder / 'nlu'}.work")
    raw.sendall(sent)
    return raw


@pytest.mark.parametrize("sent", [b"", b"\xff", b"GET / HTTP/1.1\r\n" * 10])
def test_any_number_of_idle_connections_lock_nobody_out(
    nlu: Bus, tmp_path: Path, open_things: ExitStack, sent: bytes
) -> None:
    first, *_ = [connected(tmp_path, open_things, sent) for _ in range(3 * MOST_CONNECTIONS)]
    bus("ear", tmp_path, open_things).send(transcript("hello"))
    assert taken(nlu)[-1] == transcript("hello")
    first.settimeout(PATIENCE_S)
    while first.recv(100):
        pass


def test_room_kept_for_unfinished_messages_is_taken_back(
    nlu: Bus, tmp_path: Path, open_things: ExitStack
) -> None:
    for _ in range(5):
        connected(tmp_path, open_things, SENDER + b"\x02" + (3_900_000).to_bytes(8))
    long = chunk(1_000_000)
    bus("ear", tmp_path, open_things).send(long)
    *refused, message = taken(nlu)
    assert message == long
    assert set(refused) == {"codec.held"}


def heard_from_ear(nlu: Bus, ear: Bus) -> bool:
    """Whether a broadcast comes: it is repeated until both have found each other."""
    for _ in range(1000):
        ear.send(BargeIn(utterance_id="u"))
        if any(isinstance(m, BargeIn) for m in nlu.receive(PATIENCE_S / 1000)):
            return True
    return False


def test_a_publisher_is_heard_that_takes_the_place_of_one_that_spoke_nonsense(
    nlu: Bus, tmp_path: Path, open_things: ExitStack
) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(f"{tmp_path / 'ear'}.events")
        listener.listen()
        refused: list[str] = []
        listener.settimeout(PATIENCE_S)
        for _ in range(2):
            with listener.accept()[0] as connection:
                connection.sendall(bytes(GREETING_BYTES))
                while not refused:
                    list(nlu.receive(0.01))
                    refused += [refusal.code for refusal in nlu.refused()]
        assert set(refused) == {"codec.greeting"}
    Path(f"{tmp_path / 'ear'}.events").unlink()
    assert heard_from_ear(nlu, bus("ear", tmp_path, open_things))


def test_a_publisher_whose_going_went_unheard_is_heard_again(
    nlu: Bus, tmp_path: Path, open_things: ExitStack
) -> None:
    ear = bus("ear", tmp_path, open_things)
    assert heard_from_ear(nlu, ear)
    # What libzmq's queue had no room for: its return is then taken for its going.
    assert isinstance(nlu._broadcasts, BoundedInlet)
    nlu._broadcasts._receivers.clear()
    assert heard_from_ear(nlu, ear)


@pytest.mark.timeout(30)
def test_bytes_without_end_do_not_keep_the_loop_from_going_round(
    nlu: Bus, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a frame of a terabyte more has always arrived, and never a message."""
    monkeypatch.setattr(nlu, "_wait", lambda _: {nlu._work.socket: zmq.POLLIN})
    assert list(nlu.receive(0.05)) == []


def frame(body: bytes) -> bytes:
    """A message's only frame, on the wire."""
    if len(body) > 255:
        return b"\x02" + len(body).to_bytes(8) + body
    return bytes([0, len(body)]) + body


class Wire:
    """A socket of raw bytes that gives what a test has put on it, and notes what is sent."""

    def __init__(self) -> None:
        self.pieces: deque[bytes] = deque()
        self.sent: list[tuple[bytes, bytes]] = []
        self.gone: set[bytes] = set()

    def put(self, peer: bytes, *pieces: bytes) -> None:
        """Have `peer` send these; the first of all says that it is there."""
        for piece in pieces:
            self.pieces += (peer, piece)

    def recv(self, flags: int) -> bytes:
        assert flags == zmq.NOBLOCK
        if not self.pieces:
            raise zmq.Again
        return self.pieces.popleft()

    def send_multipart(self, parts: list[bytes], flags: int) -> None:
        assert flags == zmq.NOBLOCK
        peer, piece = parts
        if peer in self.gone:
            raise zmq.ZMQError(zmq.EHOSTUNREACH)
        self.sent.append((peer, piece))

    @property
    def hung_up(self) -> list[bytes]:
        """The peers whose connections were ended, in order."""
        return [peer for peer, piece in self.sent if not piece]


@pytest.fixture
def wire() -> Wire:
    return Wire()


@pytest.fixture
def inlet(wire: Wire) -> BoundedInlet:
    return BoundedInlet(cast("zmq.Socket[bytes]", wire), "PULL")


def drained(inlet: BoundedInlet) -> list[object]:
    """All that has arrived; refusals as their codes."""
    told: list[object] = []
    while True:
        try:
            if (message := inlet.take()) is None:
                return told
            told.append(b"".join(message))
        except CodecError as refusal:
            told.append(refusal.code)


def named(number: int) -> bytes:
    return b"peer %03d" % number


def test_of_one_connection_too_many_the_most_silent_goes(inlet: BoundedInlet, wire: Wire) -> None:
    for number in range(63):
        wire.put(named(number), b"", SENDER)
    wire.put(named(63), b"")
    assert (drained(inlet), wire.hung_up) == ([], [])
    wire.put(named(64), b"", SENDER)  # first goes one that has said nothing at all
    assert (drained(inlet), wire.hung_up) == (["codec.crowd"], [named(63)])
    wire.put(named(0), frame(b"a"))
    wire.put(named(1), frame(b"b")[:2])
    wire.put(named(65), b"")  # then the one whose last message is longest ago
    assert drained(inlet) == [b"a", "codec.crowd"]
    assert wire.hung_up == [named(63), named(1)]


def test_who_has_gone_makes_room(inlet: BoundedInlet, wire: Wire) -> None:
    for number in range(100):
        wire.put(named(number), b"", b"")
    wire.gone = {named(number) for number in range(100, 200)}
    for number in range(100, 264):
        wire.put(named(number), b"")
    assert drained(inlet) == []
    assert wire.hung_up == []


def test_what_a_connection_still_sends_after_nonsense_is_passed_over(
    inlet: BoundedInlet, wire: Wire
) -> None:
    wire.put(named(1), b"", bytes(GREETING_BYTES), SENDER, frame(b"a"))
    wire.put(named(2), b"", SENDER, frame(b"b"))
    assert drained(inlet) == ["codec.greeting", b"b"]
    assert wire.hung_up == [named(1)]


def test_eight_million_bytes_may_be_unfinished_and_of_more_the_largest_part_goes(
    inlet: BoundedInlet, wire: Wire
) -> None:
    begins = (4_000_000, 3_999_998)
    for number, size in zip((1, 2), begins, strict=True):
        wire.put(named(number), b"", SENDER, b"\x02" + size.to_bytes(8))
    wire.put(named(3), b"", SENDER)  # a header of two bytes is awaited
    assert drained(inlet) == []
    wire.put(named(3), bytes([0, 3]))
    assert drained(inlet) == ["codec.held"]
    assert wire.hung_up == [named(1)]


def test_exactly_as_much_as_may_be_unfinished_is_held(inlet: BoundedInlet, wire: Wire) -> None:
    for number in (1, 2):
        wire.put(named(number), b"", SENDER, b"\x02" + (4_000_000).to_bytes(8))
    assert (drained(inlet), wire.hung_up) == ([], [])


def test_pieces_without_end_leave_the_loop_a_turn(inlet: BoundedInlet, wire: Wire) -> None:
    wire.put(named(1), b"", SENDER, *(bytes([byte]) for byte in frame(bytes(1_500))))
    pieces = len(wire.pieces)
    assert inlet.take() is None
    assert pieces - len(wire.pieces) == 2 * 1024
    assert drained(inlet) == [bytes(1_500)]


def test_of_several_messages_in_one_piece_the_rest_waits(inlet: BoundedInlet, wire: Wire) -> None:
    wire.put(named(1), b"", SENDER + frame(b"a") + frame(b"b"))
    taken = [(inlet.take(), inlet.has_decoded) for _ in range(3)]
    assert taken == [([b"a"], True), ([b"b"], False), (None, False)]


class Told:
    """A source that gives each message once, and is readable until it has been read."""

    def __init__(self, *messages: Message) -> None:
        self.reader, self.writer = os.pipe()
        self.messages = messages
        os.write(self.writer, b"!")

    def fileno(self) -> int:
        return self.reader

    def read(self) -> Iterable[Message]:
        os.read(self.reader, 1)
        return self.messages

    def close(self) -> None:
        os.close(self.reader)
        os.close(self.writer)


@pytest.fixture
def inside(open_things: ExitStack) -> Address:
    """Within this process nothing is lost, and nothing takes time."""
    return open_things.enter_context(closing(Address(None)))


def ended(address: Address, name: str, open_things: ExitStack, *consumes: type[Message]) -> Bus:
    return open_things.enter_context(closing(Bus(name, address, PEERS, CONSUMERS, consumes)))


def test_control_comes_first_then_sources_then_one_piece_of_work(
    inside: Address, open_things: ExitStack
) -> None:
    ear = ended(inside, "ear", open_things)
    nlu = ended(inside, "nlu", open_things, BargeIn, Transcript)
    source = open_things.enter_context(closing(Told(Tick(at_s=1.0), Tick(at_s=2.0))))
    nlu.watch(source)
    while not list(nlu.broadcasts()):
        ear.send(BargeIn(utterance_id="lost or not"))
    list(nlu.broadcasts())
    for text in ("one", "two"):
        ear.send(transcript(text))
    ear.send(BargeIn(utterance_id="u"))
    first = [Tick(at_s=1.0), Tick(at_s=2.0), transcript("one")]
    assert list(nlu.receive(PATIENCE_S)) == [BargeIn(utterance_id="u"), *first]
    assert list(nlu.receive(PATIENCE_S)) == [transcript("two")]
    assert list(nlu.receive(0)) == []


@pytest.mark.timeout(PATIENCE_S)
def test_whatever_comes_ends_the_wait(inside: Address, open_things: ExitStack) -> None:
    forever_s = 10 * PATIENCE_S
    nlu = ended(inside, "nlu", open_things)
    nlu.watch(open_things.enter_context(closing(Told())))
    assert list(nlu.receive(forever_s)) == []
    push = open_things.enter_context(inside.context.socket(zmq.PUSH))
    push.connect(inside.endpoint("nlu", "work"))
    push.send_multipart([b"nonsense"])
    assert list(nlu.receive(forever_s)) == []
    assert [refusal.code for refusal in nlu.refused()] == ["codec.frames"]
    push.send_multipart(encode(transcript("hello")))
    assert list(nlu.receive(forever_s)) == [transcript("hello")]


@pytest.mark.timeout(PATIENCE_S)
def test_messages_that_came_together_do_not_wait_for_another(
    nlu: Bus, tmp_path: Path, open_things: ExitStack
) -> None:
    texts = [transcript(text) for text in ("one", "two", "three")]
    work = b"".join(bytes([1, len(name)]) + name + frame(body) for name, body in map(encode, texts))
    connected(tmp_path, open_things, SENDER + work)
    assert [m for _ in texts for m in nlu.receive(10 * PATIENCE_S)] == texts


class Quiet:
    """A source that can be written to, and has nothing to be read."""

    def __init__(self) -> None:
        self.ours, self.theirs = socket.socketpair()

    def fileno(self) -> int:
        return self.ours.fileno()

    def read(self) -> Iterable[Message]:
        raise AssertionError("there was nothing to read")

    def close(self) -> None:
        self.ours.close()
        self.theirs.close()


@pytest.mark.parametrize("guarded", [True, False])
def test_where_nothing_comes_it_sleeps_until_the_time_is_over(
    tmp_path: Path, open_things: ExitStack, monkeypatch: pytest.MonkeyPatch, guarded: bool
) -> None:
    address = open_things.enter_context(closing(Address(tmp_path if guarded else None)))
    nlu = ended(address, "nlu", open_things)
    nlu.watch(open_things.enter_context(closing(Quiet())))
    if guarded:  # a greeting is nothing that comes
        connected(tmp_path, open_things, SENDER)
    waited_ms: list[int] = []
    poll, now_s = zmq.Poller.poll, [0.0]

    def noting(poller: zmq.Poller, timeout_ms: int) -> list[tuple[object, int]]:
        waited_ms.append(timeout_ms)
        ready = poll(poller, timeout_ms)
        now_s[0] += 0.0 if ready else timeout_ms / 1000
        return ready

    monkeypatch.setattr(module, "boottime_s", lambda: now_s[0])
    monkeypatch.setattr(zmq.Poller, "poll", noting)
    assert list(nlu.receive(0.1)) == []
    assert now_s == [pytest.approx(0.1)]
    assert set(waited_ms) == {100}
    assert guarded or len(waited_ms) == 1


@pytest.mark.parametrize(("within", "room"), [(False, 256), (True, 512)])
def test_a_consumer_that_takes_nothing_is_an_error_when_its_queue_is_full(
    tmp_path: Path,
    open_things: ExitStack,
    monkeypatch: pytest.MonkeyPatch,
    within: bool,
    room: int,
) -> None:
    """Within one process both ends' queues are one; over a path there is nobody yet."""
    monkeypatch.setattr(module, "SEND_TIMEOUT_MS", 1)
    address = open_things.enter_context(closing(Address(None if within else tmp_path)))
    ear = ended(address, "ear", open_things)
    if within:
        ended(address, "nlu", open_things)
    for _ in range(room):
        ear.send(transcript("hello"))
    with pytest.raises(BusError) as full:
        ear.send(transcript("hello"))
    assert full.value.code == "bus.full"
    assert full.value.message == "nlu takes no Transcript: its queue is full"


def test_what_is_sent_to_one_process_is_published_to_none(
    inside: Address, open_things: ExitStack
) -> None:
    ear = ended(inside, "ear", open_things)
    nlu = ended(inside, "nlu", open_things, Reload)
    while not list(nlu.broadcasts()):
        ear.send(Reload())
    ear.send_to("nlu", Reload(stage="nlu"))
    ear.send(Reload(stage="all"))
    stages: list[str] = []
    while "all" not in stages:
        stages += [one.stage for one in nlu.receive(PATIENCE_S) if isinstance(one, Reload)]
    stages += [one.stage for one in nlu.receive(0) if isinstance(one, Reload)]
    assert sorted(filter(None, stages)) == ["all", "nlu"]


def test_what_waits_for_a_process_that_has_ended_is_dropped(
    tmp_path: Path, open_things: ExitStack
) -> None:
    ear = bus("ear", tmp_path, open_things)
    ear.leave("nlu")
    ear.send_to("nlu", transcript("of the one before"))
    ear.leave("nlu")
    nlu = bus("nlu", tmp_path, open_things)
    ear.send_to("nlu", transcript("hello"))
    (came,) = taken(nlu)
    assert isinstance(came, Transcript)
    assert came.text == "hello"


def test_broadcasts_without_end_leave_the_loop_a_turn(
    inside: Address, open_things: ExitStack
) -> None:
    ear = ended(inside, "ear", open_things)
    nlu = ended(inside, "nlu", open_things, Reload)
    while not list(nlu.broadcasts()):
        ear.send(Reload())
    for _ in range(300):
        ear.send(Reload())
    assert [len(list(nlu.broadcasts())) for _ in range(3)] == [256, 44, 0]


def test_of_refusals_that_nobody_asks_for_the_last_ones_are_kept(
    inside: Address, open_things: ExitStack
) -> None:
    nlu = ended(inside, "nlu", open_things)
    push = open_things.enter_context(inside.context.socket(zmq.PUSH))
    push.connect(inside.endpoint("nlu", "work"))
    for frames in [[b"a"]] * 100 + [[topic(Reload), b"?"]] * 256:
        push.send_multipart(frames)
    for _ in range(2):
        assert list(nlu.receive(0)) == []
    assert [refusal.code for refusal in nlu.refused()] == ["codec.malformed"] * 256
    assert list(nlu.refused()) == []


def test_a_clock_that_is_read_a_second_apart_is_no_reason_to_refuse(
    inside: Address, open_things: ExitStack, monkeypatch: pytest.MonkeyPatch
) -> None:
    ear, nlu = ended(inside, "ear", open_things), ended(inside, "nlu", open_things)
    for one in (module, codec):
        monkeypatch.setattr(one, "boottime_s", lambda: 100.0)
    for at_s in (101.1, 101.0):
        ear.send(msgspec.structs.replace(transcript("hello"), at_s=at_s))
    assert [m.at_s for m in nlu.receive(PATIENCE_S)] == [101.0]
    assert [refusal.code for refusal in nlu.refused()] == ["codec.time"]


def test_who_holds_a_name_is_told_with_the_remedy(tmp_path: Path, open_things: ExitStack) -> None:
    bus("nlu", tmp_path, open_things)
    lock = tmp_path / "nlu.lock"
    assert lock.read_text() == f"{os.getpid()}\n"
    with pytest.raises(BusError) as refused:
        bus("nlu", tmp_path, open_things)
    assert refused.value.code == "bus.taken"
    told = f"another assistant is running here: {lock} is locked; stop it first"
    assert refused.value.message == told


@pytest.mark.timeout(PATIENCE_S)
def test_what_nobody_has_taken_does_not_hold_up_the_end(tmp_path: Path) -> None:
    address = Address(tmp_path)
    with closing(Bus("ear", address, PEERS, CONSUMERS, ())) as ear:
        ear.send(transcript("hello"))
    address.close()
    assert address.context.closed


@pytest.mark.parametrize(("size", "stays"), [(1024, True), (1025, False)])
def test_a_subscription_is_short_or_ends_the_connection(
    nlu: Bus, tmp_path: Path, open_things: ExitStack, size: int, stays: bool
) -> None:
    raw = open_things.enter_context(socket.socket(socket.AF_UNIX))
    raw.connect(f"{tmp_path / 'nlu'}.events")
    raw.settimeout(PATIENCE_S)
    raw.sendall(SENDER.replace(b"\x1a", b"\x19").replace(b"\x04PUSH", b"\x03SUB"))
    while not raw.recv(100).endswith(b"PUB"):
        pass
    raw.sendall(frame(b"\1" * size) + frame(b"\1" + topic(BargeIn)))
    raw.settimeout(0.01)
    came: bytes | None = None
    while came is None:
        nlu.send(BargeIn(utterance_id="u"))
        with suppress(TimeoutError):
            came = raw.recv(100)
    assert (topic(BargeIn) in came) is stays


def test_while_the_loop_is_busy_a_sender_waits_with_what_it_has(
    nlu: Bus, tmp_path: Path, open_things: ExitStack
) -> None:
    raw = connected(tmp_path, open_things, SENDER + b"\x02" + (3_900_000).to_bytes(8))
    raw.settimeout(0.2)
    sent = 0
    with suppress(TimeoutError):
        while True:
            sent += raw.send(bytes(8192))
    assert sent < 1_000_000


def test_what_is_for_a_peer_goes_to_the_rooms_and_what_it_says_to_all(
    inside: Address, open_things: ExitStack
) -> None:
    asr = ended(inside, "asr", open_things)
    nlu, rooms = ended(inside, "nlu", open_things), ended(inside, ROOMS, open_things)
    said = transcript("hello")
    of_peer = msgspec.structs.replace(said, peer="p")
    dictated = msgspec.structs.replace(of_peer, dictated=True)
    reply = SpokenReply(utterance_id="u", text="Hello.", peer=PEER)
    to_satellite = msgspec.structs.replace(reply, peer="kitchen")  # is voiced first
    speech = Speech(
        utterance_id="u", sequence=0, samples=b"", rate_hz=8000, text="", last=True, peer="kitchen"
    )
    for message in (said, dictated, reply, to_satellite, speech):
        asr.send(message)
    rooms.send(of_peer)
    came = [one for _ in range(3) for one in rooms.receive(PATIENCE_S)]
    assert came == [dictated, reply, speech]
    heard = [*nlu.receive(PATIENCE_S), *nlu.receive(PATIENCE_S)]
    assert sorted(one.peer for one in heard if isinstance(one, Transcript)) == ["", "p"]
