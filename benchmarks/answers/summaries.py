"""Summaries compared with those that a person wrote: `python -m benchmarks.answers.summaries`.

Prints ROUGE (Lin 2004) of the assistant's summaries, of the first sentences, of random sentences,
and of the best possible ones, chosen by looking at the reference: three each. Settings were chosen
on the half "dev". `--extract` leaves the generator out.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from itertools import accumulate
from pathlib import Path
from statistics import fmean, median
from typing import NamedTuple

import msgspec
import yaml
from rich.console import Console
from rich.table import Table

from assistant.answer.generation.grounding import ungrounded
from assistant.answer.ingest.formats.select import parse
from assistant.answer.knowledge.knowledge import Knowledge
from assistant.answer.knowledge.passages import Passage, cut
from assistant.answer.summary.self_contained import SHORTEST_WORDS
from assistant.answer.summary.summariser import BUDGET, Summariser, Summary
from assistant.answer.summary.titles import inside
from assistant.composition import Composition
from assistant.core.config import Config
from assistant.english.sentences import sentences
from assistant.evaluation.answering.rouge import Rouge, rouge

TEXTS = Path(__file__).resolve().parents[2] / "tests" / "data" / "documents" / "summaries"
SPLITS = ("dev", "test")
DRAWS = 20
"""Random summaries of each document, whose mean counts."""

Summarise = Callable[["Task"], Iterator[str]]


class Reference(msgspec.Struct, frozen=True):
    """A person's summaries of a document and of its chapters."""

    summary: str
    parts: Mapping[str, str] = {}


class Task(NamedTuple):
    """A document or a chapter of it, its sentences, and the summary that a person wrote."""

    name: str
    sentences: list[str]
    reference: str


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """Mean F1 over the documents of a split."""

    split: str
    name: str
    rouge_1: float
    rouge_2: float
    rouge_l: float
    words: float


class Figures(msgspec.Struct, frozen=True, kw_only=True):
    """Figures of the assistant: its sentences, the grounded ones, and those the generator worded.

    `long_ms` is for one manual made of all the documents, of `long_words` words.
    """

    split: str
    sentences: int
    grounded: float
    shortened: float
    ms_p50: float
    long_words: int
    long_ms: float


def references(split: str) -> dict[str, Reference]:
    """The references of a split's documents, by name."""
    content = yaml.safe_load((TEXTS / "references.yaml").read_text("utf-8"))
    return msgspec.convert(content[split], dict[str, Reference])


def tasks(knowledge: Knowledge, written: Mapping[str, Reference]) -> Iterator[Task]:
    """Every document, then every chapter with a reference of its own."""
    held = {name: knowledge.sources.passages(Path(f"{name}.md")) for name in written}
    for name, reference in written.items():
        yield Task(held[name][0].title, _sentences(held[name]), reference.summary)
    for name, reference in written.items():
        for part, wanted in reference.parts.items():
            own = [p for p in held[name] if inside(p.place, part)]
            yield Task(f"the {part} chapter of {own[0].title}", _sentences(own), wanted)


def lead(task: Task) -> Iterator[str]:
    """The first whole sentences, a baseline that is hard to beat in news."""
    yield " ".join(task.sentences[: BUDGET.sentences])


def lead_as_long(task: Task) -> Iterator[str]:
    """As many first sentences as fit into the assistant's words: more words score more."""
    lengths = accumulate(len(text.split()) for text in task.sentences)
    yield " ".join(task.sentences[: max(1, sum(words <= BUDGET.words for words in lengths))])


def drawn(task: Task) -> Iterator[str]:
    """Random whole sentences."""
    rng = random.Random(task.name)
    for _ in range(DRAWS):
        yield " ".join(rng.sample(task.sentences, min(BUDGET.sentences, len(task.sentences))))


def best(task: Task) -> Iterator[str]:
    """The sentences nearest to the reference, added one by one: nearly the best choice possible."""
    chosen: set[int] = set()
    for _ in range(min(BUDGET.sentences, len(task.sentences))):
        others = set(range(len(task.sentences))) - chosen
        chosen.add(max(others, key=lambda i: sum(rouge(_said(task, chosen | {i}), task.reference))))
    yield _said(task, chosen)


def row(split: str, name: str, every: Sequence[Task], summarise: Summarise) -> Row:
    """The figures of one method."""
    scores: list[Rouge] = []
    words = []
    for task in every:
        told = list(summarise(task))
        each = [rouge(text, task.reference) for text in told]
        scores.append(Rouge(*(fmean(values) for values in zip(*each, strict=True))))
        words.append(fmean(len(text.split()) for text in told))
    means = [round(fmean(values), 4) for values in zip(*scores, strict=True)]
    return Row(
        split=split,
        name=name,
        rouge_1=means[0],
        rouge_2=means[1],
        rouge_l=means[2],
        words=round(fmean(words), 1),
    )


class TimedSummariser:
    """The assistant's summaries, with the time that each took."""

    def __init__(self, summariser: Summariser) -> None:
        self._summariser = summariser
        self.made: list[Summary] = []
        self.ms: list[float] = []

    def __call__(self, task: Task) -> Iterator[str]:
        """The summary of what the task names."""
        began_s = time.perf_counter()
        self.made.append(self._summariser.summarise(task.name))
        self.ms.append((time.perf_counter() - began_s) * 1000)
        yield self.made[-1].text


def contest(composition: Composition, split: str, extract: bool) -> Iterator[Row | Figures]:
    """The rows of documents and of chapters, and the figures of the assistant's own."""
    encoder = composition.answering.encoder
    if encoder is None:
        raise SystemExit("the model that reads is not here; install it again")
    written = references(split)
    phraser = None if extract else composition.answering.phraser
    with shelf(written) as knowledge:
        ours = TimedSummariser(Summariser(knowledge.sources, encoder, phraser))
        every = list(tasks(knowledge, written))
        documents, chapters = every[: len(written)], every[len(written) :]
        ways: dict[str, Summarise] = {
            "assistant": ours,
            "lead": lead,
            "lead, as long": lead_as_long,
            "random": drawn,
            "best": best,
        }
        for name, way in ways.items():
            yield row(split, name, documents, way)
        for name, way in ways.items():
            yield row(split, f"chapters: {name}", chapters, way)
        said = [one for summary in ours.made for one in summary.sentences]
        long_words, long_ms = _long(knowledge, written, ours)
        yield Figures(
            split=split,
            sentences=len(said),
            grounded=round(fmean(not ungrounded(one.text, (one.source,)) for one in said), 4),
            shortened=round(fmean(one.text != one.source for one in said), 4),
            ms_p50=round(median(ours.ms), 1),
            long_words=long_words,
            long_ms=long_ms,
        )


@contextmanager
def shelf(names: Iterable[str]) -> Iterator[Knowledge]:
    """Give, while open, the documents in memory."""
    with closing(Knowledge(None)) as knowledge:
        for name in names:
            document = parse(f"{name}.md", (TEXTS / f"{name}.md").read_bytes())
            file = Path(f"{name}.md")
            knowledge.sources.add(file, name, document.title, document.kind, list(cut(document)))
        yield knowledge


def _long(knowledge: Knowledge, names: Iterable[str], ours: TimedSummariser) -> tuple[int, float]:
    passages = [p for name in names for p in knowledge.sources.passages(Path(f"{name}.md"))]
    title = "Everything"
    as_one = [msgspec.structs.replace(p, title=title, place=p.title) for p in passages]
    knowledge.sources.add(Path("everything.md"), title, title, "document", as_one)
    next(ours(Task(title, [], "")))
    return sum(len(p.text.split()) for p in passages), round(ours.ms.pop(), 1)


def _sentences(passages: Sequence[Passage]) -> list[str]:
    """The sentences for the other methods: with a full stop, and no greeting."""
    every = (text for passage in passages for text in sentences(passage.text))
    return [text for text in every if text[-1] in ".!?" and len(text.split()) >= SHORTEST_WORDS]


def _said(task: Task, chosen: set[int]) -> str:
    return " ".join(task.sentences[i] for i in sorted(chosen))


def _show(rows: Sequence[Row]) -> None:
    table = Table(title="Summaries: ROUGE F1 against a person's")
    for field in Row.__struct_fields__:
        table.add_column(field.replace("_", " "))
    for one in rows:
        table.add_row(*map(str, msgspec.structs.astuple(one)))
    Console(stderr=True).print(table)


def main() -> None:
    """Print a table on stderr, and one JSON object a line on stdout."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--split", nargs="*", choices=SPLITS, default=SPLITS)
    options.add_argument("--extract", action="store_true", help="leave the generator out")
    given = options.parse_args()
    composition = Composition(Config())
    rows = []
    for split in given.split:
        for one in contest(composition, split, given.extract):
            sys.stdout.write(msgspec.json.encode(one).decode() + "\n")
            rows += [one] if isinstance(one, Row) else []
    _show(rows)


if __name__ == "__main__":
    main()
