"""Cut the power in the middle of a model's update: `python -m benchmarks.endurance.update_cuts`.

A signed bundle is installed in place of the version that is there, or beside it and put in use, or
its adapter is merged and that put in use. The process is killed before one of its steps on the
disk, drawn by chance: a file opened to be written, a sync, a move, a removal. Then each file that
was written and not synced is as a power cut may leave it: whole, empty, cut off or zeros. The real
code opens what is left, and must find the old model or the new one, whole; the same bundle must
then install, and an older one must be refused.

With `--careless unsynced` nothing is synced, with `two-steps` the old folder is moved away before
the new one comes: then a model must be lost now and then, or the cuts would cut nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import msgspec

from assistant.core.errors import ModelError
from assistant.core.models.manifest import Library
from assistant.model_files import incoming
from assistant.model_files.acceptance import check_version, put_in_use
from assistant.model_files.signed import install, verify_installed
from tests.support import adapters
from tests.support.adapters import update_of, updated
from tests.support.signing import NAME, OWN, Maintainer, files_of, library_of, silent

LATE = 15
"""Last steps of an update, which are cut more often."""
CARELESS = ("unsynced", "two-steps")
_STEPS = ("open", "os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.chmod", "os.chown")
"""Events of Python's audit before each of which a cut can come; syncs and exchanges are added."""


class Figures(msgspec.Struct, kw_only=True):
    """The result; `neither` and `stuck` name the cuts, as way and step."""

    cuts: int = 0
    steps: dict[str, int] = {}
    """Way of the update → its steps on the disk."""
    old: int = 0
    new: int = 0
    unsynced: int = 0
    """Files that the cuts caught before they were synced."""
    neither: list[str] = []
    stuck: list[str] = []
    """Cuts after which the bundle could not be installed, or an older one could."""


class Update:
    """One way to update, from bundle 2 to bundle 3, on a device that is made anew for each cut."""

    def __init__(self, folder: Path, name: str) -> None:
        self.name = name
        self._beside, self._own = name != "in place", adapters.OWN if name == "merged" else OWN
        maintainer = Maintainer(folder / "maintainer")
        self._roots, self.device = maintainer.trusted, folder / "device"
        self._kept = folder / "kept"
        library = self._library_in(self._kept)
        versions = ("2", "3") if self._beside else ("1", "1")
        carried, left = (update_of, updated) if name == "merged" else (files_of, files_of)
        older, before, self._bundle = (
            maintainer.bundle(library, number, version, files=carried(number))
            for number, version in enumerate(("0", *versions), 1)
        )
        self._older, self._old, self._new = older, left(2), left(3)
        self._install(library, before)

    def restart(self) -> None:
        """The device as it was before the update."""
        shutil.rmtree(self.device, ignore_errors=True)
        shutil.copytree(self._kept, self.device)

    def run(self) -> None:
        """Update."""
        self._install(self._library(), self._bundle)

    def found(self) -> str:
        """Which model is there and works: "old", "new", or what is wrong."""
        library = self._library()
        try:
            files = library.read(NAME)
            check_version(library, NAME)
            verify_installed(library, NAME, self._roots)
        except ModelError as error:
            return error.message
        known = {"old": self._old, "new": self._new}
        return next((which for which, of in known.items() if of == files), "an unknown model")

    def recovered(self) -> str:
        """What is wrong after the update has been made once more; "" for nothing."""
        try:
            library = self._library()
            if library.in_use(NAME).version != "3":
                self.run()
        except ModelError as error:
            return error.message
        if (found := self.found()) != "new":
            return found
        try:
            install(self._library(), self._roots, self._older, silent)
        except ModelError as error:
            return "" if error.code == "model.older" else error.message
        return "an older bundle is taken"

    def _library(self) -> Library:
        return self._library_in(self.device)

    def _library_in(self, folder: Path) -> Library:
        """A library whose one model is shipped, or comes as a bundle alone."""
        library = library_of(folder, own=self._own)
        if not self._beside:
            file = library.shipped / "manifest.toml"
            text = file.read_text().replace('source = "shipped"', 'source = "hf:nobody/nothing"')
            pinned = text.partition("files = ")[2]
            files = '[{ name = "model.onnx" }, { name = "labels.json" }]\n'
            file.write_text(text.replace(pinned, files))
        return Library(library.pulled, library.shipped)

    def _install(self, library: Library, bundle: Path) -> None:
        manifest = install(library, self._roots, bundle, silent).manifest
        if self._beside:
            put_in_use(library.choosing(NAME, manifest.version), NAME)


class Disk:
    """Counts the steps of this process on the disk, and ends it before the step `cut`."""

    def __init__(self, below: Path, cut: int, report: int) -> None:
        self._below, self._cut, self._report = str(below), cut, report
        self._process, self._steps = os.getpid(), 0
        self._synced = {f.stat().st_ino: f.stat().st_mtime_ns for f in files_below(below)}
        self._sync, self._exchange = os.fsync, incoming.exchange
        sys.addaudithook(self._heard)
        os.fsync = self._fsync
        incoming.exchange = self._exchanging

    def tell(self) -> None:
        """Report the number of steps, and when each file that is synced was written last."""
        with open(self._report, "w", closefd=False) as report:
            json.dump({"steps": self._steps, "synced": self._synced}, report)

    def _step(self) -> None:
        self._steps += 1
        if self._steps == self._cut:
            self._cut = 0
            self.tell()
            os.kill(os.getpid(), signal.SIGKILL)

    def _heard(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event not in _STEPS or os.getpid() != self._process:
            return
        if event == "open":
            path, _, flags = arguments
            if not (flags & (os.O_WRONLY | os.O_RDWR) and str(path).startswith(self._below)):
                return
        self._step()

    def _fsync(self, file: int) -> None:
        self._step()
        self._sync(file)
        facts = os.fstat(file)
        self._synced[facts.st_ino] = facts.st_mtime_ns

    def _exchanging(self, one: Path, other: Path) -> None:
        self._step()
        self._exchange(one, other)


def files_below(folder: Path) -> list[Path]:
    """Every file in the folder."""
    return [file for file in folder.rglob("*") if file.is_file()]


class Attack:
    """Cuts below `folder`; `careless` names what the update does worse than it does."""

    def __init__(self, folder: Path, seed: int = 1, careless: str = "") -> None:
        self._chance, self._careless = Random(seed), careless
        self._folder = folder
        self._ways = [Update(folder / way, way) for way in ("beside", "in place", "merged")]
        self.figures = Figures()

    def run(self, cuts: int, told: Callable[[Figures], object] = lambda _: None) -> Figures:
        """Cut so many times."""
        for way in self._ways:
            self._count(way)
        for number in range(cuts):
            way = self._ways[number % len(self._ways)]
            last = self.figures.steps[way.name]
            # Half of them where the new model comes to its place.
            self._one(way, self._chance.randint(1 if number % 4 < 2 else last - LATE, last))
            told(self.figures)
        return self.figures

    def run_late(self) -> Figures:
        """Cut once before each of the last steps of each way."""
        for way in self._ways:
            last = self._count(way)
            for step in range(last - LATE, last + 1):
                self._one(way, step)
        return self.figures

    def _count(self, way: Update) -> int:
        """The steps of an update that is not cut."""
        steps: int = self._cut(way, 0)["steps"]
        if (found := way.found()) != "new":
            raise RuntimeError(f"an update that is not cut leaves: {found}")
        self.figures.steps[way.name] = steps
        return steps

    def _one(self, way: Update, step: int) -> None:
        report = self._cut(way, step)
        self._lose(way, report["synced"])
        self._judge(way, f"{way.name} {step}")
        self.figures.cuts += 1

    def _cut(self, way: Update, step: int) -> dict[str, Any]:
        """Update in a process of its own, which is killed before `step`; its report."""
        way.restart()
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                disk = Disk(way.device, step, write)
                self._slacken()
                way.run()
                disk.tell()
            finally:
                os._exit(0)
        os.close(write)
        with open(read) as report:
            told: dict[str, Any] = json.load(report)
        os.waitpid(child, 0)
        return told

    def _slacken(self) -> None:
        if self._careless == "unsynced":
            os.fsync = lambda file: None
        elif self._careless == "two-steps":
            incoming.exchange = _in_two_steps

    def _lose(self, way: Update, synced: dict[str, int]) -> None:
        """What was written and not synced may be there, in part, as zeros, or not."""
        for file in files_below(way.device):
            facts = file.stat()
            if synced.get(str(facts.st_ino)) != facts.st_mtime_ns:
                self.figures.unsynced += 1
                content = file.read_bytes()
                kept = self._chance.randrange(len(content) + 1)
                left = (content, b"", content[:kept], bytes(len(content)))
                file.write_bytes(self._chance.choice(left))

    def _judge(self, way: Update, cut: str) -> None:
        found = way.found()
        if found == "old":
            self.figures.old += 1
        elif found == "new":
            self.figures.new += 1
        else:
            self.figures.neither.append(f"{cut}: {found}")
        if fault := way.recovered():
            self.figures.stuck.append(f"{cut}: {fault}")


def _in_two_steps(new: Path, old: Path) -> None:
    """How a folder is not to be replaced."""
    old.rename(old.with_name("away"))
    new.rename(old)


def main() -> None:
    """Print the figures; exit status 1 when neither model was there, or no way on."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cuts", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--careless", choices=CARELESS, default="")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = Attack(Path(folder), given.seed, given.careless).run(given.cuts)
    print(json.dumps(msgspec.to_builtins(found)))  # noqa: T201
    sys.exit(1 if found.neither or found.stuck else 0)


if __name__ == "__main__":
    main()
