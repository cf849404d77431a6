"""Satellites without an address are rooms wherever they announce themselves."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from assistant.core.settings.wyoming import SatelliteSettings, WyomingSettings
from assistant.rooms.base import satellite as connection
from tests.support.multicast_dns import (
    ELSEWHERE,
    HERE,
    THERE,
    Others,
    name_of_its_own,
    on_loopback,
)
from tests.support.pairing import paired
from tests.support.plain_satellite import PlainSatellite
from tests.support.processes import until
from tests.support.running_satellite import HERE as LOOPBACK
from tests.support.running_satellite import RunningSatellite
from tests.support.stand_in_daemon import StandIn


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Connections are made again soon, on the loopback device."""
    monkeypatch.setattr(connection, "AGAIN_S", 0.05)
    monkeypatch.setattr(connection, "AGAIN_LATER_S", 0.05)
    on_loopback(monkeypatch)


@pytest.fixture
def things() -> Iterator[ExitStack]:
    with ExitStack() as opened:
        yield opened


def satellite(things: ExitStack, address: str = HERE) -> PlainSatellite:
    return things.enter_context(closing(PlainSatellite(address=address)))


def base(things: ExitStack, **satellites: SatelliteSettings) -> StandIn:
    return things.enter_context(closing(StandIn(WyomingSettings(satellites=satellites))))


def test_a_named_one_is_connected_to_and_a_stranger_is_not(things: ExitStack) -> None:
    others = things.enter_context(Others(THERE))
    name, named, stranger = name_of_its_own(), satellite(things), satellite(things)
    others.announce(name_of_its_own("cellar"), HERE, stranger.port)
    others.announce(name, HERE, named.port)
    daemon = base(things, **{name: SatelliteSettings()})
    until(lambda: not daemon.network.base.lacks(name))
    assert (named.connections, stranger.connections) == (1, 0)


def test_of_two_of_one_name_the_paired_one_is_served_and_a_stranger_hears_nothing(
    things: ExitStack, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    others = [things.enter_context(Others(address)) for address in (THERE, ELSEWHERE)]
    name = name_of_its_own()
    trusts = paired(tmp_path, name)
    right = things.enter_context(closing(RunningSatellite(trusts[1])))
    stranger = satellite(things, LOOPBACK)
    others[0].announce(name, LOOPBACK, stranger.port)
    settings = WyomingSettings(satellites={name: SatelliteSettings()})
    daemon = things.enter_context(closing(StandIn(settings, trusts[0])))
    until(lambda: "it does not speak TLS, as the one that was paired does" in caplog.text)
    assert daemon.network.base.lacks(name)
    others[1].announce(name, LOOPBACK, right.port)
    until(lambda: not daemon.network.base.lacks(name))
    assert stranger.got == []


def test_it_is_followed_to_another_address(things: ExitStack) -> None:
    others = things.enter_context(Others(THERE))
    name, before = name_of_its_own(), satellite(things)
    others.announce(name, HERE, before.port)
    daemon = base(things, **{name: SatelliteSettings()})
    until(lambda: not daemon.network.base.lacks(name))
    before.close()
    after = satellite(things, ELSEWHERE)
    others.announce(name, ELSEWHERE, after.port)
    until(lambda: after.connections and not daemon.network.base.lacks(name))


def test_without_the_extra_those_with_addresses_are_served(
    things: ExitStack, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setitem(sys.modules, "zeroconf", None)
    there = satellite(things)
    at = SatelliteSettings(address=HERE, port=there.port)
    daemon = base(things, kitchen=SatelliteSettings(), cellar=at)
    until(lambda: not daemon.network.base.lacks("cellar"))
    told = until(lambda: [one for one in caplog.records if "make discovery" in one.message])
    assert [(one.levelno, "kitchen" in one.message) for one in told] == [(logging.WARNING, True)]
    assert "rooms.discovery" in told[0].message
    assert daemon.network.base.lacks("kitchen")
