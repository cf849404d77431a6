"""Which skills run, and what each is told."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from assistant.core.settings.section import SettingsSection


class SkillsSettings(SettingsSection, frozen=True, kw_only=True):
    """Which skills run, and what each is told."""

    folders: tuple[str, ...] = ()
    """Folders of further skills, each with its pyproject.toml."""
    disabled: tuple[str, ...] = ()
    """Names of skills that stay off."""
    grants: dict[str, tuple[str, ...]] = msgspec.field(default_factory=dict)
    """Skill → what it may use, as in `tides = ["timers"]`; a built-in one, which servers."""
    settings: dict[str, dict[str, Any]] = msgspec.field(default_factory=dict)
    """Skill → its own settings, as `[skills.settings.NAME]`; `assistant config` shows them."""
    log: dict[str, Literal["debug", "info", "warning", "error"]] = msgspec.field(
        default_factory=dict
    )
    """Skill → the level of its log, where that is not `log.level`."""
