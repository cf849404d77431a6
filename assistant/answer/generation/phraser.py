"""What was found, in the generator's words: one sentence, or nothing where there is none to be had.

The generator is restricted to a span of its text (`span_constraint`) or to its facts
(`constraint`); the caller checks whether what it says is true (`grounding`). It rests for a while
when it fails again and again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from functools import cached_property

from assistant.answer.generation.constraint import Constraint, Tokens, missing
from assistant.answer.generation.fact_check import added, alike, unnamed
from assistant.answer.generation.generator import GenerationBudget, Generator, OutputConstraint
from assistant.answer.generation.grounding import ungrounded
from assistant.answer.generation.prompt import Act, Mark, Prompt, about_facts, about_text
from assistant.answer.generation.span_constraint import SpanConstraint
from assistant.answer.generation.token_scheduler import Outlook, Steps, finished
from assistant.core.degraded import Degraded
from assistant.core.errors import AnswerError, ModelError
from assistant.core.messages import Fact

BUDGET = GenerationBudget(tokens=60, seconds=1.0)
FAILURES_TO_REST = 5
"""Failures in a row after which the generator is not used …"""
RESTS = 20
"""… for this many requests; then one attempt decides again."""

WEIGHTS = (0.0, 3.0, 8.0)
"""Preference for the words of facts at each attempt, in added score."""


class Phraser:
    """Words answers, summaries and facts with the generator that `load` gives at first use.

    A generator that cannot be loaded rests, and what was found is said without it; `load` reports
    it. It rests, too, while the stage with these `faults` takes its simpler path.
    """

    def __init__(
        self,
        load: Callable[[], Generator],
        budget: GenerationBudget = BUDGET,
        faults: Degraded | None = None,
    ) -> None:
        self._load, self._budget = load, budget
        self._faults = faults or Degraded("answer")
        self._failures = self._rests = 0

    def open(self) -> None:
        """Load the generator now; raises `ModelError`."""
        self._generator  # noqa: B018 - the access loads it

    @cached_property
    def _generator(self) -> Generator:
        return self._load()

    def phrase(self, question: str, text: str, title: str, answer: str = "") -> str:
        """One sentence that answers `question`, or is shorter if that is "", with what `text` says.

        `answer` are the words of the text that answer.

        Raises `AnswerError`: no generator, too long a prompt, too small a budget, or a rest.
        """
        return finished(self.phrasing(question, text, title, answer))

    def phrasing(self, question: str, text: str, title: str, answer: str = "") -> Steps[str]:
        """The same in steps, a token each; also raises the `AnswerError` that is sent into it."""
        prompt = about_text(question, text, title, answer)
        return self._said(prompt, lambda tokens: SpanConstraint(tokens, prompt))

    def word(self, facts: Sequence[Fact], question: str, intent: str) -> str:
        """All facts in one turn, or "" where they might not be said correctly.

        The caller then uses the skill's own words.
        """
        return finished(self.wording(facts, question, intent))

    def wording(self, facts: Sequence[Fact], question: str, intent: str) -> Steps[str]:
        """The same in steps, a token each."""
        values = tuple(fact.value for fact in facts)
        acts = [Act(Mark.INFORM, fact.name, fact.value) for fact in facts]
        prompt = about_facts(acts, intent, question)
        for weight in () if alike(values) else WEIGHTS:
            text = yield from self._worded(prompt, values, weight)
            if not missing(text, values) and tells(text, prompt):
                return text
        return ""

    def _worded(self, prompt: Prompt, values: Sequence[str], weight: float) -> Steps[str]:
        try:
            return (
                yield from self._said(
                    prompt, lambda tokens: Constraint(tokens, prompt, values, weight), forced=True
                )
            )
        except AnswerError:
            return ""

    def _said(
        self,
        prompt: Prompt,
        bound: Callable[[Tokens], OutputConstraint],
        *,
        forced: bool = False,
    ) -> Steps[str]:
        """The reply; "" if it was `forced` to hold words and is no sentence because of them."""
        if self._faults.simpler:
            raise AnswerError("answer.resting", "the generator rests while answers are simpler")
        if self._rests:
            self._rests -= 1
            raise AnswerError("answer.resting", "the generator failed too often and rests")
        generator = self._loaded()
        # A reply is seldom longer than its prompt, which holds everything it says.
        refused = yield Outlook(min(self._budget.tokens, len(generator.notation.ids(prompt))))
        constraint = bound(generator.tokens) if generator.tokens is not None else None
        said, sureness, tokens = "", 0.0, 0
        with closing(generator.stream(prompt, constraint, self._budget)) as stream:
            while refused is None and (step := next(stream, None)) is not None:
                said, sureness = step.text if step.done else "", step.sureness
                tokens = step.tokens
                refused = yield step
        if refused is not None:
            raise refused
        # A sentence longer than the budget is no failure; long ones come one after another,
        # since the short ones go first.
        if said or tokens < self._budget.tokens:
            self._failures = 0 if said else self._failures + 1
        if self._failures >= FAILURES_TO_REST:
            self._rests, self._failures = RESTS, 0
        if not said:
            raise AnswerError("answer.unfinished", "the generator came to no end of a sentence")
        return "" if forced and sureness < generator.calibration.least_sure else said

    def _loaded(self) -> Generator:
        try:
            return self._generator
        except ModelError as error:
            self._rests = RESTS
            raise AnswerError(error.code, error.message) from error


def tells(text: str, prompt: Prompt) -> bool:
    """Whether `text` says the facts of `prompt` as what they are, and nothing else."""
    names = [words for mark, words in prompt if mark is Mark.INFORM]
    values = [words for mark, words in prompt if mark is Mark.IS]
    source = ". ".join(f"{name} {value}" for name, value in zip(names, values, strict=True))
    if unnamed(text, names) or added(text, [words for _, words in prompt]):
        return False
    return not ungrounded(text, (source,))
