"""The base of the satellites in the settings: what is said in each, and what goes to each."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator
from functools import partial

from wyoming.event import Event

from assistant.core.clock import boottime_s
from assistant.core.messages import (
    Compare,
    Compared,
    Complete,
    ListenHere,
    Message,
    Outheard,
    RoomTimers,
    Spoken,
    Woke,
)
from assistant.core.settings.hearing import ListeningSettings
from assistant.core.settings.wyoming import WyomingSettings
from assistant.pairing.trust import Trust
from assistant.rooms.base.arbitration import (
    ASKS_AFTER_S,
    DECIDES_AFTER_S,
    DEVICE,
    LATE_S,
    Contender,
    Contest,
)
from assistant.rooms.base.player import SatellitePlayer
from assistant.rooms.base.room import Room
from assistant.rooms.base.satellite import Satellite
from assistant.rooms.discovery.finding import Finder
from assistant.rooms.wake_words import WakeWords
from audio.clearness import Heard
from audio.listener import KEYWORD_ENDS_BEFORE_S, KEYWORD_TAIL_S

log = logging.getLogger(__name__)

TOLD_EVERY_S = 10.0
"""Seconds after which it is told again which satellites are there, as a broadcast may be lost."""


class Base:
    """Serves satellites by name; `send` takes messages for the daemon."""

    def __init__(
        self,
        settings: WyomingSettings,
        listening: ListeningSettings,
        send: Callable[[Message], None],
        words: WakeWords,
        trust: Trust,
    ) -> None:
        def make_room(name: str, player: SatellitePlayer, write: Callable[[Event], None]) -> Room:
            return Room(
                name,
                settings.area(name),
                listening,
                words,
                player,
                partial(self._said, name),
                write,
            )

        self._send = send
        self._settings = settings.satellites
        finder = Finder()
        self._satellites = {
            name: Satellite(
                name, one, finder, trust, send, self._compared, partial(make_room, name)
            )
            for name, one in settings.satellites.items()
        }
        self._contests: list[Contest] = []
        self._last_used: str | None = None
        self._tasks = set[asyncio.Task[None]]()

    def lacks(self, name: str) -> bool:
        """Whether a satellite of this name is away."""
        return name in self._satellites and not self._satellites[name].present

    async def run(self) -> None:
        """Keep the connections, for ever."""
        async with asyncio.TaskGroup() as tasks:
            for satellite in self._satellites.values():
                tasks.create_task(satellite.run())
            while True:
                await asyncio.sleep(TOLD_EVERY_S)
                for satellite in self._satellites.values():
                    satellite.tell_presence()

    def take(self, message: Message) -> None:
        """Take what the daemon has for the rooms, and what the device's own ears tell."""
        match message:
            case Complete():  # it names an utterance, which one room knows
                for satellite in self._satellites.values():
                    satellite.take(message)
            case Woke(wake_word=wake_word) if wake_word and self._satellites:
                self._noticed(Contender(room=DEVICE, utterance_id=message.utterance_id), message)
            case Compared():
                heard = Heard(message.clearness_db, bytes.fromhex(message.imprint))
                there = Contender(room=DEVICE, heard=heard, at_s=message.at_s)
                self._note(there, lambda contest: contest.first.utterance_id == message.contest)
            case RoomTimers(area=area):
                for satellite in self._satellites.values():
                    if satellite.room.area == area:
                        satellite.tell_timers(message)
            case Spoken(peer=peer) if peer in self._satellites:
                self._satellites[peer].take(message)

    # ── who answers ─────────────────────────────────────────────────────────────────────────

    def _said(self, name: str, message: Message) -> None:
        """Pass on what a room says to the daemon."""
        self._send(message)
        if isinstance(message, Woke) and message.wake_word:
            heard = self._heard(name)
            heard.utterance_id = message.utterance_id
            self._noticed(heard, message, self._satellites[name].noticed.keyword_ended_s or None)

    def _heard(self, name: str) -> Contender:
        """What a satellite has just told that it hears."""
        satellite = self._satellites[name]
        heard = satellite.room.lately() or satellite.noticed.heard
        return Contender(room=name, heard=heard, at_s=boottime_s())

    def _noticed(self, heard: Contender, woke: Woke, ended_s: float | None = None) -> None:
        """Let a room that noticed a wake word take part in a contest, or begin one."""
        now_s = boottime_s()
        self._contests = [one for one in self._contests if now_s - one.began_at_s < LATE_S]
        for contest in self._in_earshot(heard.room):
            if contest.winner == heard.room:
                return
            if contest.winner is None:
                contest.note(heard)
                return
            if contest.takes_in(heard):
                self._silence(heard)
                return
        if ended_s is None:
            ended_s = KEYWORD_ENDS_BEFORE_S + KEYWORD_TAIL_S
        contest = Contest(woke.wake_word, now_s - ended_s, now_s, heard)
        self._contests.append(contest)
        task = asyncio.get_running_loop().create_task(self._hold(contest))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _hold(self, contest: Contest) -> None:
        """Ask all who may have heard the same how clearly, and let the best one answer."""
        first = contest.first.room
        await asyncio.sleep(contest.began_at_s + ASKS_AFTER_S - boottime_s())
        for name, satellite in self._satellites.items():
            if satellite.present and self._earshot(name) == self._earshot(first):
                satellite.compare(contest.wake_word, boottime_s() - contest.ended_at_s)
        if self._earshot(first) == self._earshot(DEVICE):
            self._send(Compare(contest=contest.first.utterance_id))
        await asyncio.sleep(contest.began_at_s + DECIDES_AFTER_S - boottime_s())
        asking = [name for name, one in self._satellites.items() if one.room.expects]
        chosen = contest.decide(asking, self._last_used)
        self._last_used = chosen.room
        if len(contest.contenders) > 1:
            log.info("%s answers: %s (rooms.answers)", chosen.room or "this device", contest)
        for loser in contest.losers():
            self._silence(loser)
        if not chosen.utterance_id:
            self._wake(chosen.room, contest)

    def _compared(self, name: str) -> None:
        """Note what a satellite tells that it heard."""
        there = self._earshot(name)
        self._note(self._heard(name), lambda one: self._earshot(one.first.room) == there)

    def _note(self, heard: Contender, of: Callable[[Contest], bool]) -> None:
        for contest in self._contests:
            if contest.winner is None and of(contest):
                contest.note(heard)

    def _silence(self, loser: Contender) -> None:
        """Have a room forget what it began to hear."""
        if loser.room == DEVICE:
            self._send(Outheard(utterance_id=loser.utterance_id))
        else:
            self._satellites[loser.room].room.outheard(loser.utterance_id)

    def _wake(self, room: str, contest: Contest) -> None:
        """Have a room listen that did not notice the wake word itself."""
        if room == DEVICE:
            self._send(ListenHere(wake_word=contest.wake_word, ended_at_s=contest.ended_at_s))
        else:
            self._satellites[room].listen(contest.wake_word, contest.ended_at_s)

    def _in_earshot(self, room: str) -> Iterator[Contest]:
        there = self._earshot(room)
        return (one for one in self._contests if self._earshot(one.first.room) == there)

    def _earshot(self, room: str) -> str:
        return self._settings[room].earshot if room != DEVICE else ""
