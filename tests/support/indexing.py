"""A process that indexes a folder with a fake parser and encoder, to be killed in the middle.

`python -m tests.support.indexing FOLDER DATABASE LOG`: each text that is encoded and each file that
is read is a line of LOG.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import TextIO

import numpy as np
from numpy.typing import NDArray

from assistant.answer.ingest.collection import Collection
from assistant.answer.ingest.encoding import PassageEncoding
from assistant.answer.knowledge.knowledge import Knowledge
from assistant.answer.knowledge.vector_index import VectorIndex
from tests.answer.ingest.test_collection import SUFFIXES, LineParser
from tests.support.fake_encoder import FakeEncoder


class LoggingEncoder(FakeEncoder):
    """Writes down what it encodes."""

    def __init__(self, log: TextIO) -> None:
        super().__init__()
        self._log = log

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The texts' embeddings."""
        self._log.writelines(f"encoded {text}\n" for text in texts)
        return super().encode(texts)


class LoggingParser(LineParser):
    """Writes down what it reads."""

    def __init__(self, log: TextIO) -> None:
        super().__init__()
        self._log = log

    def begin(self, path: Path) -> None:
        """Have `path` read."""
        self._log.write(f"read {path.name}\n")
        super().begin(path)


def main(folder: str, database: str, log_file: str) -> None:
    """Index until nothing is left to do."""
    with (
        closing(Knowledge(Path(database))) as knowledge,
        Path(log_file).open("a", buffering=1) as log,
    ):
        encoder = LoggingEncoder(log)
        index = VectorIndex(
            knowledge.vectors, encoder.version, Path(database).with_suffix(".faiss"), flat=100
        )
        collection = Collection(
            knowledge,
            PassageEncoding(knowledge.vectors, index, encoder, knowledge.sources.forgotten),
            LoggingParser(log),
            SUFFIXES,
            [Path(folder)],
        )
        now_s = 0.0
        while collection.deadline_s() <= now_s + 1:
            list(collection.step(now_s))
            now_s += 0.001
            time.sleep(0.001)
        log.write("done\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
