"""When the assistant speaks first."""

from __future__ import annotations

import re
from datetime import time

import msgspec

from assistant.core.errors import ConfigError
from assistant.core.settings.section import SettingsSection

_PERIOD = re.compile(r"(\d\d:\d\d)-(\d\d:\d\d)")


class AnnouncementSettings(SettingsSection, frozen=True, kw_only=True):
    """When the assistant speaks first."""

    quiet: str = ""
    """Daily period such as "22:00-07:00" in which only what is urgent is said unasked; "" for none.
    Timers ring at any time."""
    rooms: dict[str, str] = msgspec.field(default_factory=dict)
    """Id of an area → the same for what a satellite says there; elsewhere `quiet` holds."""

    @property
    def hours(self) -> dict[str, tuple[time, time]]:
        """Area, "" for all others → its quiet hours; raises `ConfigError` for what is no period."""
        named = {"": self.quiet, **self.rooms}
        return {area: hours for area, text in named.items() if (hours := quiet_hours(text))}


def quiet_hours(quiet: str) -> tuple[time, time] | None:
    """Beginning and end of the setting; None for ""; raises `ConfigError` for what is no period."""
    if not quiet:
        return None
    try:
        begin, end = map(time.fromisoformat, _PERIOD.fullmatch(quiet).groups())  # type: ignore[union-attr]
    except (ValueError, AttributeError):
        begin = end = time()
    if begin == end:
        told = f'announcements.quiet: "{quiet[:40]}" is no period; write one such as "22:00-07:00"'
        raise ConfigError("config.quiet", told)
    return begin, end
