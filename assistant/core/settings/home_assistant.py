"""Home Assistant's own API."""

from __future__ import annotations

from assistant.core.settings.section import SettingsSection


class HomeAssistantSettings(SettingsSection, frozen=True, kw_only=True):
    """Home Assistant, which the bridge service speaks to in place of a broker."""

    url: str = ""
    """Its address on the local network, such as "http://192.168.1.5:8123"; "" for none."""
    token_file: str = "/etc/hark/secrets/home-assistant"  # noqa: S105 - no token, a file's name
    """File of the access token, readable by the bridge alone: `assistant home-assistant token`."""
    ca_file: str = ""
    """File (PEM) of the authority that signed its certificate, for https; "" for the system's."""
