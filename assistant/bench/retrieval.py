"""How fast the nearest passages are found, and how reliably: FAISS, SQLite FTS5 and NumPy.

Everything runs on one thread. The passages are those of `assistant.bench.passages`; exact means
what NumPy finds among the stored vectors. FTS5 finds by words, exactly, so it has no recall.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np

from assistant.answer.knowledge.knowledge import Knowledge
from assistant.answer.knowledge.vector_index import FLAT, VectorIndex
from assistant.answer.knowledge.vectors import Ids, Vectors
from assistant.bench.passages import PassageSample
from assistant.control.metrics import percentile
from assistant.core.layout import KNOWLEDGE_FILE, VECTORS_FILE

SIZES = (10_000, 100_000)
FOUND = 10
ENCODER = "bench"
KEPT_AT_ONCE = 2_000
WARM_UP = 10
METHODS = 4

Search = Callable[[int], Ids]
"""A function from a question's number to the ids found for it."""
Progress = Callable[[int, int], None]


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One method: milliseconds a question, recall of the exact ten, memory, and seconds to build
    it.

    `used` is whether the assistant uses it for this many. `mb` is the size of the index: in memory
    (flat, NumPy), or of its file (compressed: memory-mapped; FTS5: with the texts).
    """

    passages: int
    method: str
    p50_ms: float
    p99_ms: float
    recall_at_10: float | None
    mb: float
    build_s: float
    used: bool


class RetrievalFigures(msgspec.Struct, frozen=True, kw_only=True):
    """Every method at every size."""

    questions: int
    rows: tuple[Row, ...]


def measure(
    sizes: Sequence[int] = SIZES,
    questions: int = 200,
    progress: Progress = lambda done, total: None,
) -> RetrievalFigures:
    """Time `questions` searches of each method at each of these numbers of passages."""
    rows: list[Row] = []
    for size in sizes:
        with (
            tempfile.TemporaryDirectory(prefix="hark-bench-") as folder,
            closing(Knowledge(Path(folder) / KNOWLEDGE_FILE)) as knowledge,
        ):
            for row in _rows(knowledge, Path(folder), size, questions):
                rows.append(row)
                progress(len(rows), METHODS * len(sizes))
    return RetrievalFigures(questions=questions, rows=tuple(rows))


class _Way(NamedTuple):
    method: str
    search: Search
    mb: float
    build_s: float
    used: bool = False


def _rows(knowledge: Knowledge, folder: Path, size: int, questions: int) -> Iterator[Row]:
    sample = PassageSample(size)
    words, asked = sample.asked(questions), sample.questions(questions)
    yield _row(_by_words(knowledge, folder, sample, words), size, questions)
    _keep(knowledge, sample)
    began_s = time.perf_counter()
    ids, vectors = knowledge.vectors.matrix(ENCODER, knowledge.vectors.encoded(ENCODER))
    read_s = time.perf_counter() - began_s
    exact = [ids[np.argsort(-(vectors @ question))[:FOUND]] for question in asked]

    def nearest(number: int) -> Ids:
        scores = vectors @ asked[number]
        best = np.argpartition(-scores, FOUND)[:FOUND]
        return ids[best[np.argsort(-scores[best])]]

    yield _row(_Way("numpy", nearest, vectors.nbytes / 1e6, read_s), size, questions, exact)
    yield _row(_flat(knowledge, asked, size), size, questions, exact)
    yield _row(_compressed(knowledge, asked, size, folder), size, questions, exact)


def _by_words(
    knowledge: Knowledge, folder: Path, sample: PassageSample, words: Sequence[str]
) -> _Way:
    began_s = time.perf_counter()
    for number, passages in enumerate(sample.documents()):
        title = passages[0].title
        knowledge.sources.add(folder / str(number), str(number), title, "document", passages)
    built_s = time.perf_counter() - began_s

    def search(number: int) -> Ids:
        found = knowledge.passages.matching(words[number], FOUND)
        return np.array([key for key, _ in found], np.int64)

    size = sum(file.stat().st_size for file in folder.iterdir())
    return _Way("sqlite fts5", search, size / 1e6, built_s, True)


def _flat(knowledge: Knowledge, asked: Vectors, size: int) -> _Way:
    index, built_s = _settled(VectorIndex(knowledge.vectors, ENCODER, flat=size))
    megabytes = 2 * asked.shape[1] * len(index) / 1e6
    return _Way(
        "faiss flat", lambda n: index.search(asked[n], FOUND)[0], megabytes, built_s, size <= FLAT
    )


def _compressed(knowledge: Knowledge, asked: Vectors, size: int, folder: Path) -> _Way:
    file = folder / VECTORS_FILE
    index, built_s = _settled(VectorIndex(knowledge.vectors, ENCODER, file, flat=0))
    megabytes = file.stat().st_size / 1e6
    return _Way(
        "faiss compressed",
        lambda n: index.search(asked[n], FOUND)[0],
        megabytes,
        built_s,
        size > FLAT,
    )


def _settled(index: VectorIndex) -> tuple[VectorIndex, float]:
    began_s = time.perf_counter()
    for waits in index.settle():
        time.sleep(0.001 if waits else 0.0)
    return index, time.perf_counter() - began_s


def _keep(knowledge: Knowledge, sample: PassageSample) -> None:
    """Store the passages; their ids rise as the sample's rows do."""
    row = 0
    while waiting := knowledge.vectors.unencoded(ENCODER, KEPT_AT_ONCE):
        ids = [number for number, _ in waiting]
        knowledge.vectors.keep(ENCODER, ids, sample.vectors[row : row + len(ids)])
        row += len(ids)


def _row(way: _Way, size: int, questions: int, exact: Sequence[Ids] | None = None) -> Row:
    spent_s, found = [], []
    for number in (*range(min(WARM_UP, questions)), *range(questions)):
        began_s = time.perf_counter()
        found.append(way.search(number))
        spent_s.append(time.perf_counter() - began_s)
    spent_s, found = spent_s[-questions:], found[-questions:]
    recall = None
    if exact is not None:
        shares = [len({*f} & {*e}) / len(e) for f, e in zip(found, exact, strict=True)]
        recall = round(float(np.mean(shares)), 4)
    return Row(
        passages=size,
        method=way.method,
        p50_ms=round(percentile(spent_s, 0.50) * 1000, 3),
        p99_ms=round(percentile(spent_s, 0.99) * 1000, 3),
        recall_at_10=recall,
        mb=round(way.mb, 1),
        build_s=round(way.build_s, 2),
        used=way.used,
    )
