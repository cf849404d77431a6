"""Runs one attack on a daemon of its own, and continues a run that was killed."""

from __future__ import annotations

import re
import shutil
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import msgspec

from assistant.core.files import replace_file
from benchmarks.hostile.attack import Attack
from benchmarks.hostile.figures import Figures, added
from benchmarks.hostile.prober import Prober
from benchmarks.hostile.siege import Siege
from benchmarks.hostile.target import Target, running_target
from benchmarks.hostile.watcher import Watcher

RECORDED_EVERY_S = 2.0
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")

Tell = Callable[[Figures], None]


class Record(msgspec.Struct):
    """The progress of a run with one seed; by name of the attack."""

    seed: int
    figures: dict[str, Figures] = {}


def read_record(file: Path, seed: int) -> Record:
    """The record that an earlier run with this seed left in `file`, or an empty one."""
    if not file.exists():
        return Record(seed)
    record = msgspec.json.decode(file.read_bytes(), type=Record)
    return record if record.seed == seed else Record(seed)


def run(
    make: type[Attack], blows: int, seed: int, file: Path, tell: Tell = lambda _: None
) -> Figures:
    """Deal the blows that `file` does not record yet; gives all results of this attack so far.

    The daemon's log is left beside `file`.
    """
    record = read_record(file, seed)
    before = record.figures.get(make.name, Figures(attack=make.name))
    if before.blows >= blows:
        return before
    with tempfile.TemporaryDirectory(prefix="hark-hostile-") as folder, ExitStack() as opened:
        attack = make(Path(folder), seed)
        opened.callback(attack.close)
        target = opened.enter_context(running_target(attack.settings))
        attack.open(target)

        def keep(now: Figures) -> None:
            record.figures[make.name] = added(before, now)
            replace_file(file, msgspec.json.encode(record))
            tell(record.figures[make.name])

        opened.callback(lambda: shutil.copy(target.rig.log, file.with_suffix(f".{make.name}.log")))
        session(attack, target, range(before.blows, blows), keep)
    return record.figures[make.name]


def session(
    attack: Attack, target: Target, numbers: range, keep: Callable[[Figures], None]
) -> None:
    """Deal the blows on one daemon; the results are saved from time to time and at the end."""
    kept, began_s, kept_s = target.effects(), time.monotonic(), time.monotonic()
    faults: list[str] = []
    prober, watcher = Prober(target), Watcher(target)

    def figures(blows: int) -> Figures:
        wrong = [*attack.wrong(kept, target.effects()), *forged(target.rig.log.read_bytes())]
        return Figures(
            attack=attack.name,
            blows=blows,
            minutes=round((time.monotonic() - began_s) / 60, 2),
            faults=len(faults),
            wrong_effects=len(wrong),
            served=prober.served,
            watched=watcher.watched,
            burdens=attack.burdens if isinstance(attack, Siege) else {},
            told=[*faults, *wrong, *prober.told, *watcher.told],
        )

    try:
        for dealt, number in enumerate(numbers, 1):
            if fault := attack.blow(number):
                faults.append(f"blow {number}: {fault}")
            if time.monotonic() - kept_s > RECORDED_EVERY_S:
                keep(figures(dealt))
                kept_s = time.monotonic()
    finally:
        prober.finish()
        watcher.finish()
    keep(figures(len(numbers)))


def forged(log: bytes) -> list[str]:
    """What moves a terminal in a log; a process that is killed may leave zeros."""
    text = log.decode("utf-8", "replace").strip("\0")
    return [f"the log has {found!r}" for found in sorted(set(_CONTROL.findall(text)))]
