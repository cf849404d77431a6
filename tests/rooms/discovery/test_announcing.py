"""What listens here is announced to others on the local network, and on no other."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import sys
import threading
from collections.abc import Callable, Iterator
from functools import partial

import pytest

from assistant.core.settings.wyoming import WyomingSettings
from assistant.rooms.discovery import announcing, interfaces
from assistant.rooms.discovery.announcing import Announcer
from assistant.rooms.discovery.multicast import SATELLITE, SERVICES
from tests.support.multicast_dns import ELSEWHERE, HERE, THERE, Others, name_of_its_own, on_loopback
from tests.support.processes import until
from tests.support.rooms import LOCAL
from tests.support.stand_in_daemon import StandIn


@pytest.fixture(autouse=True)
def loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    on_loopback(monkeypatch)
    monkeypatch.setattr(announcing, "LOOKS_EVERY_S", 0.05)


@pytest.fixture
def others() -> Iterator[Others]:
    with Others(THERE) as one:
        yield one


@contextlib.contextmanager
def announced(name: str, address: str = "") -> Iterator[None]:
    """A satellite is announced, by a loop of its own."""
    loop = asyncio.new_event_loop()
    task = loop.create_task(Announcer(name, SATELLITE, address, 10_700).run())

    def run() -> None:
        with contextlib.closing(loop), contextlib.suppress(asyncio.CancelledError):
            loop.run_until_complete(task)

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield
    finally:
        loop.call_soon_threadsafe(task.cancel)
        thread.join()


def addresses(others: Others, name: str) -> list[str]:
    found = others.look(name, 1.0)
    return [] if found is None else found.parsed_addresses()


def logged(caplog: pytest.LogCaptureFixture, part: str) -> Callable[[], bool]:
    return lambda: any(part in record.message for record in caplog.records)


def test_others_see_it_until_it_ends(others: Others) -> None:
    name = name_of_its_own()
    with announced(name):
        found = until(partial(others.look, name))
        assert (found.parsed_addresses(), found.port) == ([HERE], 10_700)
        assert found.properties == {b"hark": b"satellite"}
    until(lambda: not addresses(others, name))


def test_an_address_that_changes_is_followed(
    others: Others, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = name_of_its_own()
    with announced(name):
        until(lambda: addresses(others, name) == [HERE])
        monkeypatch.setattr(interfaces, "local_addresses", lambda: (ELSEWHERE,))
        until(lambda: addresses(others, name) == [ELSEWHERE])


def test_a_name_that_somebody_else_has_is_told_and_not_announced(
    others: Others, caplog: pytest.LogCaptureFixture
) -> None:
    name = name_of_its_own()
    others.announce(name, THERE, 10_701)
    with announced(name):
        until(logged(caplog, f'somebody else announces "{name}" on this network (rooms.announced)'))
    until(lambda: addresses(others, name) == [THERE])


@pytest.mark.parametrize(
    ("address", "told"), [("", "this device is on"), ("203.0.113.5", '"203.0.113.5" is on')]
)
def test_beyond_the_local_network_nothing_is_announced(
    others: Others,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
    address: str,
    told: str,
) -> None:
    name = name_of_its_own()
    if not address:
        monkeypatch.setattr(interfaces, "local_addresses", tuple)
    with announced(name, address):
        until(logged(caplog, f"{told} no local network (rooms.network)"))
        assert addresses(others, name) == []


def test_without_the_extra_it_is_told_once(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[str] = []
    monkeypatch.setitem(sys.modules, "zeroconf", None)
    monkeypatch.setattr(interfaces, "require_local", lambda one: looks.append(one) or (HERE,))
    with announced("kitchen"):
        until(lambda: len(looks) > 2)
    told = [record for record in caplog.records if "make discovery" in record.message]
    assert len(told) == 1
    assert told[0].levelno == logging.ERROR
    assert "rooms.discovery" in told[0].message


def test_the_services_are_announced_where_the_settings_say_so(
    others: Others, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = name_of_its_own("device")
    monkeypatch.setattr("socket.gethostname", lambda: name)
    for announce in (False, True):
        settings = WyomingSettings(allow=LOCAL, address=HERE, port=0, announce=announce)
        with contextlib.closing(StandIn(settings)) as daemon:
            if not announce:
                assert others.look(name, 2.5) is None
                continue
            found = until(partial(others.look, name))
            assert (found.parsed_addresses(), found.port) == ([HERE], daemon.services.port)
            assert found.properties == {b"hark": SERVICES.encode()}
