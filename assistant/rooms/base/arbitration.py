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

    def __str__(self) -> str:
        """How much more clearly each heard it than the first to notice, for the log."""
        return ", ".join(
            f"{one.room or 'this device'} {self._ahead_db(one):+.0f} dB" for one in self._rivals()
        )

    def note(self, other: Contender) -> None:
        """Note what another room heard, or tells of it later."""
        known = self.contenders.setdefault(other.room, other)
        known.utterance_id = known.utterance_id or other.utterance_id
        if other.heard is not None:
            known.heard, known.at_s = other.heard, other.at_s

    def decide(self, asking: Collection[str], last_used: str | None) -> Contender:
        """Choose the room that answers; of equal ones the one `asking`, then the last used."""
        rivals = self._rivals()
        ahead_db = {one.room: self._ahead_db(one) for one in rivals}
        best_db = max(ahead_db.values())
        equal = [one for one in rivals if best_db - ahead_db[one.room] <= TIE_DB]
        chosen = max(
            equal,
            key=lambda one: (one.room in asking, one.room == last_used, ahead_db[one.room]),
        )
        self.winner = chosen.room
        return chosen

    def losers(self) -> Iterable[Contender]:
        """The rooms that noticed the same, and are not to answer."""
        return [one for one in self._rivals() if one.room != self.winner and one.utterance_id]

    def takes_in(self, late: Contender) -> bool:
        """Whether a room that notices a wake word now notices that of this contest, too late."""
        return late.room != self.winner and self._hears_the_same(late)

    def _rivals(self) -> list[Contender]:
        return [one for one in self.contenders.values() if self._hears_the_same(one)]

    def _hears_the_same(self, one: Contender) -> bool:
        """Whether it is the same sound; where one tells none, the same moment decides."""
        if one is self.first:
            return True
        if one.heard is None or self.first.heard is None:
            return bool(one.utterance_id)
        compared = compare(self.first.heard, one.heard, one.at_s - self.first.at_s)
        return is_same(self.first.heard, one.heard, compared)

    def _ahead_db(self, one: Contender) -> float:
        """How much more clearly a room hears it than the first to notice it."""
        if one is self.first:
            return 0.0
        if one.heard is None or self.first.heard is None:
            return one.clearness_db - self.first.clearness_db
        return compare(self.first.heard, one.heard, one.at_s - self.first.at_s).ahead_db
