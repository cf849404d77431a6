"""An attack of named ways, a blow each, on one process beside which an honest client is served."""

from __future__ import annotations

import sys
import time
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import ClassVar

from benchmarks.hostile.attack import changed
from benchmarks.hostile.burden import Burden, Client, Scales, combined, faults
from benchmarks.hostile.target import Effects, Target

PATIENCE_S = 60.0
ALONE = 5
"""Requests of the honest client without the attack, beside which its waits are shown."""


class Siege:
    """Deals each of its `ways` in turn, and weighs it; `opened` is closed at the end."""

    name: ClassVar[str]
    blows: ClassVar[int]
    most_wait_ms: ClassVar[float] = 1000.0
    """Most that the honest client may wait for, in milliseconds."""
    may_miss: ClassVar[int] = 0
    """How often in a blow the honest client may not be served before it is."""
    asks_every_s: ClassVar[float] = 0.2
    """Seconds between two requests of the honest client."""
    weakening: ClassVar[str] = ""
    """Python that takes a bound away from the attacked process, for a test of the attack."""
    rests_s: ClassVar[float] = 0.0
    """Seconds after a blow in which the process gives memory back."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.folder, self.seed = folder, seed
        self.settings = ""
        self.opened = ExitStack()
        self.burdens: dict[str, Burden] = {}
        """The name of a way → its burden so far."""
        self.client = Client(self.ask, self.asks_every_s)
        self.number = 0
        """The number of the present blow."""
        self._alone_ms: list[float] = []
        self._idle_share = 0.0
        """CPU time that the process takes a second, without the attack and beside the client."""

    @property
    @abstractmethod
    def ways(self) -> Mapping[str, Callable[[], str]]:
        """Name → what deals a blow, and gives "" or the forbidden effect."""

    @property
    @abstractmethod
    def pid(self) -> int:
        """The attacked process."""

    @abstractmethod
    def start(self, target: Target) -> None:
        """Start the attacked process, and wait until it serves."""

    @abstractmethod
    def ask(self) -> float:
        """Be served once, as an honest client: milliseconds, no number where that fails."""

    def command(self, *arguments: str) -> Sequence[str]:
        """The command that starts `assistant` with these arguments."""
        code = f"{self.weakening}\nfrom assistant.cli.main import main\nmain()"
        program = ("-c", code) if self.weakening else ("-m", "assistant")
        return (sys.executable, *program, *arguments)

    def open(self, target: Target) -> None:
        """Start what is attacked, and measure what the honest client waits for without it."""
        self.start(target)
        client, scales = Client(self.ask, self.asks_every_s), Scales(self.pid)
        with scales.weighing(), client.asking():
            client.await_answers(ALONE, ALONE * PATIENCE_S)
        if client.unserved or not client.waits_ms:
            raise AssertionError("the honest client is not served without the attack")
        self._alone_ms, self._idle_share = client.waits_ms, scales.cpu_s / scales.took_s

    def blow(self, number: int) -> str:
        """Deal the blow of this number, beside the client, and weigh it."""
        self.number = number
        way = list(self.ways)[number % len(self.ways)]
        client, scales = Client(self.ask, self.asks_every_s), Scales(self.pid)
        self.client = client
        try:
            with scales.weighing(), client.asking():
                fault = self.ways[way]()
            time.sleep(self.rests_s)
            left_mb = scales.left_mb
        except OSError as error:
            return f"{way}: the process has ended: {error}"
        found = Burden(
            blows=1,
            cpu_s=round(max(0.0, scales.cpu_s - self._idle_share * scales.took_s), 2),
            before_mb=scales.before_mb,
            grown_mb=scales.grown_mb,
            left_mb=left_mb,
            alone_ms=self._alone_ms,
            beside_ms=client.waits_ms,
            unserved=client.unserved,
        )
        self.burdens[way] = combined(self.burdens.get(way, Burden()), found)
        own = [f"{way}: {fault}"] if fault else []
        return "; ".join((*own, *faults(way, found, self.most_wait_ms, self.may_miss)))

    def wrong(self, before: Effects, after: Effects) -> list[str]:
        """Every change: nothing was said that can be done."""
        return changed(before, after)

    def close(self) -> None:
        """End what was started."""
        self.opened.close()
