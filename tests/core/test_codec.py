"""Every message survives the wire, and nothing else passes for one."""

from __future__ import annotations

import typing
from datetime import UTC, datetime

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.core import parts
from assistant.core.clock import boottime_s
from assistant.core.codec import (
    UNPUBLISHED,
    as_json,
    checked,
    decode,
    encode,
    of_json,
    published,
    topic,
)
from assistant.core.documents.messages import Phrase
from assistant.core.errors import CodecError
from assistant.core.messages import (
    AnswerTask,
    AudioChunk,
    BargeIn,
    Choice,
    Command,
    Control,
    Interpretation,
    ListEvents,
    Message,
    OpenQuestion,
    Period,
    Question,
    Slot,
    Speech,
    Spoken,
    SpokenReply,
    Tick,
    Transcript,
    Word,
    Work,
    concrete,
    is_for_peer,
)
from assistant.core.parts import UserText
from assistant.core.settings.wyoming import PEER
from benchmarks.hostile.mutation import TASKS

SPEECH = Speech(utterance_id="u", sequence=0, samples=b"", rate_hz=16_000, text="hi", last=True)
REPLY = SpokenReply(utterance_id="u", text="hi", at_s=1.0)

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


@pytest.mark.parametrize("task", TASKS, ids=lambda task: type(task).__name__)
def test_what_a_question_asks_for_comes_back_as_it_was(task: AnswerTask) -> None:
    question = Question(utterance_id="u", text="say it", task=task)
    assert decode(encode(question)) == question
    assert of_json(as_json(question)) == question


def test_every_task_is_tried() -> None:
    assert {type(task) for task in TASKS} == set(typing.get_args(AnswerTask))


@pytest.mark.parametrize(
    "task",
    [
        {"type": "OrderPizza"},
        {"type": "Summarise"},
        {"name": "kettle"},
        {"type": "ListEvents", "period": "today"},
        "NameSource",
        None,
    ],
)
def test_what_nobody_can_be_asked_for_is_refused(task: object) -> None:
    question = {"type": "Question", "utterance_id": "u", "text": "", "task": task}
    with pytest.raises(CodecError):
        decode([topic(Question), msgspec.msgpack.encode(question)])


@given(st.binary(max_size=200))
def test_random_bytes_are_refused(payload: bytes) -> None:
    with pytest.raises(CodecError):
        decode([topic(SpokenReply), payload])


def test_every_type_is_work_or_control_or_stays_inside() -> None:
    crossing = set(concrete(Work)) | set(concrete(Control))
    assert {t.__name__ for t in set(concrete(Message)) - crossing} == {"Frame", "Tick"}


@pytest.mark.parametrize(
    ("frames", "code"),
    [
        ([], "codec.frames"),
        ([topic(SpokenReply)], "codec.frames"),
        ([topic(SpokenReply), b"", b""], "codec.frames"),
        ([topic(AudioChunk), encode(SpokenReply(utterance_id="u", text="hi"))[1]], "codec.topic"),
        (
            [topic(SpokenReply), msgspec.msgpack.encode({"type": "Reply", "utterance_id": 7})],
            "codec.malformed",
        ),
        (
            [
                topic(SpokenReply),
                encode(SpokenReply(utterance_id="u", text="~"))[1].replace(b"~", b"\xff"),
            ],
            "codec.malformed",
        ),
    ],
)
def test_wrong_frames_are_refused(frames: list[bytes], code: str) -> None:
    with pytest.raises(CodecError) as refused:
        decode(frames)
    assert refused.value.code == code


@pytest.mark.parametrize("named", ["since", "until"])
def test_a_period_without_a_time_zone_is_refused(named: str) -> None:
    noon = datetime(2026, 3, 1, 12, tzinfo=UTC)
    moments = {"since": noon, "until": noon, named: noon.replace(tzinfo=None)}
    for task in (ListEvents(period=Period(**moments)), OpenQuestion(period=Period(**moments))):
        question = Question(utterance_id="u", text="what is on", task=task)
        with pytest.raises(CodecError) as refused:
            decode(encode(question))
        assert refused.value.code == "codec.malformed"
        with pytest.raises(CodecError, match="timezone"):
            of_json(as_json(question))


def test_what_is_nested_without_end_is_refused_in_few_words() -> None:
    named = b"\x82\xa9" + b"forbidden" + b"\x91" * 100_000
    with pytest.raises(CodecError, match="recursion"):
        decode([topic(SpokenReply), named])
    long = msgspec.msgpack.encode({"type": "Reply", "x" * 100_000: 1})
    with pytest.raises(CodecError) as refusal:
        decode([topic(SpokenReply), long])
    assert len(refusal.value.message) < 300


@pytest.mark.parametrize(
    "message",
    [
        Transcript(utterance_id="u", revision=0, text="a " * 50_000),
        Transcript(utterance_id="u", revision=0, text="", alternatives=("a " * 50_000,)),
        Interpretation(utterance_id="u", revision=0, text="a " * 50_000),
        Question(utterance_id="u", text="a " * 50_000),
        SpokenReply(utterance_id="u", text="a " * 50_000),
        BargeIn(utterance_id="u" * 1_000),
    ],
    ids=lambda message: type(message).__name__,
)
def test_what_nobody_can_say_is_refused(message: Message) -> None:
    """A transcript of 100 kB kept its stage from beating until it was killed."""
    with pytest.raises(CodecError, match="length"):
        decode(encode(message))


@pytest.mark.parametrize(
    "message",
    [
        Transcript(utterance_id="u" * 200, revision=0, text="a" * 5_000),
        SpokenReply(utterance_id="u", text="a" * 10_000),
    ],
    ids=lambda message: type(message).__name__,
)
def test_a_text_is_as_long_as_allowed_and_no_longer(message: Transcript | SpokenReply) -> None:
    assert decode(encode(message)) == message
    for longer in ({"text": message.text + "a"}, {"utterance_id": "u" * 201}):
        with pytest.raises(CodecError, match="length"):
            decode(encode(msgspec.structs.replace(message, **longer)))


def test_what_a_message_does_not_say_is_nothing() -> None:
    """But that a reply did what was wanted, and was heard, and that a text is sure."""
    made_of = [
        kind
        for kind in vars(parts).values()
        if isinstance(kind, type) and issubclass(kind, msgspec.Struct)
    ]
    told = {
        (kind.__name__, field.name)
        for kind in (*concrete(Message), *made_of)
        for field in msgspec.structs.fields(kind)
        if not field.required and field.default_factory is msgspec.NODEFAULT
        if field.default and field.default != OpenQuestion()
    }
    assert told == {
        *(("SpokenReply", "done"), ("PlaybackEnded", "heard")),
        *((kind, "confidence") for kind in ("Transcript", "Slot", "Command")),
    }


@given(interpretations)
def test_what_people_are_shown_can_be_read_again(message: Interpretation) -> None:
    assert of_json(as_json(message)) == message


@pytest.mark.parametrize(
    "plain",
    [
        {"type": "Reply", "utterance_id": "u"},
        {"type": "Unknown"},
        {},
        as_json(AudioChunk(utterance_id="u", sequence=0, samples=bytes(10))),
    ],
    ids=str,
)
def test_what_is_shown_of_no_message_is_refused(plain: dict[str, object]) -> None:
    with pytest.raises(CodecError, match="an event is no message: ") as refused:
        of_json(plain)
    assert refused.value.code == "codec.json"


def test_for_people_audio_is_only_its_size() -> None:
    chunk = AudioChunk(utterance_id="u", sequence=0, samples=b"\0" * 10)
    assert as_json(chunk)["samples"] == {"bytes": 10}
    assert as_json(chunk)["type"] == "AudioChunk"


def test_a_secret_is_masked_for_all_but_its_consumer() -> None:
    told = "four eight six seven"
    word = Word(text="eight", start_s=0.0, end_s=0.1, confidence=1.0)
    command = Command(intent="Tell", slots=(Slot(name="pin", value="4867", raw=told),))
    choice = Choice(sentence=told, command=command)
    for secret in (True, False):
        about: dict[str, typing.Any] = {"utterance_id": "u", "text": told, "secret": secret}
        for message in (
            Transcript(revision=1, words=(word,), alternatives=(told,), **about),
            Interpretation(
                revision=1,
                commands=(command,),
                missed=told,
                choices=(choice,),
                unclaimed=OpenQuestion(nearest=told),
                conditional=((command,),),
                **about,
            ),
            Question(**about),
            Phrase(utterance_id="u", question=told, secret=secret),
        ):
            shown = b"".join(encode(published(message)))
            assert (b"eight" in shown or b"4867" in shown) is not secret
            assert b"eight" in b"".join(encode(message))


def test_every_text_of_the_user_that_may_be_a_secret_is_masked() -> None:
    """A message that is new must be thought of, too."""
    masked = {Transcript, Interpretation, Question, Phrase}
    said = {
        kind
        for kind in concrete(Spoken)
        if any(field.type is UserText for field in msgspec.structs.fields(kind))
    }
    assert said == masked


def _with_bytes() -> set[str]:
    """The kinds of message that hold bytes, which watchers see the size of alone."""
    return {
        kind.__name__ for kind in concrete(Message) if bytes in typing.get_type_hints(kind).values()
    }


def test_what_watchers_are_told_can_be_read_back() -> None:
    """Regression: one kind with bytes ended every program that follows the daemon's events."""
    unpublished = {kind.__name__ for kind in UNPUBLISHED}
    assert _with_bytes() >= {"AudioChunk", "Speech"}
    assert _with_bytes() - {"Frame"} <= unpublished


@pytest.mark.parametrize(
    ("message", "for_peer"),
    [
        (Tick(), False),
        (Transcript(utterance_id="u", revision=0, text="", dictated=True), False),
        (Transcript(utterance_id="u", revision=0, text="", dictated=True, peer="desk"), True),
        (Transcript(utterance_id="u", revision=0, text="", peer="desk"), False),
        (SpokenReply(utterance_id="u", text="", peer="desk"), False),
        (SpokenReply(utterance_id="u", text="", peer=PEER), True),
        (SPEECH, False),
        (msgspec.structs.replace(SPEECH, peer="desk"), True),
        (Question(utterance_id="u", text="", peer="desk"), False),
    ],
    ids=lambda value: type(value).__name__,
)
def test_over_the_network_goes_what_is_heard_or_only_shown_there(
    message: Message, for_peer: bool
) -> None:
    """A satellite's own commands are carried out, and replies to it are voiced, here."""
    assert is_for_peer(message) is for_peer


@pytest.mark.parametrize(
    ("message", "code"),
    [
        (Tick(), "codec.inside"),
        (msgspec.structs.replace(REPLY, at_s=float("nan")), "codec.time"),
        (msgspec.structs.replace(REPLY, at_s=float("-inf")), "codec.time"),
        (msgspec.structs.replace(REPLY, at_s=1e12), "codec.time"),
    ],
)
def test_what_no_other_process_sends_is_refused(message: Message, code: str) -> None:
    with pytest.raises(CodecError) as refused:
        checked(message)
    assert refused.value.code == code
    for at_s in (0.0, 1.0, boottime_s()):
        sent = msgspec.structs.replace(REPLY, at_s=at_s)
        assert checked(sent) is sent
