"""Reads one text as the commands in it.

The rules are tried in this order, each one only where all before it failed:

1. the text asks to do once more what was done last ("do it again"), or is read without its remarks
   (`nlu.discourse.reasons`), or a sentence of a skill fits the whole of it, without free text;
2. the text begins with what it waits for ("at sunset"), and the rest is read by these rules;
3. the text divides into such sentences (`nlu.discourse.clauses`): joined, sharing words, or
   corrected;
4. short forms (`nlu.discourse.short_forms`) make it up: "pasta, ten minutes", also with sentences;
5. each word is a part of a question about the home (`nlu.parts.questions`), or of a command
   (`nlu.parts.composer`): who, where, what to do, how much; or all but a statement that says why;
6. sentences with free text in them fit the whole text or its parts, whichever leaves less to free
   text, and the words are no report or negation;
7. the text names what the home does not have: the blinds of a room without any;
8. it is the name of a device and nothing else, so that the user is asked what to do with it;
9. the models recognise the command, and the words hold what its slots need
   (`nlu.fallback.guesser`), or they recognise the parts of the text, whichever they are surer of;
10. the text states a need, and the user is asked whether to meet it, or it is like an example of
    what is only talked about, and has one reply;
11. nothing is understood.

Where rule 9 leaves something out, and before rule 10, the one clause that means nothing is set
aside (`nlu.discourse.set_aside`): the others are obeyed, and its words are told.

By each rule, what a text adds to a command (`nlu.discourse.modifiers`) is divided from it and kept:
what is excepted from its targets, and when. A guess needs a word for its direction, such as "on";
without one the user is asked.

Where two guesses are equally likely, or it is in doubt whether a command is meant for the assistant
at all, there is no command: the user is asked which choice is meant.

Two kinds of commands are not obeyed: negated ones ("don't turn on the light") and reported ones
("she told me to turn off the oven"), even where free text would take in the words of the report.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import partial

from assistant.core.messages import Command, Slot
from nlu.discourse import clauses
from nlu.discourse.continuation import (
    after_a_timer,
    leans,
    put_off,
    put_off_alone,
    redone,
    shared_modifiers,
)
from nlu.discourse.free_text import takes_too_much
from nlu.discourse.modifiers import Modifiers, divisions, taken_out, timed_before
from nlu.discourse.negation import not_a_command, unlikely_command
from nlu.discourse.reading import ReadPart, spells
from nlu.discourse.reasons import Alone, without_beneficiary, without_reason, without_remarks
from nlu.discourse.segmenter import LONGEST, One, Segmenter, with_modifiers
from nlu.discourse.set_aside import obeyed
from nlu.discourse.short_forms import Conditional, ShortForms
from nlu.fallback.guess import Guess
from nlu.fallback.left_out import leaves_out, leaves_out_clause, leaves_out_kind
from nlu.grammar.templates import Templates
from nlu.parts.composer import Composed, Composer, Strangers
from nlu.parts.questions import Questions
from nlu.sentences import Sentences
from nlu.text.canonical import Canonical, canonical, cuts, without_politeness
from nlu.understood import By, Found, Understood, first_found


class Interpreter:
    """Reads texts as commands: by the sentences of `templates` first, then by `guess`."""

    def __init__(
        self,
        templates: Templates,
        guess: Guess | None = None,
        compose: Composer | None = None,
        questions: Questions | None = None,
    ) -> None:
        self._templates, self.guess = templates, guess
        self._compose, self._questions = compose, questions
        self._short = ShortForms(templates.short, templates.conditional, self._beside)
        sentences = Sentences(templates)
        self._sentence, self._with_names = sentences.read, sentences.with_names
        self._part = sentences.part
        self._segmenter = partial(Segmenter, traits=templates.traits)

    def __call__(
        self, said: Canonical, now: datetime, before: ReadPart | None = None
    ) -> Understood:
        """Read the whole of a text at an aware time, after `before` of the same conversation."""
        by, readings = self._read(said, now, before)
        if by is By.GUESS and readings and self._leaves_out(readings[0]):
            if some := self._some_clauses(said, now):
                return some
            if not self._templates.traits(readings[0].command.intent).asks:
                return Understood(by=By.DOUBT, choices=(readings[0].command,))
            by, readings = By.NOTHING, None
        if by is By.NOTHING and (strange := self._of_strangers(said, "any")):
            asked = self._asked(said, now)
            if not (asked and spells(asked[0], strange[1] or ())):
                by, readings = strange
        if by is By.NOTHING and (some := self._some_clauses(said, now)):
            return some
        if by is By.NOTHING and self._compose and (need := self._compose.need(said)):
            return Understood(by=By.NEED, choices=(need,))
        if by is By.NOTHING and (talk := self._talk(said)):
            return Understood((talk,), By.TALK)
        if by in (By.GUESS, By.NOTHING) and (choices := self._asked(said, now)):
            return Understood(by=By.TIE if by is By.GUESS else By.DOUBT, choices=choices)
        if readings and len(readings) > 1:
            readings = [reading.with_words() for reading in readings]
        if not readings:
            return Understood(by=by, not_a_command=readings is not None or not_a_command(said))
        return Understood(tuple(readings), by)

    def conditional(self, said: Canonical, now: datetime, whole: bool, sure: bool) -> Conditional:
        """The meanings that a text has only while the skills say so, the likeliest first.

        Unless it is read as a `whole`, talk may stand beside them; unless for `sure`, sentences.
        """
        return self._short.conditional(said, now, whole, sure)

    def is_about_devices(self, part: ReadPart) -> bool:
        """Whether a command is about devices of the home."""
        return self._compose is not None and bool(self._compose.domains_of(part.command))

    def mentioned(self, said: Canonical) -> ReadPart | None:
        """The devices that a negated command names, as "it" may mean them; None for none."""
        named = self._compose.mention(said) if self._compose is not None else None
        return self._composed(named) if named is not None else None

    def composed(self, said: Canonical, before: ReadPart | None = None) -> tuple[Command, ...]:
        """The commands that the parts of a text make, whichever rule decides in the end."""
        made = self._compose(said, before.turn if before else ()) if self._compose else None
        return tuple(one.command for one in made or ())

    def _leaves_out(self, guessed: ReadPart) -> bool:
        """Whether a guess leaves out what is named, or a clause."""
        compose = self._compose
        other = compose is not None and (
            leaves_out_clause(guessed, compose) or leaves_out_kind(guessed, compose)
        )
        return other or leaves_out(guessed, self._templates)

    def _asked(self, said: Canonical, now: datetime) -> tuple[Command, ...]:
        if self.guess is None or not self._may_guess(said) or not_a_command(said):
            return ()
        return self.guess.asks(said, now)

    def _talk(self, said: Canonical) -> ReadPart | None:
        command = self.guess.talk(said) if self.guess and self._may_guess(said) else None
        return self._part(said, command) if command else None

    def _may_guess(self, said: Canonical) -> bool:
        return len(said.tokens) <= LONGEST and not said.garbled

    def _read(self, said: Canonical, now: datetime, before: ReadPart | None) -> Found:
        first = (self._by_composition,) if before and leans(said, before) else ()
        if self._asks(before) and not self._asks(self._sentence(said, now, free_text=False)):
            first = (self._by_question, *first)  # "and the kitchen one" asks, and sets no light
        if before is not None and before.command.when is not None:
            first = (self._by_new_time, *first)  # "no, at ten" is no brightness
        first = (*first, self._by_addition)
        marked = clauses.as_question(said)
        if marked and (asked := self._by_question(marked, now, None)):
            return asked
        alone = (without_remarks, without_reason, without_beneficiary)
        remarks, reason, whom = (partial(self._alone, of) for of in alone)
        for step in (
            *(self._by_repetition, remarks, *first, self._by_sentence, self._by_time),
            *(self._by_parts, self._by_short_form, self._by_question, reason),
            *(self._by_composition, self._by_new_time, self._by_routine, self._by_free_text),
            *(whom, self._by_strange_kind, self._by_name, self._by_guess),
        ):
            if (found := step(said, now, before)) is not None:
                by, parts = found
                parts = parts and shared_modifiers(put_off(parts, said, before))
                if marked and any(map(self._acts_on_devices, parts or ())):
                    return By.NOTHING, None  # "hens shut?" is no order to shut them in
                return by, parts and after_a_timer(parts)
        return By.NOTHING, None

    def _asks(self, part: ReadPart | None) -> bool:
        return part is not None and self._templates.traits(part.command.intent).asks

    def _acts_on_devices(self, part: ReadPart) -> bool:
        return self._compose is not None and self._compose.is_for_devices(part.command)

    def _by_sentence(self, said: Canonical, now: datetime, _: ReadPart | None) -> Found | None:
        whole = self._exactly(now)(said)
        talk = whole is not None and self._templates.traits(whole.command.intent).only_talk
        if talk and (found := self._by_routine(said, now, None)):
            return found  # "bedtime please" is no good night where a scene is called so
        return (By.SENTENCE, [whole]) if whole else None

    def _by_routine(self, said: Canonical, now: datetime, _: ReadPart | None) -> Found | None:
        routine = self._compose.routine(said) if self._compose is not None else None
        return (By.COMPOSED, [self._part(said, routine)]) if routine is not None else None

    def _by_time(self, said: Canonical, now: datetime, before: ReadPart | None) -> Found | None:
        """Commands that all wait for what the text begins with: "at sunset turn on the lamp"."""
        for core, when in timed_before(said, now):
            exact = (self._by_sentence, self._by_parts, self._by_composition)
            # Without a pause it is uncertain where a clause ends, so the rest is no free text.
            clear = core.tokens[0].start in said.pauses or when.kind != "event"
            steps = (*exact, self._by_free_text, self._by_guess) if clear else exact
            by, parts = first_found(steps, core, now, before)
            if parts:
                return by, [part.put_off(when, now) for part in parts]
        return None

    def _by_parts(self, said: Canonical, now: datetime, before: ReadPart | None) -> Found | None:
        modified = self._exactly(now)
        parts = self._segmenter(modified, modified, modified).read(said, before)
        whole = (self._templates.traits(part.command.intent).whole for part in parts or ())
        if parts is None or (len(parts) > 1 and any(whole)):
            return None  # "turn the tv on but quiet" asks nobody to be quiet
        return By.PARTS, parts

    def _by_strange_kind(
        self, said: Canonical, now: datetime, before: ReadPart | None
    ) -> Found | None:
        # A guess would take "the conservatory blinds" for those of another room, unless its words
        # are but another spelling: "the bedroom lump".
        found = self._of_strangers(said, "kinds")
        return None if found and self._misspelt(said, now, found[1] or ()) else found

    def _by_name(self, said: Canonical, now: datetime, before: ReadPart | None) -> Found | None:
        """A device that is named alone, so that what to do with it is asked."""
        named = self._compose.alone(said) if self._compose is not None else None
        return (By.NAME, [self._part(said, named)]) if named is not None else None

    def _some_clauses(self, said: Canonical, now: datetime) -> Understood | None:
        """The clauses that sentences or parts surely make, beside one that means nothing."""
        if self._compose is None or not self._may_guess(said):
            return None
        steps = (self._by_sentence, self._by_parts, self._by_composition)
        found = obeyed(
            said, lambda one: first_found(steps, one, now, None)[1], self._compose.harmless
        )
        return found and Understood(found.readings, By.SOME_CLAUSES, missed=found.missed)

    def _misspelt(self, said: Canonical, now: datetime, strange: Sequence[ReadPart]) -> bool:
        """Whether the models take strange words for another spelling of what the home has."""
        if self.guess is None:
            return False
        guessed = self.guess(said, now) or next(iter(self.guess.asks(said, now)), None)
        return guessed is not None and spells(guessed, strange)

    def _of_strangers(self, said: Canonical, strangers: Strangers) -> Found | None:
        """A command for what the home does not have, so that this is what is told."""
        if self._compose is None or not self._may_guess(said) or unlikely_command(said):
            return None
        if clauses.as_question(said):
            return None
        plain = without_reason(without_politeness(said), self._compose.mentions) or said
        composed = self._compose(plain, strangers=strangers)
        parts = [self._composed(one) for one in composed or ()]
        return (By.COMPOSED, parts) if parts else None

    def _by_composition(
        self, said: Canonical, now: datetime, before: ReadPart | None
    ) -> Found | None:
        if self._compose is None or not self._may_guess(said) or not_a_command(said):
            return None
        last = before.turn if before else ()
        plain = ((text, Modifiers()) for text in (*clauses.recounted(said), said))
        for core, modifiers in (*divisions(said, self._named, now), *plain):
            if composed := self._compose(core, last, follows=not (before and before.missed)):
                parts = [self._composed(one).modified(modifiers) for one in composed]
                return By.COMPOSED, parts
        return None

    def _by_addition(self, said: Canonical, now: datetime, before: ReadPart | None) -> Found | None:
        """The commands before, without what a text takes out of them: "not the bathroom"."""
        left_out = taken_out(said)
        if before is None or left_out is None:
            return None
        whole = clauses.joined(clauses.joined(before.said, canonical("except")), left_out)
        found = self._by_sentence(whole, now, None) or self._by_composition(whole, now, None)
        parts = [part for part in (found[1] if found else None) or () if part.command.excluded]
        # The text of the command before is without its own exceptions and its time.
        modifiers = Modifiers(before.command.excluded, before.command.when)
        parts = [part.modified(modifiers) for part in parts]
        if self._compose is None or not all(self._compose.may_except(p.command) for p in parts):
            return None
        return (By.COMPOSED, [part.in_place_of_the_last() for part in parts]) if parts else None

    def _by_new_time(self, said: Canonical, now: datetime, before: ReadPart | None) -> Found | None:
        """The commands before, at the time that is all that a text says: "no, at ten"."""
        later = None if self._asks(before) else put_off_alone(said, before, now)
        return (By.COMPOSED, [self._part(said, one) for one in later]) if later else None

    def _by_repetition(
        self, said: Canonical, now: datetime, before: ReadPart | None
    ) -> Found | None:
        """The commands to devices before, once more: "do it again but leave the hall on"."""
        if before is None or self._compose is None:
            return None
        if not all(map(self._compose.is_for_devices, before.turn)):
            return None
        again = redone(said, before, divisions(said, self._named, now)) or ()
        parts = [ReadPart(said, one, thing=before.thing) for one in again]
        return (By.COMPOSED, parts) if parts else None

    def _alone(
        self, command_of: Alone, said: Canonical, now: datetime, before: ReadPart | None
    ) -> Found | None:
        """The command without what is said beside it: "telly off, nobody is watching"."""
        plain = self._compose and command_of(said, self._compose.mentions)
        if not plain or not self._may_guess(said):
            return None
        steps = (self._by_sentence, self._by_time, self._by_parts, self._by_short_form)
        more = (self._by_question, self._by_composition, self._by_new_time, self._by_addition)
        by, parts = first_found((*steps, *more), plain, now, before)
        return (by, parts) if parts else None

    def _by_question(self, said: Canonical, now: datetime, before: ReadPart | None) -> Found | None:
        if self._questions is None or not self._may_guess(said):
            return None
        last = before.turn if before else ()
        if read := self._questions(said, last):
            return By.COMPOSED, [self._part(one.said, one.command) for one in read]
        strange = self._questions(said, last, strangers=True) or ()
        parts = [self._part(one.said, one.command) for one in strange]
        return (By.COMPOSED, parts) if parts and not self._misspelt(said, now, parts) else None

    def _by_short_form(self, said: Canonical, now: datetime, _: ReadPart | None) -> Found | None:
        parts = self._short.certain(said, now)
        return (By.SHORT_FORM, parts) if parts else None

    def _by_free_text(
        self, said: Canonical, now: datetime, before: ReadPart | None
    ) -> Found | None:
        modified = self._modified(partial(self._sentence, now=now, free_text=True), now)
        segmenter = self._segmenter(modified, modified, self._exactly(now))
        whole, parts = modified(said), segmenter.read(said, before)
        if whole and self._doubts(whole):
            whole = None
        if parts and any(map(self._doubts, parts)):
            parts = None
        if parts and (whole is None or sum(part.free for part in parts) < whole.free):
            return By.FREE_TEXT, parts
        return (By.FREE_TEXT, whole.each_item()) if whole else None

    def _by_guess(self, said: Canonical, now: datetime, before: ReadPart | None) -> Found | None:
        if (guess := self.guess) is None or not self._may_guess(said):
            return None
        free = partial(self._sentence, now=now, free_text=True)

        def guessed(part: Canonical) -> ReadPart | None:
            command = guess(part, now, part is said)
            return _sound(self._part(part, command)) if command else None

        def loose(part: Canonical) -> ReadPart | None:
            return _sound(free(part)) or guessed(part)

        whole = self._modified(guessed, now)(said)
        exact = self._exactly(now)
        segmenter = self._segmenter(self._modified(loose, now), self._modified(free, now), exact)
        parts = segmenter.read(said, before)
        sure = min((part.confidence for part in parts or ()), default=0.0)
        joined = any(end < start for end, start in cuts(said))  # by a word, not by a pause alone
        least = min(guess.sure_parts if joined else 1.0, whole.confidence if whole else 0.0)
        if whole and (sure < least or (sure == least and not joined) or whole.holds(parts or ())):
            return By.GUESS, [whole]
        return None if parts is None else (By.GUESSED_PARTS, parts)

    def _exactly(self, now: datetime) -> One:
        """Reads a whole sentence without free text, and what is added to it."""
        return self._modified(partial(self._sentence, now=now, free_text=False), now)

    def _beside(self, said: Canonical, now: datetime) -> ReadPart | None:
        return self._modified(partial(self._with_names, now=now), now)(said)

    def _modified(self, read: One, now: datetime) -> One:
        return with_modifiers(read, self._named, now, self._templates.traits)

    def _doubts(self, reading: ReadPart) -> bool:
        """Whether a reading with free text in it is probably not meant for the assistant."""
        if takes_too_much(reading):
            return True
        intent = reading.command.intent
        if not reading.free or self.guess is None or self._templates.traits(intent).unmistakable:
            return False
        return not self.guess.may_be(reading.said, intent)

    def _named(self, text: str) -> Slot | None:
        """What words name: by a whole name, or by as much of it as tells one device."""
        return self._templates.named(text) or (self._compose.named(text) if self._compose else None)

    def _composed(self, one: Composed) -> ReadPart:
        return self._part(one.said, one.command, doing=one.doing)


def _sound(reading: ReadPart | None) -> ReadPart | None:
    """A reading whose free text holds nothing else; None for another."""
    return None if reading is None or takes_too_much(reading) else reading
