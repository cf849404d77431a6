"""What was freed goes back to the system."""

from __future__ import annotations

import gc
import subprocess
import sys
import weakref
from contextlib import suppress
from pathlib import Path

import pytest

from assistant.core import memory

PROGRAM = """
from pathlib import Path
from assistant.core.memory import collect_and_trim

def resident_kb():
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS"))

# Small blocks with one at the end that stays: the heap cannot shrink by itself.
blocks = [bytes(1000) for _ in range(50_000)]
kept = blocks[-1]
del blocks
before = resident_kb()
collect_and_trim()
print(before - resident_kb())
"""


def test_what_loading_left_behind_is_given_back() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True)
    assert int(done.stdout) > 20_000, done.stderr


@pytest.mark.parametrize(
    ("told", "available"),
    [
        ("MemTotal:       9000 kB\nMemFree: 10 kB\nMemAvailable:   2048 kB\n", 2048 * 1024),
        ("MemTotal:       9000 kB\n", 0),
        (None, 0),
    ],
)
def test_what_is_available_is_what_the_kernel_estimates(
    told: str | None, available: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if told is not None:
        (tmp_path / "meminfo").write_text(told)
    asked: list[str] = []
    monkeypatch.setattr(memory, "Path", lambda name: asked.append(name) or tmp_path / "meminfo")
    assert memory.available_bytes() == available
    assert asked == ["/proc/meminfo"]


def test_a_cycle_is_found_when_loading_is_over() -> None:
    class Node:
        """Refers to itself."""

    node = Node()
    node.itself = node  # type: ignore[attr-defined]
    gone = weakref.ref(node)
    del node
    memory.collect_and_trim()
    assert gone() is None


def test_where_the_c_library_decides_by_itself_nothing_is_asked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(memory.ctypes, "CDLL", lambda _: object())
    memory.trim_heap()


@pytest.mark.parametrize(
    ("told", "share"),
    [
        ("some avg10=12.50 avg60=1.00 avg300=0.10 total=9\nfull avg10=3.00 avg60=0.00", 0.125),
        ("some avg10=0.00 avg60=99.00 avg300=0.10 total=9\n", 0.0),
        ("", 0.0),
        (None, 0.0),
    ],
)
def test_pressure_is_the_share_of_the_last_ten_seconds(
    told: str | None, share: float, tmp_path: Path
) -> None:
    file = tmp_path / "memory"
    if told is not None:
        file.write_text(told)
    assert memory.memory_pressure(file) == share


def test_the_kernel_at_hand_tells_a_share() -> None:
    assert 0.0 <= memory.memory_pressure() <= 1.0


@pytest.mark.parametrize("collects", [False, True])
def test_what_stays_is_made_without_collections(collects: bool) -> None:
    before = gc.isenabled()
    (gc.enable if collects else gc.disable)()
    try:
        with suppress(ValueError), memory.without_collections():
            assert not gc.isenabled()
            raise ValueError
        assert gc.isenabled() is collects
    finally:
        (gc.enable if before else gc.disable)()
