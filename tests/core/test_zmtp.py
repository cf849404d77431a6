"""A connection's bytes become whole messages, however they are cut, and never more is held."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.core.errors import CodecError
from assistant.core.zmtp import (
    COMMAND,
    GREETING_BYTES,
    LARGEST_MESSAGE_BYTES,
    LONG,
    MORE,
    Receiver,
)

GREETING = (b"\xff" + bytes(8) + b"\x7f\x03\x01NULL").ljust(GREETING_BYTES, b"\0")
READY = b"\x04\x1a\x05READY\x0bSocket-Type\x00\x00\x00\x04PUSH"
PIECE_BYTES = 8192


def frame(body: bytes, flags: int = 0) -> bytes:
    if len(body) > 255:
        return bytes([flags | LONG]) + len(body).to_bytes(8) + body
    return bytes([flags, len(body)]) + body


def message(*frames: bytes) -> bytes:
    return b"".join(frame(f, MORE) for f in frames[:-1]) + frame(frames[-1])


def fed(receiver: Receiver, sent: bytes, size: int = PIECE_BYTES) -> list[object]:
    """What comes of `sent` in pieces; a refusal as its code."""
    pieces = (sent[start : start + size] for start in range(0, len(sent), size))
    return [
        m.code if isinstance(m, CodecError) else [bytes(f) for f in m]
        for piece in pieces
        for m in receiver.receive(piece)
    ]


@pytest.fixture
def receiver() -> Receiver:
    ready = Receiver("PULL")
    assert fed(ready, GREETING + READY) == []
    return ready


@given(
    st.lists(st.lists(st.binary(max_size=300), min_size=1, max_size=2), max_size=5),
    st.integers(1, 700),
)
def test_messages_come_out_however_they_are_cut(messages: list[list[bytes]], size: int) -> None:
    sent = GREETING + READY + b"".join(message(*m) for m in messages)
    assert fed(Receiver("PULL"), sent, size) == messages


def test_it_greets_and_subscribes_when_the_other_side_is_ready() -> None:
    receiver = Receiver("SUB", [b"Level\0"])
    version_and_mechanism = b"\x03\x00" + b"NULL".ljust(20, b"\0")
    greeting = b"\xff" + bytes(8) + b"\x7f" + version_and_mechanism + bytes(32)
    command = frame(b"\x05READY" + b"\x0bSocket-Type" + b"\0\0\0\x03SUB", COMMAND)
    assert receiver.says() == greeting + command
    assert fed(receiver, GREETING) == []
    assert receiver.says() == b""
    assert fed(receiver, READY) == []
    assert receiver.says() == frame(b"\1Level\0")


def test_a_sender_may_send_once_it_has_greeted_and_is_known_to_have() -> None:
    """It had been hung up on as silent with work that it had just sent."""
    receiver = Receiver("PULL")
    welcome = frame(b"\x05READY" + b"\x0bSocket-Type" + b"\0\0\0\x04PULL", COMMAND)
    assert len(receiver.says()) == len(GREETING)
    assert fed(receiver, GREETING[:-1]) == []
    assert (receiver.says(), receiver.greeted) == (b"", False)
    assert fed(receiver, GREETING[-1:]) == []
    assert (receiver.says(), receiver.greeted) == (welcome, True)
    assert fed(receiver, READY) == []
    assert receiver.says() == b""


@pytest.mark.parametrize(
    ("sent", "code"),
    [
        (message(b"a", b"b", b"c"), "codec.frames"),
        (message(*[b""] * 5000), "codec.frames"),
        (message(b"a", bytes(LARGEST_MESSAGE_BYTES)), "codec.size"),
        (message(bytes(LARGEST_MESSAGE_BYTES + 1)), "codec.size"),
    ],
)
def test_what_is_too_much_is_refused_and_the_next_message_is_whole(
    receiver: Receiver, sent: bytes, code: str
) -> None:
    assert fed(receiver, sent + message(b"a", b"b")) == [code, [b"a", b"b"]]


def test_the_largest_message_is_taken(receiver: Receiver) -> None:
    largest = [b"t", bytes(3_999_999)]
    assert fed(receiver, message(*largest)) == [largest]


def test_the_largest_command_is_passed_over(receiver: Receiver) -> None:
    command = frame(b"\x04PING".ljust(1024, b"\0"), COMMAND)
    assert fed(receiver, command + message(b"a", b"b")) == [[b"a", b"b"]]


def test_of_a_message_without_end_no_more_is_held_than_of_any_other(receiver: Receiver) -> None:
    part, most = frame(bytes(3_900_000), MORE), 0
    for _ in range(250):
        fed(receiver, part, 1 << 16)
        most = max(most, receiver.held)
    assert most <= LARGEST_MESSAGE_BYTES + 2


def test_nothing_is_held_of_what_is_passed_over(receiver: Receiver) -> None:
    fed(receiver, frame(bytes(3_000_000), MORE))
    assert fed(receiver, bytes([LONG]) + (3_000_000).to_bytes(8) + bytes(9_000)) == []
    assert receiver.held == 3_000_000
    assert fed(receiver, bytes(3_000_000 - 9_000)) == ["codec.size"]
    assert receiver.held == 2  # the next frame's flags and length


def test_room_is_counted_before_it_is_filled(receiver: Receiver) -> None:
    fed(receiver, bytes([LONG]) + (3_000_000).to_bytes(8))
    assert receiver.held >= 3_000_000


@pytest.mark.parametrize(
    ("sent", "code"),
    [
        (b"GET / HTTP/1.1\r\n".ljust(GREETING_BYTES), "codec.greeting"),
        (b"\xfe" + GREETING[1:], "codec.greeting"),
        (GREETING.replace(b"\x7f", b"\x7e"), "codec.greeting"),
        (GREETING.replace(b"NULL", b"PLAI"), "codec.greeting"),
        (GREETING[:31] + b"X" + GREETING[32:], "codec.greeting"),
        (GREETING.replace(b"\x03\x01", b"\x02\x00"), "codec.greeting"),
        (GREETING + message(b"a", b"b"), "codec.greeting"),
        (GREETING + frame(b"\x05HELLO", COMMAND), "codec.greeting"),
        (GREETING + frame(b"", COMMAND), "codec.greeting"),
        (GREETING + READY + frame(b"\x05ERROR", COMMAND), "codec.greeting"),
        (GREETING + READY + frame(b"", COMMAND | MORE), "codec.frame"),
        (GREETING + READY + frame(bytes(1025), COMMAND), "codec.frame"),
        (GREETING + READY + frame(bytes(300), COMMAND | MORE), "codec.frame"),
        (GREETING + READY + b"\x08\x00", "codec.frame"),
    ],
)
def test_what_is_no_zmtp_ends_the_connection(sent: bytes, code: str) -> None:
    with pytest.raises(CodecError) as refused:
        fed(Receiver("PULL"), sent)
    assert refused.value.code == code


def test_one_that_would_be_the_server_or_of_a_later_version_is_heard() -> None:
    for greeting in (GREETING.replace(b"\x03\x01", b"\x04\x00"), GREETING[:32] + b"\1" + bytes(31)):
        assert fed(Receiver("PULL"), greeting + READY + message(b"a")) == [[b"a"]]


@given(st.lists(st.binary(max_size=200)), st.booleans())
def test_random_bytes_are_messages_or_refused(pieces: Iterable[bytes], greeted: bool) -> None:
    receiver = Receiver("PULL")
    if greeted:
        fed(receiver, GREETING + READY)
    try:
        for piece in pieces:
            assert all(len(m) <= 2 for m in receiver.receive(piece) if isinstance(m, list))
    except CodecError:
        return
    assert receiver.held <= LARGEST_MESSAGE_BYTES
