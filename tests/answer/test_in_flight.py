"""Many requests at once to the stage that runs, over its sockets: whose words come when."""

from __future__ import annotations

import itertools
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from unittest.mock import ANY

import msgspec
import pytest

from assistant.answer.answerer import NOTHING_FOUND, Answerer
from assistant.answer.answers import DocumentAnswers
from assistant.answer.calendar.calendar import Calendar
from assistant.answer.generation.token_scheduler import LIMIT, Outlook, Steps, TokenScheduler
from assistant.answer.in_flight import InFlight
from assistant.answer.knowledge.knowledge import Knowledge
from assistant.answer.knowledge.passages import Passage
from assistant.answer.quality.monitor import AnswerMonitor
from assistant.answer.retrieval.lexical import LexicalSearcher
from assistant.answer.stage import AnswerStage
from assistant.answer.summary.summariser import Summariser
from assistant.core.bus import Address, Bus
from assistant.core.clock import boottime_s
from assistant.core.errors import AnswerError
from assistant.core.messages import (
    BargeIn,
    Fact,
    Generated,
    Message,
    NameSource,
    Question,
    SpokenReply,
    StageFailed,
    Summarise,
    Tick,
    WordFacts,
)
from assistant.core.stage import Stage
from assistant.core.worker import Worker
from assistant.supervision.heartbeat import Heartbeat

TOKEN_S = 0.001
PEERS = ("answer", "asker")
CONSUMERS: dict[type[Message], str] = {Question: "answer"}
THINGS = (
    *("kettle", "toaster", "grinder", "freezer", "heater", "fan"),
    *("lamp", "mixer", "oven", "radio", "scale", "stove"),
)
SHORT, LONG = 3, 40
"""Tokens of the words for a short and a long sentence."""
PATIENCE_S = 60.0
FIRST = "first"
"""Whose question only shows that the sockets know each other."""


def sentence(thing: str, years: int, long: bool) -> str:
    more = ", and whoever bought it keeps the bill in a drawer of the hall" * long
    return f"The {thing} is covered for {years} years{more}."


class Slow:
    """A generator that takes its time and says what it read, in lower case where it can."""

    def __init__(self) -> None:
        self.begun: Counter[str] = Counter()
        self.endless = ""
        """The title about which it would never stop."""

    def phrasing(self, question: str, text: str, title: str, answer: str = "") -> Steps[str]:
        yield from self._said(LONG if "drawer" in text else SHORT, title)
        return text.rstrip(".").lower()

    def wording(self, facts: Sequence[Fact], question: str, intent: str) -> Steps[str]:
        try:
            yield from self._said(SHORT, "facts")
        except AnswerError:
            return ""
        return "It is " + " and ".join(fact.value for fact in facts)

    def _said(self, tokens: int, what: str) -> Steps[None]:
        refused = yield Outlook(tokens)
        for _ in itertools.count() if what == self.endless else range(tokens):
            if refused is not None:
                raise refused
            self.begun[what] += 1
            time.sleep(TOKEN_S)
            refused = yield "a token"


class Gathering:
    """A stage that words nothing before it was asked so much."""

    def __init__(self, stage: AnswerStage, enough: int) -> None:
        self.consumes: tuple[type[Message], ...] = stage.consumes  # type: ignore[misc]
        self._stage, self._missing = stage, enough

    def feed(self, message: Message) -> Iterator[Message]:
        if isinstance(message, Question) and message.utterance_id != FIRST:
            self._missing -= 1
        yield from self._stage.feed(message)

    def deadline_s(self) -> float | None:
        return None if self._missing > 0 else self._stage.deadline_s()


class Office:
    """The stage in a worker of its own, and the bus of whoever asks it."""

    def __init__(self, address: Address, stage: Stage) -> None:
        self._bus = Bus("asker", address, PEERS, CONSUMERS, (SpokenReply,))
        self._others = Bus("answer", address, PEERS, CONSUMERS, stage.consumes)
        self.worker = Worker("answer", stage, self._others, Heartbeat(None))
        self._thread = threading.Thread(target=self.worker.run)
        self._thread.start()
        self.replies: list[tuple[str, str]] = []
        self._known = False
        while not self._known:  # until the sockets know each other
            self.ask(Question(utterance_id=FIRST, text="sing"))
            self.hear(0.05)

    def ask(self, *questions: Message) -> None:
        for question in questions:
            self._bus.send(msgspec.structs.replace(question, at_s=boottime_s()))

    def hear(self, seconds: float, enough: int = 10_000) -> list[tuple[str, str]]:
        """The replies so far, after so long or when there are enough of them."""
        ends_s = time.monotonic() + seconds
        while time.monotonic() < ends_s and len(self.replies) < enough:
            for message in self._bus.receive(0.05):
                if isinstance(message, SpokenReply) and message.utterance_id == FIRST:
                    self._known = True
                elif isinstance(message, SpokenReply):
                    self.replies.append((message.utterance_id, message.text))
        return self.replies

    def close(self) -> None:
        self.worker.stop()
        self._thread.join()
        self._others.close()
        self._bus.close()


@pytest.fixture
def knowledge() -> Iterator[Knowledge]:
    with closing(Knowledge(None)) as kept:
        for number, thing in enumerate(THINGS):
            text = sentence(thing, number + 2, long=number % 4 == 0)
            passage = Passage(text=text, title=thing.title())
            kept.sources.add(Path(f"/{thing}.txt"), thing, thing.title(), "document", [passage])
        yield kept


class Made:
    """Stages over the same documents and the same requests in progress."""

    def __init__(
        self,
        knowledge: Knowledge,
        limit: int = LIMIT,
        clock: Callable[[], float] = boottime_s,
    ) -> None:
        self.generator, self._knowledge = Slow(), knowledge
        self.in_flight = InFlight(TokenScheduler(limit, clock=clock))
        self.answerers: list[Answerer] = []

    def stage(self) -> AnswerStage:
        kept, generator = self._knowledge, self.generator
        answerer = Answerer(LexicalSearcher(kept.passages), generator, lambda: kept.generation)
        self.answerers.append(answerer)
        calendar = Calendar(kept, lambda: datetime(2027, 1, 4, tzinfo=UTC))
        summariser = Summariser(kept.sources, None, generator)
        answers = DocumentAnswers(answerer, summariser, generator, calendar, AnswerMonitor(9.0))  # type: ignore[arg-type]
        return AnswerStage(answers, in_flight=self.in_flight)

    @property
    def outcomes(self) -> Counter[str]:
        return sum((answerer.outcomes for answerer in self.answerers), Counter())


@contextmanager
def office(made: Made, folder: Path, at_once: int = 0) -> Iterator[Office]:
    """An office that begins when it was asked so much."""
    with ExitStack() as opened:
        address = opened.enter_context(closing(Address(folder)))
        stage = Gathering(made.stage(), at_once)
        yield opened.enter_context(closing(Office(address, stage)))


def asked(number: int) -> Question:
    """One of fifty: of a document, of facts, for a summary, for the source, of nothing."""
    thing, kind = THINGS[number % len(THINGS)], number % 10
    about = {"utterance_id": f"u{number}", "at_s": boottime_s()}
    if kind == 7:
        facts = WordFacts(facts=(Fact(name="room", value=f"{number} degrees"),))
        return Question(text="how warm", intent="Warm", task=facts, fallback="no", **about)
    if kind == 8:
        return Question(text="sum up", task=Summarise(name=thing), **about)
    if kind == 9:
        return Question(text="who won the cup", **about)
    return Question(text=f"is the {thing} covered x{number}", **about)


def test_of_fifty_at_once_none_is_lost_and_what_finds_no_room_is_said_as_it_stands(
    knowledge: Knowledge, tmp_path: Path
) -> None:
    began_s = boottime_s()
    made = Made(knowledge, limit=8, clock=lambda: began_s)  # none is late
    with office(made, tmp_path, at_once=50) as open_office:
        open_office.ask(*map(asked, range(50)))
        replies = open_office.hear(PATIENCE_S, enough=50)
        assert Counter(name for name, _ in replies) == Counter(f"u{n}" for n in range(50))
    said = dict(replies)
    for number in range(50):
        text = said[f"u{number}"]
        thing = number % len(THINGS)
        match number % 10:
            case 7:
                assert text in (f"It is {number} degrees", "no")
            case 9:
                assert text == NOTHING_FOUND
            case _:
                assert text == sentence(THINGS[thing], thing + 2, thing % 4 == 0)
    outcomes = made.outcomes
    assert outcomes["answer.overloaded"] > 0
    assert outcomes["generator"] > 0
    assert outcomes["extracted"] >= outcomes["answer.overloaded"]


def test_short_replies_do_not_wait_for_long_ones(knowledge: Knowledge, tmp_path: Path) -> None:
    began_s = boottime_s()
    made = Made(knowledge, clock=lambda: began_s)  # none is late, however busy the machine is
    long, short = (THINGS[0], THINGS[4], THINGS[8]), [t for n, t in enumerate(THINGS) if n % 4]
    with office(made, tmp_path, at_once=len(THINGS)) as open_office:
        for thing in (*long, *short):
            text = f"is the {thing} covered"
            open_office.ask(Question(utterance_id=thing, text=text))
        order = [name for name, _ in open_office.hear(PATIENCE_S, enough=len(THINGS))]
    assert set(order[-3:]) == set(long)
    assert made.outcomes["generator"] == len(THINGS)


def test_who_speaks_over_it_takes_the_request_out_at_once(
    knowledge: Knowledge, tmp_path: Path
) -> None:
    began_s = boottime_s()
    made = Made(knowledge, clock=lambda: began_s)
    gone, stays = THINGS[0], THINGS[4]
    made.generator.endless = gone.title()
    with office(made, tmp_path) as open_office:
        for thing in (gone, stays):
            text = f"is the {thing} covered"
            open_office.ask(Question(utterance_id=thing, text=text))
        while not made.generator.begun[gone.title()]:
            open_office.hear(TOKEN_S)
        ends_s = time.monotonic() + PATIENCE_S
        while not open_office.replies and time.monotonic() < ends_s:
            open_office.ask(BargeIn(utterance_id=gone))  # who is not yet known is not heard
            open_office.hear(0.05, enough=1)
        assert [name for name, _ in open_office.replies] == [stays]
        begun = made.generator.begun[gone.title()]
        assert len(open_office.hear(0.2)) == 1
        assert made.generator.begun[gone.title()] == begun


def test_what_was_asked_of_one_stage_is_answered_when_the_next_one_is_there(
    knowledge: Knowledge,
) -> None:
    made = Made(knowledge, clock=lambda: 0.0)  # none is late
    first, question = made.stage(), f"is the {THINGS[0]} covered"
    assert list(first.feed(Question(utterance_id="u", text=question))) == []
    second = made.stage()
    del first
    told: list[Message] = []
    while second.deadline_s() == 0.0:
        told += second.feed(Tick(at_s=1.0))
    worded, reply = told
    assert worded == Generated(utterance_id="u", began_at_s=ANY, tokens=LONG)
    assert isinstance(reply, SpokenReply)
    assert reply.text == sentence(THINGS[0], 2, long=True)
    source = Question(utterance_id="v", text="says who", task=NameSource())
    (named,) = second.feed(source)
    assert isinstance(named, SpokenReply)
    assert named.text == f"From {THINGS[0].title()}."


def test_whose_time_is_over_is_told_what_was_found(knowledge: Knowledge) -> None:
    made = Made(knowledge)
    stage = made.stage()
    text = f"is the {THINGS[0]} covered"
    assert list(stage.feed(Question(utterance_id="u", text=text, at_s=boottime_s() - 5))) == []
    (reply,) = stage.feed(Tick(at_s=1.0))
    assert isinstance(reply, SpokenReply)
    assert reply.text == sentence(THINGS[0], 2, long=True)
    assert +made.outcomes == {"answer.late": 1, "extracted": 1}
    assert not made.generator.begun
    # It is not kept: asked again in time, it is worded.
    assert list(stage.feed(Question(utterance_id="v", text=text))) == []


@pytest.mark.parametrize(
    ("fault", "code", "message"),
    [
        (AnswerError("answer.too_long", "too long"), "answer.too_long", "too long"),
        (ZeroDivisionError("what was asked"), "answer.internal", "ZeroDivisionError"),
    ],
)
def test_a_fault_of_one_request_is_told_once_and_costs_no_other(
    knowledge: Knowledge, fault: Exception, code: str, message: str
) -> None:
    made = Made(knowledge, clock=lambda: 0.0)
    stage = made.stage()
    for thing in THINGS[1:3]:
        text = f"is the {thing} covered"
        list(stage.feed(Question(utterance_id=thing, text=text)))

    def broken() -> Steps[None]:
        yield Outlook(1)
        raise fault

    list(made.in_flight.ask(Question(utterance_id="x", text=""), broken()))
    told: list[Message] = []
    while stage.deadline_s() == 0.0:
        told += stage.feed(Tick(at_s=1.0))
    assert {m.utterance_id for m in told if isinstance(m, SpokenReply)} == set(THINGS[1:3])
    assert {m.utterance_id for m in told if isinstance(m, Generated)} == set(THINGS[1:3])
    (failed,) = [m for m in told if not isinstance(m, SpokenReply | Generated)]
    assert failed == StageFailed(stage="answer", code=code, message=message, utterance_id="x")
