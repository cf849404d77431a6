"""Messages to frames and back: the type's name as topic, then msgspec's msgpack."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Union

import msgspec

from assistant.core.clock import boottime_s
from assistant.core.documents.messages import Phrase
from assistant.core.errors import UNDECODABLE, CodecError
from assistant.core.messages import (
    AudioChunk,
    CalendarCommand,
    CalendarReport,
    DoubtfulWakeWord,
    Frame,
    HomeDescribed,
    HomeLists,
    Interpretation,
    Message,
    MusicLibrary,
    Question,
    SelfTest,
    SensorValues,
    Speech,
    Tick,
    Transcript,
    concrete,
)

LONGEST_REASON = 200
"""Most characters of a refusal, which may quote what was sent, whatever its length."""

UNPUBLISHED = (
    *(AudioChunk, DoubtfulWakeWord, Speech, HomeDescribed, HomeLists, MusicLibrary, SelfTest),
    *(CalendarCommand, CalendarReport, SensorValues),
)
"""Types that are not published: audio, whole homes, their lists, their music, the calendar and the
values of sensors have one consumer, a self-test concerns its sender only."""

MOST_AHEAD_S = 1.0
"""Most seconds by which a message's time may be ahead of the clock, which all processes share."""
MASK = "…"
"""Text in place of what somebody said of a secret."""

_ENCODER = msgspec.msgpack.Encoder()
_DECODER: msgspec.msgpack.Decoder[Message] = msgspec.msgpack.Decoder(
    Union[concrete(Message)]  # noqa: UP007 - the members are only known at run time
)


def wire_name(kind: type[msgspec.Struct]) -> str:
    """The name of a message type as other programs read it; that of a `SpokenReply` is "Reply"."""
    return str(kind.__struct_config__.tag)


def topic(kind: type[Message]) -> bytes:
    """The first frame of this type, by which subscribers choose; the NUL ends the name."""
    return wire_name(kind).encode() + b"\0"


def encode(message: Message) -> list[bytes]:
    """Two frames, topic and payload."""
    return [topic(type(message)), _ENCODER.encode(message)]


def decode(frames: Sequence[bytes | bytearray]) -> Message:
    """The message in two frames; raises `CodecError` on anything else."""
    if len(frames) != 2:
        raise CodecError("codec.frames", f"a message has two frames, not {len(frames)}")
    try:
        message = _DECODER.decode(frames[1])
    except UNDECODABLE as error:
        reason = str(error)[:LONGEST_REASON]
        raise CodecError("codec.malformed", f"a frame is no message: {reason}") from error
    if topic(type(message)) != frames[0]:
        raise CodecError("codec.topic", f"a {wire_name(type(message))} came under another topic")
    return message


def checked(message: Message) -> Message:
    """Return the message; raises `CodecError` for one that no other process can have sent.

    The stages take the time from messages: a message from tomorrow would make every timer ring.
    """
    kind = wire_name(type(message))
    if isinstance(message, (Frame, Tick)):
        raise CodecError("codec.inside", f"a {kind} stays inside one process")
    if not -math.inf < message.at_s <= boottime_s() + MOST_AHEAD_S:
        raise CodecError("codec.time", f"a {kind} came from the future, or from no time at all")
    return message


def published(message: Message) -> Message:
    """The message as anybody but its consumer may see it: what somebody said of a secret masked."""
    match message:
        case Transcript(secret=True):
            return msgspec.structs.replace(message, text=MASK, words=(), alternatives=())
        case Interpretation(secret=True):
            masked = Interpretation(
                utterance_id=message.utterance_id, revision=message.revision, text=MASK, secret=True
            )
            return msgspec.structs.replace(masked, at_s=message.at_s)
        case Question(secret=True):
            return msgspec.structs.replace(message, text=MASK)
        case Phrase(secret=True):
            return msgspec.structs.replace(message, question=MASK)
    return message


def as_json(message: Message) -> dict[str, Any]:
    """The message as plain values for people and logs: `{"type": …, …}`, audio only as its size."""
    plain: dict[str, Any] = msgspec.to_builtins(message, builtin_types=(bytes,))
    return {k: {"bytes": len(v)} if isinstance(v, bytes) else v for k, v in plain.items()}


def of_json(plain: dict[str, Any]) -> Message:
    """The message that `as_json` turned into `plain`; raises `CodecError`, also if it has audio."""
    try:
        return msgspec.convert(plain, Union[concrete(Message)])  # type: ignore[no-any-return]  # noqa: UP007
    except msgspec.ValidationError as error:
        raise CodecError("codec.json", f"an event is no message: {error}") from error
