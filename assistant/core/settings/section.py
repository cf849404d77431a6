"""What every group of settings is."""

from __future__ import annotations

import msgspec
from msgspec import Meta


class SettingsSection(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A group of settings."""


def one_of(*words: str) -> Meta:
    """The constraint that a text is one of these words."""
    return Meta(pattern=f"^({'|'.join(words)})$")
