"""What `assistant doctor` says of the servers that skills are granted."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from assistant.core.config import load_config
from assistant.core.errors import BridgeError
from assistant.core.network.exchange import Allowed, Answer, Refused
from assistant.doctor import servers
from assistant.doctor.checks import Finding
from tests.support.network_bridge import Bridge
from tests.support.web_server import WebServer


def findings(bridge: Bridge, file: Path, *granted: str) -> dict[str, Finding]:
    """What is found of each server, where the settings grant these."""
    names = ", ".join(f'"network:{one}"' for one in granted)
    file.write_text(
        f'[storage]\nruntime = "{bridge.runtime}"\n[skills.grants]\nrecipes = ["timers", {names}]\n'
    )
    found = servers.servers(load_config((file,))[0])
    return dict(zip(sorted(granted), found, strict=True))


def test_what_the_bridge_does_not_allow_is_told(tmp_path: Path, things: ExitStack) -> None:
    web = things.enter_context(closing(WebServer()))
    ours, other, distant = web.origin, "http://192.168.1.20", "http://1.1.1.1"
    bridge = Bridge(tmp_path, (f"network:{ours}", f"network:{distant}"), things)
    found = findings(bridge, tmp_path / "mine.toml", ours, other, distant)
    assert (found[ours].name, found[ours].ok) == ("network of recipes", True)
    assert found[ours].detail == f"{ours} may be asked"
    assert f'do not grant recipes "network:{other}"' in found[other].detail
    assert "is not on the local network" in found[distant].detail
    for one in (found[other], found[distant]):
        assert (one.ok, one.remedy) == (False, "run: assistant skills grant recipes")
        assert not one.necessary


def test_a_server_that_is_away_is_told(tmp_path: Path, things: ExitStack) -> None:
    with closing(WebServer()) as web:
        bridge = Bridge(tmp_path, (f"network:{web.origin}",), things)
    finding = findings(bridge, tmp_path / "mine.toml", web.origin)[web.origin]
    assert "nothing answers" in finding.detail
    assert "whether it runs" in finding.remedy


def test_a_bridge_that_does_not_run_is_told(tmp_path: Path, things: ExitStack) -> None:
    bridge = Bridge(tmp_path, ("network:http://nas",), things)
    bridge.process.kill()
    bridge.process.join()
    finding = findings(bridge, tmp_path / "mine.toml", "http://nas")["http://nas"]
    assert "does not run" in finding.detail
    assert finding.remedy == servers.DOWN


def test_who_may_not_ask_the_bridge_is_told_so(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text('[skills.grants]\nrecipes = ["network:http://nas"]\n')
    config, _ = load_config((file,))
    denied = BridgeError("bridge.denied", "this user may not ask the bridge")
    (finding,) = servers.found(config, lambda check: denied)
    assert (finding.ok, finding.remedy) == (False, "run this with sudo")
    (finding,) = servers.found(config, lambda check: Allowed())
    assert finding.ok


@pytest.fixture
def things() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


@pytest.mark.parametrize("grants", ["", 'recipes = ["timers"]'])
def test_without_such_a_grant_there_is_nothing_to_tell(tmp_path: Path, grants: str) -> None:
    file = tmp_path / "config.toml"
    file.write_text(f"[skills.grants]\n{grants}\n")
    assert list(servers.servers(load_config((file,))[0])) == []


HOME_ASSISTANT = '[home_assistant]\nurl = "http://192.168.1.5:8123"\n'


@pytest.mark.parametrize(
    ("answer", "ok", "told"),
    [
        (Allowed(), False, "has not described its devices yet"),
        (Refused(code="bridge.away", message="it refuses the access token"), False, "refuses"),
        (BridgeError("bridge.down", "the bridge does not run"), False, "is not connected"),
        (BridgeError("bridge.denied", "this user may not ask"), False, "may not ask"),
    ],
)
def test_whether_the_devices_are_reached_is_told(
    tmp_path: Path, answer: Answer | BridgeError, ok: bool, told: str
) -> None:
    file = tmp_path / "config.toml"
    file.write_text(f'[storage]\nstate = "{tmp_path}"\n{HOME_ASSISTANT}')
    (finding,) = servers.found(load_config((file,))[0], lambda asked: answer)
    assert (finding.name, finding.ok) == ("devices", ok)
    assert told in finding.detail
    assert finding.remedy


def test_devices_that_are_reached_are_no_fault(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text('[mqtt]\nhost = "192.168.1.2"\n')
    (finding,) = servers.found(load_config((file,))[0], lambda asked: Allowed())
    assert (finding.ok, finding.detail) == (True, "192.168.1.2:1883 is connected")


@pytest.mark.parametrize(
    ("settings", "detail", "sections"),
    [
        ('[mpd]\nhost = "10.0.0.6"\n', "MPD at 10.0.0.6:6600 is connected", "[mpd]"),
        (
            '[mpd]\nhost = "10.0.0.6"\n[mqtt]\nhost = "10.0.0.2"\n',
            "10.0.0.2:1883 and MPD at 10.0.0.6:6600 are connected",
            "[mqtt] and [mpd]",
        ),
        ("[mpris]\non = true\n", "the session with its players is connected", "[mpris]"),
    ],
)
def test_a_player_is_named_beside_the_home(
    tmp_path: Path, settings: str, detail: str, sections: str
) -> None:
    file = tmp_path / "config.toml"
    file.write_text(settings)
    config = load_config((file,))[0]
    (finding,) = servers.found(config, lambda asked: Allowed())
    assert (finding.ok, finding.detail) == (True, detail)
    away = Refused(code="bridge.away", message="it is away")
    (finding,) = servers.found(config, lambda asked: away)
    assert not finding.ok
    assert sections in finding.remedy


@pytest.mark.parametrize(
    ("answer", "told", "remedy"),
    [
        (Allowed(), "http://10.0.0.5/anna/home/ is kept in step", ""),
        (
            Refused(code="bridge.away", message="http://10.0.0.5: nothing answers there"),
            "http://10.0.0.5: nothing answers there",
            "see [calendar] in the settings, and whether it runs",
        ),
        (
            BridgeError("bridge.down", "the bridge does not run"),
            "http://10.0.0.5/anna/home/ is not reached: the bridge does not run",
            servers.DOWN,
        ),
        (
            BridgeError("bridge.denied", "this user may not ask"),
            "this user may not ask",
            "run this with sudo",
        ),
    ],
)
def test_whether_the_calendar_is_reached_is_told(
    tmp_path: Path, answer: Answer | BridgeError, told: str, remedy: str
) -> None:
    file = tmp_path / "config.toml"
    file.write_text('[calendar]\nurl = "http://10.0.0.5/anna/home/"\n')
    (finding,) = servers.found(load_config((file,))[0], lambda asked: answer)
    assert (finding.name, finding.detail, finding.remedy) == ("calendar", told, remedy)
    assert finding.ok == isinstance(answer, Allowed)


def test_who_may_come_in_is_told_and_whether_somebody_listens(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        file = tmp_path / "config.toml"
        who = 'allow = ["192.168.1.5", "10.0.0.0/8"]\naddress = "127.0.0.1"'
        file.write_text(f"[wyoming]\n{who}\nport = {port}\n")
        (finding,) = servers.servers(load_config((file,))[0])
        who = "192.168.1.5 and 10.0.0.0/8 may use the ear, the voice and the skills"
        assert (finding.ok, finding.detail) == (True, f"{who}, at port {port}")
    (finding,) = servers.servers(load_config((file,))[0])
    assert (finding.ok, finding.remedy) == (False, servers.SATELLITES_DOWN)
    assert finding.detail.startswith(f"nothing listens at port {port}: ")
