"""Do answers say what no source says? Over our own passages with other names and numbers.

`python -m benchmarks.answers.grounding [--count 2000]`: documents that training never saw, each in
several variants with names, numbers, dates and units replaced. Their questions are answered by the
whole chain of retrieval, reading, generator and check. The answers are then judged by another rule
than the assistant's own: each capital word inside a sentence and each number, in digits or words,
must stand in the passage, its title or its place. As a control the same rule judges the answers
against another variant of their passage.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from assistant.answer.answerer import Answerer, AnswerTier
from assistant.answer.generation.generator import MODEL, Generator
from assistant.answer.generation.phraser import Phraser
from assistant.answer.knowledge.passages import Passage
from assistant.answer.retrieval.encoder import PassageEncoder
from assistant.answer.retrieval.reader import Reader
from assistant.answer.retrieval.retriever import Retriever
from assistant.answer.retrieval.search import Searcher
from assistant.core.models.manifest import Library
from assistant.english.numbers import FIGURES
from assistant.evaluation.answering.shelf import Shelf
from models.training import renaming
from models.training.questions import Block, blocks

PULLED = Path("pulled")
TIERS = frozenset(str(tier) for tier in AnswerTier)
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_INNER_NAME = re.compile(r"(?<=[a-z,;] )[A-Z][\w'-]+")
_WORD = re.compile(r"[\w-]+")


class Variant(NamedTuple):
    """A passage with other names and numbers, and its questions with the same changes."""

    passage: Passage
    questions: tuple[str, ...]


def variants(held: Sequence[Block], count: int) -> Iterator[Variant]:
    """Enough variants of the passages for `count` questions."""
    draw, given = random.Random(11), 0
    while given < count:
        for block in held:
            texts = [block.text, block.title, block.place, *(a.question for a in block.asked)]
            text, title, place, *questions = renaming.replaced(texts, renaming.in_text(texts, draw))
            asked = tuple(questions[: count - given])
            given += len(asked)
            if asked:
                yield Variant(Passage(text=text, title=title, place=place), asked)


def unheard_of(said: str, passage: Passage) -> list[str]:
    """The names and numbers in the answer that the passage does not have."""
    source = f"{passage.text} {passage.title} {passage.place}"
    numbers = set(_NUMBER.findall(source.replace(",", "")))
    words = {word.lower().removesuffix("'s") for word in re.findall(r"[\w'-]+", source)}
    values = numbers | {FIGURES[word] for word in words if word in FIGURES}
    found = [n for n in _NUMBER.findall(said.replace(",", "")) if n not in values]
    spelt = (word for word in _WORD.findall(said.lower()) if word in FIGURES)
    found += [word for word in spelt if word not in words and FIGURES[word] not in values]
    names = (name.removesuffix("'s") for name in _INNER_NAME.findall(said))
    return found + [name for name in names if name.lower() not in words]


def main() -> None:
    """Ask, judge, print one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--show", type=int, default=10, help="Offences to show.")
    arguments = parser.parse_args()
    library = Library(PULLED)
    encoder = PassageEncoder.load(library)
    phraser = Phraser(lambda: Generator.load(library)) if MODEL in library.artefacts else None
    tiers: Counter[str] = Counter()
    outcomes: Counter[str] = Counter()
    offences = control = 0
    last: Passage | None = None
    for variant in variants(blocks(held_out=True), arguments.count):
        with closing(Shelf([variant.passage], encoder)) as shelf:
            searcher = Searcher(Retriever(shelf.knowledge, shelf.index, encoder), Reader(encoder))
            answerer = Answerer(searcher, phraser, lambda: 0)
            for question in variant.questions:
                answer = answerer.answer(question)
                tiers[answer.tier] += 1
                if answer.tier is AnswerTier.DECLINED:
                    continue
                if missing := unheard_of(answer.text, variant.passage):
                    offences += 1
                    if offences <= arguments.show:
                        sys.stderr.write(f"{missing}: {answer.text} | {answer.sentence}\n")
                control += bool(last and unheard_of(answer.text, last))
        outcomes.update({k: n for k, n in answerer.outcomes.items() if k not in TIERS})
        last = variant.passage
    answered = sum(tiers.values()) - tiers[AnswerTier.DECLINED]
    figures = {
        "questions": sum(tiers.values()),
        "answered": answered,
        "by_generator": round(tiers[AnswerTier.GENERATOR] / max(answered, 1), 4),
        "outside_sources": offences,
        "control_outside_another_passage": round(control / max(answered, 1), 4),
        "outcomes": dict(outcomes),
    }
    sys.stdout.write(json.dumps(figures) + "\n")


if __name__ == "__main__":
    main()
