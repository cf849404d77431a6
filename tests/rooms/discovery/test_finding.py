"""Satellites are found by their names, among what strangers announce."""

from __future__ import annotations

import asyncio
import socket
import sys
from collections.abc import Iterator
from contextlib import suppress

import pytest
from zeroconf import DNSOutgoing, DNSPointer

from assistant.core.errors import RoomsError
from assistant.core.settings.wyoming import SatelliteSettings
from assistant.rooms.discovery import finding
from assistant.rooms.discovery.finding import Announced, Finder, announced
from assistant.rooms.discovery.multicast import ROLE, SERVICE, SERVICES
from tests.support.multicast_dns import HERE, THERE, Others, name_of_its_own, on_loopback
from tests.support.processes import until

LISTENS_S = 1.5


@pytest.fixture(autouse=True)
def loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    on_loopback(monkeypatch)


@pytest.fixture
def others() -> Iterator[Others]:
    with Others(THERE) as one:
        yield one


def where(name: str, settings: SatelliteSettings | None = None) -> tuple[str, int]:
    return asyncio.run(Finder().where(name, settings or SatelliteSettings()))


def found(name: str) -> tuple[str, int]:
    """Where a satellite is that is there, as who looks again finds it on a busy machine, too."""

    def place() -> tuple[str, int] | None:
        with suppress(RoomsError):
            return where(name)
        return None

    return until(place)


def listed(*names: str) -> list[Announced]:
    """What is listed under these names."""
    return [one for one in asyncio.run(announced(LISTENS_S)) if one.name in names]


def test_a_satellite_is_found_by_its_name_where_it_is_now(others: Others) -> None:
    name = name_of_its_own()
    others.announce(name, HERE, 10_700)
    assert found(name) == (HERE, 10_700)
    others.announce(name, THERE, 10_701)
    assert found(name) == (THERE, 10_701)


def test_the_case_of_a_name_is_of_no_account(others: Others) -> None:
    name = name_of_its_own("Kitchen")
    others.announce(name, HERE, 10_700)
    assert found(name.lower()) == (HERE, 10_700)


@pytest.mark.parametrize(
    "name", ["nobody's", "k" * 300, "_sub"], ids=["of nobody", "too long", "no name at all"]
)
def test_a_name_that_nobody_announces_is_not_found(
    others: Others, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(finding, "LOOKS", 1)
    others.announce(name_of_its_own(), HERE, 10_700)
    with pytest.raises(RoomsError) as raised:
        where(name)
    assert raised.value.code == "rooms.away"


@pytest.mark.parametrize("address", ["93.184.215.14", "::1"])
def test_what_is_beyond_the_local_network_is_not_gone_to(
    others: Others, monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    monkeypatch.setattr(finding, "LOOKS", 2)
    name = name_of_its_own()
    others.announce(name, address, 10_700)
    with pytest.raises(RoomsError) as raised:
        where(name)
    assert raised.value.code == "rooms.away"
    assert listed(name) == []


def test_strangers_are_listed_and_the_services_of_a_hark_are_not(others: Others) -> None:
    name, services = name_of_its_own(), name_of_its_own("device")
    others.announce(name, HERE, 10_700)
    others.announce(services, HERE, 10_300, **{ROLE: SERVICES})
    assert until(lambda: listed(name, services)) == [Announced(name, HERE, 10_700)]


def test_names_that_nobody_can_read_or_that_are_too_many_are_not_listed(
    others: Others, monkeypatch: pytest.MonkeyPatch
) -> None:
    hostile, names = "kitchen\u202e\u200b", [name_of_its_own(), name_of_its_own()]
    for name in (hostile, *names):
        others.announce(name, HERE, 10_700)
    seen = set[str]()
    until(lambda: seen.update(one.name for one in listed(hostile, *names)) or seen >= set(names))
    assert seen == set(names)
    monkeypatch.setattr(finding, "MOST", 1)
    assert len(asyncio.run(announced(LISTENS_S))) <= 1


def test_names_that_are_none_hide_no_others(others: Others) -> None:
    name = name_of_its_own()
    others.announce(name, HERE, 10_700)

    async def listen() -> list[Announced]:
        task = asyncio.create_task(announced(LISTENS_S))
        while not task.done():
            for label in ("_sub", "\x1b[2J", "k" * 63 + "." + "k" * 63, "kitchen._http"):
                tell_of(f"{label}.{SERVICE}", "kitchen.local.")
            await asyncio.sleep(0.1)
        return await task

    told = until(lambda: [one for one in asyncio.run(listen()) if one.address == HERE])
    assert told == [Announced(name, HERE, 10_700)]


def tell_of(*names: str) -> None:
    """Send an answer with names that zeroconf itself would not announce."""
    packet = DNSOutgoing(0x8400)
    for name in names:
        packet.add_answer_at_time(DNSPointer(SERVICE, 12, 1, 4500, name), 0)
    with socket.socket(type=socket.SOCK_DGRAM) as sender:
        sender.bind((THERE, 0))
        sender.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton(THERE))
        for data in packet.packets():
            sender.sendto(data, ("224.0.0.251", 5353))


def test_without_the_extra_it_is_named_and_addresses_need_none_of_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "zeroconf", None)
    with pytest.raises(RoomsError, match=r"make discovery .*pip install zeroconf") as raised:
        where("kitchen")
    assert raised.value.code == "rooms.discovery"
    at = SatelliteSettings(address="192.168.1.31", port=10_701)
    assert where("kitchen", at) == ("192.168.1.31", 10_701)
