"""The mute button and its light."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from assistant.core.settings.section import SettingsSection


class ButtonSettings(SettingsSection, frozen=True, kw_only=True):
    """The mute button and its light, at GPIO pins by their Broadcom numbers."""

    mute_pin: Annotated[int, Meta(ge=0, le=53)] = 0
    """Pin that a button connects to ground; 0 for no button."""
    led_pin: Annotated[int, Meta(ge=0, le=53)] = 0
    """Pin of an LED that is lit while the assistant is muted; 0 for none."""
