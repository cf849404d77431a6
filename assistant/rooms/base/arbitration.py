"""Which room answers when several hear the same: the one that hears it most clearly.

A contest begins when a wake word is noticed somewhere. A moment later all others are asked how
clearly they hear it, be it that they noticed nothing: the nearest microphone does not always. Those
to whom it sounds the same take part. The wait runs while the person still speaks.

Whoever answers must then hear somebody: a room that hangs up, or hears nobody where another does,
gives its place to that one, which has kept the sound from the wake word on. A satellite whose wake
words nobody follows up loses its vote for a while.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from contextlib import suppress

import msgspec

from assistant.core.clock import boottime_s
from audio.clearness import CLEAR_DB, Heard, compare, is_same

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
SPEAKS_AFTER_S = 1.2
"""Seconds after the first detection in which the winner must hear somebody, if another room does.

What is compared then, `audio.clearness.LATELY_S`, holds nothing of the wake word any more.
"""
ASKED_AGAIN_S = 0.1
"""Seconds in which the others tell whether they hear somebody."""
SPEECH_DB = CLEAR_DB
"""Decibels from which on a room hears somebody speak."""
GIVES_BACK_S = 2.0
"""Seconds after the first detection in which a place is given back: as long as sound is kept."""
HOLDS_S = 20.0
"""Seconds after the first detection for which a sound is kept back that cannot come again."""
MOST_EMPTY, EMPTY_S = 3, 600.0
"""Detections without an utterance, one after the other, that cost a satellite its vote, and the
seconds after the last one in which it has none."""


class Contender(msgspec.Struct, kw_only=True):
    """A room that heard a wake word: the utterance that began with it, "" where none did."""

    room: str
    utterance_id: str = ""
    heard: Heard | None = None
    """None where the satellite does not tell: it is another's than Hark's."""
    at_s: float = 0.0
    """When that was told."""
    has_vote: bool = True
    """Whether others are silent for it."""

    @property
    def clearness_db(self) -> float:
        """How clearly it hears; 0 where nobody knows."""
        return 0.0 if self.heard is None else self.heard.clearness_db


class Votes:
    """Which satellites still silence others: those whose wake words somebody follows up."""

    def __init__(self) -> None:
        self._woken: dict[str, str] = {}
        """Room → the utterance that its last wake word began, until it is known what came of it."""
        self._empty: dict[str, tuple[int, float]] = {}
        """Room → its detections without an utterance in a row, and the last one's time."""

    def woke(self, room: str, utterance_id: str) -> None:
        """Note a wake word."""
        self._woken[room] = utterance_id

    def was_empty(self, room: str, utterance_id: str, at_s: float) -> bool:
        """Note that nobody spoke after it; whether that has cost the room its vote."""
        if self._woken.get(room) != utterance_id:
            return False
        del self._woken[room]
        count = self._count(room, at_s) + 1
        self._empty[room] = count, at_s
        return count == MOST_EMPTY

    def was_spoken(self, room: str) -> None:
        """Note that words were said there."""
        self._empty.pop(room, None)

    def has(self, room: str, at_s: float) -> bool:
        """Whether others are silent for this room now."""
        return self._count(room, at_s) < MOST_EMPTY

    def doubts(self, room: str, at_s: float) -> bool:
        """Whether nobody spoke after its last wake word."""
        return self._count(room, at_s) > 0

    def _count(self, room: str, at_s: float) -> int:
        count, last_s = self._empty.get(room, (0, 0.0))
        return count if at_s - last_s < EMPTY_S else 0


class Contest:
    """One wake word, noticed first in one room, and those that may have heard it, too."""

    def __init__(self, wake_word: str, ended_at_s: float, at_s: float, first: Contender) -> None:
        self.wake_word, self.ended_at_s, self.began_at_s = wake_word, ended_at_s, at_s
        self.first = first
        self.name = first.utterance_id
        self.contenders = {first.room: first}
        self.gone = set[str]()
        """The rooms in which nobody spoke, or that are away: they take part no more."""
        self.winner: str | None = None
        self.over = asyncio.Event()
        """Set when the winner has spoken, or is gone."""
        self.spoken = False
        """Whether it has spoken."""
        self._speech_db: dict[str, float] = {}
        """How clearly other rooms heard what they told of after it was decided."""
        self._ahead_db: dict[str, float] = {}
        """How much more clearly each room hears it than the first to notice, once it is decided."""

    def __str__(self) -> str:
        """How much more clearly each heard it than the first to notice, for the log."""
        ahead = self._ahead_db.items()
        return ", ".join(f"{room or 'this device'} {ahead_db:+.0f} dB" for room, ahead_db in ahead)

    def note(self, other: Contender) -> Contender:
        """Note what another room heard, or tells of it later; gives what is known of it."""
        if self.winner is not None and not other.utterance_id:
            self._speech_db[other.room] = other.clearness_db
            return other
        known = self.contenders.setdefault(other.room, other)
        known.utterance_id = other.utterance_id or known.utterance_id
        if other.heard is not None:
            known.heard, known.at_s = other.heard, other.at_s
        return known

    def settle(self, room: str, spoken: bool) -> None:
        """Note whether somebody spoke in a room; one where nobody did takes part no more."""
        if not spoken:
            self.gone.add(room)
        if self.winner == room:
            self.spoken = spoken
            self.over.set()

    async def settled(self, after_s: float) -> None:
        """Wait until the winner has spoken or is gone, so many seconds after it began at most."""
        with suppress(TimeoutError):
            async with asyncio.timeout(self.began_at_s + after_s - boottime_s()):
                await self.over.wait()

    def speakers(self) -> set[str]:
        """The rooms that hear somebody, as they told after it was decided."""
        return {room for room, db in self._speech_db.items() if db >= SPEECH_DB}

    def leave_to(self, rooms: Collection[str]) -> bool:
        """Leave the winner's place to some of its rivals alone; False where they are none."""
        among = {one.room for one in self.rivals()}.intersection(rooms)
        if among:
            self.gone |= self.contenders.keys() - among - {self.winner}
        return bool(among)

    def decide(self, asking: Collection[str], last_used: str | None) -> Contender | None:
        """Choose the room that answers; of equal ones the one `asking`, then the last used.

        None where all that heard it are gone.
        """
        self.over.clear()
        for room, one in self.contenders.items():
            if (ahead_db := self._compared(one)) is not None:
                self._ahead_db[room] = ahead_db
        rooms = [room for room in self._ahead_db if room not in self.gone]
        rooms = [room for room in rooms if self.contenders[room].has_vote] or rooms
        best_db = max((self._ahead_db[room] for room in rooms), default=0.0)
        equal = [room for room in rooms if best_db - self._ahead_db[room] <= TIE_DB]
        self.winner = max(
            equal,
            key=lambda room: (room in asking, room == last_used, self._ahead_db[room]),
            default=None,
        )
        return None if self.winner is None else self.contenders[self.winner]

    def losers(self) -> list[Contender]:
        """The rooms that noticed the same, and are not to answer.

        None where the one that answers has no vote.
        """
        if self.winner is not None and not self.contenders[self.winner].has_vote:
            return []
        rivals = [self.contenders[room] for room in self._ahead_db if room != self.winner]
        return [one for one in rivals if one.utterance_id]

    def rivals(self) -> list[Contender]:
        """The rooms that may take the winner's place."""
        rooms = self._ahead_db.keys() - self.gone - {self.winner}
        return [self.contenders[room] for room in rooms]

    def takes_in(self, late: Contender) -> bool:
        """Whether a room that notices a wake word now notices that of this contest, too late."""
        if self.winner is None or not self.contenders[self.winner].has_vote:
            return False
        if late.room == self.winner or (ahead_db := self._compared(late)) is None:
            return False
        self._ahead_db[late.room] = ahead_db
        return True

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
