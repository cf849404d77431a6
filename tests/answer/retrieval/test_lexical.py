"""Questions answered by words, where the network that reads is missing or damaged."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from assistant.answer.answerer import Answerer, AnswerTier
from assistant.answer.knowledge.knowledge import Knowledge
from assistant.answer.knowledge.passages import Passage
from assistant.answer.knowledge.query import Filter
from assistant.answer.retrieval.lexical import FallbackFinder, LexicalSearcher
from assistant.answer.retrieval.search import SearchResult
from assistant.answer.stage import AnswerStage
from assistant.core.degraded import Degraded
from assistant.core.errors import ModelError
from assistant.core.messages import Message, Question, SpokenReply, StageFailed
from audio.tts.apology import MODELS, words_for
from tests.answer.test_answerer import Documents

KETTLE = "The kettle holds 1.7 litres. The guarantee runs for two years. Fill it with water only."
LEASE = "The rent is 900 crowns a month. It is due on the first. Keys are with Mrs Abbot."
CORRUPT = ModelError("model.corrupt", "reader/model.onnx is corrupt")


class Damaged:
    """A finder whose network is not what it was."""

    def __init__(self) -> None:
        self.asked = 0

    def find_all(
        self, questions: Sequence[str], within: Filter | None = None
    ) -> list[SearchResult]:
        self.asked += 1
        raise CORRUPT


@pytest.fixture
def knowledge() -> Iterator[Knowledge]:
    with closing(Knowledge(None)) as kept:
        for name, text in (("kettle", KETTLE), ("lease", LEASE)):
            passage = Passage(text=text, title=name.title(), kind="note" if name == "lease" else "")
            kept.sources.add(Path(f"/{name}.txt"), name, name.title(), "document", [passage])
        yield kept


def found(knowledge: Knowledge, question: str, within: Filter | None = None) -> str:
    (finding,) = LexicalSearcher(knowledge.passages).find_all([question], within)
    return finding.answer.sentence if finding.answer is not None else ""


def test_the_sentence_with_most_of_the_telling_words_answers(knowledge: Knowledge) -> None:
    assert found(knowledge, "how long is the guarantee of the kettle") == (
        "The guarantee runs for two years."
    )
    assert found(knowledge, "with whom are the keys?") == "Keys are with Mrs Abbot."
    assert found(knowledge, "when is the rent due") in LEASE
    # Two words that stand nowhere do not outweigh two that stand together.
    assert found(knowledge, "has the neighbour Abbot spare keys") == "Keys are with Mrs Abbot."


@pytest.mark.parametrize(
    "question", ["who won the world cup", "what is it", "", "the kettle's colour in mauve and teal"]
)
def test_what_too_few_words_speak_for_is_declined(knowledge: Knowledge, question: str) -> None:
    assert found(knowledge, question) == ""


def test_what_is_looked_through_first_comes_first(knowledge: Knowledge) -> None:
    notes = Filter(kinds=("note",))
    assert found(knowledge, "with whom are the keys?", notes) == "Keys are with Mrs Abbot."
    assert found(knowledge, "how many litres does the kettle hold", notes) in KETTLE


def test_what_does_not_name_the_person_who_is_named_does_not_answer(knowledge: Knowledge) -> None:
    asked = "with whom are the keys?"
    assert found(knowledge, asked, Filter(naming=("mrs abbot",))) == "Keys are with Mrs Abbot."
    elsewhere = Filter(kinds=("contact",), naming=("mrs abbot",))
    assert found(knowledge, asked, elsewhere) == "Keys are with Mrs Abbot."
    assert found(knowledge, asked, Filter(kinds=("note",), naming=("bob",))) == ""


def test_a_damaged_network_is_told_once_behind_the_answer_and_not_asked_again(
    knowledge: Knowledge, caplog: pytest.LogCaptureFixture
) -> None:
    faults, damaged = Degraded("answer"), Damaged()
    finder = FallbackFinder(damaged, LexicalSearcher(knowledge.passages), faults)
    answerer = Answerer(finder, None, lambda: knowledge.generation)
    stage = AnswerStage(Documents(answerer), faults=faults)
    told: list[Message] = []
    for text in ("where are the keys", "when is the rent due", "who has the keys"):
        told += stage.feed(Question(utterance_id="u", text=text))
    first, fault, *others = told
    assert isinstance(first, SpokenReply)
    assert first.text == "Keys are with Mrs Abbot."
    assert isinstance(fault, StageFailed)
    assert (fault.stage, fault.part, fault.code) == ("answer", "reader", "model.corrupt")
    assert words_for(fault) == MODELS["reader"]
    assert [type(other) for other in others] == [SpokenReply, SpokenReply]
    assert damaged.asked == 1
    assert caplog.text.count("(model.corrupt)") == 1
    assert answerer.outcomes[AnswerTier.EXTRACTED] == 3


def test_the_generators_fault_is_noted_where_it_is_loaded() -> None:
    def load() -> None:
        raise CORRUPT

    faults = Degraded("answer")
    for _ in range(2):
        with pytest.raises(ModelError):
            faults.with_note("generator", load)()
    (fault,) = faults.take_reports()
    assert words_for(fault) == MODELS["generator"]
    assert faults.take_reports() == []
    assert "generator" in faults
    assert "reader" not in faults
