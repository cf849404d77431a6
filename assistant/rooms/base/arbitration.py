"""Which room answers when several hear the same: the one that hears it most clearly.

A contest begins when a wake word is noticed somewhere. A moment later all others are asked how
clearly they hear it, be it that they noticed nothing: the nearest microphone does not always. Those
to whom it sounds the same take part. The wait runs while the person still speaks.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

import msgspec

from audio.clearness import Heard, compare, is_same

DEVICE = ""
"""The device itself among the rooms."""
ASKS_AFTER_S = 0.08
"""Seconds after which the others are asked: then the word has reached the end everywhere."""
DECIDES_AFTER_S = 0.18
"""Seconds after the first detection at which it is decided."""
LATE_S = 1.0
"""Seconds after the first detection in which another of the same sound comes too late."""
TIE_DB = 1.0
"""Decibels by which rooms hear equally well."""


class Contender(msgspec.Struct, kw_only=True):
    """A room that heard a wake word: the utterance that began with it, "" where none did."""

    room: str
    utterance_id: str = ""
    heard: Heard | None = None
    """None where the satellite does not tell: it is another's than Hark's."""
    at_s: float = 0.0
    """When that was told."""

    @property
    def clearness_db(self) -> float:
        """How clearly it hears; 0 where nobody knows."""
        return 0.0 if self.heard is None else self.heard.clearness_db


class Contest:
    """One wake word, noticed first in one room, and those that may have heard it, too."""

    def __init__(self, wake_word: str, ended_at_s: float, at_s: float, first: Contender) -> None:
        self.wake_word, self.ended_at_s, self.began_at_s = wake_word, ended_at_s, at_s
        self.first = first
        self.contenders = {first.room: first}
        self.winner: str | None = None
        self._ahead_db: dict[str, float] = {}
        """How much more clearly each room hears it than the first to notice, once it is decided."""

    def __str__(self) -> str:
        """How much more clearly each heard it than the first to notice, for the log."""
        ahead = self._ahead_db.items()
        return ", ".join(f"{room or 'this device'} {ahead_db:+.0f} dB" for room, ahead_db in ahead)

    def note(self, other: Contender) -> None:
        """Note what another room heard, or tells of it later."""
        known = self.contenders.setdefault(other.room, other)
        known.utterance_id = known.utterance_id or other.utterance_id
        if other.heard is not None:
            known.heard, known.at_s = other.heard, other.at_s

    def decide(self, asking: Collection[str], last_used: str | None) -> Contender:
        """Choose the room that answers; of equal ones the one `asking`, then the last used."""
        for room, one in self.contenders.items():
            if (ahead_db := self._compared(one)) is not None:
                self._ahead_db[room] = ahead_db
        best_db = max(self._ahead_db.values())
        equal = [room for room, db in self._ahead_db.items() if best_db - db <= TIE_DB]
        self.winner = max(
            equal, key=lambda room: (room in asking, room == last_used, self._ahead_db[room])
        )
        return self.contenders[self.winner]

    def losers(self) -> Iterable[Contender]:
        """The rooms that noticed the same, and are not to answer."""
        rivals = [self.contenders[room] for room in self._ahead_db if room != self.winner]
        return [one for one in rivals if one.utterance_id]

    def takes_in(self, late: Contender) -> bool:
        """Whether a room that notices a wake word now notices that of this contest, too late."""
        return late.room != self.winner and self._compared(late) is not None

    def _compared(self, one: Contender) -> float | None:
        """How much more clearly a room hears it than the first; None where it hears another sound.

        Where one tells no sound, the same moment decides.
        """
        if one is self.first:
            return 0.0
        if one.heard is None or self.first.heard is None:
            return one.clearness_db - self.first.clearness_db if one.utterance_id else None
        compared = compare(self.first.heard, one.heard, one.at_s - self.first.at_s)
        same = is_same(self.first.heard, one.heard, compared)
        return compared.ahead_db if same else None
