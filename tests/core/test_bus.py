"""What others can send over the sockets costs nobody but themselves."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import msgspec
import pytest
import zmq

from assistant.core.bus import MOST_CONNECTIONS, Address, Bus, Guarded
from assistant.core.clock import boottime_s
from assistant.core.codec import encode, topic
from assistant.core.messages import AudioChunk, BargeIn, Frame, Message, Tick, Transcript
from assistant.core.zmtp import GREETING_BYTES, LARGEST_MESSAGE_BYTES

CONSUMERS: dict[type[Message], str] = {AudioChunk: "nlu", Transcript: "nlu"}
PEERS = ("nlu", "ear")
PATIENCE_S = 10.0
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
    assert isinstance(nlu._heard, Guarded)
    nlu._heard._receivers.clear()
    assert heard_from_ear(nlu, ear)


@pytest.mark.timeout(30)
def test_bytes_without_end_do_not_keep_the_loop_from_going_round(
    nlu: Bus, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a frame of a terabyte more has always arrived, and never a message."""
    monkeypatch.setattr(nlu, "_wait", lambda _: {nlu._work.socket: zmq.POLLIN})
    assert list(nlu.receive(0.05)) == []
