"""Sentences whose form shows that they answer, whatever the network makes of their few words.

A label, the name of an event, the day of an entry and a heading say what stands behind or below
them. The network was trained on prose, and sees in "Excess: £250" or "18 Oct Garlic in" no answer.
"""

from __future__ import annotations

from collections.abc import Sequence

from assistant.answer.knowledge.passages import Passage
from assistant.answer.retrieval.mentions import exact, holds
from assistant.answer.retrieval.requirements import DATED_KINDS, Requirements
from assistant.answer.retrieval.statements import Statement
from assistant.english.asking.answer_kinds import DONE, PAST
from assistant.english.asking.mentions import ABOUT_EVENTS
from assistant.english.questions import names_label
from assistant.english.sentences import sentences
from assistant.english.stop_words import SEARCH_STOP_WORDS
from assistant.english.words import words

LONGEST_STEPS = 80
"""Most words of steps that are spoken; of the rest only the number is said."""
_OF_EVENTS = DATED_KINDS | {"length", "place"}
"""The kinds of answers that the sentence about an event holds."""


class Forms:
    """Which sentences answer `question` by their form."""

    def __init__(self, question: str, wanted: Requirements) -> None:
        self._question, self._wanted = question, wanted
        self._past = PAST.search(question) is not None
        self._telling = [word for word in words(question) if word not in SEARCH_STOP_WORDS]

    def shown(self, statements: Sequence[Statement]) -> list[bool]:
        """For each of the `statements` of all passages, whether its form shows that it answers."""
        entries = [statement for statement in statements if self._is_entry(statement)]
        likeliest = self._likeliest(entries)
        return [
            statement in likeliest
            if statement in entries
            else self._is_labelled(statement) or self._is_event(statement) or self.steps(statement)
            for statement in statements
        ]

    def told(self, statement: Statement) -> bool:
        """Whether it tells a thing of the kind that is asked for, such as an amount or a day."""
        kind = self._wanted.kind
        return kind is not None and not kind.loose and self._wanted.told(statement)

    def only(self, statements: Sequence[Statement]) -> list[bool]:
        """For each, whether it alone tells a thing of the kind that is asked for."""
        told = [self.told(statement) for statement in statements]
        lines = {statement.line for statement, so in zip(statements, told, strict=True) if so}
        return told if len(lines) == 1 else [False] * len(told)

    def outdone(self, statements: Sequence[Statement]) -> list[bool]:
        """For each of one passage, whether it lacks what an item beside it names.

        Items are about different things, so that one without the name is about another; and so are
        the sentences of one item that tell what is asked for, but for what its first one names.
        """
        named = self._wanted.named
        whole = [s.item and not self._wanted.missing(s) for s in statements]
        if not named or not any(whole):
            return [False] * len(whole)
        unsaid = [sum(not holds(_nearby(s), word) for word in named) for s in statements]
        least: dict[str, int] = {}
        for statement, count in zip(statements, unsaid, strict=True):
            if self.told(statement):
                least[statement.line] = min(count, least.get(statement.line, count))
        return [
            s.item and (not has_all or count > least.get(s.line, count))
            for s, has_all, count in zip(statements, whole, unsaid, strict=True)
        ]

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
        row = any(map(exact, self._content(statement.label)))
        if kind is None or kind.loose:
            return (named or row) and wanted.told(statement)
        return kind.held.search(statement.text, len(statement.label)) is not None

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
