"""What was freed goes back to the system."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
from pathlib import Path
from assistant.core.memory import give_back_unused

def resident_kb():
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS"))

# Small blocks with one at the end that stays: the heap cannot shrink by itself.
blocks = [bytes(1000) for _ in range(50_000)]
kept = blocks[-1]
del blocks
before = resident_kb()
give_back_unused()
print(before - resident_kb())
"""


def test_what_loading_left_behind_is_given_back() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True)
    assert int(done.stdout) > 20_000, done.stderr
