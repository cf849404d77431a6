"""The media players of the session that the user is logged in to."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from assistant.core.settings.section import SettingsSection

PLAYER = "media_player.mpris"
"""Id of the device that they are in the home."""


class MprisSettings(SettingsSection, frozen=True, kw_only=True):
    """Players that speak MPRIS, such as a browser or VLC; they are one media player of the home."""

    on: bool = False
    """Whether they are commanded, by a bridge that you start in your session."""
    name: Annotated[str, Meta(min_length=1, max_length=100)] = "Computer"
    """What the player is called."""
    area: str = ""
    """Id of the area where the computer stands; "" for none."""
