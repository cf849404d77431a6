"""Wyoming, Home Assistant's voice protocol."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from assistant.core.settings.section import SettingsSection

PEER = "wyoming"
"""Id of who comes over it: for rights and conversations a room of its own."""


class WyomingSettings(SettingsSection, frozen=True, kw_only=True):
    """Recognition, voice and skills for others in the home, by `assistant-satellites.service`."""

    allow: tuple[str, ...] = ()
    """Addresses, or networks such as 192.168.1.0/24, that may use them; none turns them off."""
    address: str = ""
    """Address of this device to listen at; "" for every one."""
    port: Annotated[int, Meta(ge=0, le=65_535)] = 10_300
    """TCP port; 0 takes any that is free."""
