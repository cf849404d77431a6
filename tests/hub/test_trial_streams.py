"""What the reply to a request shows of a version, and a reply that breaks off in its middle."""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncGenerator, Mapping
from pathlib import Path

import pytest

from assistant.core.messages import (
    Choice,
    Command,
    Interpretation,
    Message,
    Question,
    Speech,
    SpokenReply,
    StageFailed,
    Transcript,
)
from assistant.core.models.running_trial import RunningTrial
from assistant.core.models.trial import Tally
from assistant.core.models.trial_file import Trial, TrialFile
from assistant.hub.calls import StageError
from assistant.hub.observation.figures import StageLoad
from assistant.hub.rollout.choice import OnTrial, TrialStreams
from assistant.hub.rollout.tally import MAY_TAKE_S, ReplyTally
from assistant.pool.pool import PoolError
from assistant.pool.requests import PoolRequest

LAMP = Command(intent="HassTurnOn", confidence=0.8)


def meant(*commands: Command, choices: tuple[Choice, ...] = ()) -> Interpretation:
    return Interpretation(
        utterance_id="u", revision=0, text="lamp", commands=commands, choices=choices
    )


def heard(text: str) -> Transcript:
    return Transcript(utterance_id="u", revision=0, text=text)


def said(text: str, done: bool = True, more: bool = False) -> SpokenReply:
    return SpokenReply(utterance_id="u", text=text, done=done, more=more)


def sound(samples: bytes, last: bool) -> Speech:
    return Speech(
        utterance_id="u", sequence=0, samples=samples, rate_hz=8_000, text="hello", last=last
    )


def shown(*messages: Message, seconds: float = 0.0) -> Tally | None:
    reply = ReplyTally()
    *before, last = messages
    assert [reply.add(message, seconds) for message in before] == [None] * len(before)
    return reply.add(last, 10.0)


@pytest.mark.parametrize(
    ("messages", "missed", "asked"),
    [
        ([heard("turn on the lamp")], 0, 0),
        ([heard("")], 1, 0),
        ([meant(LAMP)], 0, 0),
        ([meant()], 1, 0),
        ([meant(choices=(Choice(sentence="turn on the lamp", command=LAMP),))], 0, 1),
        ([said("Two years."), ], 0, 0),
        ([said("I found no answer.", done=False)], 1, 0),
        ([said("")], 1, 0),
        ([said("It says:", more=True), said("two years.")], 0, 0),
        ([sound(b"", False), sound(b"\1\1", True)], 0, 0),
        ([sound(b"", False), sound(b"", True)], 1, 0),
    ],
)  # fmt: skip
def test_a_reply_shows_whether_anything_came_of_it(
    messages: list[Message], missed: int, asked: int
) -> None:
    tally = shown(*messages)
    assert tally is not None
    assert (tally.utterances, tally.missed, tally.asked) == (1, missed, asked)


def test_a_fault_is_not_counted() -> None:
    assert shown(StageFailed(stage="nlu", code="nlu.internal", message="")) is None


@pytest.mark.parametrize("first", [said("It says:", more=True), sound(b"\1", False)])
def test_a_reply_is_slow_whose_first_message_is(first: Message) -> None:
    last = said("two years.") if isinstance(first, SpokenReply) else sound(b"\1", True)
    may_take_s = MAY_TAKE_S[type(first)]
    for seconds, slow in ((may_take_s, 0), (may_take_s + 0.01, 1)):
        tally = shown(first, last, seconds=seconds)
        assert tally is not None
        assert (tally.slow, tally.seconds) == (slow, round(seconds, 4))


class Breaking:
    """Answers in two sentences; under the name of what is on trial, with a fault for the second."""

    def __init__(self, fault: PoolError | StageFailed) -> None:
        self._fault = fault

    async def stream(
        self, stage: str, request: PoolRequest, budget_s: float = math.inf, tenant: str = ""
    ) -> AsyncGenerator[Message, None]:
        yield said("It says:", more=True)
        if stage == "answer":
            yield said("two years.")
        elif isinstance(self._fault, StageFailed):
            yield self._fault
        else:
            raise self._fault

    async def ready(self) -> bool:
        return True

    async def loads(self) -> Mapping[str, StageLoad]:
        return {}


@pytest.mark.parametrize(
    "fault",
    [
        PoolError("pool.lost", "its workers keep dying"),
        StageFailed(stage="answer", code="pool.lost", message="it is broken", utterance_id="u"),
    ],
)
def test_a_reply_of_which_a_part_was_given_is_not_begun_anew(
    tmp_path: Path, fault: PoolError | StageFailed
) -> None:
    trial = Trial(
        stage="answer", model="reader", version="2", before="1", share=1.0, utterances=9, began_s=1
    )
    running, over = RunningTrial("answer", trial, TrialFile(tmp_path / "f"), print), list[bool]()
    streams = TrialStreams(Breaking(fault))
    on_trial = OnTrial(trial, running, "answer trial 1", lambda: over.append(True))
    streams.on_trial, given = on_trial, list[Message]()

    async def ask() -> None:
        asked = PoolRequest(messages=(Question(utterance_id="u", text="how long"),))
        async for message in streams.stream("answer", asked):
            given.append(message)

    with pytest.raises((PoolError, StageError)) as told:
        asyncio.run(ask())
    assert told.value.code == "pool.lost"
    assert given == [said("It says:", more=True)]
    assert (over, on_trial.under_way, on_trial.is_over) == ([True], 0, True)
    given.clear()
    asyncio.run(ask())
    assert given == [said("It says:", more=True), said("two years.")]
