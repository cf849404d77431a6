"""Sentences whose form shows that they answer, whatever the network makes of their few words.

A label, the name of an event, the day of an entry and a heading say what stands behind or below
them. The network was trained on prose, and sees in "Excess: £250" or "18 Oct Garlic in" no answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from assistant.answer.knowledge.passages import Passage
from assistant.answer.retrieval.mentions import exact, holds
from assistant.answer.retrieval.moments import ANY_TIME, Moments
from assistant.answer.retrieval.requirements import DATED_KINDS, Requirements, verbs
from assistant.answer.retrieval.statements import Statement
from assistant.english.asking.answer_kinds import DONE, PAST
from assistant.english.asking.mentions import (
    ABOUT_EVENTS,
    ASKING,
    SAID_ABOUT,
    WHETHER,
    predicate,
)
from assistant.english.dates import first_day
from assistant.english.questions import names_label
from assistant.english.sentences import sentences
from assistant.english.stop_words import SEARCH_STOP_WORDS
from assistant.english.words import words

LONGEST_STEPS = 80
"""Most words of steps that are spoken; of the rest only the number is said."""
LONGEST_FACT = 25
"""Most words of an item that is taken for one fact."""
MOST_STEPS = 3
"""Most sentences that tell how long one thing takes at several steps."""
OPENING = 3
"""Words of a sentence that say what it is about."""
_OF_EVENTS = DATED_KINDS | {"length", "place"}
"""The kinds of answers that the sentence about an event holds."""


class Forms:
    """Which sentences answer `question` by their form; `moments` are the times it names."""

    def __init__(self, question: str, wanted: Requirements, moments: Moments = ANY_TIME) -> None:
        self._question, self._wanted, self._moments = question, wanted, moments
        self._past = PAST.search(question) is not None
        self._telling = [word for word in words(question) if word not in SEARCH_STOP_WORDS]

    def shown(self, statements: Sequence[Statement]) -> list[bool]:
        """For each of the `statements` of all passages, whether its form shows that it answers."""
        entries = [statement for statement in statements if self._is_entry(statement)]
        likeliest = self._likeliest(entries)
        others = [*self._below(statements), *self._then(statements)]
        forms = (self._is_labelled, self._is_event, self.steps, self._is_said)
        return [
            statement in likeliest
            if statement in entries
            else statement in others or any(has(statement) for has in forms)
            for statement in statements
        ]

    def facts(self, statements: Sequence[Statement]) -> list[bool]:
        """For each, whether it is a short item that tells what is asked for.

        Of several those with most of the question's words: "200 g white flour" under "Rye rolls" is
        no answer beside "300 g rye flour".
        """
        found = [statement for statement in statements if self._is_fact(statement)]
        counts = [self._share(frozenset(words(fact.text))) for fact in found]
        most = max(counts, default=0)
        best = [fact for fact, count in zip(found, counts, strict=True) if count == most]
        return [statement in best for statement in statements]

    def timely(self, statements: Sequence[Statement]) -> list[bool]:
        """For each, whether it alone tells of the day or the hour that the question names."""
        fit = self._then(statements)
        alone = len({statement.line for statement in fit}) == 1
        return [alone and statement in fit for statement in statements]

    def told(self, statement: Statement) -> bool:
        """Whether it tells a thing of the kind that is asked for, such as an amount or a day."""
        kind = self._wanted.kind
        return kind is not None and not kind.loose and self._wanted.told(statement)

    def further(self, best: Statement, statements: Sequence[Statement]) -> list[Statement]:
        """Those of one passage that tell how long the same takes at its next steps, with `best`.

        "Let it rise for an hour. Shape it and let it rise for another half hour."
        """
        kind, done = self._wanted.kind, verbs(self._question)
        if kind is None or kind.name != "length" or not done or best.item:
            return [best]
        return [
            s
            for s in statements
            if s == best
            or (
                not s.item
                and self.told(s)
                and self._wanted.missing(s) == self._wanted.missing(best)
                and all(holds(frozenset(words(s.text)), word) for word in done)
            )
        ][:MOST_STEPS]

    def tells(self, statement: Statement) -> bool:
        """Whether it tells a thing of that kind, or has what a question for yes or no asks."""
        asked = predicate(self._question)
        if self._wanted.kind is not None or not asked or self._moments:
            return self.told(statement)
        own = frozenset(words(statement.text))
        return all(holds(own, word) for word in asked)

    def only(self, statements: Sequence[Statement]) -> list[bool]:
        """For each, whether it alone tells a thing of the kind that is asked for."""
        told = [self.tells(statement) for statement in statements]
        lines = {statement.line for statement, so in zip(statements, told, strict=True) if so}
        return told if len(lines) == 1 else [False] * len(told)

    def outdone(self, statements: Sequence[Statement]) -> list[bool]:
        """For each of one passage, whether it lacks what an item beside it names.

        Items are about different things, so that one without the name is about another; and so are
        the sentences of one item that tell what is asked for, but for what its first one names. So
        is what tells of another day or hour than the question.
        """
        named = self._wanted.named
        whole = [s.item and not self._wanted.missing(s) for s in statements]
        timed = self._moments.on_the_clock
        fits = [self._moments.fit(s.timed) for s in statements]
        other = [fit is False or (timed and fit is None) for fit in fits]
        if not named or not any(whole):
            return other
        unsaid = [sum(not holds(_nearby(s), word) for word in named) for s in statements]
        least: dict[str, int] = {}
        for statement, count in zip(statements, unsaid, strict=True):
            if self.told(statement):
                least[statement.line] = min(count, least.get(statement.line, count))
        return [
            then or (s.item and (not has_all or count > least.get(s.line, count)))
            for s, has_all, count, then in zip(statements, whole, unsaid, other, strict=True)
        ]

    def of_other_days(self, statements: Sequence[Statement]) -> list[bool]:
        """For each of all passages, whether it is a row of another day than the next.

        "Which bin is it" names no day, and means today or the next one.
        """
        today = self._moments.today
        rows: dict[Statement, date] = {}
        if today is not None and not self._moments and not self._past and self._wanted.named:
            for one in statements:
                day = first_day(one.timed, today) if one.item else None
                if day is not None and not self._wanted.missing(one):
                    rows[one] = day
        coming = [day for day in rows.values() if today is not None and day >= today]
        then = min(coming, default=None)
        return [then is not None and rows.get(one, then) != then for one in statements]

    def steps(self, statement: Statement) -> bool:
        """Whether `statement` is one of the steps that are asked for, under their heading."""
        kind, heading = self._wanted.kind, self._content(statement.heading)
        if kind is None or kind.name != "steps" or not heading or not self._wanted.told(statement):
            return False
        return all(holds(self._wanted.words, word) for word in heading)

    def _is_labelled(self, statement: Statement) -> bool:
        """Whether the label is what is asked for, and its value may be the answer."""
        wanted, kind = self._wanted, self._wanted.kind
        if not wanted.asked_of(statement) or wanted.missing(statement):
            return False
        named = names_label(self._question, statement.label)
        row = any(map(exact, self._content(statement.label))) and not WHETHER.match(
            self._question.casefold()
        )
        if kind is None or kind.loose:
            return (named or row) and wanted.told(statement)
        return kind.held.search(statement.text, len(statement.label)) is not None

    def _is_fact(self, statement: Statement) -> bool:
        """Whether a short item tells what is asked for, of something that it names."""
        wanted = self._wanted
        if not statement.item or statement.entry or wanted.missing(statement):
            return False
        if not self.told(statement):
            return False
        own = frozenset(words(statement.text))
        short = len(statement.text.split()) <= LONGEST_FACT
        return short and any(holds(own, word) for word in wanted.named)

    def _then(self, statements: Sequence[Statement]) -> list[Statement]:
        """Those that tell of the day or the hour that the question names, about what it names.

        Where one has the date, a day of the week does not count.
        """
        wanted = self._wanted
        if not wanted.named or not self._moments:
            return []
        fit = [
            s
            for s in statements
            if self._moments.fit(s.timed) and not s.event and not wanted.missing(s)
        ]
        return [s for s in fit if self._moments.dates(s.timed)] or fit

    def _is_said(self, statement: Statement) -> bool:
        """Whether it begins with what somebody was asked to have said something about."""
        asked = SAID_ABOUT.search(self._question)
        if asked is None or self._wanted.missing(statement):
            return False
        topic = [word for word in self._content(asked["topic"]) if word not in ASKING]
        opening = frozenset(words(statement.label or statement.text)[:OPENING])
        return bool(topic) and any(holds(opening, word) for word in topic)

    def _below(self, statements: Sequence[Statement]) -> list[Statement]:
        """The sentences that alone tell what is asked for, under a heading that names it all."""
        named, kind = self._wanted.named, self._wanted.kind
        if not named or kind is None or kind.name in DATED_KINDS:
            return []
        told = [
            statement
            for statement in statements
            if self.told(statement) and not statement.event
            if all(holds(frozenset(words(statement.heading)), word) for word in named)
        ]
        return told if len({statement.line for statement in told}) == 1 else []

    def _is_event(self, statement: Statement) -> bool:
        """Whether it says when or where that event is whose name is asked for."""
        wanted, kind = self._wanted, self._wanted.kind
        if not statement.event or kind is None or kind.name not in _OF_EVENTS or not wanted.named:
            return False
        if DONE.search(self._question):  # it may be to come
            return False
        if not wanted.told(statement):
            return False
        name = frozenset(words(statement.heading))
        if not all(holds(name, word) for word in wanted.named):
            return False
        # "Where does Ann live" is not about "Lunch with Ann".
        return all(word in ABOUT_EVENTS or holds(name, word) for word in self._telling)

    def _is_entry(self, statement: Statement) -> bool:
        """Whether it is an entry about what is over, and the day is asked for."""
        wanted, kind = self._wanted, self._wanted.kind
        if not statement.entry or not self._past or not wanted.named:
            return False
        dated = kind is not None and kind.name in DATED_KINDS
        return dated and not wanted.missing(statement)

    def _likeliest(self, entries: Sequence[Statement]) -> list[Statement]:
        """The sentences with most of the question's words, in the entry with more than others."""
        shares = {s.line: self._share(s.own) for s in entries}
        most = max(shares.values(), default=0)
        best = [line for line, share in shares.items() if share == most]
        if len(best) != 1:
            return []
        inside = {s: self._share(frozenset(words(s.text))) for s in entries if s.line == best[0]}
        return [s for s, share in inside.items() if share == max(inside.values())]

    def _share(self, known: frozenset[str]) -> int:
        return sum(holds(known, word) for word in self._telling)

    @staticmethod
    def _content(text: str) -> list[str]:
        return [word for word in words(text) if word not in SEARCH_STOP_WORDS]


def _nearby(statement: Statement) -> frozenset[str]:
    """The words of a sentence, and of the first one of its item."""
    return frozenset(words(f"{sentences(statement.line)[0]} {statement.text}"))


def told_steps(passage: Passage, statement: Statement) -> str:
    """The steps of `passage` in their order, or the whole item that tells them."""
    lines = [statement.line] if statement.label else passage.text.splitlines()
    told: list[str] = []
    for number, line in enumerate(lines):
        if told and sum(len(one.split()) for one in (*told, line)) > LONGEST_STEPS:
            left = len(lines) - number
            return " ".join((*told, f"There {'is' if left == 1 else 'are'} {left} more."))
        told.append(line if line[-1:] in ".!?…" else f"{line}.")
    return " ".join(told)
