"""Home Assistant's answers and events, as the bridge's whole link takes them."""

from __future__ import annotations

import asyncio
import json
import random
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from functools import cache
from typing import Any
from unittest.mock import patch

import msgspec
from websockets.exceptions import ConnectionClosedOK

from assistant.bridge.complaints import Complaints
from assistant.bridge.home_assistant import link
from assistant.bridge.home_assistant.link import HomeAssistant
from assistant.bridge.home_assistant.session import Session
from assistant.core.codec import encode
from assistant.core.errors import UNDECODABLE, BridgeError
from assistant.core.messages import HomeDescribed
from assistant.core.network.origin import Origin
from assistant.core.settings.home_assistant import HomeAssistantSettings
from assistant.skill.home import read_home
from benchmarks.hostile.parsers.parser import Parser

QUIET_TURNS = 12
"""Turns of the loop without a question, after which all has been asked."""


class _Linked(HomeAssistant):
    """A link that is run here, and not by a thread."""

    def _start(self) -> None:
        self._loop = _runner().get_loop()


class _Connection:
    """Answers each question by its kind with a part of the input, and then tells the events."""

    def __init__(self, content: bytes) -> None:
        self._frames: list[bytes] = []
        self._is_quiet = False
        self._answers, self._events = _parts(content)

    async def send(self, text: str) -> None:
        asked = json.loads(text)
        answer = self._answers.get(asked["type"], b"null")
        if asked["type"].startswith(("subscribe", "ping")):
            answer = b"null"
        number = b'{"id":%d,"type":"result","success":true,"result":' % asked["id"]
        self._frames.append(number + answer + b"}")

    async def recv(self, decode: bool = False) -> bytes:
        for _ in range(1 if self._is_quiet else QUIET_TURNS):
            if self._frames:
                self._is_quiet = False
                return self._frames.pop(0)
            await asyncio.sleep(0)
        self._is_quiet = True
        if self._events:
            return self._events.pop(0)
        raise ConnectionClosedOK(None, None)


def _parts(content: bytes) -> tuple[dict[str, bytes], list[bytes]]:
    """The answers by the question's kind, and the frames that come unasked, one a line.

    What is no JSON object is the answer to everything.
    """
    first, _, rest = content.partition(b"\n")
    events = rest.split(b"\n") if rest else []
    try:
        found = msgspec.json.decode(first, type=dict[str, msgspec.Raw])
    except UNDECODABLE:
        return dict.fromkeys(_KINDS, first), events
    return {name: bytes(raw) for name, raw in found.items()}, events


@cache
def _runner() -> asyncio.Runner:
    return asyncio.Runner()


def _read(content: bytes) -> bool:
    connection: Any = _Connection(content)

    @asynccontextmanager
    async def opened(
        origin: Origin,
        tls: ssl.SSLContext | None,
        token: str,
        heard: Callable[[msgspec.Raw], None],
        complaints: Complaints,
    ) -> AsyncIterator[Session]:
        yield Session(connection, heard, complaints)

    here = _Linked(HomeAssistantSettings(url="http://127.0.0.1:8123"))
    replaced = patch.multiple(
        link, opened=opened, read_token=lambda _: "token", DESCRIBE_AFTER_S=0.0
    )
    try:
        with replaced, suppress(BridgeError):  # it ends by the connection's end
            _runner().run(here._once())
        described = here.facts.get(HomeDescribed)
        for news in (here.states(), *here.facts.values()):
            if news is not None:
                encode(news)
    finally:
        here._hush()
    if not isinstance(described, HomeDescribed):
        return False
    read_home(msgspec.json.decode(described.text), "it")
    return True


def _honest(size: int) -> bytes:
    states = [_state(n) for n in range(max(1, size // len(json.dumps(_state(1)))))]
    return json.dumps({**_HOME, "get_states": states}).encode()


def _state(number: int) -> dict[str, Any]:
    attributes = {"friendly_name": f"Lamp {number % 50}", "brightness": 40, "rgb_color": [1, 2, 3]}
    return {"entity_id": f"light.lamp_{number}", "state": "on", "attributes": attributes}


def _named(rng: random.Random) -> bytes:
    """A home with a name, an id or a number as nobody gives one."""
    long = rng.choice((101, 300, 3_000, 30_000))
    name = rng.choice(
        ("x" * long, "a b " * long, "\n\x1b[2J", "\u202e", "\ud800", "", " ", "é" * 99)
    )
    number = rng.choice((1e308, -1.0, 2**64, 10**400, float("nan"), float("inf"), -0.0))
    state = _state(1)
    where = rng.randrange(6)
    if where == 0:
        state["entity_id"] = f"light.{name}"
    elif where == 1:
        state["attributes"]["friendly_name"] = name
    elif where == 2:
        state["state"] = name
    elif where == 3:
        state["attributes"][rng.choice(("brightness", "temperature", "volume_level"))] = number
    elif where == 4:
        state["attributes"]["rgb_color"] = [number] * rng.choice((1, 3, 5))
    else:
        state = {**_state(1), "attributes": {f"{name}{n}": n for n in range(rng.choice((1, 99)))}}
    changed = {
        "event_type": "state_changed",
        "data": {"entity_id": "light.lamp_1", "new_state": state},
    }
    event = {"id": 1, "type": "event", "event": changed}
    areas = [{"area_id": "kitchen", "name": name, "aliases": [name, None]}]
    home = {**_HOME, "get_states": [state], "config/area_registry/list": areas}
    return json.dumps(home).encode() + b"\n" + json.dumps(event).encode()


_HOME: dict[str, Any] = {
    "get_config": {"state": "RUNNING", "version": "2026.1"},
    "get_states": [
        _state(1),
        {"entity_id": "sensor.t", "state": "21.5", "attributes": {"unit_of_measurement": "°C"}},
        {"entity_id": "weather.home", "state": "rainy", "attributes": {"temperature": 4}},
        {"entity_id": "todo.shop", "state": "2", "attributes": {"friendly_name": "Shopping"}},
        {
            "entity_id": "event.news",
            "state": "x",
            "attributes": {"event_types": ["feedreader"], "title": "Rain", "content": "<b>x</b>"},
        },
    ],
    "config/floor_registry/list": [{"floor_id": "up", "name": "Upstairs", "aliases": ["top"]}],
    "config/area_registry/list": [{"area_id": "kitchen", "name": "Kitchen", "floor_id": "up"}],
    "config/device_registry/list": [{"id": "d1", "area_id": "kitchen"}],
    "config/entity_registry/list": [
        {"entity_id": "light.lamp_1", "device_id": "d1", "options": {}}
    ],
    "config/entity_registry/get_entries": {"light.lamp_1": {"aliases": ["reading lamp", None]}},
    "call_service": {
        "response": {
            "weather.home": {
                "forecast": [
                    {
                        "datetime": "2026-12-01T00:00:00+00:00",
                        "condition": "sunny",
                        "temperature": 7,
                    }
                ]
            }
        }
    },
}
_KINDS = tuple(_HOME)
_ITEMS = {"items": [{"summary": "milk", "uid": "1", "status": "needs_action"}]}
_EVENTS = (
    {
        "type": "event",
        "event": {
            "event_type": "state_changed",
            "data": {"entity_id": "light.lamp_1", "new_state": {**_state(1), "state": "off"}},
        },
    },
    {"type": "event", "event": {"event_type": "area_registry_updated", "data": {}}},
    *({"id": number, "type": "event", "event": _ITEMS} for number in (15, 16)),
    {"id": 3, "type": "result", "success": False, "error": {"code": "x", "message": "y"}},
)
_LINES = b"\n".join(json.dumps(event).encode() for event in _EVENTS)
HOME_ASSISTANT = Parser(
    read=_read,
    refusals=(BridgeError,),
    samples=(json.dumps(_HOME).encode(), json.dumps(_HOME).encode() + b"\n" + _LINES),
    honest=_honest,
    pieces=(
        *(
            b'"entity_id":',
            b'"state":',
            b'"attributes":{',
            b'"friendly_name":',
            b'"light.x"',
            b"\n",
        ),
        *(b'"aliases":[null],', b'"id":1,', b'"type":"event",', b'"result":', b'"success":false,'),
        *(b'"state_changed"', b'"area_registry_updated"', b'"homeassistant_started"', b'"items":['),
        *(
            b'"unavailable"',
            b'"forecast":[',
            b'"options":{"conversation":{"should_expose":false}},',
        ),
    ),
    nests=((b"[", b"]"), (b'{"a":', b"}"), (b'{"result":[', b"]}")),
    attacks=(_named,),
    largest=2 << 20,
    room_mb=80,
)
