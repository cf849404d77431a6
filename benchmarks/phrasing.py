"""Answers from our own passages that training never saw: what constraining the words is worth.

`python -m benchmarks.phrasing [COUNT]`: the questions of the documents held out, as they are and
with other names and numbers; unbound and bound to the words of the prompt.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from assistant.answer.constraint import Constraint
from assistant.answer.generator import Budget, Generator
from assistant.answer.grounding import ungrounded
from assistant.answer.prompt import Mark, Prompt, about_text
from assistant.core.manifest import Library
from models.training import grounded, renaming
from models.training.grounded import Asked

BUDGET = Budget(tokens=64, seconds=30)


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


def judge(generator: Generator, asked: Sequence[tuple[Prompt, str]], bound: bool) -> Score:
    """How the replies do."""
    rows = []
    for prompt, answer in asked:
        constraint = None
        if bound and generator.tokens is not None:
            constraint = Constraint(generator.tokens, prompt)
        *_, last = generator.stream(prompt, constraint, BUDGET)
        sources = [text for mark, text in reversed(prompt) if mark is not Mark.SAY]
        answers = grounded.words(answer)
        held = set(answers) <= set(grounded.words(last.text))
        rows.append(
            (held, not [f for f in ungrounded(last.text, sources) if f != "not"], last.done)
        )
    count = len(rows)
    return Score(
        sum(held for held, _, _ in rows) / count,
        sum(known for _, known, _ in rows) / count,
        sum(held and known for held, known, _ in rows) / count,
        sum(done for _, _, done in rows) / count,
    )


def main(arguments: Sequence[str]) -> None:
    """Print the scores."""
    asked = [a for a in grounded.read(dev=True) if a.said]
    if arguments:
        asked = random.Random(1).sample(asked, min(len(asked), int(arguments[0])))
    generator = Generator.load(Library(Path("pulled")))
    sys.stdout.write(f"{len(asked)} questions\n")
    for renamed in (False, True):
        made = cases(asked, renamed)
        for bound in (False, True):
            name = f"{'renamed' if renamed else 'as they are'}, {'bound' if bound else 'unbound'}"
            sys.stdout.write(f"{name:22} {judge(generator, made, bound)}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
