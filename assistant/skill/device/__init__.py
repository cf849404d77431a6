"""The device that the assistant runs on, as a skill sees it: its voice, its ears, its upkeep."""

from __future__ import annotations

from typing import Protocol

import msgspec

from assistant.core.errors import SkillError
from assistant.skill.reply import Undo

QUIETEST, USUAL, LOUDEST = 10, 50, 100
"""Percent at which the assistant speaks: the least, what it begins with, and the most.

At `USUAL` a voice sounds as its engine made it.
"""


class SlowStage(msgspec.Struct, frozen=True, kw_only=True):
    """A part of the assistant that took longer for an utterance than it may; both in seconds."""

    name: str
    took_s: float
    limit_s: float


class Recalled(msgspec.Struct, frozen=True, kw_only=True):
    """What became of an utterance."""

    heard: str
    """The words; "" where none were heard."""
    understood: tuple[str, ...] = ()
    """The commands, each as a phrase that fits "you want to …"."""
    took_s: float | None = None
    """Seconds from the end of what was said until the reply was heard; None where none was."""
    slow: tuple[SlowStage, ...] = ()
    """The parts that were late."""


class Device(Protocol):
    """The device itself; what is changed of it survives a restart and a power cut."""

    @property
    def version(self) -> str:
        """The version of the assistant: "0.1.0"."""

    @property
    def volume(self) -> int:
        """How loud the assistant speaks, in percent, from `QUIETEST` to `LOUDEST`."""

    def set_volume(self, percent: int) -> Undo:
        """Speak as loud as that from this reply on; raises `SkillError` for another percentage."""

    @property
    def listens(self) -> bool:
        """Whether the assistant may hear: nothing that a skill is handed opens a microphone."""

    @property
    def recalled(self) -> Recalled | None:
        """What became of what was said before this; None where that is not known."""

    def back_up(self) -> str:
        """Back up settings, home and state, and return the path of the file; raises `SkillError`.

        The three newest are kept.
        """

    @property
    def restarts(self) -> bool:
        """Whether something starts the assistant again where it ends, as systemd does."""

    def restart(self) -> None:
        """Restart it once its reply was heard; raises `SkillError` without `restarts`."""


class NoDevice:
    """Implements `Device` where there is none, as in trials: it has a voice of its own alone."""

    version = ""
    volume = USUAL
    listens = True
    recalled: Recalled | None = None
    restarts = False

    def set_volume(self, percent: int) -> Undo:
        """Raise `SkillError`."""
        raise _refused()

    def back_up(self) -> str:
        """Raise `SkillError`."""
        raise _refused()

    def restart(self) -> None:
        """Raise `SkillError`."""
        raise _refused()


NO_DEVICE: Device = NoDevice()


def _refused() -> SkillError:
    return SkillError("skill.device", "there is no device here, but in the assistant alone")
