"""The receiving end of ZMTP 3.0 without I/O: bytes of a connection in, whole messages out.

libzmq's own receivers keep a whole message before they hand out its first frame, and limit only the
size of one frame (ZMQ_MAXMSGSIZE), so a sender of many frames can fill the memory. Here the excess
is skipped as it arrives. The protocol is https://rfc.zeromq.org/spec/23/, mechanism NULL.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from assistant.core.errors import CodecError

LARGEST_MESSAGE_BYTES = 4_000_000
"""Most bytes of all frames of one message together."""
MOST_FRAMES = 2
LARGEST_COMMAND_BYTES = 1024
GREETING_BYTES = 64
MORE, LONG, COMMAND = 1, 2, 4
"""Bits of a frame's flags: another frame follows, the length has eight bytes, it is a command."""
_FLAGS = (0, MORE, LONG, MORE | LONG, COMMAND, COMMAND | LONG)

_SIGNATURE = b"\xff" + bytes(8) + b"\x7f"
_GREETING = (_SIGNATURE + b"\x03\x00" + b"NULL").ljust(GREETING_BYTES, b"\0")

Frames = Sequence[bytes | bytearray]
Step = Callable[["Receiver", bytearray], Frames | CodecError | None]


class Receiver:
    """The receiving side of one connection; `kind` is its socket type, "PULL" or "SUB"."""

    def __init__(self, kind: str, topics: Iterable[bytes] = ()) -> None:
        self._subscriptions = b"".join(_short(0, b"\1" + topic) for topic in topics)
        ready = _short(COMMAND, _ready(kind))
        # A peer may send once it has READY. A sender gets READY after it has greeted, when it no
        # longer counts as a silent connection. A publisher gets it at once: libzmq hangs up on
        # subscriptions that come in one piece with READY.
        self._unsaid, self._welcome = (
            (_GREETING + ready, b"") if self._subscriptions else (_GREETING, ready)
        )
        self.greeted = self.ready = False
        self._frames: list[bytearray] = []
        self._refusal: CodecError | None = None
        self._await(GREETING_BYTES, Receiver._greet)

    @property
    def held(self) -> int:
        """How many bytes are held or reserved for a message that is not complete yet."""
        return len(self._field) + sum(map(len, self._frames))

    def says(self) -> bytes:
        """The bytes to send now, if any; the greeting at first."""
        said, self._unsaid = self._unsaid, b""
        return said

    def receive(self, piece: bytes) -> Iterator[Frames | CodecError]:
        """The messages that end in `piece`; in place of one that is refused, its error.

        Raises `CodecError` for bytes that are not ZMTP; then the connection is no longer usable.
        """
        rest = memoryview(piece)
        while len(rest) >= self._missing:
            now, rest = rest[: self._missing], rest[self._missing :]
            self._keep(now)
            if (message := self._step(self, self._field)) is not None:
                yield message
        self._keep(rest)

    def _await(self, size: int, step: Step, *, passing_over: bool = False) -> None:
        """Have `step` called with the next `size` bytes; with no bytes when passing over them."""
        self._field = bytearray(0 if passing_over else size)
        self._missing, self._step = size, step

    def _keep(self, arrived: memoryview) -> None:
        if self._field:
            start = len(self._field) - self._missing
            self._field[start : start + len(arrived)] = arrived
        self._missing -= len(arrived)

    def _greet(self, greeting: bytearray) -> None:
        signed = greeting[0] == 0xFF and greeting[9] == 0x7F
        # Byte 10 is the version, the bytes from 12 on are the mechanism.
        if not signed or greeting[10] < 3 or greeting[12:32].rstrip(b"\0") != b"NULL":
            raise CodecError("codec.greeting", "a connection does not speak ZMTP 3 without a key")
        self._unsaid, self.greeted = self._welcome, True
        self._await(2, Receiver._header)

    def _header(self, header: bytearray) -> None:
        self._flags, size = header
        if self._flags not in _FLAGS:
            raise CodecError("codec.frame", "a connection sent what is no frame of ZMTP")
        if not (self.ready or self._flags & COMMAND):
            raise CodecError("codec.greeting", "a connection sent a message before it was ready")
        if self._flags & LONG:
            self._first_of_length = size
            self._await(7, Receiver._rest_of_length)
        else:
            self._body(size)

    def _rest_of_length(self, rest: bytearray) -> None:
        self._body(int.from_bytes([self._first_of_length, *rest]))

    def _body(self, size: int) -> None:
        if self._flags & COMMAND:
            if size > LARGEST_COMMAND_BYTES:
                raise CodecError("codec.frame", f"a connection sent a command of {size} bytes")
            self._await(size, Receiver._command)
        else:
            self._refusal = self._refusal or self._too_much(size)
            self._await(size, Receiver._frame, passing_over=self._refusal is not None)

    def _too_much(self, size: int) -> CodecError | None:
        if len(self._frames) == MOST_FRAMES:
            message = f"a message has {MOST_FRAMES} frames, and one came with more"
            return CodecError("codec.frames", message)
        if sum(map(len, self._frames)) + size > LARGEST_MESSAGE_BYTES:
            message = f"a message of more than {LARGEST_MESSAGE_BYTES} bytes came"
            return CodecError("codec.size", message)
        return None

    def _frame(self, frame: bytearray) -> Frames | CodecError | None:
        self._frames = [] if self._refusal else [*self._frames, frame]
        self._await(2, Receiver._header)
        if self._flags & MORE:
            return None
        message: Frames | CodecError = self._refusal or self._frames
        self._frames, self._refusal = [], None
        return message

    def _command(self, command: bytearray) -> None:
        name = command[1 : 1 + command[0]] if command else b""
        if name == b"ERROR" or not (self.ready or name == b"READY"):
            raise CodecError("codec.greeting", "a connection was not made ready")
        if not self.ready:
            # Not earlier: libzmq hangs up on a subscription that comes in one piece with the rest.
            self._unsaid, self.ready = self._unsaid + self._subscriptions, True
        self._await(2, Receiver._header)


def _ready(kind: str) -> bytes:
    return b"\x05READY\x0bSocket-Type" + len(kind).to_bytes(4) + kind.encode()


def _short(flags: int, body: bytes) -> bytes:
    return bytes([flags, len(body)]) + body
