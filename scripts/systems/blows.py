"""Run inside a root: deals blows to the services there, and tells what an honest caller waited for.

python -m scripts.systems.blows control 2000
"""

from __future__ import annotations

import json
import math
import random
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any

from paho.mqtt.client import Client as MqttClient
from paho.mqtt.enums import CallbackAPIVersion

from assistant.control.client import ControlClient
from assistant.core.config import load_config
from assistant.core.errors import AssistantError
from benchmarks.hostile.burden import Client
from benchmarks.hostile.control import ControlAttack
from benchmarks.hostile.payloads import payload
from benchmarks.hostile.wyoming.services import WyomingAttack

CONFIG = load_config((Path("/etc/hark/config.toml"),))[0]
SEED = 1
ASKS_EVERY_S = 0.2
LARGEST_BYTES = 1 << 20
TOPICS = ("hark/light/kitchen/state", "hark/light/kitchen/x/state", "homeassistant/light/x/config")


def control(count: int) -> Iterator[str]:
    """Callers of the daemon's control socket; the forbidden effects."""
    with TemporaryDirectory() as folder:
        attack = ControlAttack(Path(folder), SEED)
        daemon: Any = SimpleNamespace(config=CONFIG)
        attack.open(daemon)
        yield from (attack.blow(number) for number in range(count))
        attack.close()


def wyoming(count: int) -> Iterator[str]:
    """Connections to the services for others in the home."""
    with TemporaryDirectory() as folder:
        attack, rng = WyomingAttack(Path(folder), SEED), random.Random(SEED)
        attack.port = CONFIG.wyoming.port
        yield from (attack.strike(number, rng) for number in range(count))
        attack.close()


def broker(count: int) -> Iterator[str]:
    """Payloads of another device of the broker."""
    rng, client = random.Random(SEED), MqttClient(CallbackAPIVersion.VERSION2)
    client.connect(CONFIG.mqtt.host)
    client.loop_start()
    for _ in range(count):
        client.publish(rng.choice(TOPICS), payload(rng)[:LARGEST_BYTES], retain=rng.random() < 0.1)
        while client.want_write():
            time.sleep(0.001)
        yield ""
    client.disconnect()
    client.loop_stop()


DEALS = {"control": control, "wyoming": wyoming, "broker": broker}


def status() -> float:
    """Ask the daemon for its status; the milliseconds until it came, no number where none did."""
    began_s = time.monotonic()
    try:
        ControlClient(CONFIG.control_socket).ask("status")
    except AssistantError:
        return math.nan
    return 1000 * (time.monotonic() - began_s)


def dealt(kind: str, count: int) -> dict[str, object]:
    """Deal the blows of a kind, while an honest caller asks for the daemon's status."""
    client, began_s = Client(status, ASKS_EVERY_S), time.monotonic()
    with client.asking():
        faults = [fault for fault in DEALS[kind](count) if fault]
        took_s = time.monotonic() - began_s
    return {
        "faults": faults[:5],
        "unserved": client.unserved,
        "seconds": round(took_s, 1),
        "asked": client.asked,
        "slowest_ms": max(client.waits_ms, default=0.0),
    }


if __name__ == "__main__":
    print(json.dumps(dealt(sys.argv[1], int(sys.argv[2]))))
