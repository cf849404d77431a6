"""The bridge as the process that systemd runs."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from assistant.core.bus import Address, Bus
from assistant.core.clock import boottime_s
from assistant.core.layout import NETWORK_SOCKET
from assistant.core.messages import DeviceChanged, HomeCommand, HomeStates, Message
from assistant.core.network.exchange import Allowed, CheckHome, Refused, ask_bridge
from skills.capabilities.network import BridgeNetwork
from tests.support.home_assistant import TOKEN, HomeAssistant
from tests.support.mosquitto import PATIENCE_S, Lamp, Mosquitto
from tests.support.network_bridge import Bridge
from tests.support.scenario import HOME
from tests.support.web_server import WebServer


class Service:
    """A running `assistant bridge` and the skills' end of its bus."""

    def __init__(
        self, folder: Path, port: int, things: ExitStack, more: str = "", url: str = ""
    ) -> None:
        runtime, settings = folder / "run", folder / "config.toml"
        mqtt = f'[mqtt]\nhost = "127.0.0.1"\nport = {port}'
        lines = (
            f'[storage]\nruntime = "{runtime}"',
            "" if url else f'[home]\nfile = "{HOME}"',
            f'[home_assistant]\nurl = "{url}"' if url else mqtt,
            more,
        )
        settings.write_text("\n".join(lines), "utf-8")
        address = things.enter_context(closing(Address(runtime)))
        consumers: dict[type[Message], str] = {HomeCommand: "bridge", HomeStates: "skills"}
        consumes = (HomeStates, DeviceChanged)
        self.skills = things.enter_context(
            closing(Bus("skills", address, ["bridge"], consumers, consumes))
        )
        self._systemd = things.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM))
        self._systemd.bind(str(folder / "notify"))
        self._systemd.settimeout(PATIENCE_S)
        self.process = subprocess.Popen(
            _command("--config", str(settings)),
            env=os.environ | {"NOTIFY_SOCKET": str(folder / "notify")},
            stderr=subprocess.PIPE,
            text=True,
        )
        things.callback(self.process.communicate)
        things.callback(self.process.kill)

    def hears(self, wanted: type[Message]) -> Message:
        """The next `wanted` message from the bridge."""
        deadline_s = boottime_s() + PATIENCE_S
        while boottime_s() < deadline_s:
            for message in self.skills.receive(0.5):
                if isinstance(message, wanted):
                    return message
        raise AssertionError(f"no {wanted.__name__}")

    def beats(self) -> None:
        """Wait for its next two words to systemd that all is well."""
        for _ in range(2):
            while self._systemd.recv(4096) != b"WATCHDOG=1":
                pass


def test_it_joins_the_bus_and_ends_on_sigterm(
    mosquitto: Mosquitto, things: ExitStack, tmp_path: Path
) -> None:
    lamp = things.enter_context(closing(Lamp(mosquitto.port)))
    service = Service(tmp_path, mosquitto.port, things)
    service.skills.send(HomeCommand(utterance_id="u1", entity_id="light.kitchen", state="on"))
    assert lamp.hears("hark/light/kitchen/set") == (b"ON", False)
    lamp.tell("hark/light/kitchen/state", b"ON")
    assert service.hears(HomeStates).states == {"light.kitchen": "on"}  # type: ignore[attr-defined]
    service.process.send_signal(signal.SIGTERM)
    assert service.process.wait(PATIENCE_S) == 0


def test_beside_the_broker_it_serves_the_network_of_skills(
    mosquitto: Mosquitto, things: ExitStack, tmp_path: Path
) -> None:
    web = things.enter_context(closing(WebServer()))
    lamp = things.enter_context(closing(Lamp(mosquitto.port)))
    grants = f'[skills.grants]\nrecipes = ["network:{web.origin}"]'
    service = Service(tmp_path, mosquitto.port, things, grants)
    service.skills.send(HomeCommand(utterance_id="u1", entity_id="light.kitchen", state="on"))
    assert lamp.hears("hark/light/kitchen/set") == (b"ON", False)
    network = BridgeNetwork(tmp_path / "run" / NETWORK_SOCKET, "recipes")
    assert network.get(f"{web.origin}/hello").text == "hello"
    service.process.send_signal(signal.SIGTERM)
    assert service.process.wait(PATIENCE_S) == 0


def test_for_the_network_of_skills_alone_it_stays(things: ExitStack, tmp_path: Path) -> None:
    systemd = things.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM))
    systemd.bind(str(tmp_path / "notify"))
    systemd.settimeout(PATIENCE_S)
    things.enter_context(pytest.MonkeyPatch.context()).setenv(
        "NOTIFY_SOCKET", str(tmp_path / "notify")
    )
    bridge = Bridge(tmp_path, ("network:http://192.168.1.20",), things)
    assert [systemd.recv(4096) for _ in range(2)] == [b"READY=1", b"WATCHDOG=1"]
    bridge.process.terminate()
    while (told := systemd.recv(4096)) == b"WATCHDOG=1":
        pass
    assert told == b"STOPPING=1"
    bridge.process.join(PATIENCE_S)
    assert bridge.process.exitcode == 0


def test_a_broker_that_is_away_is_a_state_and_ends_nothing(
    things: ExitStack, tmp_path: Path
) -> None:
    service = Service(tmp_path, 1, things)
    told = service.hears(DeviceChanged)
    assert isinstance(told, DeviceChanged)
    assert not told.present
    service.beats()
    service.process.send_signal(signal.SIGTERM)
    assert service.process.wait(PATIENCE_S) == 0


def test_a_dead_connection_ends_the_process_for_systemd_to_start_it_again(
    mosquitto: Mosquitto, things: ExitStack, tmp_path: Path
) -> None:
    # No packet can hold such a password, which paho's thread does not survive.
    secret = tmp_path / "password"
    secret.write_text("p" * 70_000, "utf-8")
    secret.chmod(0o600)
    account = f'username = "u"\npassword_file = "{secret}"'
    service = Service(tmp_path, mosquitto.port, things, account)
    assert service.process.wait(PATIENCE_S) == 1
    assert service.process.stderr is not None
    assert "bridge.ended" in service.process.stderr.read()


def test_without_a_broker_in_the_settings_it_says_so_and_ends(tmp_path: Path) -> None:
    settings = tmp_path / "config.toml"
    settings.write_text("", "utf-8")
    ended = subprocess.run(
        _command("--config", str(settings)), capture_output=True, text=True, timeout=60, check=True
    )
    assert "mqtt.host" in ended.stderr


def _command(*arguments: str) -> tuple[str, ...]:
    return (sys.executable, "-m", "assistant", "bridge", *arguments)


def test_by_home_assistant_it_reaches_a_lamp_without_a_home_file(
    things: ExitStack, tmp_path: Path
) -> None:
    there = things.enter_context(closing(HomeAssistant()))
    there.start()
    token = tmp_path / "token"
    token.write_text(TOKEN, "utf-8")
    token.chmod(0o600)
    service = Service(tmp_path, 1, things, f'token_file = "{token}"', url=there.url)
    assert "light.kitchen" in service.hears(HomeStates).states  # type: ignore[attr-defined]
    assert service.hears(DeviceChanged).present  # type: ignore[attr-defined]
    service.skills.send(HomeCommand(utterance_id="u1", entity_id="light.kitchen", state="on"))
    assert there.called() == ("light.turn_on", "light.kitchen", {})
    assert service.hears(HomeStates).states == {"light.kitchen": "on"}  # type: ignore[attr-defined]
    assert isinstance(ask_bridge(tmp_path / "run" / NETWORK_SOCKET, CheckHome()), Allowed)
    there.stop()
    told = service.hears(DeviceChanged)
    while told.present:  # type: ignore[attr-defined]
        told = service.hears(DeviceChanged)
    assert isinstance(ask_bridge(tmp_path / "run" / NETWORK_SOCKET, CheckHome()), Refused)
    service.process.send_signal(signal.SIGTERM)
    assert service.process.wait(PATIENCE_S) == 0


def test_both_ways_at_once_are_refused(things: ExitStack, tmp_path: Path) -> None:
    both = '[home_assistant]\nurl = "http://127.0.0.1:1"'
    assert Service(tmp_path, 1, things, both).process.wait(PATIENCE_S) == 2
