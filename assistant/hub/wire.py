"""Messages as the bytes that cross from the gateway to a replica and back: the daemon's own codec.

Ray would pickle them, and unpickle what comes; of our values only these bytes cross.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from assistant.core.codec import decode, encode
from assistant.core.errors import CodecError
from assistant.core.messages import Message, Spoken

_FRAMES = msgspec.msgpack.Decoder(list[list[bytes]])


def packed(messages: Iterable[Message]) -> bytes:
    """The messages, in order."""
    return msgspec.msgpack.encode([encode(message) for message in messages])


def unpacked(body: bytes) -> tuple[Message, ...]:
    """What `packed` packed; raises `CodecError`."""
    try:
        every = _FRAMES.decode(body)
    except msgspec.DecodeError as error:
        raise CodecError("codec.malformed", "these bytes are no messages") from error
    return tuple(decode(frames) for frames in every)


def unpacked_request(body: bytes) -> tuple[Spoken, ...]:
    """What a stage is asked; raises `CodecError`, also for what nobody says."""
    messages = unpacked(body)
    spoken = tuple(message for message in messages if isinstance(message, Spoken))
    if not spoken or len(spoken) < len(messages):
        raise CodecError("codec.request", "a stage is asked what somebody said, and nothing else")
    return spoken
