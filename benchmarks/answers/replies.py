"""Replies to dialogue acts: the generator beside templates, by the values said and by BLEU.

`python -m benchmarks.answers.replies dev|test [COUNT]`, with `ASSISTANT_DATA` or `../shared/data`.
"""

from __future__ import annotations

import random
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from assistant.answer.generation.constraint import Constraint, missing
from assistant.answer.generation.generator import GenerationBudget, Generator
from assistant.answer.generation.prompt import about_facts
from assistant.core.models.manifest import Library
from benchmarks.answers.bleu import bleu
from models.training.dialogue import Turn, read, tidy
from models.training.renaming import replaced

BUDGET = GenerationBudget(tokens=96, seconds=30)
WEIGHTS = (3.0, 8.0, 20.0)
"""Added score for the tokens of values, in the attempts after the first."""
Signature = tuple[object, ...]


@dataclass(frozen=True)
class Score:
    """Shares: `values` of slot values that are said word for word; `turns` of turns with all of
    them."""

    values: float
    turns: float
    bleu: float

    def __str__(self) -> str:
        return f"values {self.values:.4f}  whole turns {self.turns:.4f}  BLEU {self.bleu:.4f}"


class Templates:
    """For the same acts and slots the most frequent reply in train, with these values."""

    def __init__(self, turns: Sequence[Turn]) -> None:
        every: dict[Signature, Counter[str]] = defaultdict(Counter)
        for turn in turns:
            if turn.whole:
                every[self._signature(turn)][self._bare(turn)] += 1
        self._best = {acts: found.most_common(1)[0][0] for acts, found in every.items()}

    def __call__(self, turn: Turn) -> str:
        """The reply; acts that never occurred together are said one after the other."""
        known = self._best.get(self._signature(turn))
        if known is None:
            alone = (Turn(turn.kind, (act,), "", "") for act in turn.acts)
            parts = ((self._best.get(self._signature(t), ""), t) for t in alone)
            return " ".join(self._filled(text, t) or self._plain(t) for text, t in parts)
        return self._filled(known, turn)

    def _signature(self, turn: Turn) -> Signature:
        return (turn.kind, *((act.mark, act.name) for act in turn.acts))

    def _bare(self, turn: Turn) -> str:
        names = {act.value: f"#{n}#" for n, act in enumerate(turn.acts) if act.value}
        return replaced([tidy(turn)], names)[0]

    def _filled(self, text: str, turn: Turn) -> str:
        for number, act in enumerate(turn.acts):
            text = text.replace(f"#{number}#", act.value)
        return text

    def _plain(self, turn: Turn) -> str:
        act = turn.acts[0]
        return f"The {act.name} is {act.value}." if act.value else f"{act.name.capitalize()}?"


def judge(speak: Callable[[Turn], str], turns: Sequence[Turn]) -> Score:
    """The scores of the replies."""
    made = [speak(turn) for turn in turns]
    said = [
        [value.lower() in reply.lower() for value in turn.values]
        for turn, reply in zip(turns, made, strict=True)
    ]
    values = [one for row in said for one in row]
    return Score(
        sum(values) / len(values),
        sum(all(row) for row in said) / len(said),
        bleu(made, [turn.reply for turn in turns]),
    )


@cache
def greedy(generator: Generator, turn: Turn) -> str:
    """What the model says without a constraint."""
    *_, last = generator.stream(about_facts(turn.acts, turn.kind), budget=BUDGET)
    return last.text


@cache
def bound(generator: Generator, turn: Turn) -> str:
    """The same, then with the values required where one was left out, more firmly each time."""
    text = greedy(generator, turn)
    prompt = about_facts(turn.acts, turn.kind)
    for weight in WEIGHTS:
        if not missing(text, turn.values) or not generator.tokens:
            break
        constraint = Constraint(generator.tokens, prompt, turn.values, weight)
        *_, last = generator.stream(prompt, constraint, BUDGET)
        text = last.text
    return text


def main(arguments: Sequence[str]) -> None:
    """Print the scores of a split, or of some turns of it drawn by a fixed seed.

    "or else" uses the template where the generator still leaves a value out, and counts it.
    """
    split, *rest = arguments
    turns = read(split)
    if rest:
        turns = random.Random(1).sample(turns, int(rest[0]))
    generator = Generator.load(Library(Path("pulled")))
    templates = Templates(read("train"))
    fallen: list[Turn] = []

    def last(turn: Turn) -> str:
        text = bound(generator, turn)
        if not missing(text, turn.values):
            return text
        fallen.append(turn)
        return templates(turn)

    speakers: dict[str, Callable[[Turn], str]] = {
        "people": lambda turn: turn.reply,
        "templates": templates,
        "greedy": lambda turn: greedy(generator, turn),
        "bound": lambda turn: bound(generator, turn),
        "or else": last,
    }
    sys.stdout.write(f"{split}: {len(turns)} turns\n")
    for name, speak in speakers.items():
        sys.stdout.write(f"{name:10} {judge(speak, turns)}\n")
    sys.stdout.write(f"{len(fallen)} replies by templates\n")


if __name__ == "__main__":
    main(sys.argv[1:])
