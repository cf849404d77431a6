"""The calendar that is changed by voice."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from assistant.core.settings.section import SettingsSection


class CalendarSettings(SettingsSection, frozen=True, kw_only=True):
    """The calendar that is changed by voice."""

    file: str = ""
    """ICS file that new events are written to; "" for STATE/calendar.ics. What others write in it
    stays as it is."""
    url: str = ""
    """CalDAV calendar on the local network that the bridge service keeps the file in step with,
    such as "http://192.168.1.5:5232/anna/home/"; "" for none."""
    username: str = ""
    """User name there; "" where it asks for none."""
    password_file: str = ""
    """File that holds the password, readable by the bridge alone; "" for none."""
    ca_file: str = ""
    """File (PEM) of the authority that signed its certificate, for https; "" for the system's."""
    interval_s: Annotated[float, Meta(ge=1, le=86_400)] = 60.0
    """Seconds after which it is asked again for what has changed there."""
