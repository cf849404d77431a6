"""The MQTT broker."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from assistant.core.settings.section import SettingsSection


class MqttSettings(SettingsSection, frozen=True, kw_only=True):
    """The broker that the bridge service speaks to."""

    host: str = ""
    """Host name or address; "" keeps the bridge off."""
    port: Annotated[int, Meta(ge=1, le=65_535)] = 1883
    """TCP port; most brokers use 8883 for TLS."""
    tls: bool = False
    """Whether to speak TLS; the broker's certificate must name `mqtt.host`."""
    ca_file: str = ""
    """File (PEM) of the authority that signed the broker's certificate; "" for the system's."""
    version: Literal["5", "3.1.1"] = "5"
    """Version of MQTT, "5" or "3.1.1"; 3.1.1 cannot limit the size of what the broker sends."""
    username: str = ""
    """User name; "" for none."""
    password_file: str = ""
    """File that holds the password, readable by the bridge alone."""
    prefix: str = "hark"
    """Topics are PREFIX/domain/object/set and PREFIX/domain/object/state."""
    discover: bool = False
    """Whether devices that announce themselves, as Home Assistant reads it, are taken over."""
    discovery_prefix: str = "homeassistant"
    """Devices announce themselves at PREFIX/component/object/config."""
    announce: bool = False
    """Whether the assistant announces itself there, to Home Assistant, and says if it is muted."""
    name: Annotated[str, Meta(min_length=1, max_length=100)] = "Hark"
    """What the assistant is called in Home Assistant."""
