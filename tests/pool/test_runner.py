"""Several requests on one stage in one thread."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from queue import SimpleQueue
from typing import ClassVar

import pytest

from assistant.composition import Composition
from assistant.core.config import Config, NluSettings, SkillsSettings
from assistant.core.errors import AnswerError
from assistant.core.messages import (
    BargeIn,
    Interpretation,
    Message,
    Question,
    SpokenReply,
    StageFailed,
    Tick,
    Transcript,
)
from assistant.core.stage import Stage
from assistant.pool.pool import PoolError
from assistant.pool.requests import PoolRequest, is_last
from assistant.pool.runner import Runner
from skills.registry import load_registry

WAIT_S = 60.0


class Counting:
    """Says the numbers from 0 to that of the question, one at a time, each with a tick."""

    consumes: ClassVar[tuple[type[Message], ...]] = (Question, BargeIn)

    def __init__(self) -> None:
        self.left: dict[str, tuple[int, int]] = {}
        self.stopped: list[str] = []
        self.closed = False

    def feed(self, message: Message) -> Iterator[Message]:
        match message:
            case Question(text="fail"):
                raise AnswerError("answer.broken", "it cannot be done")
            case Question(text=text):
                self.left[message.utterance_id] = (0, int(text))
            case BargeIn():
                self.left.pop(message.utterance_id)
                self.stopped.append(message.utterance_id)
            case Tick():
                for name, (said, until) in list(self.left.items()):
                    self.left[name] = (said + 1, until)
                    if said == until:
                        del self.left[name]
                    yield SpokenReply(utterance_id=name, text=str(said), more=said < until)

    def deadline_s(self) -> float | None:
        return 0.0 if self.left else None

    def close(self) -> None:
        self.closed = True


class Streaming:
    """Goes on for as long as somebody listens, within one call of `feed`."""

    consumes: ClassVar[tuple[type[Message], ...]] = (Question,)

    def __init__(self) -> None:
        self.ended = threading.Event()

    def feed(self, message: Message) -> Iterator[Message]:
        try:
            while isinstance(message, Question):
                yield SpokenReply(utterance_id=message.utterance_id, text="more", more=True)
        finally:
            self.ended.set()

    def deadline_s(self) -> float | None:
        return None


def question(text: str, utterance_id: str = "same") -> PoolRequest:
    return PoolRequest(messages=(Question(utterance_id=utterance_id, text=text),))


def replies(asked: SimpleQueue[Message]) -> Iterator[Message]:
    while True:
        message = asked.get(timeout=WAIT_S)
        yield message
        if is_last(message):
            return


def ask(runner: Runner, request: PoolRequest) -> SimpleQueue[Message]:
    delivered: SimpleQueue[Message] = SimpleQueue()
    runner.ask(request, delivered.put)
    return delivered


def spoken(messages: Iterator[Message]) -> list[str]:
    return [m.text for m in messages if isinstance(m, SpokenReply)]


def test_requests_with_one_id_each_get_their_own_reply_in_order() -> None:
    stage = Counting()
    runner = Runner("answer", lambda: stage)
    asked = [ask(runner, question(str(n))) for n in range(20)]
    for n, one in enumerate(asked):
        told = list(replies(one))
        assert spoken(iter(told)) == [str(said) for said in range(n + 1)]
        assert {m.utterance_id for m in told if isinstance(m, SpokenReply)} == {"same"}
        assert all(m.at_s > 0 for m in told)
    runner.check()
    runner.close()
    assert stage.closed
    with pytest.raises(PoolError, match="has ended"):
        runner.check()


def test_a_fault_is_told_and_the_next_request_starts_clean() -> None:
    runner = Runner("answer", Counting)
    (failed,) = replies(ask(runner, question("fail")))
    assert isinstance(failed, StageFailed)
    assert (failed.code, failed.utterance_id) == ("answer.broken", "same")
    assert spoken(replies(ask(runner, question("1")))) == ["0", "1"]
    runner.close()


def test_who_left_is_told_no_more_and_the_stage_stops() -> None:
    stage = Counting()
    runner = Runner("answer", lambda: stage)
    delivered: SimpleQueue[Message] = SimpleQueue()
    name = runner.ask(question("1000000"), delivered.put)
    delivered.get(timeout=WAIT_S)
    runner.leave(name)
    assert spoken(replies(ask(runner, question("1")))) == ["0", "1"]
    runner.close()
    assert stage.stopped == [name]


def test_a_reply_that_streams_is_closed_once_nobody_listens() -> None:
    stage = Streaming()
    runner = Runner("answer", lambda: stage)
    delivered: SimpleQueue[Message] = SimpleQueue()
    name = runner.ask(question("all"), delivered.put)
    delivered.get(timeout=WAIT_S)
    assert not stage.ended.is_set()
    runner.leave(name)
    assert stage.ended.wait(WAIT_S)
    runner.close()


def test_who_makes_it_hears_why_there_is_no_stage() -> None:
    def make() -> Stage:
        raise AnswerError("answer.none", "there is no such model")

    with pytest.raises(AnswerError, match="no such model"):
        Runner("answer", make)


def test_the_real_understanding_reads_several_at_once() -> None:
    texts = {
        "set a timer for five minutes": "HassStartTimer",
        "what time is it": "HassGetCurrentTime",
    }
    others = (m.name for m in load_registry().manifests if m.name not in ("timer", "clock"))
    config = Config(nlu=NluSettings(models=False), skills=SkillsSettings(disabled=tuple(others)))
    runner = Runner("nlu", lambda: Composition(config).nlu())
    asked = {
        text: ask(
            runner,
            PoolRequest(messages=(Transcript(utterance_id=text, revision=0, text=text),)),
        )
        for text in texts
    }
    for text, intent in texts.items():
        (meant,) = replies(asked[text])
        assert isinstance(meant, Interpretation)
        assert meant.utterance_id == text
        assert [command.intent for command in meant.commands] == [intent]
    runner.close()
