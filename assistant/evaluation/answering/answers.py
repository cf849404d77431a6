"""How well questions about passages are answered: all of the file's passages in one index."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, Protocol

import msgspec
import numpy as np

from assistant.answer.knowledge.passages import Passage
from assistant.answer.retrieval.search import SearchResult
from assistant.control.metrics import percentile
from assistant.evaluation.answering.squad import Article, SquadQuestion, overlap

TOP = 5
Progress = Callable[[int, int], None]


class AnswerFigures(msgspec.Struct, frozen=True, kw_only=True):
    """Shares, from 0 to 1, of the questions.

    `recall_at_…` counts the questions whose passage was found, `sentence_has_answer` those whose
    chosen sentence holds a right answer. `exact_match` and `f1` compare the chosen words, before
    anything is declined. `declined` is the share that is declined when the passages of their
    article are removed, `falsely_declined` the share declined when they are there. `ms` runs from
    the question to the sentence.
    """

    questions: int
    recall_at_1: float
    recall_at_5: float
    sentence_has_answer: float
    exact_match: float
    f1: float
    declined: float
    falsely_declined: float
    ms_p50: float
    ms_p95: float


class DocumentShelf(Protocol):
    """The documents that are asked; `without` leaves out the passages of one title."""

    def find(self, question: str, without: str = "") -> SearchResult:
        """What is found for `question`."""


class _Judged(NamedTuple):
    place: int
    holds: bool
    exact: bool
    f1: float
    declined: bool
    declined_without: bool
    ms: float


def passages(articles: Sequence[Article]) -> Iterator[Passage]:
    """Every passage of the file, unchanged."""
    for article in articles:
        for paragraph in article.paragraphs:
            yield Passage(text=paragraph.context, title=article.title.replace("_", " "))


def evaluate_answers(
    articles: Sequence[Article],
    library: DocumentShelf,
    progress: Progress = lambda done, total: None,
    clock: Callable[[], float] = time.perf_counter,
) -> AnswerFigures:
    """Ask every question of the articles."""
    asked = [
        (one, paragraph.context, article.title.replace("_", " "))
        for article in articles
        for paragraph in article.paragraphs
        for one in paragraph.qas
        if one.answers
    ]
    judged = []
    for done, (one, context, title) in enumerate(asked, 1):
        judged.append(_judge(one, context, title, library, clock))
        progress(done, len(asked))
    return _figures(judged)


def _judge(
    asked: SquadQuestion,
    context: str,
    title: str,
    library: DocumentShelf,
    clock: Callable[[], float],
) -> _Judged:
    began_s = clock()
    finding = library.find(asked.question)
    ms = (clock() - began_s) * 1000
    places = [c.passage.text for c in finding.candidates[:TOP]]
    best = finding.readings[0] if finding.readings else None
    compared = overlap(best.answer if best else "", asked.answers)
    return _Judged(
        place=places.index(context) if context in places else TOP,
        holds=best is not None and any(a.text in best.sentence for a in asked.answers),
        exact=compared.exact,
        f1=compared.f1,
        declined=finding.answer is None,
        declined_without=library.find(asked.question, without=title).answer is None,
        ms=ms,
    )


def _figures(judged: Sequence[_Judged]) -> AnswerFigures:
    def share(values: list[bool] | list[float]) -> float:
        return float(np.mean(values)) if values else 0.0

    times = [j.ms for j in judged]
    return AnswerFigures(
        questions=len(judged),
        recall_at_1=share([j.place == 0 for j in judged]),
        recall_at_5=share([j.place < TOP for j in judged]),
        sentence_has_answer=share([j.holds for j in judged]),
        exact_match=share([j.exact for j in judged]),
        f1=share([j.f1 for j in judged]),
        declined=share([j.declined_without for j in judged]),
        falsely_declined=share([j.declined for j in judged]),
        ms_p50=percentile(times, 0.5) if times else 0.0,
        ms_p95=percentile(times, 0.95) if times else 0.0,
    )
