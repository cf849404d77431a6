"""Every message survives the wire, and nothing else passes for one."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.core.codec import as_json, decode, encode, topic
from assistant.core.errors import CodecError
from assistant.core.messages import (
    AudioChunk,
    BargeIn,
    Command,
    Control,
    Interpretation,
    Message,
    Question,
    Reply,
    Slot,
    Transcript,
    Work,
    concrete,
)

slots = st.builds(
    Slot,
    name=st.text(max_size=8),
    value=st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.text(max_size=8),
    raw=st.text(max_size=8),
)
interpretations = st.builds(
    Interpretation,
    utterance_id=st.text(max_size=8),
    revision=st.integers(0, 9),
    text=st.text(),
    commands=st.lists(
        st.builds(Command, intent=st.text(max_size=8), slots=st.lists(slots).map(tuple)), max_size=3
    ).map(tuple),
)


@given(interpretations)
def test_a_message_comes_back_as_it_was(message: Interpretation) -> None:
    assert decode(encode(message)) == message


@given(st.binary(max_size=200))
def test_random_bytes_are_refused(payload: bytes) -> None:
    with pytest.raises(CodecError):
        decode([topic(Reply), payload])


def test_every_type_is_work_or_control_or_stays_inside() -> None:
    crossing = set(concrete(Work)) | set(concrete(Control))
    assert {t.__name__ for t in set(concrete(Message)) - crossing} == {"Frame", "Tick"}


@pytest.mark.parametrize(
    "frames",
    [
        [],
        [topic(Reply)],
        [topic(Reply), b"", b""],
        [topic(AudioChunk), encode(Reply(utterance_id="u", text="hi"))[1]],
        [topic(Reply), msgspec.msgpack.encode({"type": "Reply", "utterance_id": 7})],
    ],
)
def test_wrong_frames_are_refused(frames: list[bytes]) -> None:
    with pytest.raises(CodecError):
        decode(frames)


def test_what_is_nested_without_end_is_refused_in_few_words() -> None:
    named = b"\x82\xa9" + b"forbidden" + b"\x91" * 100_000
    with pytest.raises(CodecError, match="recursion"):
        decode([topic(Reply), named])
    long = msgspec.msgpack.encode({"type": "Reply", "x" * 100_000: 1})
    with pytest.raises(CodecError) as refusal:
        decode([topic(Reply), long])
    assert len(refusal.value.message) < 300


@pytest.mark.parametrize(
    "message",
    [
        Transcript(utterance_id="u", revision=0, text="a " * 50_000),
        Transcript(utterance_id="u", revision=0, text="", alternatives=("a " * 50_000,)),
        Interpretation(utterance_id="u", revision=0, text="a " * 50_000),
        Question(utterance_id="u", text="a " * 50_000),
        Reply(utterance_id="u", text="a " * 50_000),
        BargeIn(utterance_id="u" * 1_000),
    ],
    ids=lambda message: type(message).__name__,
)
def test_what_nobody_can_say_is_refused(message: Message) -> None:
    """A transcript of 100 kB kept its stage from beating until it was killed."""
    with pytest.raises(CodecError, match="length"):
        decode(encode(message))


def test_for_people_audio_is_only_its_size() -> None:
    chunk = AudioChunk(utterance_id="u", sequence=0, samples=b"\0" * 10)
    assert as_json(chunk)["samples"] == {"bytes": 10}
    assert as_json(chunk)["type"] == "AudioChunk"
