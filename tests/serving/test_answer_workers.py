"""Questions that worker processes answer: several at a time, and here where they fail."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import pytest

from assistant.answer import build
from assistant.answer.generation.token_scheduler import Steps, TokenScheduler
from assistant.answer.in_flight import InFlight
from assistant.answer.ingest.parser_client import ParserClient
from assistant.answer.stage import AnswerStage
from assistant.composition import Composition
from assistant.core.clock import boottime_s
from assistant.core.config import AnswerSettings, Config, StorageSettings
from assistant.core.documents.messages import DocumentsDone
from assistant.core.messages import (
    BargeIn,
    DocumentsRequest,
    Message,
    Question,
    SpokenReply,
    StageFailed,
    Tick,
)
from assistant.pool.local import LocalPool, LocalStage, LocalStream
from assistant.pool.requests import PoolRequest
from assistant.pool.routing import RequestShape, WorkerState
from assistant.pool.scaling import ScalingPolicy
from assistant.serving.answer_workers import STAGE, AnswerWorkers
from assistant.serving.answering import AnswerStageMaker
from tests.support.pool_stages import Speller

WITHIN_S = 60.0
A_WORD_S = 0.02


def fewest(
    workers: Sequence[WorkerState], request: RequestShape, now_s: float
) -> WorkerState | None:
    """The worker that holds the fewest, however quick each was, or else that of the room."""
    fit = [worker for worker in workers if worker.is_fit(now_s)]
    return min(fit, key=lambda one: (len(one.left), request.key not in one.warm), default=None)


class Kitchen:
    """A stage with two workers that spell; what is answered here is declined."""

    def __init__(self, folder: Path) -> None:
        kind = LocalStage(
            partial(Speller, str(folder / "died"), A_WORD_S), ScalingPolicy(least=2, most=2)
        )
        self.pool = LocalPool({STAGE: kind}, route=fewest)
        self.workers = AnswerWorkers(lambda: self.pool)
        self.in_flight = InFlight(TokenScheduler(clock=boottime_s))
        self.in_flight.share_with(self.workers)
        self.stage = AnswerStage(in_flight=self.in_flight)

    def until_ready(self) -> None:
        """Wait until both workers have said something."""
        list(self.stage.feed(asked("could you sing", "first", "attic")))
        end_s = time.monotonic() + WITHIN_S
        while not all(worker.is_heard for worker in self.pool.workers(STAGE)):
            assert time.monotonic() < end_s
            self.pool.poll(0.05)

    def begin(self, *questions: Question) -> list[Message]:
        """What is replied at once."""
        return [message for question in questions for message in self.stage.feed(question)]

    def end(self, told: list[Message]) -> list[tuple[str, str]]:
        """Utterance and text of each reply, with those that follow."""
        end_s = time.monotonic() + WITHIN_S
        while self.stage.deadline_s() is not None:
            assert time.monotonic() < end_s
            told += self.stage.feed(Tick(at_s=boottime_s()))
        assert not any(isinstance(message, StageFailed) for message in told)
        return [(m.utterance_id, m.text) for m in told if isinstance(m, SpokenReply)]

    def asks(self, *questions: Question) -> list[tuple[str, str]]:
        """Utterance and text of each reply."""
        return self.end(self.begin(*questions))


@pytest.fixture
def kitchen(tmp_path: Path) -> Iterator[Kitchen]:
    with ExitStack() as opened:
        made = Kitchen(tmp_path)
        opened.callback(lambda: made.in_flight.share_with(None))
        yield made


def asked(text: str, name: str = "u1", area: str = "") -> Question:
    return Question(utterance_id=name, text=text, area=area)


def test_before_they_are_ready_it_is_answered_here(kitchen: Kitchen) -> None:
    ours = "I can't do that yet."
    assert kitchen.asks(asked("could you iron it")) == [("u1", ours)]
    kitchen.until_ready()
    # The room goes on with who has answered there.
    assert kitchen.asks(asked("could you iron it", "u2")) == [("u2", ours)]
    told = kitchen.asks(asked("could you iron it", "u3", "hall"))
    assert told == [("u3", word) for word in ("could", "you", "iron", "it")]


def test_rooms_are_answered_at_a_time_and_each_goes_on_where_it_was(kitchen: Kitchen) -> None:
    kitchen.until_ready()
    first = dict(kitchen.asks(asked("where", "u1", "bath"), asked("where", "u2", "hall")))
    assert len(set(first.values())) == 2
    again = dict(kitchen.asks(asked("last", "u3", "bath"), asked("last", "u4", "hall")))
    assert again == {"u3": "where", "u4": "where"}


def test_one_that_is_killed_loses_and_doubles_nothing(kitchen: Kitchen) -> None:
    kitchen.until_ready()
    text = " ".join(f"w{n}" for n in range(30))
    told = kitchen.begin(asked(text))
    while len(told) < 5:
        told += kitchen.stage.feed(Tick(at_s=boottime_s()))
    (holder,) = [worker for worker in kitchen.pool.workers(STAGE) if worker.left]
    os.kill(holder.process.pid or 0, signal.SIGKILL)
    assert kitchen.end(told) == [("u1", word) for word in text.split()]


def test_what_they_leave_unfinished_is_answered_here(kitchen: Kitchen) -> None:
    kitchen.until_ready()
    told = kitchen.begin(asked("could you " + "iron " * 300))
    kitchen.in_flight.share_with(None)
    assert kitchen.end(told) == [("u1", "I can't do that yet.")]


def test_of_what_was_said_already_nothing_is_said_again(kitchen: Kitchen) -> None:
    def three() -> Steps[None]:
        for text in ("one", "two", "three"):
            yield SpokenReply(utterance_id="u1", text=text, more=text != "three")

    kitchen.until_ready()
    told = list(kitchen.in_flight.ask(asked("one two " + "more " * 300), three()))
    while len(told) < 2:
        told += kitchen.in_flight.turn()
    kitchen.in_flight.share_with(None)
    said = [text for _, text in kitchen.end(told)]
    assert said[:2] == ["one", "two"]
    assert said[-1] == "three"
    assert said.count("one") == said.count("two") == 1


def test_barge_in_ends_it(kitchen: Kitchen) -> None:
    kitchen.until_ready()
    told = kitchen.begin(asked("word " * 300))
    assert kitchen.in_flight.busy
    told += kitchen.stage.feed(BargeIn(utterance_id="u1"))
    assert not kitchen.in_flight.busy
    assert kitchen.asks(asked("more", "u2")) == [("u2", "more")]


def test_those_of_the_daemon_answer_from_its_documents(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken: list[str] = []
    run = LocalPool.run

    def noted(pool: LocalPool, stage: str, request: PoolRequest) -> LocalStream:
        taken.append(request.utterance_id)
        return run(pool, stage, request)

    monkeypatch.setattr(LocalPool, "run", noted)
    folders = {name: str(tmp_path) for name in ("state", "runtime", "cache")}
    config = Config(answer=AnswerSettings(workers=1), storage=StorageSettings(**folders))
    (tmp_path / "notes.txt").write_text("The key of the cellar lies under the pot.\n", "utf-8")
    make = AnswerStageMaker(tmp_path / "knowledge.db")
    with ExitStack() as opened:
        opened.callback(make.close)

        def parser(zone: str) -> ParserClient:
            return opened.enter_context(ParserClient(zone=zone))

        monkeypatch.setattr(build, "ParserClient", parser)
        stage = make(Composition(config))
        wanted = (str(tmp_path / "notes.txt"),)
        told = list(stage.feed(DocumentsRequest(request_id="r", action="add", arguments=wanted)))
        end_s = time.monotonic() + WITHIN_S
        while not any(isinstance(message, DocumentsDone) for message in told):
            assert time.monotonic() < end_s
            told += stage.feed(Tick(at_s=boottime_s()))
            time.sleep(0.01)
        end_s = time.monotonic() + WITHIN_S
        for number in range(1_000):
            told += stage.feed(Tick(at_s=boottime_s()))
            told += stage.feed(asked("where is the key of the cellar", *[f"u{number}"] * 2))
            if f"u{number}" in taken:
                break
            assert time.monotonic() < end_s
            time.sleep(0.1)
        while not (said := [m for m in told if getattr(m, "utterance_id", "") == f"u{number}"]):
            assert time.monotonic() < end_s
            told += stage.feed(Tick(at_s=boottime_s()))
    assert isinstance(said[0], SpokenReply)
    assert "under the pot" in said[0].text
