"""A spoken wish in, the spoken summary out."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from assistant.answer.generation.grounding import ungrounded
from assistant.answer.generation.token_scheduler import Outlook, Steps
from assistant.answer.ingest.formats.select import parse
from assistant.answer.knowledge.knowledge import Knowledge
from assistant.answer.knowledge.passages import cut
from assistant.answer.summary.summariser import SpokenSentence, Summariser, Summary, shortens
from assistant.core.errors import AnswerError
from tests.support.fake_encoder import FakeEncoder

TEXTS = Path(__file__).resolve().parents[2] / "data" / "documents" / "summaries"
NOTE = "The key lies under the pot.\n\nFeed the cat twice a day\n"
SOURCE = "Anna cleans the filter every 7 days with warm water, and Berta dries the soft brush."


@pytest.fixture
def knowledge() -> Iterator[Knowledge]:
    with closing(Knowledge(None)) as made:
        for path in sorted(TEXTS.glob("*.md")):
            put(made, path, path.read_bytes())
        put(made, Path("/notes/holidays.md"), NOTE.encode())
        yield made


def put(knowledge: Knowledge, path: Path, content: bytes) -> None:
    document = parse(path.name, content)
    knowledge.sources.add(path, path.name, document.title, document.kind, list(cut(document)))


class Phraser:
    """Says the same for every sentence, or fails."""

    def __init__(self, text: str) -> None:
        self.text, self.asked = text, list[tuple[str, str, str]]()

    def phrasing(self, question: str, text: str, title: str, answer: str = "") -> Steps[str]:
        yield Outlook(1)
        self.asked.append((question, text, title))
        if not self.text:
            raise AnswerError("answer.generator", "it is busy")
        return self.text


def summarised(knowledge: Knowledge, name: str, says: str | None = None) -> Summary:
    phraser = None if says is None else Phraser(says)
    return Summariser(knowledge.sources, FakeEncoder(), phraser).summarise(name)


def test_the_cleaning_chapter_of_the_dishwasher_manual(knowledge: Knowledge) -> None:
    summary = summarised(knowledge, "the cleaning chapter of the dishwasher manual")
    assert (summary.title, summary.place) == ("Merren D45 Dishwasher: User Manual", "Cleaning")
    chapter = (TEXTS / "dishwasher.md").read_text("utf-8").split("## ")[4]
    assert chapter.startswith("Cleaning")
    assert all(said.text in chapter for said in summary.sentences)
    assert 2 <= len(summary.sentences) <= 3


def test_every_document_gives_two_or_three_of_its_own_sentences(knowledge: Knowledge) -> None:
    for source in knowledge.sources.all():
        summary = summarised(knowledge, source.title)
        assert summary.source == source.path
        assert 2 <= len(summary.sentences) <= 3, source.title
        for said in summary.sentences:
            assert not ungrounded(said.text, (said.source,))
            assert said.text == said.source or source.title == "holidays"


@pytest.mark.parametrize("words", [20, 60, 150, 400])
def test_a_summary_has_as_many_words_as_wished(knowledge: Knowledge, words: int) -> None:
    summariser = Summariser(knowledge.sources, FakeEncoder())
    for source in knowledge.sources.all():
        if source.title == "holidays":
            continue
        summary = summariser.summarise(source.title, words)
        count = len(summary.text.split())
        assert count <= words or len(summary.sentences) == 1, source.title
        assert count >= words // 2, source.title
        assert all(not ungrounded(said.text, (said.source,)) for said in summary.sentences)


def test_a_wished_length_that_is_long_enough_reads_all_out(knowledge: Knowledge) -> None:
    summariser = Summariser(knowledge.sources, None)
    assert summariser.summarise("holidays", 20).text == summarised(knowledge, "holidays").text


@pytest.mark.parametrize("words", [0, 19, 1001, -5])
def test_no_summary_is_that_long_or_short(knowledge: Knowledge, words: int) -> None:
    with pytest.raises(AnswerError, match="20 to 1000 words"):
        Summariser(knowledge.sources, FakeEncoder()).summarise("holidays", words)


def test_a_short_document_is_read_out(knowledge: Knowledge) -> None:
    summary = summarised(knowledge, "holidays")
    assert summary.text == "The key lies under the pot. Feed the cat twice a day."


def test_an_unknown_name_is_told_with_the_nearest(knowledge: Knowledge) -> None:
    with pytest.raises(AnswerError, match="nearest are"):
        summarised(knowledge, "the washing line booklet")


@pytest.mark.parametrize(
    ("says", "spoken"),
    [
        ("Anna cleans the filter every 7 days with warm water.", True),
        ("Anna cleans the filter.", False),  # cut within a statement
        ("Anna cleans the brush every 7 days.", False),
        ("Anna cleans the filter every 9 days with warm water.", False),
        ("Anna never cleans the filter every 7 days with warm water.", False),
        ("The brush cleans Anna.", False),
        (f"{SOURCE} And by Anna.", False),
        (SOURCE, False),
        ("", False),
    ],
)
def test_a_sentence_is_said_shorter_only_where_nothing_is_added(says: str, spoken: bool) -> None:
    assert shortens(says, SOURCE) is spoken
    with closing(Knowledge(None)) as knowledge:
        put(knowledge, Path("/filter.md"), f"# Filters\n\n{SOURCE}".encode())
        summary = summarised(knowledge, "filters", says)
    assert summary.sentences == (SpokenSentence(says if spoken else SOURCE, SOURCE),)


def test_a_rest_that_takes_something_back_is_said() -> None:
    assert not shortens("You may open the lid.", "You may open the lid, and never when it runs.")
    assert not shortens("You may open the lid.", "You may open the lid, so wait if it runs.")
    assert shortens("You may open the lid.", "You may open the lid, so that steam goes out.")


def test_the_generator_is_asked_for_long_sentences_alone(knowledge: Knowledge) -> None:
    phraser = Phraser("")
    Summariser(knowledge.sources, FakeEncoder(), phraser).summarise("holidays")
    assert not phraser.asked
    Summariser(knowledge.sources, FakeEncoder(), phraser).summarise("dishwasher")
    assert phraser.asked
    assert all(question == "" and "Merren" in title for question, _, title in phraser.asked)
