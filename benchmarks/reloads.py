"""How soon a running daemon obeys a sentence that was just written: `python -m benchmarks.reloads`.

A skill of somebody else's gets another verb, and the daemon is told to reload. Once understanding
and the skills say that they have, the new sentence is said, as text, and must be obeyed. It is not
said before, as a stage reloads only after a second without work. Recognition makes its language
model beside that, and hears with the one before until then.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import msgspec

from assistant.core.errors import ControlError
from assistant.core.messages import SpokenReply
from assistant.skill_development.package import write_package
from benchmarks.endurance.daemon import Daemon, Ear

VERBS = ("attempt", "sample", "probe", "essay", "venture", "tackle", "undertake", "brave", "assay")
UNDERSTANDS = {"nlu", "skills"}
"""The stages that a new sentence takes."""
PATIENCE_S = 120.0
IDLE_S = 20.0
"""Seconds between two reloads, in which the intent model is fitted and recognition catches up."""


class Reloads(msgspec.Struct, kw_only=True):
    """Seconds from the request until a new sentence is obeyed, and until the last stage is done."""

    obeyed_s: list[float] = []
    done_s: list[float] = []


def measured(folder: Path, times: int) -> Reloads:
    """Start a daemon in `folder` and reload it so often; raises `ControlError`."""
    skill, found = write_package("tide", folder), Reloads()
    daemon = Daemon(folder / "daemon", f'[skills]\nfolders = ["{skill}"]\n')
    try:
        daemon.keep_up()
        daemon.await_ready()
        ear = Ear(daemon.runtime, (SpokenReply,))
        try:
            _obey(ear, "try")
            module, before = skill / "__init__.py", "try"
            for verb in VERBS[:times]:
                time.sleep(IDLE_S)
                module.write_text(module.read_text().replace(f'"{before} [the]', f'"{verb} [the]'))
                before, began_s = verb, time.monotonic()
                lines = daemon.control.follow("reload", PATIENCE_S)
                waiting = set(next(lines)["stages"]) - {"control"}
                reloaded = (line["stage"] for line in lines if line["type"] == "Reloaded")
                while UNDERSTANDS & waiting:
                    waiting.discard(next(reloaded))
                _obey(ear, verb)
                found.obeyed_s.append(round(time.monotonic() - began_s, 3))
                while waiting:
                    waiting.discard(next(reloaded))
                found.done_s.append(round(time.monotonic() - began_s, 3))
        finally:
            ear.close()
    finally:
        daemon.stop()
    return found


def _obey(ear: Ear, verb: str) -> None:
    """Say a sentence, and wait for the answer of the skill; raises `ControlError` for another."""
    ear.say(verb, f"{verb} the tide two times")
    for message in ear.hear(time.monotonic() + PATIENCE_S):
        if isinstance(message, SpokenReply) and message.utterance_id == verb:
            if message.text.startswith("I tried the tide"):
                return
            raise ControlError("bench.not_obeyed", f"{verb!r} was answered by {message.text!r}")
    raise ControlError("bench.not_obeyed", f"{verb!r} was not answered")


def main() -> None:
    """Print the seconds of each reload, and their medians."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=7, choices=range(1, len(VERBS) + 1))
    given = parser.parse_args()
    with TemporaryDirectory(prefix="hark-reloads-") as folder:
        found = measured(Path(folder), given.times)
    told = msgspec.to_builtins(found)
    told |= {f"median_{name}": round(median(values), 2) for name, values in told.items()}
    sys.stdout.write(msgspec.json.encode(told).decode() + "\n")


if __name__ == "__main__":
    main()
