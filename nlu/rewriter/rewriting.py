"""Reads what nothing else understands by way of plain sentences, which the grammar then reads.

A rewrite never acts unverified: the grammar must understand each of its sentences, and the table of
`nlu.rewriter.judge` says whether it is done, asked, or left.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import datetime
from typing import NamedTuple

from assistant.core.degraded import Degraded
from assistant.core.errors import ModelError
from assistant.core.messages import Command, Transcript
from assistant.core.rooms.newest import Newest
from assistant.skill.home import Home
from assistant.skill.manifest import Traits
from nlu.discourse.reading import ReadPart
from nlu.interpreter import Interpreter
from nlu.parts.composer import Composer
from nlu.rewriter.judge import RewriterCalibration, chance, signs
from nlu.rewriter.prompt import Turn
from nlu.rewriter.rewriter import Rewrite, Rewriter
from nlu.text.canonical import canonical
from nlu.understood import By, Understood

PART = "rewriter"
_REMEMBERED = 3
"""Number of utterances that a rewrite may go on from."""
_FRESH_S = 120.0
"""Seconds after which an utterance no longer goes on from the one before."""
_PATIENT = 10
"""Niceness of what need not be soon."""
_READ = (By.SENTENCE, By.PARTS, By.SHORT_FORM, By.COMPOSED, By.FREE_TEXT, By.GUESS)
"""Rules by which a plain sentence may be understood."""


class _Said(NamedTuple):
    utterance_id: str
    turn: Turn
    at_s: float


class Rewriting:
    """Rewrites in one home; `load` opens the model when it is first needed."""

    def __init__(
        self,
        load: Callable[[], Rewriter],
        table: RewriterCalibration,
        home: Home,
        traits: Callable[[str], Traits],
        faults: Degraded,
    ) -> None:
        self._load, self._table, self._home = load, table, home
        self._compose = Composer(home)
        self._traits, self._faults = traits, faults
        self._rewriter: Rewriter | None = None
        self._coming: Future[Rewriter] | None = None
        self._said = Newest[str, deque[_Said]]()

    def prepare(self) -> None:
        """Open the model beside all else; until it is there, nothing is rewritten."""
        worker = ThreadPoolExecutor(1, "rewriter", _give_way)
        self._coming = worker.submit(self._opened)
        worker.shutdown(wait=False)

    def __call__(
        self, said: Transcript, area: str, interpreter: Interpreter, now: datetime
    ) -> Understood | None:
        """What was said in the area of that id means; None where no rewrite is likely enough."""
        text, before = said.text, self._before(said, area)
        try:
            rewriter = self._ready()
            rewrite = rewriter(text, area, now, before) if rewriter is not None else None
        except ModelError as error:
            self._faults.note(PART, error)
            return None
        if rewrite is None:
            return None
        self.remember(said, area, rewrite.plain)
        readings = _read(rewrite, interpreter, now)
        if not readings:
            return None
        likely = chance(signs(text, rewrite, before, self._home), self._table)
        commands = tuple(reading.command for reading in readings)
        if likely >= self._table.act and all(self._may_act(one) for one in commands):
            if len(readings) > 1:
                readings = [reading.with_words() for reading in readings]
            return Understood(tuple(readings), By.REWRITTEN)
        if likely >= self._table.ask and len(commands) == 1:
            if self._traits(commands[0].intent).asks:
                return None
            return Understood(by=By.REWRITTEN, choices=commands)
        return None

    def remember(self, said: Transcript, area: str, plain: str) -> None:
        """Keep what was said and what it came to, for what goes on from it."""
        turns = self._said.get(area)
        if turns is None:
            turns = self._said[area] = deque(maxlen=_REMEMBERED + 1)
        if turns and turns[-1].utterance_id == said.utterance_id:
            turns.pop()
        turns.append(_Said(said.utterance_id, Turn(said.text, plain), said.at_s))

    def _before(self, said: Transcript, area: str) -> list[Turn]:
        """The last turns in a room, without revisions of this utterance."""
        turns = self._said.get(area, ())
        every = [one for one in turns if one.utterance_id != said.utterance_id]
        fresh, last_s = list[Turn](), said.at_s
        for one in reversed(every[-_REMEMBERED:]):
            if last_s - one.at_s > _FRESH_S:
                break
            fresh.append(one.turn)
            last_s = one.at_s
        return fresh[::-1]

    def _ready(self) -> Rewriter | None:
        """The model, which is opened now unless that was begun; None while that is under way."""
        if self._rewriter is None:
            if self._coming is None:
                self._rewriter = self._load()
            elif self._coming.done():
                self._rewriter = self._coming.result()
        return self._rewriter

    def _opened(self) -> Rewriter:
        rewriter = self._load()
        rewriter.prepare()
        return rewriter

    def _may_act(self, command: Command) -> bool:
        """Whether a command may be done though it was not said in so many words."""
        return not self._compose.is_for_devices(command) or self._compose.harmless(command)


def _give_way() -> None:
    """Let the thread that opens the model wait for all others, as a start has much to do."""
    os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _PATIENT)


def _read(rewrite: Rewrite, interpreter: Interpreter, now: datetime) -> list[ReadPart] | None:
    """The commands of all plain sentences; None where one of them is not understood."""
    readings: list[ReadPart] = []
    for sentence in rewrite.sentences:
        understood = interpreter(canonical(sentence), now, None)
        if not understood.readings or understood.by not in _READ or understood.missed:
            return None
        readings += understood.readings
    return readings
