"""What was found, in the generator's words: one sentence, or nothing where it cannot be had.

The generator is held to the words of its prompt (`constraint`); whether what it says of them is
true is for its caller to check (`grounding`). It rests for a while when it fails again and again.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from functools import cached_property

from assistant.answer.constraint import Constraint
from assistant.answer.generator import Budget, Generator
from assistant.answer.grounding import ungrounded
from assistant.answer.prompt import Act, Mark, Prompt, about_facts, about_text
from assistant.core.errors import AnswerError, ModelError
from assistant.core.messages import Fact

BUDGET = Budget(tokens=60, seconds=1.0)
FAILURES_TO_REST = 5
"""Failures in a row after which the generator is not asked …"""
RESTS = 20
"""… for so many times; then one attempt decides anew."""

log = logging.getLogger(__name__)


class Phraser:
    """Words answers, summaries and facts with the generator that `load` gives at first use.

    One that cannot be loaded rests, and what was found is said without it.
    """

    def __init__(self, load: Callable[[], Generator], budget: Budget = BUDGET) -> None:
        self._load, self._budget = load, budget
        self._failures = self._rests = 0

    @cached_property
    def _generator(self) -> Generator:
        return self._load()

    def phrase(self, question: str, text: str, title: str, answer: str = "") -> str:
        """One sentence that answers `question` ("": that is shorter) with what `text` says.

        `answer` are the words of the text that answer.

        Raises `AnswerError`: no generator, too long a prompt, a budget that was not enough, or a
        rest.
        """
        return self._said(about_text(question, text, title, answer), ())

    def word(self, facts: Sequence[Fact], question: str, intent: str) -> str:
        """All facts in one turn, or "" where one is left out or something else is added."""
        values = tuple(fact.value for fact in facts)
        acts = [Act(Mark.INFORM, fact.name, fact.value) for fact in facts]
        try:
            text = self._said(about_facts(acts, intent, question), values)
        except AnswerError:
            return ""
        missing = any(value not in text for value in values)
        return "" if missing or ungrounded(text, (text_of(facts),)) else text

    def _said(self, prompt: Prompt, required: Sequence[str]) -> str:
        if self._rests:
            self._rests -= 1
            raise AnswerError("answer.resting", "the generator failed too often and rests")
        generator = self._loaded()
        tokens = generator.tokens
        constraint = Constraint(tokens, prompt, required) if tokens is not None else None
        sentences = generator.sentences(prompt, constraint, self._budget)
        said = next(iter(sentences), "") if not required else " ".join(sentences)
        self._failures = 0 if said else self._failures + 1
        if self._failures >= FAILURES_TO_REST:
            self._rests, self._failures = RESTS, 0
        if not said:
            raise AnswerError("answer.unfinished", "the generator came to no end of a sentence")
        return said

    def _loaded(self) -> Generator:
        try:
            return self._generator
        except ModelError as error:
            self._rests = RESTS
            log.error("answers go without the generator: %s (%s)", error.message, error.code)
            raise AnswerError(error.code, error.message) from error


def text_of(facts: Sequence[Fact]) -> str:
    """The facts as a source that a sentence is grounded in."""
    return ". ".join(f"{fact.name.replace('_', ' ')} {fact.value}" for fact in facts)
