"""The calendar that is changed by voice."""

from __future__ import annotations

from assistant.core.settings.section import SettingsSection


class CalendarSettings(SettingsSection, frozen=True, kw_only=True):
    """The calendar that is changed by voice."""

    file: str = ""
    """ICS file that new events are written to; "" for STATE/calendar.ics. What others write in it
    stays as it is."""
