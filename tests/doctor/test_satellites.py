"""What `assistant doctor` says of satellites, named or not."""

from __future__ import annotations

import socket
import sys
from contextlib import closing
from pathlib import Path

import pytest

from assistant.core.config import load_config
from assistant.core.layout import PAIRING_FOLDER
from assistant.core.settings.wyoming import SatelliteSettings, WyomingSettings
from assistant.doctor.checks import Finding
from assistant.doctor.satellites import AWAY, satellites
from assistant.pairing.trust import Trust
from assistant.rooms.discovery import interfaces
from assistant.rooms.discovery.multicast import INSTALL
from tests.support.multicast_dns import HERE, THERE, Others, name_of_its_own, on_loopback
from tests.support.pairing import NOBODY, paired
from tests.support.running_satellite import RunningSatellite

LOCAL_HOST = "127.0.0.1"


def found(settings: WyomingSettings, *names: str) -> dict[str, Finding]:
    """What is found of these names, by each of them."""
    findings = list(satellites(settings, NOBODY))
    return {name: one for name in names for one in findings if name in one.name + one.detail}


@pytest.fixture(autouse=True)
def loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    on_loopback(monkeypatch)


def test_each_satellite_is_told_of_and_whether_it_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(interfaces, "local_addresses", tuple)
    with socket.create_server((LOCAL_HOST, 0)) as listening:
        port = listening.getsockname()[1]
        file = tmp_path / "config.toml"
        where = f'address = "{LOCAL_HOST}"\nport = {port}\narea = "kitchen"\n'
        file.write_text(f"[wyoming.satellites.stove]\n{where}")
        (told,) = satellites(load_config((file,))[0].wyoming, NOBODY)
        assert (told.name, told.ok) == ("satellite stove", True)
        assert "in kitchen: its sound comes here" in told.detail
    (told,) = satellites(load_config((file,))[0].wyoming, NOBODY)
    assert (told.ok, told.necessary, told.remedy) == (False, False, AWAY)
    assert "what is for kitchen is said here" in told.detail


def test_one_that_is_looked_for_is_told_of_where_it_is() -> None:
    name, away = name_of_its_own(), name_of_its_own("cellar")
    settings = WyomingSettings(satellites={name: SatelliteSettings(), away: SatelliteSettings()})
    with Others(THERE) as others, socket.create_server((HERE, 0)) as listening:
        port = listening.getsockname()[1]
        others.announce(name, HERE, port)
        told = found(settings, name, away)
    assert (told[name].name, told[name].ok) == (f"satellite {name}", True)
    assert told[name].detail.startswith(f"{HERE}, port {port}, in {name}: ")
    assert (told[away].ok, told[away].remedy) == (False, AWAY)
    assert told[away].detail.startswith(f'nobody on this network announces "{away}"; ')


def test_a_stranger_is_shown_with_the_line_to_add_and_a_known_one_is_not() -> None:
    stranger, known, at = (name_of_its_own(part) for part in ("attic", "kitchen", "hall"))
    settings = WyomingSettings(
        satellites={known: SatelliteSettings(), "hall": SatelliteSettings(address=HERE, port=3)}
    )
    with Others(THERE) as others:
        others.announce(stranger, HERE, 1)
        others.announce(known, HERE, 2)
        others.announce(at, HERE, 3)
        told = found(settings, stranger, known, at)
    assert (told[stranger].name, told[stranger].ok) == ("announced", True)
    assert told[stranger].detail == f'"{stranger}" at {HERE}, port 1; it is not called'
    assert told[stranger].remedy.endswith(f': [wyoming.satellites."{stranger}"]')
    assert told[known].name == f"satellite {known}"
    assert at not in told


def test_without_the_extra_it_is_named_where_the_settings_need_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "zeroconf", None)
    settings = WyomingSettings(announce=True, satellites={"kitchen": SatelliteSettings()})
    kitchen, services = satellites(settings, NOBODY)
    assert not kitchen.ok
    assert INSTALL in kitchen.detail
    assert (services.ok, services.remedy) == (False, INSTALL)
    assert list(satellites(WyomingSettings(), NOBODY)) == []


def test_a_paired_satellite_is_told_of_with_its_date(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(interfaces, "local_addresses", tuple)
    _, board = paired(tmp_path / "state", "stove")
    (tmp_path / "state" / "base").rename(tmp_path / "state" / PAIRING_FOLDER)
    with closing(RunningSatellite(board)) as satellite:
        file = tmp_path / "config.toml"
        where = f'address = "127.0.0.1"\nport = {satellite.port}\n'
        state = f'[storage]\nstate = "{tmp_path / "state"}"\n'
        file.write_text(f"{state}[wyoming.satellites.stove]\n{where}")
        settings = load_config((file,))[0]
        trust = Trust.of(settings)
        (told,) = satellites(settings.wyoming, trust)
        assert told.ok, told
        assert "paired and encrypted, since 20" in told.detail

        board.base.keep(board.identity.certificate)  # it is paired with another base
        (told,) = satellites(settings.wyoming, trust)
        assert not told.ok
        assert "not the one that was paired, or was paired with another base" in told.detail
        assert "assistant pair stove" in told.remedy

        trust.satellite("stove").forget()
        board.base.forget()
        (told,) = satellites(settings.wyoming, trust)
        assert told.ok
        assert "not encrypted (a Hark's satellite can be: assistant pair stove)" in told.detail
