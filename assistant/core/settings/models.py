"""Whose models are taken."""

from __future__ import annotations

from assistant.core.settings.section import SettingsSection


class ModelsSettings(SettingsSection, frozen=True, kw_only=True):
    """Whose models are taken."""

    roots: str = ""
    """File of the three root public keys, in minisign's format, that vouch for who may sign models;
    "" for those that came with the assistant, if any did."""
