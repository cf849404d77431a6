"""The sensors that are watched."""

from __future__ import annotations

from assistant.core.settings.section import SettingsSection


class SensorsSettings(SettingsSection, frozen=True, kw_only=True):
    """Sensors whose faults are noticed, acted on and told; their values come by the bridge."""

    file: str = ""
    """YAML file that lists the sensors; "" watches none."""
