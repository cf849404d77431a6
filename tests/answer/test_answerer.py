"""Passages and questions in, candidates, readings and answers out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from zlib import crc32

import numpy as np
import pytest

from assistant.answer.answerer import NOTHING_FOUND, Answer, Answerer, AnswerTier
from assistant.answer.generation.token_scheduler import Outlook, Steps
from assistant.answer.knowledge.knowledge import Knowledge
from assistant.answer.knowledge.passages import Passage
from assistant.answer.knowledge.query import Filter
from assistant.answer.knowledge.vector_index import VectorIndex
from assistant.answer.retrieval.encoder import Embeddings, Scored
from assistant.answer.retrieval.reader import Reader
from assistant.answer.retrieval.retriever import Retriever
from assistant.answer.retrieval.search import Searcher
from assistant.answer.stage import AnswerStage
from assistant.answer.summary.summariser import SpokenSentence, Summary
from assistant.answer.topic import NOTHING, Topic
from assistant.core.errors import AnswerError, ModelError
from assistant.core.messages import (
    CalendarTask,
    Fact,
    FindNextEvent,
    Message,
    NameCalendar,
    NameSource,
    OpenQuestion,
    Question,
    RepeatAnswer,
    SpokenReply,
    Summarise,
    WordFacts,
)
from tests.support.calibrations import READER

KETTLE = (
    "The kettle holds 1.7 litres. It is covered for two years. Never leave it on without water."
)
LEASE = "The rent is 900 crowns a month. It is due on the first. Keys are with Mrs Abbot."
FILM = "The festival opens on 3 May. It shows forty films in a week."


class Likeness:
    """A network that compares words, and points at a word that the question has."""

    version = "likeness"
    calibration = READER

    def encode(self, texts: Sequence[str]) -> Embeddings:
        rows = np.full((len(texts), 512), 1e-6, np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in re.findall(r"\w+", text.lower()):
                row[crc32(word.encode()) % 512] += 1
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)

    def score(self, question: str, passages: Sequence[str]) -> list[Scored]:
        words = set(question.lower().strip("?").split())
        return [self._one(passage, words) for passage in passages]

    def _one(self, passage: str, words: set[str]) -> Scored:
        places, spans, at = [], [], 0
        for word in passage.split():
            at = passage.index(word, at)
            places.append((at, at + len(word)))
            spans.append([8.0 if word.lower().strip(".") in words else 0.0] * 2)
            at += len(word)
        return Scored(np.array(spans, np.float32), places, none=10.0)


class Absent:
    """A network whose file is missing."""

    version = "v1"
    calibration = READER

    def encode(self, texts: Sequence[str]) -> Embeddings:
        raise ModelError("model.missing", "there is no such file")


@pytest.fixture
def knowledge() -> Iterator[Knowledge]:
    with closing(Knowledge(None)) as kept:
        for name, text in (("kettle", KETTLE), ("lease", LEASE), ("festival", FILM)):
            kept.sources.add(
                Path(f"/{name}.txt"),
                name,
                name.title(),
                "document",
                [Passage(text=text, title=name.title(), place="page 1")],
            )
        yield kept


@pytest.fixture
def retriever(knowledge: Knowledge) -> Retriever:
    encoder = Likeness()
    waiting = knowledge.vectors.unencoded(encoder.version, 10)
    ids = [number for number, _ in waiting]
    vectors = encoder.encode([text for _, text in waiting])
    knowledge.vectors.keep(encoder.version, ids, vectors)
    index = VectorIndex(knowledge.vectors, encoder.version)
    return Retriever(knowledge, index, encoder)


class Parrot:
    """A generator that says what it is told to, or fails."""

    def __init__(self, said: str | AnswerError) -> None:
        self.said, self.asked = said, 0

    def phrasing(self, question: str, text: str, title: str, answer: str = "") -> Steps[str]:
        yield Outlook(1)
        self.asked += 1
        if isinstance(self.said, AnswerError):
            raise self.said
        return self.said


def answerer(retriever: Retriever, knowledge: Knowledge, parrot: Parrot | None) -> Answerer:
    finder = Searcher(retriever, Reader(Likeness()))
    return Answerer(finder, parrot, lambda: knowledge.generation)


def test_the_passage_whose_words_are_asked_for_comes_first(retriever: Retriever) -> None:
    titles = [c.passage.title for c in retriever.find("how long is the kettle covered")]
    assert titles[0] == "Kettle"
    assert sorted(titles) == ["Festival", "Kettle", "Lease"]


def test_what_says_the_same_comes_once(retriever: Retriever, knowledge: Knowledge) -> None:
    knowledge.sources.add(
        Path("/copy.txt"), "copy", "Copy", "document", [Passage(text=KETTLE, title="Copy")]
    )
    found = retriever.find("how long is the kettle covered")
    assert [c.passage.text for c in found].count(KETTLE) == 1


def test_where_there_are_no_documents_no_network_is_asked() -> None:
    with closing(Knowledge(None)) as empty:
        retriever = Retriever(empty, VectorIndex(empty.vectors, "v1"), Absent())
        assert retriever.find_all(["who won?", "why?"]) == [[], []]


def test_a_filter_leaves_the_others_out(retriever: Retriever, knowledge: Knowledge) -> None:
    knowledge.sources.add(
        Path("/note.txt"),
        "n",
        "Note",
        "note",
        [Passage(text="Guests sleep upstairs.", title="Note", kind="note")],
    )
    found = retriever.find("where do guests sleep", within=Filter(kinds=("note",)))
    assert [c.passage.title for c in found] == ["Note"]


def test_the_sentence_that_answers_is_found(retriever: Retriever, knowledge: Knowledge) -> None:
    answer = answerer(retriever, knowledge, None).answer("covered how many years?")
    assert answer.text == "It is covered for two years."
    assert (answer.tier, answer.title, answer.place) == (AnswerTier.EXTRACTED, "Kettle", "page 1")


def test_what_no_passage_answers_is_declined(retriever: Retriever, knowledge: Knowledge) -> None:
    answer = answerer(retriever, knowledge, None).answer("who won?")
    assert (answer.text, answer.tier) == (NOTHING_FOUND, AnswerTier.DECLINED)


@pytest.mark.parametrize(
    ("said", "spoken", "tier"),
    [
        ("covered for two years", "Covered for two years.", AnswerTier.GENERATOR),
        ("It's covered for two years.", "It is covered for two years.", AnswerTier.EXTRACTED),
        ("It is covered for ten years.", "It is covered for two years.", AnswerTier.EXTRACTED),
        ("It is not covered.", "It is covered for two years.", AnswerTier.EXTRACTED),
        ("", "It is covered for two years.", AnswerTier.EXTRACTED),
        (
            AnswerError("answer.resting", "tired"),
            "It is covered for two years.",
            AnswerTier.EXTRACTED,
        ),
    ],
)
def test_the_generator_speaks_only_where_it_is_grounded(
    retriever: Retriever, knowledge: Knowledge, said: str, spoken: str, tier: AnswerTier
) -> None:
    answer = answerer(retriever, knowledge, Parrot(said)).answer("covered how many years?")
    assert (answer.text, answer.tier) == (spoken, tier)


def test_a_question_that_names_nothing_is_declined(
    retriever: Retriever, knowledge: Knowledge
) -> None:
    assert (
        answerer(retriever, knowledge, None).answer("what is it for?").tier is AnswerTier.DECLINED
    )


def test_an_answer_is_kept_until_a_document_changes(
    retriever: Retriever, knowledge: Knowledge
) -> None:
    parrot = Parrot("covered for two years")
    kept = answerer(retriever, knowledge, parrot)
    assert kept.answer("Covered how many years?") == kept.answer("covered how  many years?")
    assert parrot.asked == 1
    knowledge.sources.remove(Path("/lease.txt"))
    kept.answer("covered how many years?")
    assert parrot.asked == 2
    assert +kept.outcomes == {"generator": 2, "kept": 1}


class Documents:
    """Answers with what it is given."""

    def __init__(self, made: Answerer) -> None:
        self._made = made

    def answering(
        self, question: str, task: OpenQuestion, at_s: float = 0.0, topic: Topic = NOTHING
    ) -> Steps[Answer]:
        return self._made.answering(question, within=Filter(naming=task.persons))

    def scheduled(self, question: str, task: CalendarTask, at_s: float = 0.0) -> Steps[Answer]:
        return self._made.answering(question)

    def document_of(self, event: str) -> str:
        return "school.ics" if event == "parents evening" else ""

    def alerts(self) -> Sequence[Message]:
        return ()

    def wording(self, facts: Sequence[Fact], question: str, intent: str) -> Steps[str]:
        yield Outlook(1)
        return " and ".join(f"{fact.name} {fact.value}" for fact in facts)

    def summarising(self, name: str, words: int | None = None) -> Steps[Summary]:
        yield Outlook(1)
        if name != "kettle":
            raise AnswerError("answer.no_document", f"There is no {name}.")
        return Summary(
            (SpokenSentence("One.", "One."), SpokenSentence("Two.", "Two.")),
            "Kettle",
            "",
            Path("/k"),
        )


@pytest.fixture
def stage(retriever: Retriever, knowledge: Knowledge) -> AnswerStage:
    return AnswerStage(Documents(answerer(retriever, knowledge, None)))


def said(stage: AnswerStage, text: str, **more: object) -> list[str]:
    question = Question(utterance_id="u1", text=text, **more)  # type: ignore[arg-type]
    return [reply.text for reply in stage.feed(question)]


def test_the_source_is_named_when_asked(stage: AnswerStage) -> None:
    assert said(stage, "says who", task=NameSource(), fallback="Not yet.") == ["Not yet."]
    assert said(stage, "covered how many years?") == ["It is covered for two years."]
    assert said(stage, "says who", task=NameSource()) == ["From Kettle, page 1."]
    assert said(stage, "who won") == [NOTHING_FOUND]
    assert said(stage, "says who", task=NameSource(), fallback="Not yet.") == ["Not yet."]


def test_who_is_named_in_a_question_is_named_where_the_answer_is_from(stage: AnswerStage) -> None:
    asked = "who are keys with?"
    assert said(stage, asked, task=OpenQuestion(persons=("mrs abbot",))) == [
        "Keys are with Mrs Abbot."
    ]
    assert said(stage, asked, task=OpenQuestion(persons=("mrs abbott",))) == [
        "Keys are with Mrs Abbot."
    ]
    assert said(stage, asked, task=OpenQuestion(persons=("bob",))) == [NOTHING_FOUND]


def test_an_address_book_and_a_calendar_are_named_as_such(
    stage: AnswerStage, knowledge: Knowledge
) -> None:
    text = "Agnes Tolliver's telephone number is 960014."
    passage = Passage(text=text, title="people", place="Agnes Tolliver", kind="contact")
    knowledge.sources.add(Path("/people.vcf"), "p", "people", "contact", [passage])
    assert said(stage, "Agnes Tolliver's telephone number?") == [text]
    assert said(stage, "says who", task=NameSource()) == ["From your contacts."]


@pytest.mark.parametrize("text", ["covered for two years", "mum it is covered", "yay"])
def test_what_asks_nothing_is_not_looked_up(stage: AnswerStage, text: str) -> None:
    assert said(stage, text) == ["I didn't understand that."]


def test_a_command_is_not_looked_up(stage: AnswerStage) -> None:
    assert said(stage, "open the kettle for two years") == ["I can't do that yet."]


def test_a_skill_may_ask_the_documents_before_it_says_no(stage: AnswerStage) -> None:
    found = ["It is covered for two years."]
    assert said(stage, "covered how many years?", fallback="No.") == found
    assert said(stage, "who won", fallback="No.") == ["No."]


def test_the_last_answer_is_repeated(stage: AnswerStage) -> None:
    repeat = {"task": RepeatAnswer(), "fallback": "Nothing yet."}
    assert said(stage, "again", **repeat) == ["Nothing yet."]
    answer = said(stage, "covered how many years?")
    assert said(stage, "again", **repeat) == answer
    assert said(stage, "again", **repeat) == answer


def test_each_room_has_its_own_last_answer(stage: AnswerStage) -> None:
    answer = said(stage, "covered how many years?", area="kitchen")
    elsewhere = {"area": "office", "fallback": "Nothing yet."}
    assert said(stage, "again", task=RepeatAnswer(), **elsewhere) == ["Nothing yet."]
    assert said(stage, "says who", task=NameSource(), **elsewhere) == ["Nothing yet."]
    assert said(stage, "again", task=RepeatAnswer(), area="kitchen") == answer


def test_facts_are_worded(stage: AnswerStage) -> None:
    facts = WordFacts(facts=(Fact(name="temperature", value="21 degrees"),))
    asked = "how warm is it"
    assert said(stage, asked, task=facts, fallback="no") == ["temperature 21 degrees"]
    assert said(AnswerStage(), asked, task=facts, fallback="no") == ["no"]


def test_a_summary_comes_sentence_by_sentence(stage: AnswerStage) -> None:
    question = Question(utterance_id="u1", text="sum up kettle", task=Summarise(name="kettle"))
    replies = [reply for reply in stage.feed(question) if isinstance(reply, SpokenReply)]
    assert [(r.text, r.more) for r in replies] == [("One.", True), ("Two.", False)]
    assert said(stage, "says who", task=NameSource()) == ["From Kettle."]


def test_of_what_is_not_there_no_summary_is_made_up(stage: AnswerStage) -> None:
    assert said(stage, "x", task=Summarise(name="toaster")) == ["There is no toaster."]


def test_an_event_of_a_document_is_named_and_not_changed(stage: AnswerStage) -> None:
    task, none = NameCalendar(event="parents evening"), "There is no such event."
    (reply,) = stage.feed(Question(utterance_id="u1", text="move it", task=task, fallback=none))
    assert isinstance(reply, SpokenReply)
    assert (reply.text, reply.done) == ("That is in school.ics, which I only read.", False)
    assert said(stage, "x", task=NameCalendar(event="dentist"), fallback=none) == [none]
    assert said(AnswerStage(), "x", task=task, fallback=none) == [none]


def test_what_is_answered_from_the_calendar_is_found_or_nothing_is(stage: AnswerStage) -> None:
    next_event = FindNextEvent()
    assert said(stage, "covered how many years?", task=next_event) == [
        "It is covered for two years."
    ]
    assert said(stage, "says who", task=NameSource()) == ["From Kettle, page 1."]
    assert said(stage, "who won", task=next_event) == [NOTHING_FOUND]
    assert said(AnswerStage(), "x", task=next_event, fallback="No documents.") == ["No documents."]
