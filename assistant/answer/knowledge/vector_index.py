"""The passages whose vectors are nearest to a question's: FAISS over what SQLite holds.

Up to `FLAT` passages every vector is compared (flat, inner product, float16). Beyond, most are in a
base: an inverted file whose lists hold 4 bits a dimension, memory-mapped and never written to. Its
candidates are ranked again by the exact vectors in SQLite. What came since is flat beside it, and
what has gone is skipped, until the base is rebuilt. Everything here can be rebuilt from SQLite, so
a file that is missing, damaged or of another encoder is only logged and replaced.
"""

from __future__ import annotations

import contextlib
import logging
import math
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Protocol, TypeVar

import faiss
import numpy as np
from numpy.typing import NDArray

from assistant.answer.knowledge import index_file

Ids = NDArray[np.int64]
Vectors = NDArray[np.float32]

FLAT = 10_000
"""Most vectors that are compared one by one; 10,000 take 0.15 ms."""
LISTED = 10_000
SLICE = 256
"""Most vectors that are read or added at once; a question waits for no more."""
RANKED_ANEW = 100
"""Fewest candidates of the base whose exact vectors are compared; at least three a wanted one."""
FEWEST_A_LIST, TRAINING_SHARE = 40, 64
"""Fewest vectors a list, and how many its centre is found from; FAISS's k-means wants over 38."""
PROBED = 8
"""Number of lists of which one is searched. Of 40,000 sentences that differ in a word or two (the
intent model's embeddings, cosine 0.65 between any two) searching a tenth finds 0.986 of the ten
nearest, searching an eighth 0.991."""
GONE_SHARE = 0.25
"""Share of the base that may have gone before it is rebuilt."""
NARROW = 2_000
"""Most passages left by a filter that are compared one by one, in 10 ms."""

log = logging.getLogger(__name__)
T = TypeVar("T")


class HoldsVectors(Protocol):
    """Where the vectors are kept (`VectorStore`)."""

    @property
    def identity(self) -> str:
        """The identity of this store alone."""

    def encoded(self, encoder: str, after: int = 0, limit: int = -1) -> Ids:
        """Ids of the vectors of an encoder, ascending from `after`, at most so many."""

    def matrix(self, encoder: str, ids: Sequence[int] | Ids) -> tuple[Ids, Vectors]:
        """The ids that have a vector, and those vectors."""


class VectorIndex:
    """The vectors of `encoder` in `store`; `file` None keeps the base in memory alone."""

    def __init__(
        self, store: HoldsVectors, encoder: str, file: Path | None = None, flat: int = FLAT
    ) -> None:
        self._store, self._encoder, self._file, self._flat = store, encoder, file, flat
        self._base: Any = None
        self._trained_on = 0
        self._in_base: Ids = np.zeros(0, np.int64)
        self._gone: set[int] = set()
        self._gone_meanwhile: set[int] = set()
        self._recent: Any = None
        self._threads: ThreadPoolExecutor | None = None
        self._is_open = self._is_whole = False

    def __len__(self) -> int:
        self._open()
        return len(self._in_base) - len(self._gone) + self._recents

    @property
    def kind(self) -> str:
        """Either "flat" or "compressed"."""
        self._open()
        return "flat" if self._base is None else "compressed"

    def search(
        self, vector: Vectors, k: int, among: Sequence[int] | None = None
    ) -> tuple[Ids, Vectors]:
        """The ids of the `k` nearest, best first, with their inner products; fewer if there are
        fewer.

        If `among` is given, only its ids count.
        """
        self._open()
        if among is not None and len(among) <= NARROW:
            return self._ranked(np.asarray(among, np.int64), vector, k)
        chosen = None if among is None else faiss.IDSelectorBatch(np.asarray(among, np.int64))
        parts = [self._of_recent(vector, k, chosen), self._of_base(vector, k, chosen)]
        ids = np.concatenate([ids for ids, _ in parts])
        scores = np.concatenate([scores for _, scores in parts])
        best = np.argsort(-scores, kind="stable")[:k]
        return ids[best], scores[best]

    def add(self, ids: Sequence[int] | Ids, vectors: Vectors) -> None:
        """Add vectors that SQLite holds already."""
        if not self._is_open or not len(ids):
            return
        faiss.omp_set_num_threads(1)
        if self._recent is None:
            self._recent = _flat(vectors.shape[1])
        self._recent.add_with_ids(
            np.ascontiguousarray(vectors, np.float32), np.asarray(ids, np.int64)
        )

    def remove(self, ids: Sequence[int]) -> None:
        """Stop finding these."""
        if not self._is_open:
            return
        wanted = np.asarray(ids, np.int64)
        self._gone_meanwhile.update(wanted.tolist())
        self._gone.update(wanted[_isin(wanted, self._in_base)].tolist())
        if self._recents and len(wanted):
            self._recent.remove_ids(wanted)

    @property
    def settled(self) -> bool:
        """Whether nothing has to be rebuilt."""
        self._open()
        if not self._is_whole:
            return False
        many_gone = len(self._gone) > max(1, GONE_SHARE * len(self._in_base))
        return self._recents <= self._flat and not many_gone

    def settle(self) -> Iterator[bool]:
        """Rebuild the base if needed, one slice for each turn of the iterator.

        Slow work runs in a thread; a turn is True when it only waits for that. Searching, adding
        and removing continue between the turns.
        """
        if self.settled:
            return
        self._gone_meanwhile.clear()
        ids = yield from self._listed()
        if len(ids) <= self._flat:
            self._become_flat(ids)
            return
        made, trained_on, held = yield from self._grown(ids)
        held = np.sort(np.concatenate([held, (yield from self._filled(made, ids, held))]))
        base, trained_on = yield from self._in_thread(lambda: self._written(made, trained_on))
        self._swap(base, held, trained_on)

    def close(self) -> None:
        """Stop; a thread ends after its present step."""
        if self._threads is not None:
            self._threads.shutdown(wait=True, cancel_futures=True)

    # ── searching ───────────────────────────────────────────────────────────────────────────

    @property
    def _recents(self) -> int:
        return 0 if self._recent is None else int(self._recent.ntotal)

    def _of_recent(self, vector: Vectors, k: int, chosen: Any) -> tuple[Ids, Vectors]:
        if not self._recents:
            return np.zeros(0, np.int64), np.zeros(0, np.float32)
        only = None if chosen is None else faiss.SearchParameters(sel=chosen)
        scores, ids = self._recent.search(vector[None], min(k, self._recents), params=only)
        return _found(ids[0], scores[0])

    def _of_base(self, vector: Vectors, k: int, chosen: Any) -> tuple[Ids, Vectors]:
        if self._base is None:
            return np.zeros(0, np.int64), np.zeros(0, np.float32)
        # Passages that pass a filter may lie in any list.
        lists = self._base.nlist
        probed = max(16, lists // PROBED) if chosen is None else lists
        if self._gone:
            left = faiss.IDSelectorNot(faiss.IDSelectorBatch(np.array(sorted(self._gone))))
            chosen = left if chosen is None else faiss.IDSelectorAnd(chosen, left)
        how = faiss.SearchParametersIVF(sel=chosen, nprobe=probed)
        _, ids = self._base.search(vector[None], max(RANKED_ANEW, 3 * k), params=how)
        return self._ranked(ids[0][ids[0] >= 0], vector, k)

    def _ranked(self, ids: Ids, vector: Vectors, k: int) -> tuple[Ids, Vectors]:
        """The best of `ids` by their exact vectors."""
        found, vectors = self._store.matrix(self._encoder, ids)
        if not len(found):
            return found, np.zeros(0, np.float32)
        scores = vectors @ vector
        best = np.argsort(-scores, kind="stable")[:k]
        return found[best], scores[best]

    # ── making the base ─────────────────────────────────────────────────────────────────────

    def _listed(self) -> Generator[bool, None, Ids]:
        """All ids that have a vector."""
        parts = [np.zeros(1, np.int64)]
        while len(part := self._store.encoded(self._encoder, int(parts[-1][-1]), LISTED)):
            parts.append(part)
            yield False
        return np.concatenate(parts)[1:]

    def _grown(self, ids: Ids) -> Generator[bool, None, tuple[Any, int, Ids]]:
        """A trained index in memory, the number it was trained for, and the ids it holds."""
        if self._base is not None and self._file is not None and len(ids) <= 2 * self._trained_on:
            made = yield from self._in_thread(self._base_without_gone)
            return made, self._trained_on, self._in_base[_isin(self._in_base, ids)]
        lists = min(round(2.5 * math.sqrt(len(ids))), len(ids) // FEWEST_A_LIST)
        sample = ids[:: max(1, len(ids) // (TRAINING_SHARE * lists))]
        read = []
        for at in range(0, len(sample), SLICE):
            read.append(self._store.matrix(self._encoder, sample[at : at + SLICE])[1])
            yield False
        made = yield from self._in_thread(lambda: _trained(np.concatenate(read), lists))
        return made, len(ids), np.zeros(0, np.int64)

    def _filled(self, made: Any, ids: Ids, held: Ids) -> Generator[bool, None, Ids]:
        """Add those of `ids` that are not in `made` yet; gives the ids that were added."""
        missing = ids[~_isin(ids, held)]
        added = [np.zeros(0, np.int64)]
        for at in range(0, len(missing), SLICE):
            found, vectors = self._store.matrix(self._encoder, missing[at : at + SLICE])
            if len(found):
                faiss.omp_set_num_threads(1)
                made.add_with_ids(vectors, found)
                added.append(found)
            yield False
        return np.concatenate(added)

    def _base_without_gone(self) -> Any:
        faiss.omp_set_num_threads(1)
        made = faiss.read_index(str(self._file))
        made.remove_ids(np.array(sorted(self._gone), np.int64))
        return made

    def _swap(self, base: Any, held: Ids, trained_on: int) -> None:
        """Search `base` from now on, with the changes since its making was begun."""
        self._base, self._in_base, self._trained_on = base, held, trained_on
        gone = np.array(sorted(self._gone_meanwhile), np.int64)
        self._gone = set(gone[_isin(gone, held)].tolist())
        if self._recents:
            self._recent.remove_ids(held)
        self._is_whole = True

    def _become_flat(self, ids: Ids) -> None:
        self._base, self._in_base, self._gone, self._recent = None, ids[:0], set(), None
        if self._file is not None:
            index_file.drop(self._file)
        self._is_whole = True
        self._take_in(ids)

    def _take_in(self, ids: Ids) -> None:
        for at in range(0, len(ids), FLAT):
            self.add(*self._store.matrix(self._encoder, ids[at : at + FLAT]))

    def _in_thread(self, work: Callable[[], T]) -> Generator[bool, None, T]:
        self._threads = self._threads or ThreadPoolExecutor(1, "vectors")
        future = self._threads.submit(work)
        while not future.done():
            yield True
        return future.result()

    # ── the file ────────────────────────────────────────────────────────────────────────────

    def _open(self) -> None:
        """Read the file if it is usable; the rest comes from SQLite.

        Happens on first use: a stage being built does not touch the files of the one in service.
        """
        faiss.omp_set_num_threads(1)  # OpenMP keeps this per thread
        if self._is_open:
            return
        self._is_open = True
        ids = self._store.encoded(self._encoder)
        if self._file is not None and self._file.is_file() and len(ids) > self._flat:
            known = index_file.fitting(self._file, self._encoder, self._store.identity)
            if known is not None:
                self._base, self._trained_on = _mapped(self._file), known.trained_on
                self._in_base = _ids_of(self._base)
        self._gone = set(self._in_base[~_isin(self._in_base, ids)].tolist())
        missing = ids[~_isin(ids, self._in_base)]
        # More than this take long to read; `settle` makes a base of them slice by slice.
        self._is_whole = len(missing) <= self._flat
        if self._is_whole:
            self._take_in(missing)

    def _written(self, made: Any, trained_on: int) -> tuple[Any, int]:
        """`made` as it is searched, and for how many it was trained: 0 where no file can grow."""
        if self._file is None:
            return made, trained_on
        new = self._file.with_name(f"{self._file.name}.new")
        try:
            faiss.write_index(made, str(new))
            index_file.put(new, self._file, self._encoder, self._store.identity, trained_on)
        except (OSError, RuntimeError) as error:  # FAISS has no more specific error
            with contextlib.suppress(OSError):
                index_file.drop(new)
            what = type(error).__name__
            log.error("%s cannot be written, it stays in memory: %s (answer.vectors)", new, what)
            return made, 0
        return _mapped(self._file), trained_on


def _flat(width: int) -> Any:
    exact = faiss.IndexScalarQuantizer(
        width, faiss.ScalarQuantizer.QT_fp16, faiss.METRIC_INNER_PRODUCT
    )
    return faiss.IndexIDMap2(exact)


def _trained(sample: Vectors, lists: int) -> Any:
    faiss.omp_set_num_threads(1)
    width = sample.shape[1]
    centres = faiss.IndexFlatIP(width)
    made = faiss.IndexIVFScalarQuantizer(
        *(centres, width, lists, faiss.ScalarQuantizer.QT_4bit, faiss.METRIC_INNER_PRODUCT)
    )
    made.own_fields = True
    centres.this.disown()
    made.train(sample)
    return made


def _mapped(file: Path) -> Any:
    base = faiss.read_index(str(file), faiss.IO_FLAG_MMAP | faiss.IO_FLAG_READ_ONLY)
    # Otherwise every search starts 32 threads that read ahead.
    faiss.downcast_InvertedLists(base.invlists).prefetch_nthread = 0
    return base


def _ids_of(base: Any) -> Ids:
    lists, wanted = base.invlists, range(base.nlist)
    held = [faiss.rev_swig_ptr(lists.get_ids(i), lists.list_size(i)).copy() for i in wanted]
    return np.sort(np.concatenate(held)).astype(np.int64)


def _isin(ids: Ids, others: Ids) -> NDArray[np.bool_]:
    return np.isin(ids, others, assume_unique=False)


def _found(ids: Ids, scores: Vectors) -> tuple[Ids, Vectors]:
    there = ids >= 0
    return ids[there], scores[there]
