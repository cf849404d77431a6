"""Kill the skills at any instant, thousands of times: `python -m benchmarks.state_kills`.

A process that is forked warm runs the real skills stage on a real `state.db` and carries out
commands: timers, a list, levels by steps, plans, commands to devices, undo. It is ended by SIGKILL
at a random instant, while it opens its file or anything from microseconds to milliseconds after a
message was sent to it, and forked again; then the command is repeated under the same id, as a
listener does. A twin in memory, which nobody kills, carries out the same commands; what the file
holds after each kill must be a state that the twin went through, and none before what was
acknowledged. Time is a number here: seconds pass as they are needed.

Interrupted at any moment, the same command continues after the last step of the journal.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import select
import signal
import socket
import sys
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec

from assistant.core.codec import decode, encode
from assistant.core.database import Database
from assistant.core.layout import STATE_FILE
from assistant.core.messages import (
    HomeCommand,
    HomeReceipt,
    Message,
    PlaybackEnded,
    SlotValue,
    SpokenReply,
)
from assistant.skill.home import Entity, Home
from benchmarks.journal import Journal
from benchmarks.state_steps import Step, Steps
from skills.registry import Registry, load_registry
from skills.stage import SkillsStage
from skills.state import open_state

BEGAN = datetime(2026, 1, 5, 18, 30, tzinfo=UTC)
BOOT = "the only boot"
HOME = Home(
    entities=(
        Entity(name="Lamp", id="light.lamp", state="on"),
        Entity(
            name="Boiler",
            id="climate.boiler",
            state="heat",
            attributes={"temperature": 20, "min_temp": -1e6, "max_temp": 1e6},
        ),
        Entity(name="Radio", id="media_player.radio", state="playing"),
    )
)
KEPT = (
    "SELECT utterance_id FROM acted ORDER BY rowid",
    "SELECT * FROM timers ORDER BY rowid",
    "SELECT * FROM list_items ORDER BY number",
    "SELECT * FROM devices ORDER BY entity_id",
    "SELECT * FROM device_attributes ORDER BY entity_id, name",
    "SELECT * FROM device_commands ORDER BY entity_id",
    "SELECT * FROM plans ORDER BY rowid",
    "SELECT * FROM plan_reports ORDER BY rowid",
    "SELECT * FROM last_acts",
)
"""What is compared. What was sent to devices, and when, depends on the kills."""
OPENING_SHARE = 0.3
"""Share of the kills that may strike before the process has opened its file."""
OPENING_S = 0.04
SHORTEST_S, LONGEST_S = 1e-5, 2e-2
"""Between these, on a logarithmic scale, a kill strikes after a message was sent."""
MOST_BEFORE_KILL = 5
EARLIER = 100
"""States before a step that are remembered, to tell what is lost from what is done again."""
SHOWN = 80
"""Characters of a state before and after a difference that are told."""
STATE, DONE = b"state", b"done"
LARGEST_PACKET_BYTES = 1 << 20
_LEFT_OUT = re.compile(r'[0-9a-f]{32}|"about":\[[^]]*\]')
"""Ids, which are random, and what was spoken of last, which is only in memory."""


class Done(msgspec.Struct, frozen=True, tag=True):
    """A line of the journal: one more step was carried out to its end."""


class Killed(msgspec.Struct, frozen=True, tag=True):
    """A line of the journal: the process was killed while it was doing `what`."""

    what: str


class Broken(msgspec.Struct, frozen=True, tag=True):
    """A line of the journal: a promise was broken in a way, such as "lost"."""

    how: str
    what: str


Line = Done | Killed | Broken
OpenState = Callable[[Path], Database]


class Figures(msgspec.Struct, kw_only=True):
    """The result; the last three must be empty."""

    kills: int
    while_doing: dict[str, int]
    steps: int
    kills_per_s: float
    lost: tuple[str, ...]
    done_again: tuple[str, ...]
    rung_again: tuple[str, ...]


def kept(database: Database) -> str:
    """What is on the disk, as text."""
    return _LEFT_OUT.sub("#", repr([database.execute(query) for query in KEPT]))


def stage_on(database: Database, registry: Registry, now: Callable[[], datetime]) -> SkillsStage:
    """The skills on a database."""
    return SkillsStage(registry, database, HOME, lambda *_: None, now, BOOT, broker=True)


class Clock:
    """The wall clock, which goes by the time of the messages."""

    def __init__(self, at_s: float) -> None:
        self.at_s = at_s

    def now(self) -> datetime:
        """The present."""
        return BEGAN + timedelta(seconds=self.at_s)


class Twin:
    """The same skills in memory; `states` are those that they went through in this step."""

    def __init__(self, registry: Registry) -> None:
        self._clock = Clock(0.0)
        self.database = open_state(None)
        self._stage = stage_on(self.database, registry, self._clock.now)
        self.told: dict[tuple[str, str], SlotValue] = {}
        """Device, and the name of an attribute or "" → what it was told last."""
        self.states: list[str] = []
        self.by_reply: dict[tuple[str, str], int] = {}
        """Reply → the state that was reached when it was given."""
        self.by_message: list[int] = []
        """The state that was reached after each message of the step."""
        self.by_ending: dict[tuple[str, str], int] = {}
        """Reply to be played once → the state that was reached after its end."""

    def carry_out(self, step: Step) -> None:
        """Carry out a step, with everything that is played in it."""
        self.states = [kept(self.database)]
        self.by_reply, self.by_message, self.by_ending = {}, [], {}
        played: list[SpokenReply] = []
        for message in step.messages:
            played += self._fed(message)
            self.by_message.append(len(self.states) - 1)
        for reply in played:
            self._fed(ended(reply, step.at_s))
            self.by_ending[key_of(reply)] = len(self.states) - 1

    def _fed(self, message: Message) -> list[SpokenReply]:
        self._clock.at_s = message.at_s
        once, receipts = [], []
        with self._noting():
            for given in self._stage.feed(message):
                self._note()
                if isinstance(given, SpokenReply):
                    self.by_reply.setdefault(key_of(given), len(self.states) - 1)
                    once += [given] * given.once
                if isinstance(given, HomeCommand):
                    self.told |= changes_of(given)
                    receipts.append(HomeReceipt(sent=given.ids, at_s=message.at_s))
            for receipt in receipts:
                deque(self._stage.feed(receipt), maxlen=0)
        self._note()
        return once

    @contextmanager
    def _noting(self) -> Iterator[None]:
        """Note the state after each transaction of the block."""
        transaction = self.database.transaction

        @contextmanager
        def noted() -> Iterator[None]:
            with transaction():
                yield
            self._note()

        self.database.transaction = noted  # type: ignore[method-assign]
        try:
            yield
        finally:
            self.database.transaction = transaction  # type: ignore[method-assign]

    def _note(self) -> None:
        if (state := kept(self.database)) != self.states[-1]:
            self.states.append(state)


def key_of(reply: SpokenReply) -> tuple[str, str]:
    """By what a reply is known to both twins."""
    return _LEFT_OUT.sub("#", reply.utterance_id), reply.text


def changes_of(command: HomeCommand) -> dict[tuple[str, str], SlotValue]:
    """Device, and the name of an attribute or "" for the state → what it is told."""
    changes = {"": command.state} if command.state else {}
    return {(command.entity_id, name): v for name, v in (changes | command.attributes).items()}


def ended(reply: SpokenReply, at_s: float) -> PlaybackEnded:
    """The report that a reply was played."""
    return PlaybackEnded(utterance_id=reply.utterance_id, at_s=at_s)


def serve(
    line: socket.socket, path: Path, registry: Registry, at_s: float, opens: OpenState
) -> None:
    """Be the skills: tell what the file holds, then answer each message, until the line ends."""
    clock = Clock(at_s)
    database = opens(path)
    stage = stage_on(database, registry, clock.now)
    line.send(STATE + kept(database).encode())
    while packet := line.recv(LARGEST_PACKET_BYTES):
        message = _unpacked(packet)
        clock.at_s = message.at_s
        for given in stage.feed(message):
            line.send(_packed(given))
        line.send(DONE)


class Attack:
    """One sitting in `folder`, in which all earlier ones have left their journal."""

    def __init__(self, folder: Path, seed: int = 1, opens: OpenState = open_state) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._path, self._seed, self._opens = folder / STATE_FILE, seed, opens
        self._registry = load_registry()
        self._registry.warm()
        self._twin = Twin(self._registry)
        self._steps = Steps(seed, self._twin.database)
        self._journal: Journal[Line] = Journal(folder / "journal.jsonl", Line)
        self._killed: Counter[str] = Counter()
        self._broken: list[Broken] = []
        self._over: set[str] = set()
        """What was played, and reported, to its end."""
        self._earlier: deque[str] = deque(maxlen=EARLIER)
        self._told: dict[tuple[str, str], SlotValue] = {}
        self._sent_once: set[tuple[int, ...]] = set()
        self._next_step()
        for line in self._journal.lines:
            self._note(line)
        self._resumed = bool(self._journal.lines)
        """Whether the sitting before may have seen a part of this step."""

    @property
    def kills(self) -> int:
        """The number of kills in all sittings."""
        return self._killed.total()

    def run(self, kills: int) -> Figures:
        """Continue until there have been so many kills, or a promise was broken."""
        began_s, done = time.monotonic(), self.kills
        while self.kills < kills and not self._broken:
            self._live(random.Random(f"{self._seed} {self.kills}"))
        seconds = time.monotonic() - began_s
        told = {
            how: tuple(b.what for b in self._broken if b.how == how)
            for how in ("lost", "done_again", "rung_again")
        }
        return Figures(
            kills=self.kills,
            while_doing=dict(self._killed.most_common()),
            steps=self._steps.number - 1,
            kills_per_s=round((self.kills - done) / seconds, 1) if seconds else 0.0,
            **told,
        )

    def close(self) -> None:
        """Close the journal."""
        self._journal.close()

    def _live(self, chance: random.Random) -> None:
        """One process from its fork to its end."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        pid = os.fork()
        if pid == 0:
            ours.close()
            _be_skills(theirs, self._path, self._registry, self._step.at_s, self._opens)
        theirs.close()
        self._queue: deque[Message] = deque(self._step.messages)
        self._ending: dict[str, SpokenReply] = {}
        self._current: Message | None = None
        self._number = 0
        what, kill_at_s, left = "opening", float("inf"), chance.randint(0, MOST_BEFORE_KILL)
        if chance.random() < OPENING_SHARE:
            kill_at_s = time.monotonic() + chance.uniform(0.0, OPENING_S)
        with ours:
            while self._heard(ours, kill_at_s - time.monotonic()):
                if self._current is None:  # it is idle: give it the next message
                    what = self._send(ours)
                    left -= 1
                    if left < 0 and kill_at_s == float("inf"):
                        kill_at_s = time.monotonic() + SHORTEST_S * (
                            (LONGEST_S / SHORTEST_S) ** chance.random()
                        )
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
            _, status = os.waitpid(pid, 0)
            while self._heard(ours, 1.0):
                pass
        if os.waitstatus_to_exitcode(status) != -signal.SIGKILL:
            self._record(Broken("lost", f"the process ended by itself in {self._step}"))
        self._record(Killed(what))

    def _heard(self, line: socket.socket, patience_s: float) -> bool:
        """Take the next packet, unless time or line are over."""
        if patience_s <= 0 or not select.select([line], [], [], min(patience_s, 60.0))[0]:
            return False
        try:
            packet = line.recv(LARGEST_PACKET_BYTES)
        except ConnectionResetError:  # it died with a message unread; what it has sent follows
            return True
        if packet == DONE:
            self._finished()
        elif packet.startswith(STATE):
            self._check(packet.removeprefix(STATE).decode())
        elif packet:
            self._given(_unpacked(packet))
        return bool(packet)

    def _send(self, line: socket.socket) -> str:
        """Send the next message; gives in a word what the process does with it."""
        if not self._queue:
            self._record(Done())
            self._queue.extend(self._step.messages)
            self._number = 0
        self._current = self._queue.popleft()
        with suppress(BrokenPipeError, ConnectionResetError):
            line.send(_packed(self._current))
        match self._current:
            case PlaybackEnded():
                return "played"
            case HomeReceipt():
                return "receipt"
        return self._step.kind

    def _finished(self) -> None:
        """The process has finished with the current message."""
        message, self._current = self._current, None
        if isinstance(message, PlaybackEnded):
            reply = self._ending[message.utterance_id]
            self._reached(self._twin.by_ending.get(key_of(reply), 0))
            self._over.add(message.utterance_id)
        elif not isinstance(message, HomeReceipt):
            self._reached(self._twin.by_message[self._number])
            self._number += 1

    def _given(self, message: Message) -> None:
        """The process gives a message."""
        if isinstance(message, HomeCommand):
            if message.command and message.ids in self._sent_once:
                self._record(Broken("done_again", f"{message.command} in {self._step}"))
            self._sent_once |= {message.ids} if message.command else set()
            self._told |= changes_of(message)
            self._queue.append(HomeReceipt(sent=message.ids, at_s=self._step.at_s))
        if not isinstance(message, SpokenReply):
            return
        self._reached(self._twin.by_reply.get(key_of(message), 0))
        if message.once and message.utterance_id in self._over:
            self._record(Broken("rung_again", f"{message.utterance_id} in {self._step}"))
        elif message.once and message.utterance_id not in self._ending:
            self._ending[message.utterance_id] = message
            self._rung.add(key_of(message))
            self._queue.append(ended(message, self._step.at_s))

    def _reached(self, state: int) -> None:
        """Something was acknowledged that only this state, or a later one, holds."""
        self._acknowledged = max(self._acknowledged, state)

    def _check(self, state: str) -> None:
        """Compare what the file holds with what the twin went through."""
        if state in self._twin.states[self._acknowledged :]:
            return
        before = state in self._earlier or state in self._twin.states
        how = "lost" if before else "done_again"
        self._record(Broken(how, f"{self._step}: {_difference(state, self._twin.states)}"))

    def _record(self, line: Line) -> None:
        if isinstance(line, Done) and self._resumed:
            self._resumed = False
        elif isinstance(line, Done):
            if silent := self._twin.by_ending.keys() - self._rung:
                self._record(Broken("lost", f"{silent} did not ring in {self._step}"))
            if self._told != self._twin.told:
                self._record(Broken("lost", f"devices were told {self._told} in {self._step}"))
        if not (isinstance(line, Broken) and self._broken):  # the twin no longer fits
            self._journal.write(line)
            self._note(line)

    def _note(self, line: Line) -> None:
        match line:
            case Done():
                self._earlier.extend(self._twin.states)
                self._told = dict(self._twin.told)
                self._next_step()
            case Killed(what=what):
                self._killed[what] += 1
            case Broken():
                self._broken.append(line)

    def _next_step(self) -> None:
        self._step = self._steps.next()
        self._twin.carry_out(self._step)
        self._acknowledged = 0
        self._rung: set[tuple[str, str]] = set()


def _be_skills(
    line: socket.socket, path: Path, registry: Registry, at_s: float, opens: OpenState
) -> None:
    """Serve in a process that was just forked, which never returns."""
    try:
        serve(line, path, registry, at_s, opens)
    finally:
        sys.stderr.flush()
        os._exit(1 if sys.exc_info()[0] else 0)


def _packed(message: Message) -> bytes:
    return b"\0\0".join(encode(message))


def _unpacked(packet: bytes) -> Message:
    topic, _, payload = packet.partition(b"\0\0\0")
    return decode([topic + b"\0", payload])


def _difference(found: str, states: Sequence[str]) -> str:
    """Where a state begins to differ from the most similar one."""

    def alike(state: str) -> int:
        pairs = enumerate(zip(found, state, strict=False))
        return next((at for at, (one, other) in pairs if one != other), 0)

    at, nearest = max((alike(state), state) for state in states)
    begin, end = max(0, at - SHOWN), at + SHOWN
    return f"…{found[begin:end]}… in place of …{nearest[begin:end]}…"


def main() -> None:
    """Print the figures; exit status 1 when a promise was broken."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=10_000)
    parser.add_argument("--folder", type=Path, default=Path("hark-state-kills"))
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    attack = Attack(given.folder.resolve(), given.seed)
    try:
        found = attack.run(given.kills)
    finally:
        attack.close()
    print(json.dumps(msgspec.to_builtins(found)))  # noqa: T201
    sys.exit(1 if found.lost or found.done_again or found.rung_again else 0)


if __name__ == "__main__":
    main()
