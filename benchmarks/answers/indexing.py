"""The memory and time to index 100,000 passages, all but the encoding itself.

`python benchmarks/answers/indexing.py [PASSAGES]`: a made-up folder goes through the real
collection, database and index in this process. Instead of the real parser and encoder, stand-ins
give passages and vectors of `assistant.bench.passages`. Ends with one JSON object.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from assistant.answer.ingest.collection import Collection
from assistant.answer.ingest.encoding import PassageEncoding
from assistant.answer.ingest.parser_client import ParsedFile
from assistant.answer.knowledge.knowledge import Knowledge
from assistant.answer.knowledge.passages import Document, Passage
from assistant.answer.knowledge.vector_index import VectorIndex
from assistant.bench.passages import DOCUMENT_PASSAGES, WIDTH, PassageSample
from assistant.control.procfs import usage
from assistant.core.layout import KNOWLEDGE_FILE, VECTORS_FILE

LOOK_EVERY = 500
"""Number of slices between two looks at the memory."""


class MadeUp:
    """A parser whose files hold what `PassageSample` gives, and an encoder of random directions."""

    version = "made-up"

    def __init__(self) -> None:
        self._path = Path()
        self._documents = iter(PassageSample(DOCUMENT_PASSAGES * 40).documents())
        self._texts = [p for passages in self._documents for p in passages]
        self._drawn = np.random.default_rng(1)

    def begin(self, path: Path) -> None:
        """Have `path` read."""
        self._path = path

    def poll(self) -> ParsedFile:
        """Passages that no other file has."""
        name = self._path.stem
        at = int(name) % 40 * DOCUMENT_PASSAGES
        some = self._texts[at : at + DOCUMENT_PASSAGES]
        passages = tuple(Passage(text=f"{p.text} {name}", title=name) for p in some)
        return ParsedFile(
            path=self._path, sha256=name, document=Document(title=name), passages=passages
        )

    def close(self) -> None:
        """Nothing is open."""

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of length 1."""
        made = self._drawn.standard_normal((len(texts), WIDTH), dtype=np.float32)
        unit: NDArray[np.float32] = made / np.linalg.norm(made, axis=1, keepdims=True)
        return unit


def main(passages: int) -> None:
    """Index, and say what it took."""
    with (
        tempfile.TemporaryDirectory(prefix="hark-bench-") as name,
        closing(Knowledge(Path(name) / KNOWLEDGE_FILE)) as knowledge,
    ):
        folder = Path(name)
        (folder / "docs").mkdir()
        for number in range(passages // DOCUMENT_PASSAGES):
            (folder / "docs" / f"{number}.txt").write_text("made up")
        made_up = MadeUp()
        index = VectorIndex(knowledge.vectors, made_up.version, folder / VECTORS_FILE)
        forgotten = knowledge.sources.forgotten
        encoding = PassageEncoding(knowledge.vectors, index, made_up, forgotten)
        collection = Collection(knowledge, encoding, made_up, (".txt",), [folder / "docs"])
        before, peak, longest_s, began_s, slices = _pss_mb(), 0.0, 0.0, time.monotonic(), 0
        while collection.deadline_s() <= time.monotonic():
            slice_s = time.monotonic()
            list(collection.step(slice_s))
            longest_s = max(longest_s, time.monotonic() - slice_s)
            slices += 1
            if slices % LOOK_EVERY == 0:
                peak = max(peak, _pss_mb())
            time.sleep(max(0.0, min(0.01, collection.deadline_s() - time.monotonic())))
        figures = {
            "passages": len(index),
            "kind": index.kind,
            "seconds": round(time.monotonic() - began_s, 1),
            "slices": slices,
            "longest_slice_ms": round(longest_s * 1000, 1),
            "pss_before_mb": round(before, 1),
            "pss_peak_mb": round(max(peak, _pss_mb()), 1),
            "database_mb": round((folder / KNOWLEDGE_FILE).stat().st_size / 1e6, 1),
        }
        print(json.dumps(figures))  # noqa: T201 - a script


def _pss_mb() -> float:
    return usage(os.getpid())[os.getpid()].pss_bytes / 1e6


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
