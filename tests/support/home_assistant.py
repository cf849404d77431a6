"""A stand-in of Home Assistant's WebSocket API: registries, states, events and service calls.

It answers as Home Assistant 2025.4 does, as far as the bridge asks it; a service changes the state
of its device, or the items of its list, and tells of that by an event.
"""

from __future__ import annotations

import contextlib
import json
import queue
import ssl
import threading
from collections.abc import Callable
from typing import Any

from websockets.exceptions import ConnectionClosed
from websockets.sync.server import Server, ServerConnection, serve

from tests.support.network import free_port

PATIENCE_S = 60.0
TOKEN = "eyJhbGciOiJIUzI1NiJ9.stand-in.0123456789"
STATES = {
    "turn_on": "on",
    "turn_off": "off",
    "open_cover": "open",
    "close_cover": "closed",
    "lock": "locked",
    "unlock": "unlocked",
    "media_play": "playing",
    "media_pause": "paused",
}
"""Service → the state that it brings a device into."""


def state(entity_id: str, value: str, name: str, **attributes: Any) -> dict[str, Any]:
    """A state as `get_states` tells it."""
    told = {"friendly_name": name, **attributes}
    return {"entity_id": entity_id, "state": value, "attributes": told, "context": {"id": "1"}}


def item(uid: str, text: str, status: str = "needs_action") -> dict[str, Any]:
    """An item of a list as `todo.get_items` tells it."""
    return {"uid": uid, "summary": text, "status": status}


def registered(entity_id: str, **facts: Any) -> dict[str, Any]:
    """An entity as the registry's list has it."""
    blank = dict.fromkeys(
        ("area_id", "device_id", "disabled_by", "hidden_by", "entity_category", "name")
    )
    return {"entity_id": entity_id, "options": {}, "platform": "demo", **blank, **facts}


class HomeAssistant:
    """A home with a lamp, a radio and a sensor, which can be stopped and started again."""

    def __init__(self) -> None:
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.token = TOKEN
        self.running = "RUNNING"
        self.areas: list[Any] = [
            {"area_id": "kitchen", "name": "Kitchen", "floor_id": "ground", "aliases": ["galley"]},
            {"area_id": "bedroom", "name": "Bedroom", "floor_id": None, "aliases": []},
        ]
        self.floors = [
            {"floor_id": "ground", "name": "Ground Floor", "level": 0, "aliases": ["downstairs"]}
        ]
        self.devices = [{"id": "d1", "area_id": "bedroom", "name": "Radio", "name_by_user": None}]
        self.entities = [
            registered("light.kitchen", area_id="kitchen"),
            registered("media_player.radio", device_id="d1"),
            registered("light.hidden", hidden_by="user"),
            registered("sensor.signal", entity_category="diagnostic"),
            registered("light.secret", options={"conversation": {"should_expose": False}}),
        ]
        self.aliases: dict[str, list[str]] = {"light.kitchen": ["big light"]}
        self.states = {
            told["entity_id"]: told
            for told in (
                state(
                    "light.kitchen",
                    "off",
                    "Kitchen Light",
                    supported_color_modes=["brightness"],
                    brightness=None,
                ),
                state("media_player.radio", "playing", "Radio", volume_level=0.4),
                state("sensor.kitchen", "21.5", "Kitchen Temperature", device_class="temperature"),
                state("cover.blinds", "open", "Blinds", current_position=100),
                state("light.hidden", "on", "Hidden"),
                state("light.secret", "on", "Secret"),
                state("sensor.signal", "-60", "Signal"),
                state("update.core", "off", "Update"),
            )
        }
        self.lists: dict[str, list[Any]] = {}
        """List → its items as `todo.get_items` tells them; each list is a state, too."""
        self.forecasts: dict[str, Any] = {}
        """Weather device → its daily forecast as `weather.get_forecasts` tells it."""
        self.calls: queue.Queue[dict[str, Any]] = queue.Queue()
        self.failing: dict[str, str] = {}
        """Entity, or service → why it fails."""
        self.deaf: set[str] = set()
        """Entities whose services change nothing."""
        self.silent: set[str] = set()
        """Types of messages, and services, that are not answered."""
        self.instead: dict[str, Callable[[ServerConnection, dict[str, Any]], None]] = {}
        """Type of message → what is done in place of answering it."""
        self.connected = 0
        self.added = 0
        self.proofs: list[str] = []
        self._server: Server | None = None
        self._listening: dict[ServerConnection, dict[str, int]] = {}
        """Connection → type of event, or list, it has subscribed to → by which message."""
        self._lock = threading.RLock()

    def start(self, tls: ssl.SSLContext | None = None) -> None:
        """Serve; it is there when this returns."""
        self._server = serve(self._served, "127.0.0.1", self.port, compression=None, ssl=tls)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def stop(self) -> None:
        """End at once, with all connections."""
        server, self._server = self._server, None
        if server is not None:
            server.shutdown()
            for connection in list(self._listening):
                connection.socket.close()
            self._listening.clear()

    def close(self) -> None:
        """As `stop`."""
        self.stop()

    def called(self) -> tuple[str, str, dict[str, Any]]:
        """The next service call: domain and service, the entity, and its data."""
        asked = self.calls.get(timeout=PATIENCE_S)
        service = f"{asked['domain']}.{asked['service']}"
        return service, asked["target"]["entity_id"], asked["service_data"]

    def put(self, entity_id: str, value: str, **attributes: Any) -> None:
        """Bring a device into a state, as by hand, and tell of it."""
        with self._lock:
            before = self.states[entity_id]
            now = {**before, "state": value, "attributes": {**before["attributes"], **attributes}}
            self.states[entity_id] = now
            data = {"entity_id": entity_id, "old_state": before, "new_state": now}
            self.happens("state_changed", data)

    def has_list(self, list_id: str, name: str, *items: str) -> None:
        """Have a list with these items on it."""
        self.lists[list_id] = [item(f"{list_id}-{text}", text) for text in items]
        self.states[list_id] = state(list_id, str(len(items)), name)

    def put_items(self, list_id: str, items: list[Any]) -> None:
        """Change what is on a list, as by hand, and tell of it."""
        with self._lock:
            self.lists[list_id] = items
            self.put(list_id, str(len(items)))
            self.tell(list_id, {"items": items})

    def on_list(self, list_id: str) -> dict[str, str]:
        """What is on a list: text → status."""
        with self._lock:
            return {one["summary"]: one["status"] for one in self.lists[list_id]}

    def happens(self, event_type: str, data: Any) -> None:
        """Tell all who have subscribed of an event."""
        with self._lock:
            self.tell(event_type, {"event_type": event_type, "data": data, "origin": "LOCAL"})

    def tell(self, subject: str, event: Any) -> None:
        """Send an event to all who have subscribed to its type, or to this list."""
        for connection, wanted in list(self._listening.items()):
            if subject in wanted:
                told = {"id": wanted[subject], "type": "event", "event": event}
                self._say(connection, told)

    def throw(self, content: str | bytes) -> None:
        """Send bytes to all connections."""
        with self._lock:
            for connection in list(self._listening):
                with contextlib.suppress(ConnectionClosed, OSError):
                    connection.send(content)

    def _served(self, connection: ServerConnection) -> None:
        self.connected += 1
        with contextlib.suppress(ConnectionClosed, OSError):
            if "auth_required" in self.silent:
                connection.recv()
            self._say(connection, {"type": "auth_required", "ha_version": "2025.4.4"})
            proof = json.loads(connection.recv())
            self.proofs.append(proof["access_token"])
            if proof != {"type": "auth", "access_token": self.token}:
                self._say(connection, {"type": "auth_invalid", "message": "Invalid access token"})
                return
            self._say(connection, {"type": "auth_ok", "ha_version": "2025.4.4"})
            self._listening[connection] = {}
            for content in connection:
                self._answer(connection, json.loads(content))
        self._listening.pop(connection, None)

    def _answer(self, connection: ServerConnection, asked: dict[str, Any]) -> None:
        kind, number = asked["type"], asked["id"]
        if kind in self.silent:
            return
        if kind in self.instead:
            self.instead[kind](connection, asked)
            return
        with self._lock:
            match kind:
                case "ping":
                    self._say(connection, {"id": number, "type": "pong"})
                    return
                case "subscribe_events":
                    self._listening[connection][asked["event_type"]] = number
                case "call_service":
                    self._call(connection, asked)
                    return
                case "todo/item/subscribe":
                    self._listening[connection][asked["entity_id"]] = number
                    self.result(connection, number, None)
                    self.tell(asked["entity_id"], {"items": self.lists[asked["entity_id"]]})
                    return
            self.result(connection, number, self._found(kind, asked))

    def result(self, connection: ServerConnection, number: int, found: Any) -> None:
        """Answer a request."""
        self._say(connection, {"id": number, "type": "result", "success": True, "result": found})

    def refuse(self, connection: ServerConnection, asked: dict[str, Any], why: str = "") -> None:
        """Answer a request with an error."""
        error = {"code": "home_assistant_error", "message": why}
        told = {"id": asked["id"], "type": "result", "success": False, "error": error}
        self._say(connection, told)

    def _found(self, kind: str, asked: dict[str, Any]) -> Any:
        answers: dict[str, Callable[[], Any]] = {
            "get_config": lambda: {"state": self.running, "location_name": "Home"},
            "get_states": lambda: list(self.states.values()),
            "config/floor_registry/list": lambda: self.floors,
            "config/area_registry/list": lambda: self.areas,
            "config/device_registry/list": lambda: self.devices,
            "config/entity_registry/list": lambda: self.entities,
            "config/entity_registry/get_entries": lambda: {
                entity_id: {"entity_id": entity_id, "aliases": self.aliases.get(entity_id, [])}
                for entity_id in asked["entity_ids"]
            },
        }
        return answers.get(kind, lambda: None)()

    def _call(self, connection: ServerConnection, asked: dict[str, Any]) -> None:
        entity_id, service = asked["target"]["entity_id"], asked["service"]
        self.calls.put(asked)
        if f"{asked['domain']}.{service}" in self.silent:
            return
        if why := self.failing.get(entity_id) or self.failing.get(service):
            self.refuse(connection, asked, why)
            return
        response = None
        if service == "get_items":
            response = {entity_id: {"items": self.lists[entity_id]}}
        elif service == "get_forecasts":
            response = {entity_id: {"forecast": self.forecasts[entity_id]}}
        elif entity_id in self.lists:
            self._change(entity_id, service, asked["service_data"])
        elif entity_id not in self.deaf and entity_id in self.states:
            self._obey(entity_id, service, asked["service_data"])
        self.result(connection, asked["id"], {"context": {"id": "2"}, "response": response})

    def _change(self, list_id: str, service: str, data: dict[str, Any]) -> None:
        """Add, update or remove items, which are named by their ids or their texts."""
        if list_id in self.deaf:
            return
        items = list(self.lists[list_id])
        named = data["item"] if isinstance(data["item"], list) else [data["item"]]
        there = [one for one in items if one["uid"] in named or one["summary"] in named]
        match service:
            case "add_item":
                self.added += 1
                items.append(item(f"added-{self.added}", data["item"]))
            case "update_item":
                items = [{**o, "status": data["status"]} if o in there else o for o in items]
            case "remove_item":
                items = [one for one in items if one not in there]
        self.put_items(list_id, items)

    def _obey(self, entity_id: str, service: str, data: dict[str, Any]) -> None:
        attributes = dict(data)
        if "brightness_pct" in attributes:
            attributes["brightness"] = round(attributes.pop("brightness_pct") * 255 / 100)
        if "position" in attributes:
            attributes["current_position"] = attributes.pop("position")
        before = self.states[entity_id]["state"]
        self.put(entity_id, STATES.get(service, before), **attributes)

    def _say(self, connection: ServerConnection, told: dict[str, Any]) -> None:
        with contextlib.suppress(ConnectionClosed, OSError):
            connection.send(json.dumps(told))
