"""Messages as the bytes that cross from the gateway to a replica and back: the daemon's own codec.

Ray would pickle them, and unpickle what comes; of our values only these bytes cross.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from assistant.core.codec import decode, encode
from assistant.core.errors import UNDECODABLE, CodecError
from assistant.core.messages import Message, Spoken

_FRAMES = msgspec.msgpack.Decoder(list[list[bytes]])
_REPLY = msgspec.msgpack.Decoder(tuple[float, list[bytes]])


def packed(messages: Iterable[Message]) -> bytes:
    """The messages, in order."""
    return msgspec.msgpack.encode([encode(message) for message in messages])


def unpacked_request(body: bytes) -> tuple[Spoken, ...]:
    """What `packed` packed; raises `CodecError`, also for what nobody says."""
    try:
        every = _FRAMES.decode(body)
    except UNDECODABLE as error:
        raise CodecError("codec.malformed", "these bytes are no messages") from error
    messages = tuple(decode(frames) for frames in every)
    spoken = tuple(message for message in messages if isinstance(message, Spoken))
    if not spoken or len(spoken) < len(messages):
        raise CodecError("codec.request", "a stage is asked what somebody said, and nothing else")
    return spoken


def packed_reply(message: Message, began_s: float) -> bytes:
    """A message of a reply, with when the stage began with what was asked."""
    return msgspec.msgpack.encode((began_s, encode(message)))


def unpacked_reply(body: bytes) -> tuple[Message, float]:
    """What `packed_reply` packed; raises `CodecError`."""
    try:
        began_s, frames = _REPLY.decode(body)
    except UNDECODABLE as error:
        raise CodecError("codec.malformed", "these bytes are no reply") from error
    return decode(frames), began_s
