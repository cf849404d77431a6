"""Reads one text as the commands in it.

The rules are tried in this order, each one only where all before it failed:

1. a sentence of a skill fits the whole text, without free text;
2. the text divides into such sentences (`nlu.discourse.clauses`): joined, sharing words, or
   corrected;
3. sentences with free text in them fit the whole text or its parts, whichever leaves less to free
   text, and the words are no report or negation;
4. the models recognise the command, and the words hold what its slots need
   (`nlu.fallback.guesser`), or they recognise the parts of the text, whichever they are surer of;
5. nothing is understood.

Where two guesses are equally likely, or it is in doubt whether a command is meant for the assistant
at all, there is no command: the user is asked which choice is meant.

Two kinds of commands are not obeyed: negated ones ("don't turn on the light") and reported ones
("she told me to turn off the oven"), even where free text would take in the words of the report.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from enum import Enum
from functools import lru_cache, partial
from typing import Protocol

import msgspec

from assistant.core.messages import Command
from nlu.discourse import clauses
from nlu.discourse.negation import not_a_command
from nlu.discourse.reading import ReadPart
from nlu.discourse.segmenter import LONGEST, Segmenter
from nlu.grammar.match import Match
from nlu.grammar.templates import Templates
from nlu.text.canonical import Canonical, cuts

_FREE_TEXT_CONFIDENCE = 0.9
_REMEMBERED = 512
_LISTED = ("item",)
"""Slots of free text that may name several things."""


class By(Enum):
    """Which rule of precedence decided."""

    SENTENCE = "a sentence fits the whole text"
    PARTS = "sentences fit its parts"
    FREE_TEXT = "a sentence fits, with free text in it"
    GUESS = "the models know what it is"
    TIE = "the models know two things that it may be, one as likely as the other"
    DOUBT = "the models know what it would be, and not whether it is meant for the assistant"
    GUESSED_PARTS = "the models know what its parts are"
    NOTHING = "nothing fits, and the models would not stand by a guess"


_Found = tuple[By, list[ReadPart] | None]


@dataclass(frozen=True)
class Understood:
    """The commands of a text, none when one part of it is not understood."""

    readings: tuple[ReadPart, ...] = ()
    by: By = By.NOTHING
    not_a_command: bool = False
    """Whether the text negates a command, takes it back, or only reports one."""
    choices: tuple[Command, ...] = ()
    """The commands to ask about."""

    @property
    def commands(self) -> tuple[Command, ...]:
        """The commands in the order in which they were said."""
        return tuple(reading.command for reading in self.readings)

    @property
    def exact(self) -> bool:
        """Whether there are commands and each is an exact sentence."""
        return bool(self.readings) and all(reading.exact for reading in self.readings)

    def with_confidence_at_most(self, most: float) -> Understood:
        """The same, with every command's confidence lowered to at most `most`."""
        commands = (
            msgspec.structs.replace(r.command, confidence=min(r.command.confidence, most))
            for r in self.readings
        )
        readings = zip(self.readings, commands, strict=True)
        return replace(self, readings=tuple(replace(r, command=c) for r, c in readings))


class Guess(Protocol):
    """Guesses what a text means, with the models."""

    @property
    def sure_parts(self) -> float:
        """Confidence from which the parts of a text count as several commands, not one."""

    def __call__(self, said: Canonical, now: datetime, whole: bool = True) -> Command | None:
        """The likeliest command; None when no guess is likely enough."""

    def asks(self, said: Canonical, now: datetime) -> tuple[Command, ...]:
        """The commands to ask about: two that tie, or the likeliest where it may be none at all."""

    def may_be(self, said: Canonical, intent: str) -> bool:
        """Whether a text that fits a sentence with free text may mean that `intent`."""

    def persons(self, said: Canonical) -> tuple[str, ...]:
        """The people whom a text surely names."""


class Interpreter:
    """Reads texts as commands: by the sentences of `templates` first, then by `guess`."""

    def __init__(self, templates: Templates, guess: Guess | None = None) -> None:
        self._templates = templates
        self.guess = guess
        # A text matches the same way at any time; only its values are resolved again.
        self._matched = lru_cache(maxsize=_REMEMBERED)(templates.match_canonical)

    def __call__(
        self, said: Canonical, now: datetime, before: ReadPart | None = None
    ) -> Understood:
        """Read the whole of a text at an aware time, after `before` of the same conversation."""
        by, readings = self._read(said, now, before)
        if by in (By.GUESS, By.NOTHING) and (choices := self._asked(said, now)):
            return Understood(by=By.TIE if by is By.GUESS else By.DOUBT, choices=choices)
        if readings and len(readings) > 1:
            readings = [reading.with_words() for reading in readings]
        if not readings:
            return Understood(by=by, not_a_command=readings is not None or not_a_command(said))
        return Understood(tuple(readings), by)

    def _asked(self, said: Canonical, now: datetime) -> tuple[Command, ...]:
        if self.guess is None or not self._may_guess(said) or not_a_command(said):
            return ()
        return self.guess.asks(said, now)

    def _may_guess(self, said: Canonical) -> bool:
        return self.guess is not None and len(said.tokens) <= LONGEST and not said.garbled

    def _read(self, said: Canonical, now: datetime, before: ReadPart | None) -> _Found:
        for step in (self._by_sentence, self._by_parts, self._by_free_text, self._by_guess):
            if (found := step(said, now, before)) is not None:
                return found
        return By.NOTHING, None

    def _by_sentence(self, said: Canonical, now: datetime, _: ReadPart | None) -> _Found | None:
        whole = self._sentence(said, now, free_text=False)
        return (By.SENTENCE, [whole]) if whole else None

    def _by_parts(self, said: Canonical, now: datetime, before: ReadPart | None) -> _Found | None:
        strict = partial(self._sentence, now=now, free_text=False)
        parts = Segmenter(strict, strict).read(said, before)
        return None if parts is None else (By.PARTS, parts)

    def _by_free_text(
        self, said: Canonical, now: datetime, before: ReadPart | None
    ) -> _Found | None:
        free = partial(self._sentence, now=now, free_text=True)
        whole, parts = free(said), Segmenter(free, free).read(said, before)
        if whole and self._doubts(whole):
            whole = None
        if parts and any(map(self._doubts, parts)):
            parts = None
        if parts and (whole is None or sum(part.free for part in parts) < whole.free):
            return By.FREE_TEXT, parts
        return (By.FREE_TEXT, _each_item(whole)) if whole else None

    def _by_guess(self, said: Canonical, now: datetime, before: ReadPart | None) -> _Found | None:
        if self.guess is None or not self._may_guess(said):
            return None
        free = partial(self._sentence, now=now, free_text=True)

        def loose(part: Canonical) -> ReadPart | None:
            return free(part) or self._guessed(part, now, part is said)

        whole = self._guessed(said, now, whole=True)
        parts = Segmenter(loose, free).read(said, before)
        sure = min((part.confidence for part in parts or ()), default=0.0)
        joined = any(end < start for end, start in cuts(said))  # by a word, not by a pause alone
        enough = self.guess.sure_parts if joined else 1.0
        if whole and sure <= min(enough, whole.confidence):
            return By.GUESS, [whole]
        return None if parts is None else (By.GUESSED_PARTS, parts)

    def _sentence(self, said: Canonical, now: datetime, *, free_text: bool) -> ReadPart | None:
        careful = free_text and not_a_command(said)
        for match in self._matched(said):
            if match.wildcard and (careful or not free_text):
                continue
            slots = self._templates.slots(match, now)
            if slots is not None:
                confidence = _FREE_TEXT_CONFIDENCE if match.wildcard else 1.0
                command = Command(intent=match.intent, slots=slots, confidence=confidence)
                return self._part(said, command, match)
        return None

    def _doubts(self, reading: ReadPart) -> bool:
        """Whether a reading with free text in it is probably not meant for the assistant."""
        if not reading.free or self.guess is None:
            return False
        return not self.guess.may_be(reading.said, reading.command.intent)

    def _guessed(self, said: Canonical, now: datetime, whole: bool) -> ReadPart | None:
        command = self.guess(said, now, whole) if self.guess else None
        return self._part(said, command) if command else None

    def _part(self, said: Canonical, command: Command, match: Match | None = None) -> ReadPart:
        return ReadPart(said, command, match, self._templates.traits(command.intent).thing)


def _each_item(whole: ReadPart) -> list[ReadPart]:
    """One command for each thing in a list that is one free text: "milk, eggs and bread"."""
    at = next((i for i, s in enumerate(whole.command.slots) if s.name in _LISTED), None)
    if at is None:
        return [whole]
    slots = whole.command.slots
    things = clauses.enumerated(whole.said, slots[at].raw)
    items = [msgspec.structs.replace(slots[at], value=thing, raw=thing) for thing in things]
    commands = (
        msgspec.structs.replace(whole.command, slots=(*slots[:at], item, *slots[at + 1 :]))
        for item in items
    )
    return [replace(whole, command=command) for command in commands]
