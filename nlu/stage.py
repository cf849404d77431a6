"""The understanding stage: a transcript in, the commands in it out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime
from typing import ClassVar, NamedTuple

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
from assistant.english.commands.amounts import COMPARATIVE_WORDS
from assistant.english.commands.digits import digits_of
from assistant.english.phrases import GOING_ON
from assistant.skill.manifest import Traits
from nlu.discourse.continuation import recalled
from nlu.discourse.direction import directions
from nlu.discourse.reading import ReadPart
from nlu.explanation import Explanation, explain
from nlu.fallback.guess import Guess
from nlu.grammar.templates import Templates
from nlu.interpreter import Interpreter
from nlu.suggestion import Suggestion, hints
from nlu.text.canonical import Canonical, canonical
from nlu.understood import By, Understood
from nlu.values import periods

_UNSURE = 0.5
"""Confidence of an alternative whose words have none."""
_SURE = 0.7
"""Confidence of words above which a command is certain. Below it the command is only as sure as
its words."""
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
_BY_PARTS = (By.PARTS, By.COMPOSED)
"""Rules by which a text may go on from the utterance before the last."""
CONVERSATION_S = 60.0
"""Seconds in which "it" may still stand for what the last command was about."""


class _Turn(NamedTuple):
    """The last command of an utterance, and when it was interpreted."""

    utterance_id: str
    reading: ReadPart | None
    at_s: float


_NO_TURN = _Turn("", None, 0.0)


class NluStage:
    """Interprets each transcript, given the last command before it, always the same way.

    `now` gives the present as an aware datetime in the user's zone; `faults` are reported after
    somebody was served.
    """

    consumes: ClassVar[tuple[type[Message], ...]] = (Transcript,)

    def __init__(
        self,
        templates: Templates,
        interpreter: Interpreter,
        now: Callable[[], datetime],
        faults: Degraded | None = None,
    ) -> None:
        self._templates = templates
        self._interpreter = interpreter
        self._now = now
        self._faults = faults or Degraded("nlu")
        self._before = self._latest = _NO_TURN
        self._nearest = Suggestion(hints(templates), templates.served)

    def feed(self, message: Message) -> Iterator[Message]:
        """Give whether the transcript is a whole sentence that ends there, and what it means."""
        if isinstance(message, Tick):
            yield from self._faults.take_reports()
        if not isinstance(message, Transcript):
            return
        self._faults.note_work(message.at_s)
        if message.secret:
            yield from self._of_secret(message)
            return
        text, said, understood = self._understand(message)
        nothing = not understood.commands
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
            conditional=self._interpreter.conditional(
                said, self._now(), _is_whole(said, understood)
            ),
        )

    def _of_secret(self, transcript: Transcript) -> Iterator[Message]:
        """Read the answer to a question for a secret, without remembering any of it.

        Digits are handed on unread. Other words are a command if they are surely one.
        """
        commands: tuple[Command, ...] = ()
        if digits_of(transcript.text) is None:
            understood = self._interpreter(canonical(transcript.text), self._now(), None)
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
        )

    def explain(self, text: str) -> Explanation:
        """What each part makes of a text that would be said now, after the last command."""
        now, before = self._now(), self._latest.reading
        understood = self._after(canonical(text), now, before)
        return explain(text, understood, self._templates, self._interpreter, now, before)

    @property
    def guess(self) -> Guess | None:
        """What guesses the meaning of texts that fit no sentence."""
        return self._interpreter.guess

    def deadline_s(self) -> float | None:
        """When to report a model that has failed."""
        return self._faults.deadline_s()

    def _understand(self, transcript: Transcript) -> tuple[str, Canonical, Understood]:
        """The text that is understood: the transcript, or the first alternative that is exact."""
        now, before = self._now(), self._turn_before(transcript)
        text, said = transcript.text, canonical(transcript.text)
        confidence = transcript.confidence
        understood = self._after(said, now, before)
        sure = transcript.expected or confidence > _SURE
        surely = sure and understood.by in _SURELY
        if not surely and not self._means_it(transcript, said, understood):
            for other in transcript.alternatives:
                found = self._interpreter(canonical(other), now, before)
                if found.exact:
                    text, said, understood = other, canonical(other), found
                    confidence, sure = confidence if transcript.words else _UNSURE, False
                    break
        confidence = 1.0 if sure else confidence
        if transcript.unasked and not self._goes_on(said, understood, now):
            return "", canonical(""), Understood()
        self._remember(transcript, said, understood, before)
        return text, said, understood.with_confidence_at_most(confidence)

    def _means_it(self, transcript: Transcript, said: Canonical, understood: Understood) -> bool:
        """Whether no other reading of what was heard is likelier, however it was heard."""
        told = transcript.expected or transcript.unasked or understood.exact
        return told or self._templates.is_answer(said)

    def _goes_on(self, said: Canonical, understood: Understood, now: datetime) -> bool:
        """Whether a text surely goes on from what was said before: alone it would mean another.

        A name or a number alone, as "three" or "my bedroom", may be of any talk.
        """
        if not understood.commands or understood.by not in _SURELY:
            return False
        if _GOING_ON.isdisjoint(token.text for token in said.tokens):
            return False
        if any(command.instead or command.referring for command in understood.commands):
            return True
        return understood.commands != self._interpreter(said, now, None).commands

    def _remember(
        self,
        transcript: Transcript,
        said: Canonical,
        understood: Understood,
        before: ReadPart | None,
    ) -> None:
        """Keep what the next utterance may go on from, if this one is any of it."""
        continued = understood.readings[-1] if understood.readings else None
        traits = self._templates.traits(continued.command.intent) if continued else Traits()
        named = self._interpreter.mentioned(said) if understood.not_a_command else None
        earlier = before and replace(before, earlier=None)
        if continued and not (traits.only_talk or traits.whole):
            last = replace(continued, turn=understood.commands, earlier=earlier)
            self._latest = _Turn(transcript.utterance_id, last, transcript.at_s)
        elif named is not None:
            last = replace(named, turn=(named.command,), earlier=earlier, missed=True)
            self._latest = _Turn(transcript.utterance_id, last, transcript.at_s)
        elif understood.by is By.NOTHING and self._latest.reading is not None:
            missed = replace(self._latest.reading, missed=True)
            self._latest = self._latest._replace(reading=missed)

    def _after(self, said: Canonical, now: datetime, before: ReadPart | None) -> Understood:
        """What a text means after the last utterance, or by its parts with the one before that."""
        plain = self._interpreter(said, now, before)
        back = plain.by is not By.NAME and self._leads_back(before)
        for other in recalled(said, before, back) if before else ():
            if other is before:
                understood, enough = plain, plain.by is not By.NAME
            else:
                understood = self._interpreter(said, now, other)
                enough = understood.by in _BY_PARTS
            if understood.commands and enough:
                return understood
        return plain

    def _leads_back(self, before: ReadPart | None) -> bool:
        """Whether the utterance before the last was about devices, and the last was not."""
        about_devices, earlier = self._interpreter.is_about_devices, before and before.earlier
        return bool(before and earlier and about_devices(earlier) and not about_devices(before))

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

    def _turn_before(self, transcript: Transcript) -> ReadPart | None:
        """The last command of the utterance before this one, while it is fresh.

        Revisions of one utterance are all read after the same command.
        """
        if transcript.utterance_id != self._latest.utterance_id:
            self._before = self._latest
        fresh = transcript.at_s - self._before.at_s < CONVERSATION_S
        return self._before.reading if fresh else None


def _is_whole(said: Canonical, understood: Understood) -> bool:
    """Whether nothing of a text is left over, such as a remark: "cancel it, he's done"."""
    if understood.by not in _WHOLE or not understood.readings:
        return False
    last = understood.readings[-1]
    added = bool(last.command.when or last.command.excluded)  # no remark, but part of the command
    ends = last.said.source != said.source or last.said.tokens[-1].end >= said.tokens[-1].end
    return added or ends
