"""Wyoming, Home Assistant's voice protocol."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from assistant.core.settings.section import SettingsSection

PEER = "wyoming"
"""Id of who comes over it: for rights and conversations a room of its own."""
SATELLITE_PORT = 10_700

Port = Annotated[int, Meta(ge=0, le=65_535)]


class SatelliteSettings(SettingsSection, frozen=True, kw_only=True):
    """A satellite, which listens and speaks in one room."""

    address: str = ""
    """Its name or address on the local network, such as "192.168.1.31"; "" where it announces
    itself by its own name here."""
    port: Port = SATELLITE_PORT
    """TCP port at which it listens; one that is looked for tells it."""
    area: str = ""
    """Id of the area where it stands; "" where that is the satellite's own name here."""
    earshot: str = ""
    """Name of the part of the home whose rooms may hear the same sentence; the device is in ""."""


class WyomingSettings(SettingsSection, frozen=True, kw_only=True):
    """Others in the home, by `assistant-satellites.service`: who may use recognition, voice and
    skills, and which satellites are rooms of this device."""

    allow: tuple[str, ...] = ()
    """Addresses, or networks such as 192.168.1.0/24, that may use them; none turns them off."""
    address: str = ""
    """Address of this device to listen at; "" for every one."""
    port: Port = 10_300
    """TCP port; 0 takes any that is free."""
    acts: Literal["here", "there"] = "here"
    """Where commands to devices are carried out that come as a text: by this device, or by who sent
    it, such as Home Assistant, which is handed them as its intents."""
    announce: bool = False
    """Whether the services are announced on the local network, so that Home Assistant finds them by
    itself (with the extra `discovery`)."""
    satellites: dict[str, SatelliteSettings] = msgspec.field(default_factory=dict)
    """Name → a satellite that this device connects to, and serves."""

    @property
    def used(self) -> bool:
        """Whether there is anything for the service to do."""
        return bool(self.allow or self.satellites)

    def area(self, satellite: str) -> str:
        """Where a satellite stands."""
        return self.satellites[satellite].area or satellite
