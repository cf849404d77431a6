"""How long a signed model takes to be verified and installed: `python -m benchmarks.signing`.

The model has `--megabytes` of noise and a small network. The times are those of the commands less
the start of Python; beside them the time that its SHA-256 alone takes, and a copy that is synced.
"merge" is that of an adapter of rank 8 for all matrices of the NER model that ships.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from assistant.core.files import sync
from assistant.core.models.adapter import merge
from assistant.core.models.manifest import SHIPPED
from assistant.model_files.signed import install, verify_bundle
from tests.support.adapters import adapter_by_chance
from tests.support.signing import Maintainer, files_of, library_of, silent


def measure(folder: Path, megabytes: int, runs: int) -> dict[str, list[float]]:
    """Seconds of each run, by what was done."""
    library, maintainer = library_of(folder), Maintainer(folder / "maintainer")
    noise = os.urandom(1_000_000) * megabytes
    files = {**files_of(1), "labels.json": noise}
    bundle, layout = (
        make(library, number, f"{number}", files=files)
        for number, make in ((2, maintainer.bundle), (3, maintainer.layout))
    )
    ner = (SHIPPED / "ner" / "model.onnx").read_bytes()
    adapter = adapter_by_chance(ner, 1e-9)
    trusted, copy = maintainer.trusted, folder / "copy"

    def copied() -> None:
        shutil.copyfile(bundle, copy)
        sync(copy)

    todo: dict[str, Callable[[], object]] = {
        "sha256": lambda: hashlib.sha256(noise).digest(),
        "copy": copied,
        "verify": lambda: verify_bundle(library, trusted, bundle),
        "verify layout": lambda: verify_bundle(library, trusted, layout),
        "merge": lambda: merge(ner, adapter, "the adapter"),
        "install": lambda: install(library, trusted, bundle, silent),
    }
    return {name: [_timed(do) for _ in range(runs)] for name, do in todo.items()}


def _timed(do: Callable[[], object]) -> float:
    began = time.perf_counter()
    do()
    return time.perf_counter() - began


def main() -> None:
    """Print the medians and the longest."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--megabytes", type=int, default=100)
    parser.add_argument("--runs", type=int, default=9)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = measure(Path(folder), given.megabytes, given.runs)
    for name, taken in found.items():
        figures = {"median_s": round(statistics.median(taken), 3), "most_s": round(max(taken), 3)}
        print(json.dumps({"what": name, **figures}))  # noqa: T201


if __name__ == "__main__":
    main()
