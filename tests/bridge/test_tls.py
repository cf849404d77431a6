"""The connection under TLS: certificates of an authority that these tests make."""

from __future__ import annotations

import shutil
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from assistant.bridge.client import tls
from assistant.core.errors import ConfigError
from assistant.core.messages import DeviceChanged, HomeStates
from assistant.core.settings.mqtt import MqttSettings
from tests.support.authority import Authority
from tests.support.bridge import Bench
from tests.support.mosquitto import MOSQUITTO, Lamp, Mosquitto

pytestmark = [
    pytest.mark.skipif(MOSQUITTO is None, reason="mosquitto is not installed"),
    pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed"),
]


def signed(authority: Authority, name: str, days: int = 2) -> tuple[str, str, str]:
    """Mosquitto's settings for a broker whose certificate names `name`."""
    certificate, key = authority.sign(name, days)
    return "allow_anonymous true", f"certfile {certificate}", f"keyfile {key}"


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path / "authority")


def broker(folder: Path, things: ExitStack, settings: tuple[str, ...]) -> Mosquitto:
    mosquitto = Mosquitto(folder, *settings)
    mosquitto.start()
    things.callback(mosquitto.stop)
    return mosquitto


def first(bench: Bench) -> DeviceChanged:
    """What the daemon hears of the broker first."""
    (told,) = bench.until(DeviceChanged)
    assert isinstance(told, DeviceChanged)
    return told


def test_commands_and_states_pass_under_tls(
    tmp_path: Path, things: ExitStack, authority: Authority
) -> None:
    mosquitto = broker(tmp_path, things, signed(authority, "IP:127.0.0.1"))
    settings = {"tls": True, "ca_file": str(authority.file)}
    bench = things.enter_context(closing(Bench(mosquitto.port, **settings)))
    assert first(bench).present
    lamp = things.enter_context(closing(Lamp(mosquitto.port, authority.file)))
    lamp.tell("hark/light/kitchen/state", b"ON")
    bench.until(HomeStates, states={"light.kitchen": "on"})
    bench.command("light.kitchen", "off")
    assert lamp.hears("hark/light/kitchen/set") == (b"OFF", False)


@pytest.mark.parametrize(
    ("name", "days", "told"),
    [
        ("DNS:elsewhere.example", 2, "set mqtt.host"),
        ("IP:127.0.0.2", 2, "set mqtt.host"),
        ("IP:127.0.0.1", -1, "renew it"),
    ],
)
def test_a_certificate_that_does_not_fit_is_refused_in_one_line(
    tmp_path: Path,
    things: ExitStack,
    authority: Authority,
    caplog: pytest.LogCaptureFixture,
    name: str,
    days: int,
    told: str,
) -> None:
    mosquitto = broker(tmp_path, things, signed(authority, name, days))
    settings = {"tls": True, "ca_file": str(authority.file)}
    bench = things.enter_context(closing(Bench(mosquitto.port, **settings)))
    refused = first(bench)
    assert not refused.present
    assert told in refused.detail
    assert [told in record.message for record in caplog.records] == [True]


@pytest.mark.parametrize("trusted", ["", "another"])
def test_a_certificate_of_an_unknown_authority_is_refused(
    tmp_path: Path, things: ExitStack, authority: Authority, trusted: str
) -> None:
    mosquitto = broker(tmp_path, things, signed(authority, "IP:127.0.0.1"))
    file = str(Authority(tmp_path / trusted).file) if trusted else ""
    bench = things.enter_context(closing(Bench(mosquitto.port, tls=True, ca_file=file)))
    refused = first(bench)
    assert not refused.present
    assert "set mqtt.ca_file" in refused.detail


def test_one_side_that_speaks_tls_alone_is_named(
    tmp_path: Path, things: ExitStack, authority: Authority
) -> None:
    mosquitto = broker(tmp_path, things, signed(authority, "IP:127.0.0.1"))
    clear = things.enter_context(closing(Bench(mosquitto.port)))
    assert "mqtt.tls" in first(clear).detail
    (tmp_path / "clear").mkdir()
    plain = broker(tmp_path / "clear", things, ("allow_anonymous true",))
    bench = things.enter_context(closing(Bench(plain.port, tls=True)))
    assert "mqtt.tls" in first(bench).detail


def test_a_file_without_certificates_is_refused_at_once(tmp_path: Path) -> None:
    (tmp_path / "ca.crt").write_text("no certificate", "utf-8")
    for file in (tmp_path / "ca.crt", tmp_path / "none"):
        with pytest.raises(ConfigError, match=r"mqtt\.ca_file"):
            tls(MqttSettings(host="h", tls=True, ca_file=str(file)))
