"""Cut the power of a disk on which skills keep their state.

Run `python -m benchmarks.endurance.power_cuts`.

People set timers, fill lists, switch devices, plan and take back; the real stage keeps that in the
real database, on a disk that records (`benchmarks.endurance.recorded_disk`). After a step drawn by
chance its power is cut, the real code opens what is left, and it must find all that was committed:
the rows after the last commit that returned, or those of the commit that was under way. What one
cut left is the disk on which the next sitting begins, so that a recovery is cut, too.

With `--synchronous OFF` or `NORMAL` the database is asked to sync less than it does: then commits
must be lost, or the cuts would cut nothing.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from pathlib import Path
from random import Random

import msgspec

from assistant.core.errors import StorageError
from assistant.core.layout import STATE_FILE
from assistant.core.messages import When
from benchmarks.endurance.recorded_disk import Promise, RecordedDisk, Rows, Write, all_rows
from skills.registry import Registry, load_registry
from skills.state import open_state
from tests.support.conversation import HOUSE
from tests.support.talking import EVENING, Talk, command

CUTS_A_SITTING = 20
WISHES = (3, 50)
"""Fewest and most things that are said in one sitting."""
CLOSES = 0.3
"""Share of the sittings that end with the database closed, before or while which the power goes."""
NAMES = ("pasta", "pizza", "tea", "rice", "soup", "laundry")
ITEMS = (
    "apples",
    "bananas",
    "carrots",
    "onions",
    "milk",
    "butter",
    "bread",
    "a very long item" * 9,
)
THINGS = ("Ceiling", "Counter", "Desk Lamp", "Kettle")


class Figures(msgspec.Struct, kw_only=True):
    """The result; `lost` and `corrupt` name the cuts, as sitting and step."""

    cuts: int = 0
    sittings: int = 0
    commits: int = 0
    """Commits that returned."""
    steps: int = 0
    under_way: int = 0
    """Cuts after which the commit that was under way is there as a whole."""
    checkpoints: int = 0
    """Cuts between the first write to the database's own file and its sync."""
    lost: list[str] = msgspec.field(default_factory=list)
    corrupt: list[str] = msgspec.field(default_factory=list)


class Household:
    """What is said to the stage, drawn by chance."""

    def __init__(self, talk: Talk, chance: Random) -> None:
        self._talk, self._chance = talk, chance

    def says_something(self) -> None:
        """One command, or a while in which what is due happens and is heard."""
        often = (self._timer, self._list, self._device, self._plan)
        self._chance.choice((*often, *often, self._undo, self._while))()

    def _timer(self) -> None:
        name = self._chance.choice(NAMES)
        match self._chance.randrange(5):
            case 0:
                self._ask("HassCancelTimer", name=name)
            case 1:
                self._ask("HassPauseTimer", name=name)
            case 2:
                self._ask("HassIncreaseTimer", name=name, duration=60)
            case _:
                self._ask("HassStartTimer", name=name, duration=self._chance.randint(5, 7200))

    def _list(self) -> None:
        item = self._chance.choice(ITEMS)
        intent = self._chance.choice(
            ("HassShoppingListAddItem", "HassShoppingListAddItem", "HassShoppingListCompleteItem")
        )
        self._ask(intent, item=item)

    def _device(self) -> None:
        intent = self._chance.choice(("HassTurnOn", "HassTurnOff"))
        self._ask(intent, name=self._chance.choice(THINGS))

    def _plan(self) -> None:
        seconds = self._chance.randint(60, 7200)
        when = self._chance.choice(
            (
                When(kind="in", said="in a while", value=seconds),
                When(kind="for", said="for a while", value=seconds),
                When(kind="at", said="then", value=self._ahead(seconds).isoformat()),
                When(
                    kind="every",
                    said="every day",
                    value=f"DTSTART;TZID=UTC:{self._ahead(seconds):%Y%m%dT%H%M%S}\nRRULE:FREQ=DAILY",
                ),
            )
        )
        if self._chance.random() < 0.3:
            self._ask("CancelAllPlanned")
        thing = self._chance.choice(THINGS)
        planned = msgspec.structs.replace(command("HassTurnOn", name=thing), when=when)
        self._talk.hear(f"turn on the {thing} {when.said}", planned)

    def _undo(self) -> None:
        self._ask("Undo")

    def _while(self) -> None:
        for reply in self._talk.wait(self._chance.uniform(1, 3600)):
            if getattr(reply, "once", False):
                self._talk.play(reply)

    def _ask(self, intent: str, **slots: str | int) -> None:
        self._talk.hear(intent, command(intent, **slots))

    def _ahead(self, seconds: float) -> datetime:
        return self._talk.now + timedelta(seconds=seconds)


class Attack:
    """Sittings and cuts below `folder`; `synchronous` is "" for what the database asks for."""

    def __init__(
        self,
        folder: Path,
        seed: int = 1,
        synchronous: str = "",
        disk: type[RecordedDisk] = RecordedDisk,
    ) -> None:
        self._folder, self._chance = folder, Random(seed)
        self._disk, self._synchronous = disk, synchronous
        self._registry: Registry = load_registry()
        self._contents: Mapping[str, bytes] = {}
        self._known = _fresh()
        self._said, self._now = 0, EVENING
        self.figures = Figures()

    def run(self, cuts: int, told: Callable[[Figures], object] = lambda _: None) -> Figures:
        """Continue until there have been so many cuts."""
        while self.figures.cuts < cuts:
            self._sitting(min(CUTS_A_SITTING, cuts - self.figures.cuts))
            told(self.figures)
        return self.figures

    def _sitting(self, cuts: int) -> None:
        self.figures.sittings += 1
        number = self.figures.sittings
        disk = self._disk(self._folder / f"{number}", self._contents, self._synchronous)
        self._live(disk, f"boot {number}")
        moments = [n for n, step in enumerate(disk.steps, 1) if not isinstance(step, Promise)]
        inside = [n for n in moments if _checkpoints(disk, n)]
        self.figures.steps += len(moments)
        self.figures.commits += sum(isinstance(step, Promise) for step in disk.steps)
        left: list[tuple[Mapping[str, bytes], Rows]] = []
        for cut in range(cuts):
            after = self._chance.choice(inside if inside and cut % 4 == 0 else moments)
            contents = disk.cut(after, self._chance)
            found = self._judged(disk, after, contents, f"{number}/{after}")
            if found is not None:
                left.append((contents, found))
            self.figures.checkpoints += _checkpoints(disk, after)
            self.figures.cuts += 1
        self._contents, self._known = self._chance.choice(left or [({}, _fresh())])

    def _live(self, disk: RecordedDisk, boot: str) -> None:
        """A sitting on a disk, to the end of what is said."""
        talk = Talk(
            path=disk.folder / STATE_FILE,
            registry=self._registry,
            home=HOUSE,
            boot=boot,
            at_s=5.0,
            now=self._now,
            count=self._said,
            connect=disk.connect,
        )
        household = Household(talk, self._chance)
        for _ in range(self._chance.randint(*WISHES)):
            household.says_something()
        self._said, self._now = talk.count, talk.now
        whole = len(disk.steps)
        talk.database.close()
        if self._chance.random() >= CLOSES:
            del disk.steps[whole:]

    def _judged(
        self, disk: RecordedDisk, after: int, contents: Mapping[str, bytes], cut: str
    ) -> Rows | None:
        """What the real code finds after a cut; None where the file is damaged."""
        folder = Path(tempfile.mkdtemp(dir=self._folder))
        for name, content in contents.items():
            (folder / name).write_bytes(content)
        (folder / f"{STATE_FILE}.lock").touch()  # it is there before the database
        kept = [s.rows for s in disk.steps[:after] if isinstance(s, Promise)]
        coming = next((s.rows for s in disk.steps[after:] if isinstance(s, Promise)), None)
        last = kept[-1] if kept else self._known
        try:
            database = open_state(folder / STATE_FILE)
        except StorageError as error:
            self.figures.corrupt.append(f"{cut}: {error}")
            return None
        damaged = database.set_aside or database.execute("PRAGMA integrity_check") != [("ok",)]
        found = all_rows(database.execute)
        database.close()
        if damaged:
            self.figures.corrupt.append(cut)
            return None
        if found != last:
            if found != coming:
                self.figures.lost.append(cut)
            else:
                self.figures.under_way += 1
        return found


def _checkpoints(disk: RecordedDisk, after: int) -> bool:
    """Whether this step writes to the database's own file."""
    step = disk.steps[after - 1]
    return isinstance(step, Write) and step.file == disk.files.get(STATE_FILE)


def _fresh() -> Rows:
    """What a new database holds."""
    database = open_state(None)
    try:
        return all_rows(database.execute)
    finally:
        database.close()


def main() -> None:
    """Print the figures; exit status 1 when a commit was lost or a file damaged."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cuts", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--synchronous", choices=("OFF", "NORMAL", "FULL"), default="")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = Attack(Path(folder), given.seed, given.synchronous).run(given.cuts)
    print(json.dumps(msgspec.to_builtins(found)))  # noqa: T201
    sys.exit(1 if found.lost or found.corrupt else 0)


if __name__ == "__main__":
    main()
