"""Updates while the hub serves: the tenants are read again, and all workers replaced."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Collection, Mapping
from contextlib import ExitStack
from enum import Enum, auto
from queue import SimpleQueue
from typing import Protocol

from assistant.core.errors import AssistantError
from assistant.hub.tenants import KnownTenants, Tenant
from assistant.pool.pool import ClosedError

log = logging.getLogger(__name__)


class Wish(Enum):
    """What the hub is to do while it serves."""

    UPDATE = auto()
    """Read the tenants again, and replace all workers."""
    ATTEND = auto()
    """See to the trial of a model, which is to end."""
    SUCCEED = auto()
    """Have another hub take the place of this one."""


class Renewable(Protocol):
    """Workers that can be replaced, and new versions of models be tried by, as `Rollout` does."""

    def renew(self, tenants: Mapping[str, Tenant]) -> None: ...

    def interrupt(self) -> None: ...

    def attend(self) -> None: ...


class Successors(Protocol):
    """Starts other hubs, as `Succession` does."""

    @property
    def is_under_way(self) -> bool: ...

    def begin(self) -> None: ...


class Updates:
    """Has `workers` replaced at each of the `wishes`, in a thread of its own.

    New workers read what is in use then: models, code, homes and documents. A tenant that the file
    has no more is known to nobody from the beginning on, a new one once all workers know it. What
    is wrong is logged, and everything stays as it was. `told` receives a line for each update.
    While one of the `successors` starts, no trial goes on here, as it goes on there; one that
    starts while something changes is started anew.
    """

    def __init__(
        self,
        workers: Renewable,
        known: KnownTenants,
        reread: Callable[[], Mapping[str, Tenant]],
        told: Callable[[str], None],
        wishes: SimpleQueue[Wish],
        successors: Successors | None = None,
    ) -> None:
        self._workers, self._known, self._successors = workers, known, successors
        self._reread, self._told = reread, told
        self._wishes = wishes

    def start(self) -> None:
        """Begin to take wishes."""
        threading.Thread(target=self._run, name="hub updates", daemon=True).start()

    def update(self) -> None:
        """Replace the workers now; raises `AssistantError`, and then nothing has changed."""
        tenants, before = dict(self._reread()), dict(self._known)
        with ExitStack() as undoing:
            undoing.callback(self._known.become, before)
            self._known.become({name: one for name, one in tenants.items() if name in before})
            self._workers.renew(tenants)
            undoing.pop_all()
        self._known.become(tenants)
        self._told(f"new workers serve {', '.join(tenants)}")

    def _run(self) -> None:
        wished = {Wish.ATTEND}  # to a trial that the last end of the hub has interrupted
        while True:
            try:
                if Wish.UPDATE in wished:
                    _tell_of_faults("nothing is replaced", self.update)
                if not self._succeeded(wished):
                    _tell_of_faults("no version is tried", self._workers.attend)
            except ClosedError:
                return
            wished = {self._wishes.get()}
            while not self._wishes.empty():  # who wished meanwhile is served by one update
                wished.add(self._wishes.get())

    def _succeeded(self, wished: Collection[Wish]) -> bool:
        """Whether another hub is starting, which is begun where that is wished."""
        successors = self._successors
        if successors is None:
            return False
        if Wish.SUCCEED in wished or (Wish.UPDATE in wished and successors.is_under_way):
            _tell_of_faults("no other hub starts", self._workers.interrupt)
            successors.begin()
        return successors.is_under_way


def _tell_of_faults(consequence: str, work: Callable[[], None]) -> None:
    try:
        work()
    except ClosedError:
        raise
    except AssistantError as error:
        log.error("hub: %s: %s (%s)", consequence, error.message, error.code)
    except Exception:  # else the thread would end, and later wishes do nothing
        log.exception("hub: %s: a fault of the program (hub.internal)", consequence)
