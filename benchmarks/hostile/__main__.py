"""Attack the real daemon and show the result: `python -m benchmarks.hostile`.

A run that was killed continues with `--resume`. Run it from the repository's root.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
from pathlib import Path

from rich.console import Console

from benchmarks.hostile.attacks import ATTACKS
from benchmarks.hostile.campaign import run
from benchmarks.hostile.figures import Figures, as_object, table

STATE = Path("build/hostile.json")


def main() -> None:
    """Run the attacks; exit status 1 when the daemon did not hold."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # the daemon ends too
    given = _options()
    if not given.resume:
        given.state.unlink(missing_ok=True)
    given.state.parent.mkdir(parents=True, exist_ok=True)
    chosen = [make for make in ATTACKS if make.name in (given.attack or _names())]
    found = []
    for make in chosen:
        blows = given.count or max(1, round(make.blows * given.share))
        found.append(run(make, blows, given.seed, given.state, _progress))
        if given.json:
            _write(as_object(found[-1]))
    if given.json:
        _write({"attacks": len(found), "held": all(f.held for f in found), "seed": given.seed})
    else:
        console = Console(width=160)
        console.print(table(found))
        for one in found:
            for way, burden in one.burdens.items():
                console.print(f"{one.attack}, {way}: {burden}")
    sys.exit(not all(f.held for f in found))


def _names() -> list[str]:
    return [make.name for make in ATTACKS]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.hostile", description=__doc__)
    parser.add_argument("attack", nargs="*", help=f"{', '.join(_names())}; all, if none is named")
    parser.add_argument("--count", type=int, help="blows of each attack, in place of all")
    parser.add_argument("--share", type=float, default=1.0, help="of each attack's blows")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--state", type=Path, default=STATE, help="file of how far it has come")
    parser.add_argument("--resume", action="store_true", help="go on where that file says")
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    given = parser.parse_args()
    if unknown := set(given.attack) - set(_names()):
        parser.error(f"no such attack: {', '.join(sorted(unknown))}")
    return given


def _progress(figures: Figures) -> None:
    if sys.stderr.isatty():
        sys.stderr.write(f"\r{figures.attack}: {figures.blows:,} blows, {figures.minutes:.1f} min ")


def _write(value: object) -> None:
    sys.stdout.write(json.dumps(value) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
