"""What every group of settings is."""

from __future__ import annotations

import msgspec


class SettingsSection(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A group of settings."""
