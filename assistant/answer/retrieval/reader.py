"""Question and passages → the sentence that answers, and the answering words in it.

The network scores where the answer begins and ends. Shared words, rare ones most, and closeness in
meaning between question and sentence count too. Only the likeliest passages are read and only the
likeliest sentences compared, because the network takes the most time.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from assistant.answer.knowledge.query import Filter
from assistant.answer.retrieval.calibration import ReaderCalibration
from assistant.answer.retrieval.encoder import Embeddings, Scored
from assistant.answer.retrieval.forms import Forms, told_steps
from assistant.answer.retrieval.moments import moments
from assistant.answer.retrieval.requirements import Requirements, WordMeanings
from assistant.answer.retrieval.retriever import PassageCandidate
from assistant.answer.retrieval.statements import Statement, statements
from assistant.answer.retrieval.wording import worded
from assistant.english.sentences import sentences
from assistant.english.stems import stem
from assistant.english.words import words

LONGEST_ANSWER = 30
"""Most pieces of an answer."""
MOST_READ, FEW_WORDS = 3, 240
"""Most passages that are read, and the words up to which further short ones are."""
COMPARED = 3
"""Most sentences whose meaning is compared."""


class ReaderNetwork(Protocol):
    """Reads and embeds."""

    calibration: ReaderCalibration

    def encode(self, texts: Sequence[str]) -> Embeddings:
        """The texts' embeddings, each of length 1."""

    def score(self, question: str, passages: Sequence[str]) -> list[Scored]:
        """The scores of each passage's pieces to answer `question`."""


class AnswerSpan(NamedTuple):
    """A sentence that answers."""

    candidate: PassageCandidate
    sentence: str
    answer: str
    """The words in the sentence that answer."""
    score: float
    """The score that readings are ordered by."""
    certainty: float
    """How sure it is that there is an answer at all, in logits."""
    certain: bool
    """Whether the certainty is enough."""
    said: str = ""
    """What is said of it where that is not the sentence: for an item of a list, or a row."""


class _Draft(NamedTuple):
    """A sentence before its meaning is compared."""

    candidate: PassageCandidate
    sentence: str
    answer: str
    likelihood: float
    none: float
    shared: float
    statement: Statement
    missing: tuple[str, ...]
    penalty: float
    form: float = 0.0
    """The certainty that it gains or loses by its form."""


class Reader:
    """Reads passages for what answers a question."""

    def __init__(self, network: ReaderNetwork) -> None:
        self._network, self._weights = network, network.calibration
        self._meanings = WordMeanings(network.encode)

    def read(
        self, question: str, candidates: Sequence[PassageCandidate], within: Filter | None = None
    ) -> list[AnswerSpan]:
        """The best sentence of each passage that has a likely one, the likeliest first.

        `within` tells what was spoken of before, and the days that the question names.
        """
        read = list(_readable(candidates, candidates[0].score - self._weights.margin))
        wanted = Requirements(question, self._weights, self._meanings)
        scored = self._network.score(question, [c.passage.text for c in read])
        rarity = Rarity(question, [c.passage.text for c in candidates])
        pairs = zip(read, scored, strict=True)
        drafts = [draft for pair in pairs for draft in _drafts(*pair, rarity, wanted)]
        forms = Forms(question, wanted, moments(question, within))
        drafts = self._formed(drafts, forms, within)
        drafts.sort(key=self._first_look, reverse=True)
        dated = within is not None and within.since is not None
        readings = self._compared(question, drafts[:COMPARED], wanted, dated)
        best: dict[int, AnswerSpan] = {}
        for reading in sorted(readings, key=lambda r: r.score, reverse=True):
            best.setdefault(reading.candidate.id, reading)
        return [_with_steps(reading, drafts, forms) for reading in best.values()]

    def _formed(
        self, drafts: Sequence[_Draft], forms: Forms, within: Filter | None
    ) -> list[_Draft]:
        """The drafts with what counts for and against them by their form."""
        weights = self._weights
        statements = [draft.statement for draft in drafts]
        gained = [
            max(
                weights.told_by_form * shown,
                weights.told_as_fact * fact,
                weights.told_alone * timely,
            )
            for shown, fact, timely in zip(
                *(forms.shown(statements), forms.facts(statements), forms.timely(statements)),
                strict=True,
            )
        ]
        meant = list(drafts)
        if within is not None and within.strict and within.beside:
            near = _spoken_of(drafts, within, forms)
            meant = _meant(drafts, near, within)
            only = forms.only([draft.statement for draft in near])
            alone = {id(draft) for draft, so in zip(near, only, strict=True) if so}
            gained = [
                max(gain, weights.told_alone * (id(draft) in alone))
                for draft, gain in zip(drafts, gained, strict=True)
            ]
        other_days = zip(drafts, forms.of_other_days(statements), strict=True)
        untimely = {id(draft) for draft, so in other_days if so}
        formed = []
        pairs = zip(drafts, gained, strict=True)
        for _, group in groupby(pairs, lambda pair: pair[0].candidate.id):
            own = list(group)
            lost = forms.outdone([draft.statement for draft, _ in own])
            for (draft, gain), less in zip(own, lost, strict=True):
                less = less or draft not in meant or id(draft) in untimely
                formed.append(draft._replace(form=gain - weights.outdone * less))
        return formed

    def _first_look(self, draft: _Draft) -> float:
        weights = self._weights
        retrieved = weights.retrieved * draft.candidate.score
        likely = draft.likelihood + weights.shared * draft.shared + retrieved
        return likely + draft.form - draft.penalty

    def _compared(
        self, question: str, drafts: Sequence[_Draft], wanted: Requirements, dated: bool
    ) -> Iterator[AnswerSpan]:
        if not drafts:
            return
        weights = self._weights
        texts = [f"{d.statement.heading}. {d.sentence}".removeprefix(". ") for d in drafts]
        asked, *rows = self._network.encode([question, *texts])
        for draft, row in zip(drafts, rows, strict=True):
            cosine = float(row @ asked)
            missing = wanted.unlike(draft.statement, draft.missing)
            penalty = wanted.penalty(draft.statement, missing)
            sure = self._certainty(draft, cosine, penalty, wanted.kind is not None or dated)
            first_look = self._first_look(draft) + draft.penalty - penalty
            yield AnswerSpan(
                candidate=draft.candidate,
                sentence=draft.sentence,
                answer=draft.answer,
                score=first_look + weights.meaning * cosine,
                certainty=sure,
                certain=sure >= weights.certain,
                said=_said(question, draft, wanted),
            )

    def _certainty(self, draft: _Draft, cosine: float, penalty: float, definite: bool) -> float:
        """How sure it is that `draft` answers, in logits.

        Unless a question is `definite`, by the kind of thing that it asks for or by its day,
        nothing shows that a sentence is the answer, and the network points at something in any
        sentence: closeness and common words weigh more.
        """
        weights = self._weights
        likely = draft.likelihood - draft.none + draft.form
        if not definite and draft.form <= 0:
            near = weights.open_meaning * cosine + weights.open_shared * draft.shared
            near -= weights.open_lacks * penalty
            return likely + near - (weights.open_certain - weights.certain)
        near = weights.certain_meaning * cosine + weights.certain_shared * draft.shared
        return likely + near - penalty


def _spoken_of(drafts: Sequence[_Draft], within: Filter, forms: Forms) -> list[_Draft]:
    """Those that tell what is asked for in the sentence that was said, its line, or its passage.

    All of them where none does.
    """
    own = [d for d in drafts if d.candidate.id == within.beside and forms.tells(d.statement)]
    same = [draft for draft in own if draft.sentence == within.said]
    return same or [draft for draft in own if _in_line(draft, within)] or own or list(drafts)


def _meant(drafts: Sequence[_Draft], near: Sequence[_Draft], within: Filter) -> list[_Draft]:
    """Those that a pronoun may mean, where those `near` tell what is asked for.

    They are of the item that was said, else of its passage; all of them where that tells nothing.
    """
    if len(near) == len(drafts):
        return list(drafts)
    item = [draft for draft in near if draft.statement.item and _in_line(draft, within)]
    return item or [draft for draft in drafts if draft.candidate.id == within.beside]


def _with_steps(reading: AnswerSpan, drafts: Sequence[_Draft], forms: Forms) -> AnswerSpan:
    """The reading with what is said of further steps that take as long as is asked."""
    own = [draft for draft in drafts if draft.candidate.id == reading.candidate.id]
    own.sort(key=lambda draft: draft.statement.start)
    best = next(draft for draft in own if draft.sentence == reading.sentence)
    told = forms.further(best.statement, [draft.statement for draft in own])
    return reading if len(told) == 1 else reading._replace(said=" ".join(s.text for s in told))


def _in_line(draft: _Draft, within: Filter) -> bool:
    """Whether a draft is of the line of which a sentence was said."""
    return bool(within.said) and within.said in draft.statement.line


def _said(question: str, draft: _Draft, wanted: Requirements) -> str:
    """What is said of a draft where that is not its sentence."""
    if draft.form > 0 and wanted.kind is not None and wanted.kind.name == "steps":
        return told_steps(draft.candidate.passage, draft.statement)
    if draft.form > 0 and draft.statement.event:
        return draft.statement.text
    return worded(question, draft.statement, draft.answer, wanted.day_of(draft.statement))


def _readable(candidates: Sequence[PassageCandidate], least: float) -> Iterator[PassageCandidate]:
    """The candidates with `least` score, as many as are read, and further ones while all are few
    words."""
    total = 0
    for number, candidate in enumerate(candidates):
        total += len(candidate.passage.text.split())
        if total <= FEW_WORDS or (number < MOST_READ and candidate.score >= least):
            yield candidate


def _drafts(
    candidate: PassageCandidate, scored: Scored, rarity: Rarity, wanted: Requirements
) -> Iterator[_Draft]:
    passage, heading = candidate.passage.text, heading_of(candidate)
    for statement in statements(candidate.passage):
        skipped = len(statement.label) if wanted.asked_of(statement) else 0
        begin, end = statement.start + skipped, statement.start + len(statement.text)
        span = best_span(scored, begin, end, wanted.fitting(statement, scored.places))
        if span is None:
            continue
        first, last, likelihood = span
        missing = wanted.missing(statement)
        yield _Draft(
            candidate=candidate,
            sentence=statement.text,
            answer=passage[scored.places[first][0] : scored.places[last][1]],
            likelihood=likelihood,
            none=scored.none,
            shared=rarity.share(f"{heading} {statement.text}"),
            statement=statement,
            missing=missing,
            penalty=wanted.penalty(statement, missing),
        )


def heading_of(candidate: PassageCandidate) -> str:
    """The words above the passage."""
    return f"{candidate.passage.title} {candidate.passage.place}"


def best_span(
    scored: Scored, start: int, end: int, fitting: NDArray[np.bool_]
) -> tuple[int, int, float] | None:
    """The likeliest answer between two characters: first and last piece, and its score.

    It holds one of the `fitting` pieces, where there are any between them. None if the network did
    not read that far.
    """
    own = [i for i, (a, b) in enumerate(scored.places) if start <= a and b <= end]
    if not own:
        return None
    spans = scored.spans[own[0] : own[-1] + 1]
    pairs = spans[:, 0][:, None] + spans[:, 1][None, :]
    allowed = np.triu(np.ones_like(pairs, bool)) & ~np.triu(
        np.ones_like(pairs, bool), LONGEST_ANSWER
    )
    fits = fitting[own[0] : own[-1] + 1]
    if fits.any():
        before = np.concatenate([[0], np.cumsum(fits)])
        allowed &= before[1:][None, :] > before[:-1][:, None]
    pairs = np.where(allowed, pairs, -np.inf)
    first, last = np.unravel_index(int(pairs.argmax()), pairs.shape)
    return own[0] + int(first), own[0] + int(last), float(pairs[first, last])


class Rarity:
    """How significant each word of a question is among the sentences of the found passages.

    A word that none of them has counts as if `unseen` of them had it.
    """

    def __init__(self, question: str, passages: Sequence[str], unseen: int = 0) -> None:
        texts = [set(_stems(s)) for passage in passages for s in sentences(passage)]
        seen = Counter(word for text in texts for word in text)
        self._weights = {
            word: math.log((1 + len(texts)) / (0.5 + (seen[word] or unseen)))
            for word in set(_stems(question))
        }
        self._whole = sum(self._weights.values()) or 1.0

    def share(self, sentence: str) -> float:
        """The share of the question's weight that the sentence holds, from 0 to 1."""
        said = set(_stems(sentence))
        return sum(w for word, w in self._weights.items() if word in said) / self._whole


def _stems(text: str) -> list[str]:
    return [stem(word) for word in words(text)]
