"""The mute button and its light, at the GPIO pins of a board such as the Raspberry Pi.

They come with the extra `gpio`: gpiozero, and lgpio, which opens `/dev/gpiochip*`.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from assistant.core.clock import boottime_s
from assistant.core.errors import AudioError
from assistant.core.messages import Message, Tick
from assistant.core.settings.button import ButtonSettings
from audio.mute.switch import MuteSwitch

BOUNCES_S = 0.05
"""Seconds for which the contacts of a button may bounce."""

log = logging.getLogger(__name__)


class MuteButton:
    """Implements `core.stage.Source`: a press turns `switch` over, and wakes the stage to look.

    `pins` is gpiozero's pin factory. Raises `AudioError` for a pin that cannot be used. It must not
    be made before the process is forked, as it may start threads.
    """

    def __init__(
        self,
        settings: ButtonSettings,
        switch: MuteSwitch,
        pins: Any,
        clock: Callable[[], float] = boottime_s,
    ) -> None:
        from gpiozero import LED, Button, GPIOZeroError

        self._switch, self._pins, self._clock = switch, pins, clock
        self._signal = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        self._button = self._led = None
        try:
            if settings.mute_pin:
                pin = settings.mute_pin
                self._button = Button(pin, bounce_time=BOUNCES_S, pin_factory=pins)
                self._button.when_pressed = self._pressed
            if settings.led_pin:
                self._led = LED(settings.led_pin, pin_factory=pins)
        except GPIOZeroError as error:
            self.close()
            raise AudioError("button.pin", f"the mute button's pins: {error}") from error

    def show(self, muted: bool) -> None:
        """Light the LED, or put it out."""
        if self._led is not None:
            self._led.value = muted

    def fileno(self) -> int:
        """Readable when the button was pressed."""
        return self._signal

    def read(self) -> Iterable[Message]:
        """Turn the switch over if the button was pressed; raises `StorageError`."""
        try:
            os.eventfd_read(self._signal)
        except BlockingIOError:
            return ()
        (self._switch.unmute if self._switch.on else self._switch.mute)()
        return (Tick(at_s=self._clock()),)

    def close(self) -> None:
        """Release the pins."""
        for device in (self._button, self._led, self._pins):
            if device is not None:
                device.close()
        os.close(self._signal)

    def _pressed(self) -> None:
        """Note a press; gpiozero calls this in a thread of its own."""
        with suppress(OSError):  # closed meanwhile
            os.eventfd_write(self._signal, 1)


def mute_button(settings: ButtonSettings, switch: MuteSwitch, work_dir: Path) -> MuteButton | None:
    """The button of the settings; None where there is none, or with a line in the log.

    `work_dir` is a folder that may be written.
    """
    if not (settings.mute_pin or settings.led_pin):
        return None
    try:
        return MuteButton(settings, switch, _pins(work_dir))
    except AudioError as error:
        log.error("%s (%s)", error.message, error.code)
        return None


def _pins(work_dir: Path) -> Any:
    # lgpio makes a pipe in its working folder, and a service's is not to be written.
    os.environ.setdefault("LG_WD", str(work_dir))
    try:
        import lgpio
        from gpiozero import GPIOZeroError
        from gpiozero.pins.lgpio import LGPIOFactory
    except ImportError as error:
        message = f"the mute button needs gpiozero and lgpio ({error}): run make gpio"
        raise AudioError("button.missing", message) from error
    try:
        return LGPIOFactory()
    except (GPIOZeroError, OSError, lgpio.error) as error:
        message = f"the mute button's pins cannot be used: {error}; see systemd/gpio.conf"
        raise AudioError("button.unusable", message) from error
