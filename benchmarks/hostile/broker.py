"""The broker's other devices attack: payloads and topics over a real mosquitto and bridge.

Whatever is published, a device is in a state that some valid payload gave it, and a true state
arrives within a second, also right after a flood.
"""

from __future__ import annotations

import contextlib
import random
import shutil
import socket
import sqlite3
import subprocess
import sys
import threading
import time
from collections import defaultdict
from contextlib import ExitStack, closing
from pathlib import Path
from typing import ClassVar

from paho.mqtt.client import Client
from paho.mqtt.enums import CallbackAPIVersion

from assistant.core.layout import STATE_FILE
from assistant.skill.home import load_home
from benchmarks.hostile.attack import changed
from benchmarks.hostile.payloads import meaning, payload
from benchmarks.hostile.target import Effects, Target

FLOOD_EVERY, FLOOD = 25_000, 50_000
"""Blows between two floods, and states of one device in a flood, sent without a pause."""
TRUE_EVERY = 500
TRUE_WITHIN_S = 1.0
LOOK_EVERY_S = 0.01
PATIENCE_S = 30.0
READY_S, READY_TIMES = 2.0, 15
STOP_S = 10.0


class BrokerAttack:
    """One payload a blow, on a topic of the home or next to it."""

    name: ClassVar[str] = "broker"
    blows: ClassVar[int] = 100_000

    def __init__(self, folder: Path, seed: int) -> None:
        self._seed, self._rng = seed, random.Random()
        self._opened = ExitStack()
        with socket.create_server(("127.0.0.1", 0)) as probe:
            self._port: int = probe.getsockname()[1]
        self.settings = f'[mqtt]\nhost = "127.0.0.1"\nport = {self._port}\n'
        file = folder / "mosquitto.conf"
        lines = (f"listener {self._port} 127.0.0.1", "allow_anonymous true", "user root")
        file.write_text("\n".join((*lines, "max_queued_messages 0")) + "\n", "utf-8")
        self._start(subprocess.Popen((_mosquitto(), "-c", file), stderr=subprocess.DEVNULL))
        self.said: dict[str, set[str]] = defaultdict(set)

    def open(self, target: Target) -> None:
        """Start the bridge, and wait until it has joined the broker."""
        self._target = target
        self._devices = [e.id for e in load_home(Path(target.config.home.file)).entities]
        command = (sys.executable, "-m", "assistant", "bridge", "--config", target.rig.config)
        with target.rig.log.open("ab") as log:
            bridge = subprocess.Popen(command, stdout=log, stderr=log)
        self._start(bridge)
        target.also[bridge.pid] = "bridge"
        file = target.config.state_dir / STATE_FILE
        uri = f"{file.as_uri()}?mode=ro"
        self._database = self._opened.enter_context(closing(sqlite3.connect(uri, uri=True)))
        self._client = self._joined()
        fault = ""
        for _ in range(READY_TIMES):  # what is told before bridge and skills are joined is lost
            if not (fault := self._true_state("ready", READY_S)):
                return
        raise AssertionError(fault)

    def blow(self, number: int) -> str:
        """Publish the payload of this number; now and then a true state, or a flood of states."""
        rng = self._rng
        rng.seed(self._seed << 40 | number)
        if number % FLOOD_EVERY == FLOOD_EVERY - 1:
            self._flood()
        else:
            self._publish(_topic(rng, self._devices), payload(rng), rng.random() < 0.1)
        if number % TRUE_EVERY == TRUE_EVERY - 1:
            return self._true_state(f"true-{self._seed}-{number}", TRUE_WITHIN_S)
        return ""

    def wrong(self, before: Effects, after: Effects) -> list[str]:
        """Every change except of a device to a state that a valid payload gave it."""
        allowed = {
            f"devices {(device, state)}" for device, states in self.said.items() for state in states
        }
        kept = {row for row in before if row.startswith("devices ") and row not in after}
        replaced = {row for row in kept if _device(row) in map(_device, after - before)}
        return changed(before - replaced, frozenset(after - (allowed - before)))

    def close(self) -> None:
        """End the bridge, the clients and the broker."""
        self._opened.close()

    def _publish(self, topic: str, said: bytes, retain: bool = False) -> None:
        prefix, *parts = topic.split("/")
        device = ".".join(parts[:2])
        if prefix == "hark" and len(parts) == 3 and parts[2] == "state" and (s := meaning(said)):
            self.said[device].add(s)
        self._client.publish(topic, said, 0, retain)
        # paho keeps whatever is not sent yet; a hostile client would be less patient.
        while self._client.want_write():
            time.sleep(0)

    def _flood(self) -> None:
        topic = _state_topic(self._devices[0])
        for number in range(FLOOD):
            self._publish(topic, b"ON" if number % 2 else b"OFF")

    def _true_state(self, state: str, within_s: float) -> str:
        """Publish a unique state, and look for it in the skills' own file."""
        device = self._rng.choice(self._devices)
        self._publish(_state_topic(device), state.encode())
        began_s = time.monotonic()
        query = "SELECT 1 FROM devices WHERE entity_id = ? AND state = ?"
        while time.monotonic() - began_s < within_s:
            if self._database.execute(query, (device, state)).fetchall():
                return ""
            time.sleep(LOOK_EVERY_S)
        return f"{device} was not known to be {state} within {within_s:.0f} s"

    def _joined(self) -> Client:
        """A client of the broker, once the bridge is connected to it as well."""
        there = threading.Event()
        client = Client(CallbackAPIVersion.VERSION2)
        client.on_connect = lambda client, *_: client.subscribe("hark/bridge/state")
        client.on_message = lambda *_: there.set()
        client.connect_async("127.0.0.1", self._port)
        client.loop_start()
        self._opened.callback(client.loop_stop)
        self._opened.callback(client.disconnect)
        if not there.wait(PATIENCE_S):
            raise AssertionError(f"the bridge did not find the broker within {PATIENCE_S} s")
        client.unsubscribe("hark/bridge/state")
        return client

    def _start(self, process: subprocess.Popen[bytes]) -> None:
        def stop() -> None:
            process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(STOP_S)
            process.kill()
            process.wait()

        self._opened.callback(stop)


def _mosquitto() -> str:
    found = shutil.which("mosquitto") or shutil.which("mosquitto", path="/usr/sbin:/usr/local/sbin")
    if found is None:
        raise AssertionError("mosquitto is not installed")
    return found


def _state_topic(device: str) -> str:
    return f"hark/{device.replace('.', '/', 1)}/state"


def _topic(rng: random.Random, devices: list[str]) -> str:
    device = _state_topic(rng.choice(devices))
    if rng.random() < 0.9:
        return device
    return rng.choice(
        (
            *("hark//x/state", "hark/light//state", "hark///state", "hark/state", "x", "hark"),
            *(f"{device}/x", f"/{device}", device.upper(), device.replace("hark", "hark2")),
            *(f"hark/light/{rng.randrange(10**6)}/state", "hark/light/é\u202e/state"),
            device.removesuffix("state") + rng.choice(("set", "availability", "config")),
            "hark/" + "x/" * 100 + "state",
        )
    )


def _device(row: str) -> str:
    return row.partition(",")[0]
