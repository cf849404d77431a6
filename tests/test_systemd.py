"""The units as systemd sees them: nothing to complain about, and little that they may do."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from assistant.bridge.network.grants import grants_servers
from assistant.cli.shared.server_grants import ServerGrant
from assistant.core.config import load_config
from assistant.core.settings.button import ButtonSettings
from assistant.core.settings.documents import DocumentsSettings
from assistant.core.settings.mqtt import MqttSettings
from assistant.core.settings.network import NetworkSettings
from assistant.core.settings.wyoming import WyomingSettings
from assistant.rooms.discovery.interfaces import NETWORKS

REPOSITORY = Path(__file__).resolve().parent.parent
SYSTEMD_ANALYZE = shutil.which("systemd-analyze")
UNITS = ("assistant.service", "assistant-bridge.service", "assistant-satellites.service")
SATELLITE = "assistant-satellite.service"
"""The unit of a board of its own."""

needs_systemd = pytest.mark.skipif(
    SYSTEMD_ANALYZE is None, reason="systemd-analyze is not installed"
)


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """The tree that `make install DESTDIR=…` leaves, with a stand-in for the virtual environment.

    systemd-analyze looks for the command on this machine, so the units are pointed into the tree.
    """
    subprocess.run(
        ("make", "install", f"DESTDIR={tmp_path}"), cwd=REPOSITORY, check=True, capture_output=True
    )
    subprocess.run(
        ("make", "install-satellite", "BASE=192.168.1.20", f"DESTDIR={tmp_path}"),
        cwd=REPOSITORY,
        check=True,
        capture_output=True,
    )
    command = tmp_path / "opt/hark/.venv/bin/assistant"
    command.parent.mkdir(parents=True)
    command.write_text("#!/bin/sh\n", "utf-8")
    command.chmod(0o755)
    for unit in (*UNITS, SATELLITE):
        file = tmp_path / "etc/systemd/system" / unit
        text = file.read_text("utf-8").replace("=/opt/hark/", f"={tmp_path}/opt/hark/")
        file.write_text(text, "utf-8")
    return tmp_path


def _analyze(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = (SYSTEMD_ANALYZE or "systemd-analyze", "--no-pager", *arguments)
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


def _exposure(unit: Path) -> float:
    found = re.search(
        r"exposure level for \S+: ([\d.]+)",
        _analyze("security", "--offline=true", str(unit)).stdout,
    )
    assert found
    return float(found[1])


def _missing(unit: Path) -> list[str]:
    """The directives that systemd-analyze would have hardened."""
    found = _analyze("security", "--offline=true", "--json=short", str(unit)).stdout
    return [row["name"] for row in json.loads(found) if row["exposure"]]


@needs_systemd
def test_systemd_has_nothing_to_complain_about(installed: Path) -> None:
    assert (installed / "etc/hark/satellite").read_text() == "SATELLITE=--base 192.168.1.20\n"
    files = [str(installed / "etc/systemd/system" / unit) for unit in (*UNITS, SATELLITE)]
    verified = _analyze("verify", "--man=no", *files)
    assert (verified.returncode, verified.stderr) == (0, "")


def _unit_with(drop_in: str, folder: Path) -> Path:
    """The assistant's unit with one of the drop-ins that let it do more."""
    text = (REPOSITORY / "systemd" / UNITS[0]).read_text("utf-8")
    unit = folder / UNITS[0]
    unit.write_text(text.replace("=/opt/hark/.venv/bin/assistant", "=/bin/true"), "utf-8")
    (folder / f"{UNITS[0]}.d").mkdir()
    shutil.copy(REPOSITORY / "systemd" / drop_in, folder / f"{UNITS[0]}.d")
    return unit


@needs_systemd
@pytest.mark.parametrize(
    ("drop_in", "lost"), [("documents.conf", {"ProtectHome="}), ("gpio.conf", set())]
)
def test_with_a_drop_in_it_may_do_hardly_more(drop_in: str, lost: set[str], tmp_path: Path) -> None:
    unit = _unit_with(drop_in, tmp_path)
    verified = _analyze("verify", "--man=no", str(unit))
    assert (verified.returncode, verified.stderr) == (0, "")
    alone = REPOSITORY / "systemd" / UNITS[0]
    assert set(_missing(unit)) - set(_missing(alone)) == lost
    assert _exposure(unit) <= _exposure(alone) + 0.2


@needs_systemd
def test_the_drop_in_for_a_skill_on_the_internet_is_one_of_the_bridge(tmp_path: Path) -> None:
    text = (REPOSITORY / "systemd" / UNITS[1]).read_text("utf-8")
    unit = tmp_path / UNITS[1]
    unit.write_text(text.replace("=/opt/hark/.venv/bin/assistant", "=/bin/true"), "utf-8")
    (tmp_path / f"{UNITS[1]}.d").mkdir()
    servers = ("network:https://api.example.org", "network:http://a.example.net:8080")
    grant = ServerGrant("recipes", servers, lambda host: ("93.184.215.14", "2606:2800::1"))
    drop_in = tmp_path / f"{UNITS[1]}.d" / "skill-recipes.conf"
    drop_in.write_text(grant.drop_in, "utf-8")
    verified = _analyze("verify", "--man=no", str(unit))
    assert (verified.returncode, verified.stderr) == (0, "")
    drop_in.write_text(grant.drop_in.replace("93.184.215.14", "93.184.215.400"), "utf-8")
    assert "93.184.215.400" in _analyze("verify", "--man=no", str(unit)).stderr


def test_what_the_bridge_proves_itself_with_is_not_seen_by_the_daemon() -> None:
    hidden = dict(_settings(UNITS[0]))["InaccessiblePaths"].split()
    assert {"-/etc/hark/mqtt.password", "-/etc/hark/secrets", "-/var/lib/hark/pairing"} <= set(
        hidden
    )


def test_without_the_drop_in_the_sound_card_is_the_only_device() -> None:
    def devices(file: str) -> list[str]:
        return [value for key, value in _settings(file) if key == "DeviceAllow"]

    assert ("DevicePolicy", "closed") in _settings(UNITS[0])
    assert devices(UNITS[0]) == ["char-alsa rw"]
    assert devices("gpio.conf") == ["char-gpiochip rw"]


@needs_systemd
def test_a_misspelt_setting_would_be_noticed(installed: Path) -> None:
    unit = installed / "etc/systemd/system" / UNITS[0]
    unit.write_text(unit.read_text("utf-8").replace("OOMPolicy=", "OOMPolice="), "utf-8")
    assert "OOMPolice" in _analyze("verify", "--man=no", str(unit)).stderr


@needs_systemd
@pytest.mark.parametrize(
    ("unit", "at_most"), [(UNITS[0], 0.6), (UNITS[1], 1.0), (UNITS[2], 1.0), (SATELLITE, 1.5)]
)
def test_a_unit_may_do_little(unit: str, at_most: float) -> None:
    assert _exposure(REPOSITORY / "systemd" / unit) <= at_most


@needs_systemd
def test_an_open_unit_would_be_noticed(tmp_path: Path) -> None:
    unit = tmp_path / "open.service"
    unit.write_text("[Service]\nExecStart=/bin/true\n", "utf-8")
    assert _exposure(unit) > 9


def _unexplained(unit: Path) -> list[str]:
    """What systemd-analyze would have hardened and no comment of `unit` gives a reason for."""
    comments = " ".join(re.findall(r"^# (.*)$", unit.read_text("utf-8"), re.MULTILINE))
    return [name for name in _missing(unit) if name not in comments]


@needs_systemd
@pytest.mark.parametrize("unit", [*UNITS, SATELLITE])
def test_each_hardening_that_is_missing_has_its_reason(unit: str) -> None:
    assert _unexplained(REPOSITORY / "systemd" / unit) == []


@needs_systemd
@pytest.mark.parametrize(
    ("line", "missed"),
    [
        ("PrivateTmp=yes\n", "PrivateTmp="),
        ("ProtectProc=invisible\n", "ProtectProc="),
        (" @resources", "SystemCallFilter=~@resources"),
        ("# RootDirectory=/RootImage=", "RootDirectory=/RootImage="),
    ],
)
def test_a_hardening_that_is_lost_would_be_noticed(tmp_path: Path, line: str, missed: str) -> None:
    text = (REPOSITORY / "systemd" / UNITS[1]).read_text("utf-8")
    assert line in text
    (tmp_path / UNITS[1]).write_text(text.replace(line, ""), "utf-8")
    assert _unexplained(tmp_path / UNITS[1]) == [missed]


def _settings(unit: str) -> list[tuple[str, str]]:
    text = (REPOSITORY / "systemd" / unit).read_text("utf-8")
    return re.findall(r"^(\w+)=(.*)$", text, re.MULTILINE)


@pytest.mark.parametrize("unit", [*UNITS, SATELLITE])
def test_no_way_round_the_rules_for_sockets_is_open(unit: str) -> None:
    filters = [value for key, value in _settings(unit) if key == "SystemCallFilter"]
    refused = " ".join(value for value in filters if value.startswith("~"))
    assert {"@aio", "@keyring", "userfaultfd"} <= set(re.findall(r"[@\w]+", refused))
    assert ("TemporaryFileSystem", "/run:ro") in _settings(unit)
    seen = [value for key, value in _settings(unit) if key == "BindPaths"]
    assert seen == ["/run/hark"] * (unit != SATELLITE)  # the bus, which a satellite has none of


WRITABLE = (
    *("StateDirectory", "CacheDirectory", "LogsDirectory", "ConfigurationDirectory"),
    *("RuntimeDirectory", "ReadWritePaths", "BindPaths"),
)
"""Settings that let a unit write where `ProtectSystem=strict` lets it not."""


@pytest.mark.parametrize(
    ("unit", "writable"),
    [
        (UNITS[0], {"StateDirectory", "CacheDirectory", "RuntimeDirectory", "BindPaths"}),
        (UNITS[1], {"BindPaths"}),
        (UNITS[2], {"BindPaths"}),
        (SATELLITE, {"StateDirectory"}),
    ],
)
def test_a_unit_writes_only_what_is_its_own(unit: str, writable: set[str]) -> None:
    settings = _settings(unit)
    assert {("ProtectSystem", "strict"), ("ProtectHome", "yes"), ("PrivateTmp", "yes")} <= {
        *settings
    }
    assert {(key, value) for key, value in settings if key in WRITABLE} == {
        (key, "/run/hark" if key == "BindPaths" else "hark") for key in writable
    }
    if unit == UNITS[1]:  # what it is sent by the network cannot reach what is kept
        assert ("InaccessiblePaths", "-/var/lib/hark") in settings
    if unit == UNITS[2]:
        assert ("TemporaryFileSystem", "/var/lib/hark:ro") in settings


@pytest.mark.parametrize("unit", [UNITS[2], SATELLITE])
def test_multicast_dns_reaches_the_local_network_and_needs_no_further_sockets(unit: str) -> None:
    settings = _settings(unit)
    local = " ".join(str(network) for network in NETWORKS if not network.is_link_local)
    allowed = [value for key, value in settings if key == "IPAddressAllow"]
    assert allowed == [f"localhost link-local {local} fc00::/7", "224.0.0.251"]
    assert ("IPAddressDeny", "any") in settings
    assert ("RestrictAddressFamilies", "AF_UNIX AF_INET AF_INET6") in settings


def test_the_daemon_has_no_network_and_sees_the_processor() -> None:
    settings = _settings(UNITS[0])
    assert ("PrivateNetwork", "yes") in settings
    assert ("RestrictAddressFamilies", "AF_UNIX") in settings
    assert "ProcSubset" not in dict(settings)


def test_the_settings_that_are_shipped_are_valid(tmp_path: Path) -> None:
    shipped = (REPOSITORY / "systemd/config.toml").read_text("utf-8")
    everything = tmp_path / "config.toml"
    everything.write_text(re.sub(r"^# (\w+ = )", r"\1", shipped, flags=re.MULTILINE), "utf-8")
    config, _ = load_config((everything,))
    assert config.runtime_dir == Path("/run/hark")
    assert config.mqtt != MqttSettings()
    assert config.documents != DocumentsSettings()
    assert config.button != ButtonSettings()
    assert config.network != NetworkSettings()
    assert config.wyoming == WyomingSettings(allow=("192.168.1.5",), announce=True)
    assert grants_servers(config)
