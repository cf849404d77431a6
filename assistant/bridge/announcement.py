"""What the assistant announces of itself to Home Assistant, over MQTT discovery.

It is one device that says whether it is connected and whether it is muted. Nothing of what is said
is published, and nothing is taken: no message from the network opens a microphone.
"""

from __future__ import annotations

import re
from importlib.metadata import version
from typing import Any

import msgspec

from assistant.bridge.discovery.announcements import OWN_ORIGIN
from assistant.bridge.payloads import Publication, presence_topic
from assistant.core.settings.mqtt import MqttSettings


def muted_topic(prefix: str) -> str:
    """The topic that says whether the assistant is muted."""
    return f"{prefix}/bridge/muted"


def announcement(settings: MqttSettings) -> Publication:
    """The device, which Home Assistant finds by `mqtt.discovery_prefix`.

    Its id is made of `mqtt.prefix`, which each of several assistants on a broker has for itself.
    """
    name = re.sub(r"\W+", "_", settings.prefix, flags=re.ASCII)
    own = version("hark-assistant")
    will = {"availability_topic": presence_topic(settings.prefix)}
    device = {
        "identifiers": [f"hark_{name}"],
        "name": settings.name,
        "manufacturer": OWN_ORIGIN,
        "sw_version": own,
    }
    components = {
        "connected": _component(
            name,
            "Connected",
            state_topic=presence_topic(settings.prefix),
            payload_on="online",
            payload_off="offline",
            device_class="connectivity",
            entity_category="diagnostic",
        ),
        "muted": _component(
            name,
            "Muted",
            state_topic=muted_topic(settings.prefix),
            icon="mdi:microphone-off",
            **will,
        ),
    }
    payload = {
        "device": device,
        "origin": {"name": OWN_ORIGIN, "sw_version": own},
        "components": components,
    }
    topic = f"{settings.discovery_prefix}/device/hark_{name}/config"
    return Publication(topic, msgspec.json.encode(payload), retain=True)


def _component(device: str, name: str, **options: str) -> dict[str, Any]:
    unique = f"hark_{device}_{name.casefold()}"
    return {"platform": "binary_sensor", "name": name, "unique_id": unique, **options}
