"""The base of the satellites in the settings: what is said in each, and what goes to each."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable, Iterator
from functools import partial

from wyoming.event import Event

from assistant.core.clock import boottime_s
from assistant.core.messages import (
    Commit,
    Compare,
    Compared,
    Complete,
    ListenHere,
    Message,
    NothingHeard,
    Outheard,
    RoomTimers,
    Spoken,
    Transcript,
    Utterance,
    Woke,
)
from assistant.core.settings.hearing import ListeningSettings
from assistant.core.settings.wyoming import WyomingSettings
from assistant.pairing.trust import Trust
from assistant.rooms.base.arbitration import (
    ASKED_AGAIN_S,
    ASKS_AFTER_S,
    DECIDES_AFTER_S,
    DEVICE,
    GIVES_BACK_S,
    HOLDS_S,
    LATE_S,
    SPEAKS_AFTER_S,
    Contender,
    Contest,
    Votes,
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
        self._votes = Votes()
        self._held: dict[str, list[Message]] = {}
        """Utterance → what a room says that cannot say it again, while another is to answer."""
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
                self._note(there, lambda contest: contest.name == message.contest)
            case RoomTimers(area=area):
                for satellite in self._satellites.values():
                    if satellite.room.area == area:
                        satellite.tell_timers(message)
            case Spoken(peer=peer) if peer in self._satellites:
                if isinstance(message, Transcript):
                    self._judge(peer, message.utterance_id, bool(message.text))
                self._satellites[peer].take(message)

    # ── who answers ─────────────────────────────────────────────────────────────────────────

    def _said(self, name: str, message: Message) -> None:
        """Pass on what a room says to the daemon, or keep it back."""
        utterance_id = getattr(message, "utterance_id", "")
        if (held := self._held.get(utterance_id)) is not None:
            held.append(message)
        else:
            self._send(message)
        match message:
            case Woke(wake_word=wake_word) if wake_word:
                self._votes.woke(name, utterance_id)
                heard = self._heard(name)
                heard.utterance_id = utterance_id
                ended_s = self._satellites[name].noticed.keyword_ended_s or None
                self._noticed(heard, message, ended_s)
            case Utterance():
                self._settle(name, utterance_id, spoken=True)
            case NothingHeard():
                self._judge(name, utterance_id, spoken=False)
                self._settle(name, utterance_id, spoken=False)
            case Commit() if held is not None:
                self._outspeak(utterance_id)

    def _judge(self, name: str, utterance_id: str, spoken: bool) -> None:
        """Note whether somebody spoke after a wake word of a satellite."""
        if spoken:
            self._votes.was_spoken(name)
        elif self._votes.was_empty(name, utterance_id, boottime_s()):
            log.warning(
                "nobody speaks after the wake words of the satellite %s: for a while it silences "
                "no other room (rooms.vote)",
                name,
            )

    def _settle(self, name: str, utterance_id: str, spoken: bool) -> None:
        """Note what came of an utterance in the contest that it began with."""
        for contest in self._contests:
            one = contest.contenders.get(name)
            if one is not None and one.utterance_id == utterance_id:
                contest.settle(name, spoken)

    def _outspeak(self, utterance_id: str) -> None:
        """Let what was kept back answer that is said by now, where the winner hears nobody."""
        for contest in self._contests:
            winner = self._satellites.get(contest.winner or "")
            if contest.spoken or winner is None or not winner.room.waiting:
                continue
            if utterance_id in (one.utterance_id for one in contest.rivals()):
                contest.settle(winner.room.name, spoken=False)

    def _heard(self, name: str) -> Contender:
        """What a satellite has just told that it hears."""
        satellite, now_s = self._satellites[name], boottime_s()
        heard = satellite.room.lately() or satellite.noticed.heard
        has_vote = self._votes.has(name, now_s)
        return Contender(room=name, heard=heard, at_s=now_s, has_vote=has_vote)

    def _noticed(self, heard: Contender, woke: Woke, ended_s: float | None = None) -> None:
        """Let a room that noticed a wake word take part in a contest, or begin one."""
        now_s = boottime_s()
        for contest in self._in_earshot(heard.room):
            if contest.winner in (heard.room, None):
                contest.note(heard)
                return
            if now_s - contest.began_at_s < LATE_S and contest.takes_in(heard):
                self._silence(contest.note(heard), contest)
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
        try:
            await _until(contest, ASKS_AFTER_S)
            self._ask(contest, (*self._satellites, DEVICE))
            await _until(contest, DECIDES_AFTER_S)
            while self._choose(contest) and await self._falls_silent(contest):
                pass
            self._forget_held(contest)
            if contest.winner is not None:
                await _until(contest, LATE_S)
        finally:
            self._forget_held(contest)
            self._contests.remove(contest)

    def _ask(self, contest: Contest, rooms: Iterable[str]) -> None:
        """Ask rooms in earshot of a contest how clearly they hear what was said lately."""
        first = contest.first.room
        for room in rooms:
            if self._earshot(room) != self._earshot(first):
                continue
            if room == DEVICE:
                self._send(Compare(contest=contest.name))
            elif (satellite := self._satellites[room]).present:
                satellite.compare(contest.wake_word, boottime_s() - contest.ended_at_s)

    def _choose(self, contest: Contest) -> bool:
        """Let the best room answer, and have the others forget it; False where all are gone."""
        asking = [name for name, one in self._satellites.items() if one.room.expects]
        contest.gone.update(room for room in contest.contenders if self.lacks(room))
        chosen = contest.decide(asking, self._last_used)
        if chosen is None:
            return False
        self._last_used = chosen.room
        if len(contest.contenders) > 1:
            log.info("%s answers: %s (rooms.answers)", chosen.room or "this device", contest)
        losers = contest.losers()
        for loser in losers:
            self._silence(loser, contest)
        for one in contest.contenders.values():
            if one not in losers:
                for message in self._held.pop(one.utterance_id, ()):
                    self._send(message)
        if not chosen.utterance_id:
            self._wake(chosen.room, contest)
        return True

    async def _falls_silent(self, contest: Contest) -> bool:
        """Wait for the winner to hear somebody; whether another is to answer in its place.

        One that sends no sound, or that nobody spoke to lately, is not waited for where another
        hears somebody.
        """
        if (satellite := self._satellites.get(contest.winner or "")) is None:
            return False  # the device hangs up on nobody
        room = satellite.room
        if boottime_s() - contest.began_at_s < SPEAKS_AFTER_S:
            await contest.settled(SPEAKS_AFTER_S)
            suspect = not room.sounds or self._votes.doubts(room.name, boottime_s())
            if not contest.over.is_set() and suspect and room.waiting:
                self._ask(contest, [one.room for one in contest.rivals()])
                await contest.settled(SPEAKS_AFTER_S + ASKED_AGAIN_S)
                still = room.waiting and not contest.over.is_set()
                speakers = contest.speakers()
                # What is kept back may be a command, whose room cannot tell that it hears somebody.
                if still and speakers and contest.leave_to(speakers | self._holding(contest)):
                    contest.settle(room.name, spoken=False)
                    return True
        await contest.settled(GIVES_BACK_S)
        if not contest.over.is_set():
            # What the others keep of it is lost by now, but for what is kept here.
            if not contest.leave_to(self._holding(contest)):
                return False
            await contest.settled(HOLDS_S)
        return contest.over.is_set() and not contest.spoken

    def _holding(self, contest: Contest) -> set[str]:
        """The winner's rivals of which something is kept back."""
        return {one.room for one in contest.rivals() if one.utterance_id in self._held}

    def _compared(self, name: str) -> None:
        """Note what a satellite tells that it heard."""
        there = self._earshot(name)
        self._note(self._heard(name), lambda one: self._earshot(one.first.room) == there)

    def _note(self, heard: Contender, of: Callable[[Contest], bool]) -> None:
        for contest in self._contests:
            if of(contest):
                contest.note(heard)

    def _silence(self, loser: Contender, contest: Contest) -> None:
        """Have a room forget what it began to hear; it is kept back where it cannot come again."""
        if loser.room in contest.gone:
            self._judge(loser.room, loser.utterance_id, spoken=False)
        elif loser.room != DEVICE and loser.heard is None and not contest.spoken:
            self._held.setdefault(loser.utterance_id, [])
            return
        self._forget(loser)

    def _forget(self, loser: Contender) -> None:
        utterance_id, loser.utterance_id = loser.utterance_id, ""
        self._held.pop(utterance_id, None)
        if loser.room == DEVICE or not self._satellites[loser.room].room.outheard(utterance_id):
            self._send(Outheard(utterance_id=utterance_id))

    def _forget_held(self, contest: Contest) -> None:
        for one in contest.contenders.values():
            if one.utterance_id in self._held:
                self._forget(one)

    def _wake(self, room: str, contest: Contest) -> None:
        """Have a room listen that did not notice the wake word itself, or was silenced."""
        if room == DEVICE:
            self._send(ListenHere(wake_word=contest.wake_word, ended_at_s=contest.ended_at_s))
        else:
            self._satellites[room].listen(contest.wake_word, contest.ended_at_s)

    def _in_earshot(self, room: str) -> Iterator[Contest]:
        there = self._earshot(room)
        return (one for one in self._contests if self._earshot(one.first.room) == there)

    def _earshot(self, room: str) -> str:
        return self._settings[room].earshot if room != DEVICE else ""


async def _until(contest: Contest, after_s: float) -> None:
    """Wait until so many seconds after a contest began."""
    await asyncio.sleep(contest.began_at_s + after_s - boottime_s())
