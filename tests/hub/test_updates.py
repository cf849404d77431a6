"""Updates of a hub by wishes, over workers that are none."""

from __future__ import annotations

from collections.abc import Mapping
from queue import SimpleQueue

import pytest

from assistant.hub.tenants import KnownTenants, Tenant
from assistant.hub.updates import Updates, Wish
from tests.support.processes import until


class Broken:
    """Workers that a fault of the program keeps from being replaced, at first."""

    def __init__(self) -> None:
        self.asked = 0

    def renew(self, tenants: Mapping[str, Tenant]) -> None:
        self.asked += 1
        if self.asked == 1:
            raise ZeroDivisionError

    def interrupt(self) -> None:
        return

    def attend(self) -> None:
        return


def test_a_fault_of_the_program_is_logged_and_the_next_update_goes_on(
    caplog: pytest.LogCaptureFixture,
) -> None:
    known, told, wishes = KnownTenants({"red": Tenant()}), list[str](), SimpleQueue[Wish]()
    reread = {"blue": Tenant()}
    Updates(Broken(), known, lambda: reread, told.append, wishes).start()
    wishes.put(Wish.UPDATE)
    until(lambda: bool(caplog.messages))
    assert caplog.messages == ["hub: nothing is replaced: a fault of the program (hub.internal)"]
    assert list(known) == ["red"]
    wishes.put(Wish.UPDATE)
    until(lambda: bool(told))
    assert told == ["new workers serve blue"]
    assert list(known) == ["blue"]
