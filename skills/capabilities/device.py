"""The device itself as the skills change it: how loud the assistant speaks, backups, a restart."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version

from assistant.core.database import Database
from assistant.core.errors import SkillError
from assistant.core.messages import Message, PlaybackEnded
from assistant.skill.device import LOUDEST, QUIETEST, USUAL, Recalled
from assistant.skill.reply import Undo

VOLUME = "device.volume"
"""The undo's operation; its value is the percentage before."""
RESTARTS_AFTER_S = 0.5
"""Seconds from the end of the reply to the restart, so that all have the news that it was heard."""
RESTARTS_WITHIN_S = 20.0
"""Most seconds from the wish to the restart, as the news that the reply was heard may be lost."""


def create_own_volume(database: Database) -> None:
    """Create the table of the one percentage at which the assistant speaks."""
    database.execute(
        "CREATE TABLE own_volume (id INTEGER PRIMARY KEY CHECK (id = 1), percent INTEGER NOT NULL)"
        " STRICT"
    )


def _none_here() -> str:
    raise SkillError("skill.device", "no backup is made here, but in the assistant alone")


@dataclass(frozen=True, kw_only=True)
class DeviceParts:
    """What of the device lies beyond the skills; by default there is nothing, as in trials.

    `speak_at` is told the percentage at which to speak, `back_up` returns the path of the file, and
    `restart` is None where nothing would start the assistant again.
    """

    speak_at: Callable[[int], None] = lambda percent: None
    muted: Callable[[], bool] = lambda: False
    recalled: Callable[[], Recalled | None] = lambda: None
    back_up: Callable[[], str] = _none_here
    restart: Callable[[], None] | None = None


NO_PARTS = DeviceParts()


class OwnDevice:
    """The `Device` of the skills; the percentage is in the database."""

    def __init__(self, database: Database, parts: DeviceParts) -> None:
        self._database, self._parts = database, parts
        self._at_s = 0.0
        self._restarts_at_s: float | None = None
        self._spoken_at: int | None = None
        self.tell()

    @property
    def version(self) -> str:
        """The version of the assistant."""
        return version("hark-assistant")

    @property
    def volume(self) -> int:
        """The percentage at which it speaks."""
        rows = self._database.execute("SELECT percent FROM own_volume")
        return int(rows[0][0]) if rows else USUAL

    @property
    def listens(self) -> bool:
        """Whether the mute switch is off."""
        return not self._parts.muted()

    @property
    def recalled(self) -> Recalled | None:
        """What became of what was said before."""
        return self._parts.recalled()

    def set_volume(self, percent: int) -> Undo:
        """Keep another percentage."""
        if not QUIETEST <= percent <= LOUDEST:
            told = f"a volume is from {QUIETEST} to {LOUDEST} percent, not {percent}"
            raise SkillError("skill.volume", told)
        undo = Undo(VOLUME, "", self.volume)
        self._database.execute("INSERT OR REPLACE INTO own_volume VALUES (1, ?)", percent)
        return undo

    def back_up(self) -> str:
        """Make a backup."""
        return self._parts.back_up()

    @property
    def restarts(self) -> bool:
        """Whether it runs as a service."""
        return self._parts.restart is not None

    def restart(self) -> None:
        """Restart once the next reply was heard."""
        if not self.restarts:
            raise SkillError("skill.device", "nothing would start the assistant again")
        self._restarts_at_s = self._at_s + RESTARTS_WITHIN_S

    def restore(self, undo: Undo) -> None:
        """Take `set_volume` back."""
        self.set_volume(int(str(undo.value)))

    def tell(self) -> None:
        """Have the voice speak at the percentage that is on the disk."""
        if (percent := self.volume) != self._spoken_at:
            self._spoken_at = percent
            self._parts.speak_at(percent)

    def observe(self, message: Message, at_s: float) -> None:
        """Restart where that is due: the reply that tells of it was heard, or should have been."""
        self._at_s = at_s
        if self._restarts_at_s is None or self._parts.restart is None:
            return
        if isinstance(message, PlaybackEnded):
            self._restarts_at_s = min(self._restarts_at_s, at_s + RESTARTS_AFTER_S)
        if at_s >= self._restarts_at_s:
            self._restarts_at_s = None
            self._parts.restart()

    def deadline_s(self) -> float | None:
        """When to restart at the latest; None for never."""
        return self._restarts_at_s
