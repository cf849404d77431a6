"""What no document here says is asked of a hub, and declined where that says nothing in time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from assistant.answer.answerer import NOTHING_FOUND, Answer, AnswerTier
from assistant.answer.generation.token_scheduler import Steps, TokenScheduler
from assistant.answer.hub import HubAnswers
from assistant.answer.in_flight import InFlight
from assistant.answer.stage import AnswerStage
from assistant.answer.summary.summariser import Summary
from assistant.answer.topic import NOTHING, Topic
from assistant.core.clock import boottime_s
from assistant.core.errors import AnswerError
from assistant.core.messages import (
    CalendarTask,
    Fact,
    Message,
    NameSource,
    OpenQuestion,
    Question,
    SpokenReply,
    Summarise,
    Tick,
)
from assistant.core.traces.ids import ROOT, span_id_of, trace_id_of
from tests.support.stand_in_hub import StandInHub, hub_for_stages

NO_SUCH_DOCUMENT = "I have no document of that name."


class Here:
    """Documents that know of the cellar alone."""

    def answering(
        self, question: str, task: OpenQuestion, at_s: float = 0.0, topic: Topic = NOTHING
    ) -> Steps[Answer]:
        if "cellar" in question:
            return Answer(text="It is below.", tier=AnswerTier.EXTRACTED, title="the house")
        return Answer(text=NOTHING_FOUND, tier=AnswerTier.DECLINED)
        yield

    def scheduled(self, question: str, task: CalendarTask, at_s: float = 0.0) -> Steps[Answer]:
        raise AssertionError

    def document_of(self, event: str) -> str:
        raise AssertionError

    def wording(self, facts: Sequence[Fact], question: str, intent: str) -> Steps[str]:
        raise AssertionError

    def summarising(self, name: str, words: int | None = None) -> Steps[Summary]:
        raise AnswerError("answer.no_document", NO_SUCH_DOCUMENT)
        yield

    def alerts(self) -> tuple[Message, ...]:
        return ()


@pytest.fixture
def hub() -> Iterator[StandInHub]:
    with closing(StandInHub()) as there:
        yield there


@pytest.fixture
def hub_answers(hub: StandInHub, tmp_path: Path) -> Iterator[HubAnswers]:
    with hub_for_stages(hub, tmp_path) as asked:
        yield HubAnswers(asked)


@pytest.fixture(params=[True, False], ids=["one after the other", "several at once"])
def stage(request: pytest.FixtureRequest, hub_answers: HubAnswers) -> AnswerStage:
    scheduler = TokenScheduler(clock=boottime_s) if request.param is False else None
    return AnswerStage(Here(), in_flight=InFlight(scheduler), hub=hub_answers)


def asks(stage: AnswerStage, *questions: Question) -> list[SpokenReply]:
    told = [message for question in questions for message in stage.feed(question)]
    while stage.deadline_s() is not None:
        told += stage.feed(Tick(at_s=boottime_s()))
    return [message for message in told if isinstance(message, SpokenReply)]


def question(text: str, name: str = "u1") -> Question:
    return Question(utterance_id=name, text=text, at_s=boottime_s())


def test_what_is_not_known_here_is_asked_there(stage: AnswerStage, hub: StandInHub) -> None:
    (reply,) = asks(stage, question("where is the jam"))
    assert (reply.text, reply.done) == ("In the larder.", True)
    assert reply.found is not None
    assert (reply.found.tier, reply.found.title) == ("hub", "the larder's list")
    (source,) = asks(stage, Question(utterance_id="u2", text="says who", task=NameSource()))
    assert source.text == "From the larder's list, Jars."
    assert [path for path, _ in hub.asked] == ["/v1/answer"]
    own = trace_id_of("u1")
    assert hub.traces == [f"00-{own}-{span_id_of(own, ROOT)}-01"]


def test_what_is_known_here_is_never_sent(stage: AnswerStage, hub: StandInHub) -> None:
    (reply,) = asks(stage, question("where is the cellar"))
    assert reply.text == "It is below."
    assert hub.asked == []


@pytest.mark.parametrize("how", ["silent", "cut", "503"])
def test_where_it_is_no_good_it_is_declined(stage: AnswerStage, hub: StandInHub, how: str) -> None:
    hub.how = how
    (reply,) = asks(stage, question("where is the jam"))
    assert (reply.text, reply.done) == (NOTHING_FOUND, False)
    assert len(hub.asked) == 1


def test_where_it_finds_nothing_either_it_is_declined(stage: AnswerStage, hub: StandInHub) -> None:
    hub.answer = {"text": "Nothing there.", "done": False}
    (reply,) = asks(stage, question("where is the jam"))
    assert (reply.text, reply.done) == (NOTHING_FOUND, False)


def test_others_are_answered_while_it_is_waited_for(
    hub_answers: HubAnswers, hub: StandInHub
) -> None:
    stage = AnswerStage(
        Here(), in_flight=InFlight(TokenScheduler(clock=boottime_s)), hub=hub_answers
    )
    hub.how = "silent"
    told = asks(stage, question("where is the jam"), question("where is the cellar", "u2"))
    assert [reply.utterance_id for reply in told] == ["u2", "u1"]


def test_a_summary_of_what_is_there_alone(stage: AnswerStage, hub: StandInHub) -> None:
    wanted = Question(utterance_id="u1", text="the list", task=Summarise(name="the list"))
    (reply,) = asks(stage, wanted)
    assert (reply.text, reply.done) == ("In the larder.", True)
    hub.how = "silent"
    (reply,) = asks(stage, wanted)
    assert (reply.text, reply.done) == (NO_SUCH_DOCUMENT, False)


def test_without_documents_of_its_own_a_device_asks_there(
    hub_answers: HubAnswers, hub: StandInHub
) -> None:
    (reply,) = asks(AnswerStage(hub=hub_answers), question("where is the jam"))
    assert reply.text == "In the larder."
    (reply,) = asks(AnswerStage(hub=hub_answers), question("order a pizza"))
    assert reply.text == "I can't do that yet."
    assert len(hub.asked) == 1
