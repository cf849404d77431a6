"""Indexing that is killed again and again loses nothing and does nothing twice but the last slice.

The order is: passages are committed, then vectors in slices; the file of vectors can be made anew.
"""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

from assistant.answer.ingest.encoding import SLICE_PASSAGES
from assistant.answer.knowledge.knowledge import Knowledge
from assistant.answer.knowledge.query import Filter
from assistant.answer.knowledge.vector_index import VectorIndex
from tests.support.fake_encoder import FakeEncoder

REPOSITORY = Path(__file__).resolve().parents[3]
FILES, LINES = 30, 10
KILLS = 3


def start(folder: Path, database: Path, log: Path) -> subprocess.Popen[bytes]:
    command = (sys.executable, "-m", "tests.support.indexing", str(folder), str(database), str(log))
    return subprocess.Popen(command, cwd=REPOSITORY)


def killed(process: subprocess.Popen[bytes], log: Path, lines: int) -> None:
    """Wait until it has got somewhere, then end it as a power cut would."""
    end_s = time.monotonic() + 60
    while time.monotonic() < end_s and process.poll() is None:
        if log.exists() and log.read_text().count("\n") >= lines:
            break
        time.sleep(0.001)
    process.kill()
    assert process.wait() in (-signal.SIGKILL, 0)


def test_killed_at_any_time_it_goes_on_where_it_was(tmp_path: Path) -> None:
    folder, database, log = tmp_path / "docs", tmp_path / "knowledge.db", tmp_path / "log"
    folder.mkdir()
    for number in range(FILES):
        lines = (f"fact {number}x{line} is true" for line in range(LINES))
        (folder / f"{number}.txt").write_text("\n".join(lines))
    drawn, written = random.Random(1), 0
    for _ in range(KILLS):
        written += drawn.randrange(20, 80)
        killed(start(folder, database, log), log, written)
    assert start(folder, database, log).wait(60) == 0
    done = Counter(log.read_text().splitlines())
    assert done["done"] == 1
    read = {line: times for line, times in done.items() if line.startswith("read")}
    encoded = {line: times for line, times in done.items() if line.startswith("encoded")}
    assert (len(read), len(encoded)) == (FILES, FILES * LINES)
    # Of each run no more is done again than what it was at when it was killed.
    assert sum(read.values()) - len(read) <= KILLS
    assert sum(encoded.values()) - len(encoded) <= KILLS * SLICE_PASSAGES
    knowledge, encoder = Knowledge(database), FakeEncoder()
    texts = [s.passage.text for s in knowledge.passages.read(knowledge.passages.within(Filter()))]
    assert len(texts) == len(set(texts)) == FILES * LINES
    assert len(knowledge.vectors.encoded(encoder.version)) == FILES * LINES
    index = VectorIndex(
        knowledge.vectors, encoder.version, database.with_suffix(".faiss"), flat=100
    )
    assert (index.kind, len(index), index.settled) == ("compressed", FILES * LINES, True)
    for text in texts[::37]:
        ids, _ = index.search(encoder.encode([text])[0], 1)
        assert knowledge.passages.read(ids.tolist())[0].passage.text == text
    knowledge.close()
