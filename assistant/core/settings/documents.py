"""The documents that questions are answered from."""

from __future__ import annotations

from assistant.core.settings.section import SettingsSection


class DocumentsSettings(SettingsSection, frozen=True, kw_only=True):
    """The documents that questions are answered from."""

    folders: tuple[str, ...] = ()
    """Folders and files whose text is searched, besides what `assistant documents add` added."""
