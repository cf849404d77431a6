"""The music player daemon, MPD."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from assistant.core.settings.section import SettingsSection

PLAYER = "media_player.mpd"
"""Id of the device that MPD is in the home."""


class MpdSettings(SettingsSection, frozen=True, kw_only=True):
    """MPD, whose music the bridge service plays; it is a media player of the home."""

    host: str = ""
    """Host name or address on the local network; "" for none."""
    port: Annotated[int, Meta(ge=1, le=65_535)] = 6600
    """TCP port."""
    password_file: str = ""
    """File that holds the password, readable by the bridge alone; "" for none."""
    name: Annotated[str, Meta(min_length=1, max_length=100)] = "Music Player"
    """What the player is called."""
    area: str = ""
    """Id of the area where its loudspeakers stand; "" for none."""
