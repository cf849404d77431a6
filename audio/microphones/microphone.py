"""One microphone of the settings: chosen by name and by trial, and opened again when it was lost.

What a device claims tells little. ALSA lists its plugins beside the sound cards, a muted input and
the monitor of an output open as well as a microphone does, and some devices open and stay silent.
So the candidates are opened in turn, and the first that sounds is taken.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from threading import Event
from typing import Any

import numpy as np

from assistant.core.errors import AudioError
from assistant.core.messages import Frame
from audio.devices import DEFAULT, DEVICES, Device
from audio.frames import FRAME_S, Framer

PLUGIN_CHANNELS = 128
"""Channels that ALSA's plugins (sysdefault, lavrate, upmix) claim, whatever they lead to."""
SERVER_CHANNELS = 32
"""Channels that a sound server offers at least."""
TRIAL_S = 1.0
"""Seconds in which a candidate must sound; a sound server may need half of it to wake a device."""
LISTEN_S = 0.2
"""Seconds for which each candidate is listened to at least."""
LOOK_EVERY_S = 0.02
AHEAD_S = 1.0
"""Most seconds of sound that a device may have kept from before it was opened."""
SILENT_AFTER_S = 0.7
"""Seconds without a frame, and without an error, after which a device is opened again."""
COMES_BACK_S = 1.0
"""Seconds in which a device that was lost is waited for; a sound server starts again in less."""

PLUGIN = f"a plugin of ALSA, which claims {PLUGIN_CHANNELS} channels"
NO_SOUND = f"no sound came within {TRIAL_S:.0f} s"
DIGITAL_SILENCE = "only digital silence: muted, or no microphone"
TOO_FAST = "its sound comes faster than time passes"
TAKEN = "taken already"

log = logging.getLogger(__name__)

Deliver = Callable[[Frame], None]


def order(candidates: Iterable[Device]) -> list[Device]:
    """The order of trial: the system's device, sound cards, sound servers, monitors of outputs."""

    def rank(device: Device) -> tuple[bool, bool, bool]:
        monitor = "monitor" in device.name.casefold()
        return monitor, not device.default, device.claimed_channels >= SERVER_CHANNELS

    return sorted(candidates, key=rank)


class Microphone:
    """The device of the setting `wanted`; `deliver` gets its frames from PortAudio's thread.

    `passed_over` says of each device that was no microphone, why. Not thread-safe: one thread opens
    it, looks after it and closes it.
    """

    def __init__(
        self, wanted: str, number: int, deliver: Deliver, clock: Callable[[], float]
    ) -> None:
        self._wanted, self._number, self._deliver, self._clock = wanted, number, deliver, clock
        self._device: _OpenDevice | None = None
        self._worked = False
        self._proved_at_s = float("-inf")
        self._lost_at_s = clock()
        self._tried: list[str] = []
        self.chosen = ""
        self.passed_over: dict[str, str] = {}

    @property
    def is_open(self) -> bool:
        """Whether a device is open."""
        return self._device is not None

    @property
    def described(self) -> str:
        """The device that was chosen, and why others were passed over."""
        return self.chosen + (f" (passed over: {self._faults})" if self.passed_over else "")

    @property
    def heard_at_s(self) -> float:
        """When it was last heard, be it on trial; minus infinity for never."""
        if self._device is None or not self._device.frames:
            return self._proved_at_s
        return self._device.heard_at_s

    def look(self, now_s: float) -> None:
        """Let go of a device that has ended or gives no more sound."""
        device = self._device
        if device is None:
            return
        silent_s = now_s - device.heard_at_s
        if device.ended or silent_s > SILENT_AFTER_S:
            why = "ended" if device.ended else f"gave nothing for {silent_s:.1f} s"
            log.info("microphone: %s %s and is opened again (audio.microphone)", self.chosen, why)
            self.close()

    def close(self) -> None:
        """Let go of the device."""
        if self._device is not None:
            self._worked = self._device.frames > 0
            self._lost_at_s, self._tried = self._clock(), []
            self._release()

    def open(self, taken: Collection[str], stopped: Event) -> None:
        """Open the device of before or, if it stays away, choose one that is not `taken`.

        Raises `AudioError`, which says of every candidate why it is no microphone.
        """
        found = order(DEVICES.find(self._wanted, "input"))
        names = [device.name for device in found]
        if self._worked and self._open_again(found):
            return
        if self._worked and self._clock() - self._lost_at_s < COMES_BACK_S:
            raise AudioError("audio.lost", f"{self.chosen} is gone")
        if not self._worked or names != self._tried:
            # Who waits for a microphone to come back tries the others once: a trial takes time.
            self._tried = names
            self._try(found, taken, stopped)
        if not self.is_open:
            raise AudioError("audio.no_microphone", f"nothing is a microphone: {self._faults}")

    def _try(self, found: Sequence[Device], taken: Collection[str], stopped: Event) -> None:
        self.passed_over = {}
        for device in found:
            fault = self._fault_of(device, taken, stopped)
            if stopped.is_set():
                self._release()
                self._tried = []
                return
            if not fault:
                self._choose(device)
                return
            self.passed_over[device.name] = fault
            self._release()
        self._choose_silent(found)

    def _open_again(self, found: Iterable[Device]) -> bool:
        """Open the device that worked before, without a trial, as no word may be lost."""
        for device in found:
            if device.name == self.chosen:
                with suppress(AudioError):
                    self._open(device, passes=True)
                return self.is_open
        return False

    def _fault_of(self, device: Device, taken: Collection[str], stopped: Event) -> str:
        """Why `device` is no microphone; it stays open if it is one, for which "" is returned."""
        if device.name in taken:
            return TAKEN
        asked_for = device.name == DEFAULT or self._wanted != DEFAULT
        if device.claimed_channels >= PLUGIN_CHANNELS and not asked_for:
            return PLUGIN
        try:
            return self._open(device).fault(stopped)
        except AudioError as error:
            return error.message

    def _choose_silent(self, found: Iterable[Device]) -> None:
        """Where nothing sounds, take a device of silence, which may be a muted microphone.

        But not in place of a microphone that was heard: that would not be looked for any more.
        """
        silent = [d for d in found if self.passed_over[d.name] == DIGITAL_SILENCE]
        for device in silent:
            if self.chosen in ("", device.name):
                self._open(device)
                self._choose(device)
                return

    def _choose(self, device: Device) -> None:
        if self._device is not None:
            self._device.passes = True
        self.chosen, self._proved_at_s = device.name, self._clock()
        silent = self.passed_over.pop(device.name, "")
        if silent:
            log.warning("microphone: %s gives %s (audio.silent)", device.name, silent)
        log.info("microphone: %s (audio.microphone)", self.described)

    @property
    def _faults(self) -> str:
        return ", ".join(f"{name}: {fault}" for name, fault in self.passed_over.items())

    def _release(self) -> None:
        if self._device is not None:
            self._device.close()
            self._device = None

    def _open(self, device: Device, passes: bool = False) -> _OpenDevice:
        self._device = _OpenDevice(device, self._number, self._deliver, self._clock, passes)
        return self._device


class _OpenDevice:
    """A device that is open, and what has come from it; its frames are passed on if it `passes`."""

    def __init__(
        self,
        device: Device,
        number: int,
        deliver: Deliver,
        clock: Callable[[], float],
        passes: bool,
    ) -> None:
        self._number, self._deliver, self._clock = number, deliver, clock
        self.passes = passes
        self.frames = 0
        self.ended = self._sounds = False
        self._opened_at_s = self.heard_at_s = clock()
        self._framer = Framer(device.rate_hz, device.channels)
        self._stream = DEVICES.open(
            "input",
            device,
            blocksize=round(device.rate_hz * FRAME_S),
            callback=self._heard,
            finished_callback=self._finished,
        )

    def fault(self, stopped: Event) -> str:
        """Listen until it is clear whether this is a microphone; why it is none, "" if it is."""
        while not self.ended and not stopped.wait(LOOK_EVERY_S):
            open_s = self._clock() - self._opened_at_s
            if self.frames * FRAME_S > open_s + AHEAD_S:
                return TOO_FAST
            if self._sounds and open_s >= LISTEN_S:
                return ""
            if open_s >= TRIAL_S:
                break
        return DIGITAL_SILENCE if self.frames and not self.ended else NO_SOUND

    def close(self) -> None:
        """Let go of the device."""
        DEVICES.close(self._stream)

    def _heard(self, block: Any, count: int, times: Any, status: Any) -> None:
        self.heard_at_s = now_s = self._clock()
        samples = np.array(block)
        self._sounds = self._sounds or bool(samples.any())
        frames = list(self._framer.push(samples))
        self.frames += len(frames)
        if self.passes:
            for left, frame in zip(range(len(frames))[::-1], frames, strict=True):
                self._deliver(
                    Frame(samples=frame, at_s=now_s - left * FRAME_S, microphone=self._number)
                )

    def _finished(self) -> None:
        self.ended = True
