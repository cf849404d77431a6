"""The microphones follow the mute switch, and the light follows them."""

from __future__ import annotations

from contextlib import suppress
from typing import Protocol

from assistant.core.errors import AudioError
from audio.devices import DEVICES
from audio.mute.switch import MuteSwitch


class Microphones(Protocol):
    """The interface of `audio.microphones.capture.Capture`."""

    @property
    def paused(self) -> bool:
        """Whether no device is to be open."""

    @property
    def is_closed(self) -> bool:
        """Whether none is."""

    def pause(self) -> None:
        """Close the devices; one whose driver hangs stays open when this returns."""

    def resume(self) -> None:
        """Open the devices again."""


class Light(Protocol):
    """The interface of `audio.mute.button.MuteButton`."""

    def show(self, muted: bool) -> None:
        """Light up, or go out."""


class Mute:
    """Closes the microphones while the switch is on; they begin as the switch is."""

    def __init__(
        self, switch: MuteSwitch, microphones: Microphones, light: Light | None = None
    ) -> None:
        self._switch, self._microphones, self._light = switch, microphones, light
        self._show()

    @property
    def on(self) -> bool:
        """Whether nobody is to be heard."""
        return self._microphones.paused

    @property
    def is_closed(self) -> bool:
        """Whether no microphone is open."""
        return self._microphones.is_closed

    def follow(self) -> bool:
        """Look at the switch, and close or open the microphones; whether it is on.

        It returns when the devices are closed, but for one whose driver hangs.
        """
        if self._switch.on != self.on:
            (self._microphones.resume if self.on else self._microphones.pause)()
            self._show()
        elif self.on and DEVICES.stale and not DEVICES.playing:
            # Where a loudspeaker is missing: otherwise who looks after the microphones does this.
            with suppress(AudioError):
                DEVICES.refresh()
        return self.on

    def _show(self) -> None:
        if self._light is not None:
            self._light.show(self.on)
