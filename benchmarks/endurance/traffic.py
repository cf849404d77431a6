"""A steady stream of transcripts for a daemon's understanding, and its answers."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path

from assistant.core.bus import Address, Bus
from assistant.core.layout import MEMBERS
from assistant.core.messages import Command, Interpretation, Transcript
from assistant.core.worker import QUIET_BEFORE_RELOAD_S
from assistant.serving.processes import consumers

Pair = tuple[str, str]
"""The versions of the intent and the NER model."""
REVISIONS = 2
APART_S = 0.04
"""Seconds between the revisions of an utterance."""
PATIENCE_S = 15.0
ROUNDED = 0.0015
"""Largest difference from rounding: confidences have three decimals."""
_TIME = re.compile(r"\d{4}-\d\d-\d\d|\d\d:\d\d(:\d\d)?(\.\d+)?")
CONVERSATION_S = 1000.0
"""Seconds between transcripts on their own clock, so that none is a follow-up to another."""
MOST_CONVERSATIONS = 1_000_000
"""Most conversations; all of them are in the past, as the bus accepts nothing from the future."""
GREETING = "greeting"
"""The utterance that is said until an answer shows that the subscription has arrived."""


@dataclass
class Asked:
    """One transcript; `pairs` were in use from then until its answer came."""

    text: str
    pairs: set[Pair]
    asked_s: float
    answered_s: float = 0.0
    answer: Interpretation | None = None


class Answers:
    """What each pair of versions says for each text."""

    def __init__(self, said: Mapping[Pair, Mapping[str, tuple[Command, ...]]]) -> None:
        self._said = said

    def fits(self, one: Asked) -> bool:
        """Whether the answer, if there is one, is from one of the pairs in use."""
        return one.answer is None or bool(self.by(one) & one.pairs)

    def by(self, one: Asked) -> set[Pair]:
        """The pairs that give this answer."""
        said = one.answer.commands if one.answer is not None else ()
        return {pair for pair, texts in self._said.items() if _alike(texts[one.text], said)}

    def split(self, asked: Sequence[Asked]) -> int:
        """Utterances whose two revisions cannot have been read by a single pair of versions.

        A revision that comes so late that the daemon was quiet before may be read by the next.
        """
        pairs = zip(asked[::REVISIONS], asked[1::REVISIONS], strict=True)
        return sum(
            not (self.by(one) & self.by(other))
            for one, other in pairs
            if other.asked_s - one.answered_s < QUIET_BEFORE_RELOAD_S
        )

    def telling(self, one: Asked) -> bool:
        """Whether the answer is not what all pairs say."""
        return one.answer is not None and len(self.by(one)) < len(self._said)


@dataclass
class Traffic:
    """Sends `per_s` utterances a second to the daemon in `runtime`, in a thread, until `stop`."""

    runtime: Path
    texts: Sequence[str]
    per_s: float
    _pair: Pair = ("1", "1")
    _to: Pair | None = None
    _asked: dict[tuple[str, int], Asked] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _ending: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    @contextmanager
    def changing(self, name: str, version: str) -> Iterator[None]:
        """While this is open, either version may answer; afterwards only the new one."""
        pair = (version, self._pair[1]) if name == "intent" else (self._pair[0], version)
        with self._lock:
            self._to = pair
            for one in self._asked.values():
                if one.answer is None:
                    one.pairs.add(pair)
        yield
        with self._lock:
            self._pair, self._to = pair, None

    def asked(self) -> list[Asked]:
        """All requests so far, in order."""
        return list(self._asked.values())

    def stop(self) -> list[Asked]:
        """Stop sending, wait for the answers that are due, and give all requests."""
        self._ending.set()
        self._thread.join()
        return self.asked()

    def _run(self) -> None:
        texts, number = cycle(self.texts), 0
        with (
            closing(Address(self.runtime)) as address,
            closing(Bus("bench", address, MEMBERS, consumers(), (Interpretation,))) as bus,
        ):
            due_s = self._subscribed(bus)
            while not self._ending.is_set():
                text = next(texts)
                for revision in range(REVISIONS):
                    self._ask(bus, text, number, revision)
                    self._hear(bus, time.monotonic() + APART_S)
                number += 1
                due_s += 1 / self.per_s
                self._hear(bus, due_s)
            until_s = time.monotonic() + PATIENCE_S
            while time.monotonic() < until_s and not all(a.answer for a in self._asked.values()):
                self._hear(bus, time.monotonic() + APART_S)

    def _subscribed(self, bus: Bus) -> float:
        """Wait until answers arrive, and give the time: what was published before is lost."""
        until_s = time.monotonic() + PATIENCE_S
        at_s = -CONVERSATION_S * (MOST_CONVERSATIONS + 1)
        while time.monotonic() < until_s and not self._ending.is_set():
            bus.send(Transcript(utterance_id=GREETING, revision=0, text=self.texts[0], at_s=at_s))
            if any(isinstance(message, Interpretation) for message in bus.receive(APART_S)):
                break
        return time.monotonic()

    def _ask(self, bus: Bus, text: str, number: int, revision: int) -> None:
        with self._lock:
            pairs = {pair for pair in (self._pair, self._to) if pair is not None}
            one = Asked(text, pairs, time.monotonic())
            self._asked[str(number), revision] = one
        at_s = CONVERSATION_S * (number - MOST_CONVERSATIONS)
        bus.send(Transcript(utterance_id=str(number), revision=revision, text=text, at_s=at_s))

    def _hear(self, bus: Bus, until_s: float) -> None:
        while (left_s := until_s - time.monotonic()) > 0:
            for message in bus.receive(left_s):
                if isinstance(message, Interpretation) and message.utterance_id != GREETING:
                    one = self._asked[message.utterance_id, message.revision]
                    one.answer, one.answered_s = message, time.monotonic()


def _alike(some: tuple[Command, ...], others: tuple[Command, ...]) -> bool:
    """Whether two answers are the same, apart from rounding differences between two processes."""
    return len(some) == len(others) and all(
        _values(one) == _values(other)
        and all(abs(a - b) < ROUNDED for a, b in zip(_sure(one), _sure(other), strict=True))
        for one, other in zip(some, others, strict=True)
    )


def _values(command: Command) -> list[str]:
    """Intent and slots without times, since time passes between question and comparison."""
    return [command.intent, *(f"{s.name} {_TIME.sub('', str(s.value))}" for s in command.slots)]


def _sure(command: Command) -> list[float]:
    return [command.confidence, *(slot.confidence for slot in command.slots)]
