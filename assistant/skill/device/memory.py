"""For the tests of skills: a device that a test sets."""

from __future__ import annotations

from dataclasses import dataclass, field

from assistant.skill.device import USUAL, Recalled
from assistant.skill.reply import Undo


@dataclass
class MemoryDevice:
    """`Device` that a test sets; `backups` are those that were made, `restarted` counts."""

    version: str = "1.0.0"
    volume: int = USUAL
    listens: bool = True
    recalled: Recalled | None = None
    restarts: bool = True
    backups: list[str] = field(default_factory=list)
    restarted: int = 0

    def set_volume(self, percent: int) -> Undo:
        """Keep it."""
        before, self.volume = self.volume, percent
        return Undo("device.volume", "", before)

    def back_up(self) -> str:
        """Note a backup."""
        self.backups.append(f"/backups/{len(self.backups) + 1}.tar.gz")
        return self.backups[-1]

    def restart(self) -> None:
        """Count it."""
        self.restarted += 1
