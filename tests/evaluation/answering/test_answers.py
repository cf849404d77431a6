"""A small set of passages and questions in, figures out; and what drives them to chance."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from assistant.answer.retrieval.encoder import PassageEncoder
from assistant.answer.retrieval.search import SearchResult
from assistant.core.errors import InputError
from assistant.core.models.manifest import Library
from assistant.evaluation.answering.answers import AnswerFigures, evaluate_answers, passages
from assistant.evaluation.answering.shelf import Shelf
from assistant.evaluation.answering.squad import Article, GoldAnswer, overlap, read_articles

KETTLE = (
    "The kettle holds 1.7 litres and boils in four minutes. "
    "It is covered for two years from the day of purchase. "
    "Mrs Abbot in the shop on Mill Lane repairs it."
)
BRIDGE = (
    "The bridge at Marl was finished in 1841. "
    "It is 46 metres long and was built of larch by Agnes Tolliver. "
    "A flood carried its middle pier away in 1862."
)
CHOIR = (
    "The choir meets on Tuesdays at seven in the hall of St Anne's. "
    "New singers pay nothing for the first month. "
    "The next concert is on 3 May."
)
ASKED = {
    "Kettle": (KETTLE, {"Who repairs the kettle?": "Mrs Abbot", "How much does it hold?": "1.7"}),
    "Bridge": (BRIDGE, {"When was the bridge finished?": "1841", "Who built it?": "Tolliver"}),
    "Choir": (CHOIR, {"What do new singers pay?": "nothing", "When is the concert?": "3 May"}),
}


@pytest.fixture(scope="module")
def articles(tmp_path_factory: pytest.TempPathFactory) -> tuple[Article, ...]:
    data = [
        {
            "title": title,
            "paragraphs": [
                {
                    "context": context,
                    "qas": [
                        {"question": question, "answers": [{"text": text, "answer_start": 0}]}
                        for question, text in asked.items()
                    ],
                }
            ],
        }
        for title, (context, asked) in ASKED.items()
    ]
    file = tmp_path_factory.mktemp("squad") / "set.json"
    file.write_text(json.dumps({"version": "1.1", "data": data}))
    return read_articles(file)


@pytest.fixture(scope="module")
def shelf(articles: tuple[Article, ...]) -> Iterator[Shelf]:
    encoder = PassageEncoder.load(Library(Path("/nowhere")))
    with closing(Shelf(list(passages(articles)), encoder)) as made:
        yield made


class Altered:
    """The shelf with another thing found than there is."""

    def __init__(self, shelf: Shelf, change: Callable[[SearchResult], SearchResult]) -> None:
        self._shelf, self._change = shelf, change

    def find(self, question: str, without: str = "") -> SearchResult:
        return self._change(self._shelf.find(question, without))


def test_the_shipped_reader_answers_plain_questions(
    articles: tuple[Article, ...], shelf: Shelf
) -> None:
    found = evaluate_answers(articles, shelf)
    assert (found.questions, found.recall_at_5) == (6, 1.0)
    assert found.recall_at_1 >= 5 / 6
    assert found.sentence_has_answer >= 5 / 6
    assert found.declined > found.falsely_declined


def test_an_emptied_index_answers_nothing(articles: tuple[Article, ...], shelf: Shelf) -> None:
    found = evaluate_answers(articles, Altered(shelf, lambda _: SearchResult([], [])))
    assert _shares(found) == {0.0}
    assert found.declined == found.falsely_declined == 1.0


def test_the_least_likely_passage_is_wrong(articles: tuple[Article, ...], shelf: Shelf) -> None:
    worst = Altered(shelf, lambda f: SearchResult([], f.candidates[::-1]))
    found = evaluate_answers(articles, worst)
    assert found.recall_at_1 <= 1 / 6
    assert found.recall_at_5 == 1.0


def _shares(found: AnswerFigures) -> set[float]:
    return {
        found.recall_at_1,
        found.recall_at_5,
        found.sentence_has_answer,
        found.exact_match,
        found.f1,
    }


@pytest.mark.parametrize(
    ("said", "exact", "f1"),
    [("the Mill Lane!", True, 1.0), ("Mill Road", False, 0.5), ("", False, 0.0)],
)
def test_answers_are_compared_by_their_words(said: str, exact: bool, f1: float) -> None:
    assert overlap(said, (GoldAnswer("Abbot"), GoldAnswer("mill lane"))) == (exact, f1)


def test_what_is_no_such_set_is_refused_in_one_line(tmp_path: Path) -> None:
    file = tmp_path / "wrong.json"
    file.write_text('{"data": 3}')
    with pytest.raises(InputError, match=r"wrong\.json: not in SQuAD's format"):
        read_articles(file)
    with pytest.raises(InputError, match="No such file"):
        read_articles(tmp_path / "absent.json")
