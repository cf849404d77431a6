"""Give parsers generated inputs and show what came of it: `python -m benchmarks.hostile.parsers`.

A run that was killed continues with `--resume`, and so does one with a greater `--count`.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
from pathlib import Path

import msgspec
from rich.console import Console

from benchmarks.hostile.parsers.figures import Figures, added, table
from benchmarks.hostile.parsers.inputs import made
from benchmarks.hostile.parsers.measuring import measure_all
from benchmarks.hostile.parsers.parser import PARSERS, load

STATE = Path("build/hostile_parsers.json")


def main() -> None:
    """Have the inputs parsed; exit status 1 where a parser did not hold."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # the child ends too
    given = _options()
    chosen = given.parser or list(PARSERS)
    if given.input is not None:
        for name in chosen:
            sys.stdout.buffer.write(made(load(PARSERS[name]), given.seed, given.input))
        return
    given.state.parent.mkdir(parents=True, exist_ok=True)
    found = _kept(given.state) if given.resume else {}
    for name in chosen:
        if name not in found or found[name].seed != given.seed:
            found[name] = Figures(parser=name, seed=given.seed)

        def keep(part: Figures, name: str = name) -> None:
            found[name] = added(found[name], part)
            given.state.write_bytes(msgspec.json.encode(found))
            if sys.stderr.isatty():
                sys.stderr.write(f"\r{name}: {found[name].inputs:,} inputs ")

        measure_all(name, PARSERS[name], given.seed, found[name].inputs, given.count, keep)
        if given.json:
            _write({**msgspec.to_builtins(found[name]), "held": found[name].held})
    rows = [found[name] for name in chosen]
    if not given.json:
        Console(width=160).print(table(rows))
    sys.exit(not all(row.held for row in rows))


def _kept(state: Path) -> dict[str, Figures]:
    if not state.exists():
        return {}
    return msgspec.json.decode(state.read_bytes(), type=dict[str, Figures])


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.hostile.parsers", description=__doc__
    )
    parser.add_argument("parser", nargs="*", help=f"{', '.join(PARSERS)}; all, if none is named")
    parser.add_argument("--count", type=int, default=200_000, help="inputs of each parser")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--state", type=Path, default=STATE, help="file of how far it has come")
    parser.add_argument("--resume", action="store_true", help="go on where that file says")
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    parser.add_argument("--input", type=int, help="write the input of this number, and no more")
    given = parser.parse_args()
    if unknown := set(given.parser) - set(PARSERS):
        parser.error(f"no such parser: {', '.join(sorted(unknown))}")
    return given


def _write(value: object) -> None:
    sys.stdout.write(json.dumps(value) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
