"""Answers from our own passages that training never saw: what constraining the words is worth.

`python -m benchmarks.phrasing [COUNT]`: the questions of the documents held out, as they are and
with other names and numbers; unbound, bound to the words of the prompt, and to clauses of the text.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from assistant.answer.clause import Clause
from assistant.answer.constraint import Constraint, Tokens
from assistant.answer.generator import Bound, Budget, Generator, Spoken
from assistant.answer.grounding import ungrounded
from assistant.answer.prompt import Mark, Prompt, about_text
from assistant.core.manifest import Library
from models.training import grounded, renaming
from models.training.grounded import Asked

BUDGET = Budget(tokens=96, seconds=30)
UNBOUND = "unbound"
BINDINGS: dict[str, Callable[[Tokens, Prompt], Bound]] = {"words": Constraint, "clauses": Clause}


@dataclass(frozen=True)
class Score:
    """Shares of the replies."""

    answered: float
    """Those that hold the answer's words, as they stand in the passage."""
    grounded: float
    """Those without a name, number, date or unit that the prompt lacks."""
    both: float
    ended: float
    """Those that the model ended within its budget."""
    length: float
    """Words of a reply beside those of the text, the mean."""

    def __str__(self) -> str:
        named = (f"{name} {value:.3f}" for name, value in vars(self).items())
        return "  ".join(named)


def cases(asked: Sequence[Asked], renamed: bool) -> list[tuple[Prompt, str]]:
    """Prompts as the assistant makes them, with the answer's words."""
    draw, made = random.Random(5), []
    for one in asked:
        text = one.sentences[one.best]
        texts = [one.question, text, one.title, one.answer]
        if renamed:
            texts = renaming.replaced(texts, renaming.in_text(texts, draw))
        made.append((about_text(*texts), texts[3]))
    return made


def judge(generator: Generator, asked: Sequence[tuple[Prompt, str]], how: str) -> Score:
    """How the replies do: unbound, bound to the prompt's words, or clauses of the text."""
    rows = []
    for prompt, answer in asked:
        constraint: Bound | None = None
        if how != UNBOUND and generator.tokens is not None:
            constraint = BINDINGS[how](generator.tokens, prompt)
        steps = list(generator.stream(prompt, constraint, BUDGET))
        last = steps[-1] if steps else Spoken("", 0, False)
        sources = [text for mark, text in reversed(prompt) if mark is not Mark.SAY]
        answers = grounded.words(answer)
        held = set(answers) <= set(grounded.words(last.text))
        known = not [fact for fact in ungrounded(last.text, sources) if fact != "not"]
        (whole,) = (text for mark, text in prompt if mark is Mark.TEXT)
        length = len(last.text.split()) / len(whole.split())
        rows.append((held, known, held and known, last.done, length))
    return Score(*(sum(column) / len(rows) for column in zip(*rows, strict=True)))


def main(arguments: Sequence[str]) -> None:
    """Print the scores."""
    asked = [a for a in grounded.read(dev=True) if a.said]
    if arguments:
        asked = random.Random(1).sample(asked, min(len(asked), int(arguments[0])))
    generator = Generator.load(Library(Path("pulled")))
    sys.stdout.write(f"{len(asked)} questions\n")
    for renamed in (False, True):
        made = cases(asked, renamed)
        for how in (UNBOUND, *BINDINGS):
            name = f"{'renamed' if renamed else 'as they are'}, {how}"
            sys.stdout.write(f"{name:22} {judge(generator, made, how)}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
