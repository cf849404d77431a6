"""Updates while the hub serves: the tenants are read again, and all workers replaced."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from queue import SimpleQueue
from typing import Protocol

from assistant.core.errors import AssistantError
from assistant.hub.ray.replica import MakeStage
from assistant.hub.tenants import KnownTenants, Tenant

log = logging.getLogger(__name__)


class Replaceable(Protocol):
    """A pool whose workers can be replaced, as `RayPool.update` does."""

    def update(self, makers: Mapping[str, MakeStage], tenants: Sequence[str]) -> None: ...


class Updates:
    """Has the workers of `pool` replaced at each of the `wishes`, in a thread of its own.

    New workers read what is in use then: models, code, homes and documents. A tenant that the file
    has no more is known to nobody from the beginning on, a new one once all workers know it. What
    is wrong is logged, and everything stays as it was. `told` receives a line for each update.
    """

    def __init__(
        self,
        pool: Replaceable,
        known: KnownTenants,
        reread: Callable[[], Mapping[str, Tenant]],
        makers: Callable[[Mapping[str, Tenant]], Mapping[str, MakeStage]],
        told: Callable[[str], None],
        wishes: SimpleQueue[None],
    ) -> None:
        self._pool, self._known = pool, known
        self._reread, self._makers, self._told = reread, makers, told
        self._wishes = wishes

    def start(self) -> None:
        """Begin to take wishes."""
        threading.Thread(target=self._run, name="hub updates", daemon=True).start()

    def update(self) -> None:
        """Replace the workers now; raises `AssistantError`, and then nothing has changed."""
        tenants, before = dict(self._reread()), dict(self._known)
        makers = self._makers(tenants)
        self._known.become({name: one for name, one in tenants.items() if name in before})
        try:
            self._pool.update(makers, tuple(tenants))
        except AssistantError:
            self._known.become(before)
            raise
        self._known.become(tenants)
        self._told(f"new workers serve {', '.join(tenants)}")

    def _run(self) -> None:
        while True:
            self._wishes.get()
            while not self._wishes.empty():  # who wished meanwhile is served by one update
                self._wishes.get()
            try:
                self.update()
            except AssistantError as error:
                log.error("hub: nothing is replaced: %s (%s)", error.message, error.code)
