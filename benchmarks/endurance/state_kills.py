"""Kill the skills at any instant, thousands of times: `python -m benchmarks.endurance.state_kills`.

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

import os
import random
import select
import signal
import socket
import sys
import time
from collections import Counter, deque
from collections.abc import Callable, Sequence
from contextlib import suppress
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
from benchmarks.endurance.journal import Journal, attacked
from benchmarks.endurance.state_steps import Steps
from benchmarks.endurance.state_twin import Clock, Twin, changes_of, ended, kept, key_of, stage_on
from skills.registry import Registry, load_registry
from skills.state import open_state

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

    @property
    def broken(self) -> bool:
        """Whether a promise was broken."""
        return bool(self.lost or self.done_again or self.rung_again)


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
        """Close the journal, and the twin's memory."""
        self._journal.close()
        self._twin.database.close()

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


if __name__ == "__main__":
    attacked(__doc__, Attack, kills=10_000, folder="hark-state-kills")
