"""What was said in other rooms, recognised whole: in forks of this process, so that a core each of
them works, while this one hears what is said now."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial

import numpy as np
from numpy.typing import NDArray

from assistant.core.errors import AssistantError
from assistant.core.fork import Fork
from assistant.core.messages import SAMPLE_RATE_HZ, Utterance
from assistant.core.network.hub import may_leave
from assistant.core.settings.wyoming import PEER
from assistant.core.traces.ids import spoken
from audio.asr.recognizer import Recognition, Recognizer

AFTER_WORDS = np.zeros(SAMPLE_RATE_HZ // 4, np.int16)
"""Silence after what a client sends, which may end with the last word: "it" was heard as "egg"."""
NICE = 5
"""The niceness of the forks: the device itself comes first."""

log = logging.getLogger(__name__)


@dataclass
class Said:
    """One utterance as it is heard: its sound, and what is known of it before its words are."""

    name: str = ""
    peer: str = ""
    answers: tuple[str, ...] = ()
    in_a_row: bool = False
    unasked: bool = False
    secret: bool = False
    follows: str = ""
    """The utterance whose reply opened the microphone."""
    sound: list[NDArray[np.int16]] = field(default_factory=list)
    told: bool = False
    """Whether it was recognised once, so that probably no more is said."""

    @property
    def rank(self) -> tuple[bool, bool]:
        """How soon its words are wanted: first where they are awaited, then at the device."""
        return not self.unasked, not self.peer

    @property
    def samples(self) -> int:
        """How many samples were heard."""
        return sum(map(len, self.sound))

    def begin(self, recognizer: Recognizer) -> None:
        """Have a recogniser hear all of it so far."""
        recognizer.start(self.answers, self.unasked, self.in_a_row)
        for samples in self.sound:
            recognizer.feed(samples)

    def finish(self, recognizer: Recognizer) -> Recognition:
        """What a recogniser that has heard all of it makes of it."""
        if self.peer == PEER:
            recognizer.feed(AFTER_WORDS)
        with spoken(self.name), may_leave(not self.private):
            return recognizer.finish()

    @property
    def private(self) -> bool:
        """Whether it is to stay on this device.

        It may be a PIN, any other answer to a question, or anybody's talk; and what a client of
        Home Assistant's has written down is not said to the assistant.
        """
        return self.secret or self.unasked or bool(self.follows) or self.peer == PEER


Over = tuple[Utterance, Said]
Outcome = Recognition | AssistantError


class Waiting:
    """Utterances of peers that are over, each with its newest revision.

    As many are recognised at a time as there are cores; by a recogniser that cannot be forked, one
    at a time and here. It outlives a stage that is rebuilt, so that no utterance is lost meanwhile.
    """

    def __init__(self, at_once: int | None = None) -> None:
        self._at_once = at_once or len(os.sched_getaffinity(0))
        self._queue: dict[str, Over] = {}
        self._running: dict[str, tuple[Over, Fork[Recognition]]] = {}

    @property
    def busy(self) -> bool:
        """Whether any is still to be recognised."""
        return bool(self._queue or self._running)

    def add(self, utterance: Utterance, said: Said) -> None:
        """Have a revision recognised, in place of the one before it."""
        self._end(said.name)
        self._queue[said.name] = (utterance, said)

    def drop(self, name: str) -> None:
        """Leave an utterance unrecognised."""
        self._queue.pop(name, None)
        self._end(name)

    def work(self, recognizer: Recognizer) -> Iterator[tuple[Utterance, Said, Outcome]]:
        """Begin what may begin, and give what has come to its end."""
        while self._queue and len(self._running) < self._at_once:
            name = next(iter(self._queue))
            over = self._queue.pop(name)
            if (fork := _forked(recognizer, over[1])) is not None:
                self._running[name] = over, fork
            else:
                yield *over, _here(recognizer, over[1])
                break
        for name, (over, fork) in tuple(self._running.items()):
            if fork.done:
                del self._running[name]
                yield *over, _outcome(fork, recognizer, over[1])

    def _end(self, name: str) -> None:
        if (running := self._running.pop(name, None)) is not None:
            running[1].close()


def _forked(recognizer: Recognizer, said: Said) -> Fork[Recognition] | None:
    """The work in a fork; None where that cannot be."""
    if not recognizer.forks:
        return None
    try:
        return Fork(partial(_recognised, recognizer, said), NICE)
    except OSError as error:
        log.warning("recognition cannot be forked: %s (asr.fork)", error)
        return None


def _outcome(fork: Fork[Recognition], recognizer: Recognizer, said: Said) -> Outcome:
    try:
        return fork.finish()
    except AssistantError as error:
        return error
    except (OSError, ValueError) as error:
        log.warning("a fork of recognition failed: %s (asr.fork)", error)
        return _here(recognizer, said)


def _here(recognizer: Recognizer, said: Said) -> Outcome:
    try:
        return _recognised(recognizer, said)
    except AssistantError as error:
        return error


def _recognised(recognizer: Recognizer, said: Said) -> Recognition:
    said.begin(recognizer)
    return said.finish(recognizer)
