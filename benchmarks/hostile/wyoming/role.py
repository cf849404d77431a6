"""What the attacks over Wyoming share: one process in its role, its start, its end, the dice."""

from __future__ import annotations

import random
import time
from collections.abc import MutableMapping
from contextlib import ExitStack
from pathlib import Path
from typing import ClassVar

from benchmarks.hostile.attack import changed
from benchmarks.hostile.target import Effects, Target
from benchmarks.hostile.wyoming.process import Attacked

READY_S = 60.0


class RoleAttack:
    """An attack on `assistant ROLE`, beside the daemon, which is started again where it ends.

    What is `opened` is closed at the end.
    """

    name: ClassVar[str]
    role: ClassVar[str]
    blows: ClassVar[int] = 100_000

    def __init__(self, folder: Path, seed: int) -> None:
        self.folder, self._seed, self._rng = folder, seed, random.Random()
        self.settings = ""
        self.opened = ExitStack()
        self.attacked: Attacked | None = None

    def open(self, target: Target) -> None:
        """Start the process beside the daemon, and wait until it serves."""
        self.start(target.rig.config, target.rig.log, target.also)

    def start(self, config: Path, log: Path, watched: MutableMapping[int, str]) -> None:
        """Start the process with the daemon's settings; `watched` is told of it."""
        arguments = (self.role, *self.arguments(config))
        self.attacked = Attacked(log, watched, *arguments)
        self.opened.callback(self.attacked.close)
        self._await_ready()

    def blow(self, number: int) -> str:
        """Deal the blow of this number."""
        self._rng.seed(self._seed << 40 | number)
        if self.attacked is not None and self.attacked.ended:
            self.attacked.start()
            self._await_ready()
        return self.strike(number, self._rng)

    def wrong(self, before: Effects, after: Effects) -> list[str]:
        """Every change: nothing was said that can be done."""
        return changed(before, after)

    def close(self) -> None:
        """Hang up, and end the process."""
        self.opened.close()

    def arguments(self, config: Path) -> tuple[str, ...]:
        """What the process is started with."""
        return ("--config", str(config))

    def is_ready(self) -> bool:
        """Whether the process serves."""
        raise NotImplementedError

    def strike(self, number: int, rng: random.Random) -> str:
        """Send what this number makes; gives "" or, in a line, the forbidden effect."""
        raise NotImplementedError

    def _await_ready(self) -> None:
        until_s = time.monotonic() + READY_S
        while not self.is_ready():
            if time.monotonic() > until_s:
                raise AssertionError(f"assistant {self.role} does not serve")
            time.sleep(0.1)
