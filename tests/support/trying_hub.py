"""A hub on Ray without its gateway, which tries versions of a model while some ask it."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from itertools import count
from pathlib import Path
from queue import SimpleQueue

from assistant.core.errors import AssistantError
from assistant.core.models.manifest import Library
from assistant.core.models.trial import TrialSize
from assistant.hub.calls import answer, question_of
from assistant.hub.ray.pool import RayPool
from assistant.hub.rollout.choice import TrialStreams
from assistant.hub.rollout.record import HubTrialFile
from assistant.hub.rollout.rollout import Rollout
from assistant.hub.rollout.versions import Versions
from assistant.hub.tenants import KnownTenants, Tenant
from assistant.hub.updates import Updates, Wish
from assistant.model_files.acceptance import put_in_use
from assistant.model_files.pull import import_version
from benchmarks.endurance.versions import variant
from tests.support.processes import until
from tests.support.versioned_stages import spellers

TENANTS = {"red": Tenant()}


class TryingHub:
    """Two workers that say words, with a version of "reader"; `told` has the lines of the hub."""

    def __init__(self, models: Path, pool: RayPool, versions: Versions) -> None:
        self.pool, self.versions, self.told = pool, versions, list[str]()
        self._models, self._wishes = models, SimpleQueue[Wish]()
        rollout = Rollout(
            *(pool, spellers, TENANTS, versions, self.told.append),
            over=lambda: self._wishes.put(Wish.ATTEND),
        )
        self.streams = rollout.streams
        known = KnownTenants(TENANTS)
        Updates(rollout, known, lambda: TENANTS, self.told.append, self._wishes).start()

    @property
    def in_use(self) -> str:
        """The version on the disk."""
        return Library(self._models).in_use("reader").version

    def try_out(self, version: str) -> list[str]:
        """As `assistant models use` and SIGHUP do; what is told until the trial has ended."""
        self.told.clear()
        put_in_use(Library(self._models).choosing("reader", version), "reader")
        self._wishes.put(Wish.UPDATE)
        until(lambda: len(self.told) == 3)
        until(lambda: self.streams.on_trial is None)
        return list(self.told)


@contextmanager
def trying_hub(folder: Path, versions: Sequence[str], size: TrialSize) -> Iterator[TryingHub]:
    """A hub in whose folder there are these versions, all with the same weights."""
    library, made = Library(folder / "models"), variant("reader", folder / "made", 2)
    for version in versions:
        import_version(library, "reader", made, version, lambda *_: None)
    known = Versions(library.pulled, HubTrialFile(folder / "trials.json"), size)
    with closing(RayPool(spellers(TENANTS, known.pinned), 2, tuple(TENANTS))) as pool:
        yield TryingHub(library.pulled, pool, known)


class Callers:
    """Some who ask one request after the other, in an event loop as the gateway's."""

    def __init__(self, streams: TrialStreams) -> None:
        self._streams, self._over, self._numbers = streams, False, count()
        self.took_s: list[float] = []
        self.not_found = 0
        self.wrong: list[str] = []
        self.faults: list[AssistantError] = []

    @contextmanager
    def of(self, callers: int, words: int) -> Iterator[None]:
        """So many, who ask for so many words each time, while this is open."""
        self._over = False
        loop = threading.Thread(target=lambda: asyncio.run(self._ask(callers, words)))
        loop.start()
        try:
            yield
        finally:
            self._over = True
            loop.join()

    async def _ask(self, callers: int, words: int) -> None:
        await asyncio.gather(*(self._call(words) for _ in range(callers)))

    async def _call(self, words: int) -> None:
        while not self._over:
            number, began_s = next(self._numbers), time.monotonic()
            text = " ".join(f"w{number}-{n}" for n in range(words))
            try:
                replies = [one async for one in answer(self._streams, "red", question_of(text))]
            except AssistantError as fault:
                self.faults.append(fault)
                continue
            self.took_s.append(time.monotonic() - began_s)
            told = " ".join(reply.text for reply in replies)
            self.not_found += not replies[-1].done
            self.wrong += [told] * (told != text)
