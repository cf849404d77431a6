"""The understanding stage: a transcript in, the commands in it out."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from datetime import datetime
from functools import cached_property
from typing import ClassVar

import msgspec

from assistant.core.degraded import Degraded
from assistant.core.messages import (
    Choice,
    Command,
    Complete,
    Interpretation,
    Message,
    OpenQuestion,
    Tick,
    Transcript,
)
from assistant.core.rooms.newest import Newest
from assistant.english.commands.amounts import COMPARATIVE_WORDS
from assistant.english.commands.digits import digits_of
from assistant.english.phrases import GOING_ON
from nlu.discourse.direction import directions
from nlu.discourse.short_forms import Conditional
from nlu.explanation import Explanation, explain
from nlu.fallback.guess import Guess
from nlu.grammar.templates import Templates
from nlu.interpreter import Interpreter
from nlu.monitor import UnderstandingMonitor
from nlu.readings import Readings
from nlu.rewriter.prompt import SEPARATOR
from nlu.rewriter.rewriting import Rewriting
from nlu.room import Room
from nlu.suggestion import Suggestion, hints
from nlu.text.canonical import Canonical, canonical
from nlu.trial import VersionTrial
from nlu.understood import By, Understood
from nlu.values import periods

_UNSURE = 0.5
"""Confidence of an alternative whose words have none."""
_SURE = 0.7
"""Confidence of words above which a command is certain. Below it the command is only as sure as
its words."""
_HEARD = 0.5
"""Least confidence of a text for what the models guess in it to be done, or rewrite.

The recogniser makes a salad of its sentences' words of others' talk, and the models see a command
in some of it.
"""
_LIKELY_END = 0.1
"""Least share of sentences with these words that end with them, for nothing to follow.

In recordings of people who order coffee, one in eight who paused after the drink went on to the
milk. From 0.1 on 4 of 150 orders are cut, as from 0.2 on, and from 0.07 on 8; of 54 home commands
half are then waited for 0.2 s, and not 0.5 s.
"""
_WHOLE = (By.SENTENCE, By.PARTS, By.SHORT_FORM)
"""Rules after which nothing of a text is left over."""
_SURELY = (*_WHOLE, By.COMPOSED)
"""Rules that guess nothing."""
_GOING_ON = GOING_ON | COMPARATIVE_WORDS


class NluStage:
    """Interprets each transcript, given the last command before it in its room.

    `interpreter` reads what is said where the device stands, which is `here`, and `elsewhere` makes
    the one of another area; without it all is said here. `now` gives the present as an aware
    datetime in the user's zone; `faults` are reported after somebody was served. `monitor` makes
    what observes how well the models in use understand.
    """

    consumes: ClassVar[tuple[type[Message], ...]] = (Transcript,)

    def __init__(
        self,
        templates: Templates,
        interpreter: Interpreter,
        now: Callable[[], datetime],
        faults: Degraded | None = None,
        here: str = "",
        elsewhere: Callable[[str], Interpreter] | None = None,
        monitor: Callable[[], UnderstandingMonitor] | None = None,
    ) -> None:
        self._templates = templates
        self._here, self._elsewhere = Room(interpreter, templates), elsewhere
        self._area = here
        self._is_here, self._rooms = ("", here), Newest[str, Room]()
        self.trial: VersionTrial | None = None
        """What has a share of the utterances read by another version of a model."""
        self.rewriting: Rewriting | None = None
        """What says in plain words what nothing else understands."""
        self._readings, self._make_monitor = Readings(), monitor
        self.judge_anew()
        self._now = now
        self._faults = faults or Degraded("nlu")
        for forms in (templates.short, templates.conditional):
            if forms is not None:
                forms.prepare()

    def prepare(self) -> None:
        """Make what a text that nothing claims needs, which holds up the first one otherwise."""
        self._nearest  # noqa: B018 - a property that is made once

    @cached_property
    def _nearest(self) -> Suggestion:
        return Suggestion(hints(self._templates), self._templates.served)

    def feed(self, message: Message) -> Iterator[Message]:
        """Give whether the transcript is a whole sentence that ends there, and what it means."""
        if isinstance(message, Tick):
            yield from self._faults.take_reports()
        if not isinstance(message, Transcript):
            return
        self._faults.note_work(message.at_s)
        yield from self._observed(message)

    def judge_anew(self) -> None:
        """Expect what the models understand that are in use now."""
        self._monitor = self._make_monitor() if self._make_monitor is not None else None

    def _observed(self, message: Transcript) -> Iterator[Message]:
        """What a transcript comes to, as the trial has it read, and what follows from that."""
        trial, last = self.trial, self._readings.last(message.area)
        reading = self._readings.of(message)
        if trial is not None and reading is not last:
            trial.begin(reading, last)
        began_s, consulted = time.perf_counter(), self._consulted
        read = self._read(message) if trial is None else trial.read(message, reading, self._read)
        outputs = list(read)
        seconds = time.perf_counter() - began_s
        reading.take(message, outputs, seconds, self._consulted > consulted)
        yield from outputs
        for settled in self._readings.settled():
            if trial is not None:
                trial.count(settled)
            if self._monitor is not None:
                yield from self._monitor.observe(settled)
        if trial is not None and trial.running.over:
            yield trial.running.report()
            self.trial = None
            self.judge_anew()

    @property
    def _consulted(self) -> int:
        """How often a model was asked so far."""
        return self.guess.consulted if self.guess is not None else 0

    def _read(self, message: Transcript) -> Iterator[Message]:
        if message.secret:
            yield from self._of_secret(message)
            return
        room = self._room(message.area)
        text, said, understood = self._understand(message, room)
        nothing, now = not understood.commands, self._now()
        conditional = _conditional(message, said, understood, room.interpreter, now)
        yield Complete(
            utterance_id=message.utterance_id,
            revision=message.revision,
            complete=message.expected
            or understood.exact
            or (nothing and self._templates.is_answer(said)),
            goes_on=not message.expected and message.ends < _LIKELY_END,
        )
        yield Interpretation(
            utterance_id=message.utterance_id,
            revision=message.revision,
            text=text,
            commands=understood.commands,
            missed=understood.missed,
            choices=tuple(self._choices(understood)),
            unclaimed=self._unclaimed(said, understood) if nothing else OpenQuestion(),
            conditional=room.meant(conditional, now),
            area=message.area,
            peer=message.peer,
        )

    def _of_secret(self, transcript: Transcript) -> Iterator[Message]:
        """Read the answer to a question for a secret, without remembering any of it.

        Digits are handed on unread. Other words are a command if they are surely one.
        """
        commands: tuple[Command, ...] = ()
        if digits_of(transcript.text) is None:
            interpret = self._room(transcript.area).interpreter
            understood = interpret(canonical(transcript.text), self._now(), None)
            commands = understood.commands if understood.exact else ()
        yield Complete(
            utterance_id=transcript.utterance_id,
            revision=transcript.revision,
            complete=bool(commands),
        )
        yield Interpretation(
            utterance_id=transcript.utterance_id,
            revision=transcript.revision,
            text=transcript.text,
            commands=commands,
            secret=True,
            area=transcript.area,
            peer=transcript.peer,
        )

    def explain(self, text: str) -> Explanation:
        """What each part makes of a text that would be said now, after the last command."""
        now, room = self._now(), self._here
        understood = room.read(canonical(text), now, room.last)
        return explain(text, understood, self._templates, room.interpreter, now, room.last)

    @property
    def guess(self) -> Guess | None:
        """What guesses the meaning of texts that fit no sentence."""
        return self._here.interpreter.guess

    def deadline_s(self) -> float | None:
        """When to report a model that has failed."""
        return self._faults.deadline_s()

    def _room(self, area: str) -> Room:
        if area in self._is_here or self._elsewhere is None:
            return self._here
        known = self._rooms.get(area)
        self._rooms[area] = room = known or Room(self._elsewhere(area), self._templates)
        return room

    def _understand(self, transcript: Transcript, room: Room) -> tuple[str, Canonical, Understood]:
        """The text that is understood: the transcript, or the first alternative that is exact."""
        now = self._now()
        before = room.before(transcript.utterance_id, transcript.at_s)
        text, said = transcript.text, canonical(transcript.text)
        confidence = transcript.confidence
        understood = room.read(said, now, before)
        sure = transcript.expected or confidence > _SURE
        surely = sure and understood.by in _SURELY
        if not surely and not self._means_it(transcript, said, understood):
            for other in transcript.alternatives:
                found = room.interpreter(canonical(other), now, before)
                if found.exact:
                    text, said, understood = other, canonical(other), found
                    heard = transcript.words and not _short_form(transcript, room.interpreter, now)
                    confidence, sure = confidence if heard else _UNSURE, False
                    break
        if confidence < _HEARD and self._acts_by_a_guess(understood):
            understood = Understood()
        confidence = 1.0 if sure else confidence
        understood = self._rewritten(transcript, text, understood, room)
        if transcript.unasked and not _goes_on(said, understood, now, room.interpreter):
            return "", canonical(""), Understood()
        room.remember(transcript.utterance_id, transcript.at_s, said, understood, before)
        return text, said, understood.with_confidence_at_most(confidence)

    def _rewritten(
        self, transcript: Transcript, text: str, understood: Understood, room: Room
    ) -> Understood:
        """The same, or what plain words say that was meant where nothing is understood."""
        alone = transcript.expected or transcript.unasked or understood.not_a_command
        if self.rewriting is None or alone or not text:
            return understood
        area = transcript.area or self._area
        if understood.by is By.NOTHING:
            if transcript.confidence < _HEARD:
                return understood
            meant = self.rewriting(transcript, area, room.interpreter, self._now())
            return meant or understood
        sentences = (self._templates.plain(command) for command in understood.commands)
        self.rewriting.remember(transcript, area, SEPARATOR.join(filter(None, sentences)) or text)
        return understood

    def _acts_by_a_guess(self, understood: Understood) -> bool:
        """Whether a command that does something is made of a text that fits no sentence."""
        traits = (self._templates.traits(command.intent) for command in understood.commands)
        fits = understood.by in (*_SURELY, By.FREE_TEXT)
        return not fits and not all(t.asks or t.only_talk for t in traits)

    def _means_it(self, transcript: Transcript, said: Canonical, understood: Understood) -> bool:
        """Whether no other reading of what was heard is likelier, however it was heard."""
        told = transcript.expected or transcript.unasked or understood.exact
        return told or self._templates.is_answer(said)

    def _unclaimed(self, said: Canonical, understood: Understood) -> OpenQuestion:
        return OpenQuestion(
            nearest="" if understood.not_a_command else self._hint(said),
            period=periods.within([token.text for token in said.tokens], self._now()),
            persons=self.guess.persons(said) if self.guess is not None else (),
        )

    def _hint(self, said: Canonical) -> str:
        return self._nearest(said, self.guess.likeness if self.guess is not None else None)

    def _choices(self, understood: Understood) -> Iterator[Choice]:
        for command in understood.choices:
            sentence = self._templates.plain(command)
            if sentence:  # who chooses it has said its words
                said = directions(canonical(sentence), self._templates.named)
                chosen = msgspec.structs.replace(command, directions=said)
                yield Choice(sentence=sentence, command=chosen)


def _goes_on(
    said: Canonical, understood: Understood, now: datetime, interpreter: Interpreter
) -> bool:
    """Whether a text surely goes on from what was said before: alone it would mean another.

    A name or a number alone, as "three" or "my bedroom", may be of any talk.
    """
    if not understood.commands or understood.by not in _SURELY:
        return False
    if _GOING_ON.isdisjoint(token.text for token in said.tokens):
        return False
    if any(command.instead or command.referring for command in understood.commands):
        return True
    return understood.commands != interpreter(said, now, None).commands


def _conditional(
    transcript: Transcript,
    said: Canonical,
    understood: Understood,
    interpreter: Interpreter,
    now: datetime,
) -> Conditional:
    """What a text means only while the skills say so, after what was heard before it."""
    sure = understood.by in _SURELY
    meanings = interpreter.conditional(said, now, _is_whole(said, understood), sure)
    other = said != canonical(transcript.text)
    return (*_short_form(transcript, interpreter, now), *meanings) if other else meanings


def _short_form(transcript: Transcript, interpreter: Interpreter, now: datetime) -> Conditional:
    """What a text that was surely heard means as a short form, with the text as its own."""
    if transcript.unasked or transcript.confidence <= _SURE:
        return ()
    return tuple(
        tuple(msgspec.structs.replace(one, text=transcript.text) for one in commands)
        for commands in interpreter.conditional(canonical(transcript.text), now, True, True)
    )


def _is_whole(said: Canonical, understood: Understood) -> bool:
    """Whether nothing of a text is left over, such as a remark: "cancel it, he's done"."""
    if understood.by not in _WHOLE or not understood.readings:
        return False
    last = understood.readings[-1]
    added = bool(last.command.when or last.command.excluded)  # no remark, but part of the command
    ends = last.said.source != said.source or last.said.tokens[-1].end >= said.tokens[-1].end
    return added or ends
