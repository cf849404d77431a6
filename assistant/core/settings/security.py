"""What needs the PIN, and what is not allowed from some rooms."""

from __future__ import annotations

import msgspec

from assistant.core.settings.section import SettingsSection


class Profile(SettingsSection, frozen=True, kw_only=True):
    """The rights of a room."""

    denied: tuple[str, ...] = ()


class SecuritySettings(SettingsSection, frozen=True, kw_only=True):
    """What needs the PIN, and what is not allowed from some rooms."""

    pin_for: tuple[str, ...] = ()
    """What needs the PIN of `assistant pin set`: a domain ("lock"), a device or list by its id or
    its name ("front door"), an intent or a skill. "lock:unlocked" is that state alone."""
    profiles: dict[str, Profile] = msgspec.field(default_factory=dict)
    """Profile → what it may not do, as `denied` in `[security.profiles.NAME]`; names as above."""
    rooms: dict[str, str] = msgspec.field(default_factory=dict)
    """Id of an area → the profile of what is said there, as in `nursery = "child"`."""
