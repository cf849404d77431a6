"""How skills reach the servers that they are granted."""

from __future__ import annotations

from assistant.core.settings.section import SettingsSection


class NetworkSettings(SettingsSection, frozen=True, kw_only=True):
    """How the bridge asks servers for skills."""

    secrets: str = ""
    """Folder of the secrets by which skills prove themselves, as SKILL/NAME, readable by the bridge
    alone; "" for none."""
    ca_file: str = ""
    """File (PEM) of an authority that is trusted beside the system's; "" for none."""
