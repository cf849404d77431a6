"""Frames to a role without a daemon, and how its memory grows with them.

    python -m benchmarks.hostile.wyoming satellite --frames 1000000

`reader` gives the frames to their reader in this process. What the daemon keeps is seen by
`python -m benchmarks.hostile` alone.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import resource
import signal
import sys
import tempfile
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

from benchmarks.hostile.watcher import resident
from benchmarks.hostile.wyoming.base import BaseAttack
from benchmarks.hostile.wyoming.frames import mutated
from benchmarks.hostile.wyoming.role import RoleAttack
from benchmarks.hostile.wyoming.satellite import SatelliteAttack
from benchmarks.hostile.wyoming.services import VALID, is_taken

ROLES: Mapping[str, type[RoleAttack]] = {"satellite": SatelliteAttack, "base": BaseAttack}
TOLD_TIMES = 10
"""How often the memory is told of."""


def attack_alone(make: type[RoleAttack], frames: int, seed: int) -> int:
    """Send so many frames; gives the number of faults, each process that ended among them."""
    with tempfile.TemporaryDirectory(prefix="hark-hostile-") as name:
        folder, watched = Path(name), dict[int, str]()
        (folder / "log").touch()
        with closing(make(folder, seed)) as attack:
            config = folder / "config.toml"
            config.write_text(
                f'[storage]\nstate = "{name}"\ncache = "{name}"\nruntime = "{name}"\n'
                f"{attack.settings}"
            )
            attack.start(config, folder / "log", watched)
            (first,) = watched
            before, _ = resident(first)
            faults = 0
            for number in range(frames):
                if fault := attack.blow(number):
                    faults += 1
                    _tell(f"frame {number}: {fault}")
                if (number + 1) % max(1, frames // TOLD_TIMES) == 0:
                    (process,) = watched
                    now, peak = ((one - before) / 1e6 for one in resident(process))
                    _tell(f"{number + 1} frames: {now:+.1f} MB, {peak:+.1f} MB at the most")
            (last,) = watched
            return faults + (last != first)


def read_all(frames: int, seed: int) -> int:
    """Give the reader so many frames; gives how many it took, and tells of the memory."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    taken = asyncio.run(_read(frames, seed))
    grown_mb = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1000
    _tell(f"taken {taken} of {frames}, {grown_mb:.1f} MB more at the most")
    return taken


async def _read(frames: int, seed: int) -> int:
    rng, taken = random.Random(seed), 0
    for _ in range(frames):
        taken += await is_taken(mutated(rng, VALID))
        await asyncio.sleep(0)  # the loop forgets what was cancelled only where it goes round
    return taken


def _tell(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def main() -> None:
    """Attack, and exit with 1 where the role did not hold."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # the role ends too
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("role", nargs="?", choices=("reader", *ROLES), default="reader")
    parser.add_argument("--frames", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    if given.role == "reader":
        asyncio.run(_read(1_000, given.seed))
        read_all(given.frames, given.seed)
        return
    faults = attack_alone(ROLES[given.role], given.frames, given.seed)
    _tell(f"{given.frames} frames, {faults} faults")
    sys.exit(faults > 0)
