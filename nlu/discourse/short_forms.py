"""Reads short forms: sentences that leave out the verb, or what they are about.

    certain        "potatoes fifteen minutes, peas three"     two new timers
    conditional    "give the potatoes three more"             only where such a timer runs

Both may be several in one text, with or without pauses, and bare numbers in them are minutes. A
certain one names things in the user's own words, but none of the home's. A conditional one may
stand beside a reason: "cancel the onions, they're done".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from itertools import islice

from assistant.core.messages import Command
from assistant.english.commands.short_forms import (
    ASKED_BEFORE_HEDGE,
    HEDGES,
    NO_LABEL,
    NO_THING,
    REASONS,
    START_SEVERAL,
)
from assistant.english.commands.words import AUXILIARIES, BEGINNINGS, QUESTIONS
from assistant.english.stop_words import ARTICLES
from nlu.discourse import clauses
from nlu.discourse.free_text import takes_too_much
from nlu.discourse.negation import (
    negates_itself,
    not_a_command,
    reported,
    unlikely_command,
)
from nlu.discourse.reading import ReadPart
from nlu.grammar.templates import Templates
from nlu.text.canonical import Canonical, Token, canonical, cuts, without_politeness
from nlu.values.amounts import amount
from nlu.values.durations import unit_s

_LONGEST = 24
"""Most words of a text that is read."""
_LONGEST_LABEL = 4
_LONGEST_NAME = 6
"""Most words of a name that the skill compares with what it knows."""
_MOST_ITEMS = 6
_MOST_TEXTS = 16
"""Most texts that are tried as a conditional form with a reason beside it."""
_MOST_REPAIRED = 12
_MOST_MEANINGS = 24

_MORE = (["more"], ["extra"])
_TIMERS = ("timer", "timers")
_ONE_TIMER, _ONE_FOR = canonical("set timer"), ("1 for ", "another for ")

Conditional = tuple[tuple[Command, ...], ...]
Sentence = Callable[[Canonical, datetime], ReadPart | None]
"""Reads a text as a whole sentence at a time."""
_REASONS = tuple(tuple(reason.split()) for reason in REASONS)
_NEW_NAME = "{text:name}"
"""Free text for a name, in a sentence."""
_HEDGES = tuple(sorted((tuple(hedge.split()) for hedge in HEDGES), key=len, reverse=True))
_ORDINAL = "second"
"""The unit of time that is also the word for one of several things: "stop the second"."""
_LATEST_VERB = 2
"""Last place of the verb in a statement after its first word: "the ring on the left has"."""


class ShortForms:
    """The short forms of all skills, over the names of a home."""

    def __init__(
        self, certain: Templates | None, conditional: Templates | None, beside: Sentence
    ) -> None:
        """Read `certain` forms, which are always meant, and `conditional` ones.

        What `beside` reads may stand beside either.
        """
        self._certain, self._conditional, self._beside = certain, conditional, beside
        self._naming = {
            claim.schema.intent
            for claim in (certain.claims if certain else ())
            if any(_NEW_NAME in sentence for sentence in claim.schema.sentences)
        }
        """Intents whose certain forms give new names."""

    def certain(self, said: Canonical, now: datetime) -> list[ReadPart] | None:
        """The commands of a text of certain forms, and perhaps sentences; None for another text."""
        if not self._may_be_read(said) or not_a_command(said):
            return None
        said = _without_hedges(said)
        timed = any(unit_s(token.text) or token.text in _TIMERS for token in said.tokens)
        for text in islice(_announced(said), _MOST_REPAIRED):
            for complete in (text, with_units(text)) if timed else (text,):
                if not (self._certain and self._certain.may_hold(complete)):
                    continue
                found = self._items(complete, now, {}, _MOST_ITEMS)
                if found and any(self._first_certain(part.said, now) for part in found):
                    return found
        return self._bare_times(said, now)

    def _bare_times(self, said: Canonical, now: datetime) -> list[ReadPart] | None:
        """The timers of the times behind words that announce several: "two timers, 5 and 10"."""
        announced = START_SEVERAL.match(said.text)
        if announced is None:
            return None
        times = said.part(len(announced[0].split()), len(said.tokens))
        ends = [0, *(place for cut in cuts(times) for place in cut), len(times.tokens)]
        parts = [times.part(a, b) for a, b in zip(ends[::2], ends[1::2], strict=True) if a < b]
        bare = (part.part(2 * part.text.startswith(_ONE_FOR), len(part.tokens)) for part in parts)
        texts = (clauses.joined(_ONE_TIMER, with_units(part)) for part in bare if part.tokens)
        found = [next(iter(self._read_certain(text, now)), None) for text in texts]
        read = [part for part in found if part is not None and not _free(part)[0]]
        return read if 1 < len(read) == len(found) <= _MOST_ITEMS else None

    def conditional(self, said: Canonical, now: datetime, whole: bool, sure: bool) -> Conditional:
        """The meanings that a text has only while the skills say so, the likeliest first.

        Unless it is read as a `whole`, it may be a form with a reason or more talk beside it.
        Unless it is for `sure` something else, half of it may be a sentence.
        """
        if not self._may_be_read(said):
            return ()
        said = _without_hedges(said)
        found: dict[tuple[Command, ...], None] = {
            (part.command,): None for part in self._read_conditional(said, now) if _is_bare(part)
        }
        texts = [said] if whole else list(islice(_without_reasons(said), _MOST_TEXTS))
        # What was put right is not meant as it was said first: "oat milk, no sorry, almond milk".
        repaired = list(islice(_repaired(said), _MOST_REPAIRED))
        for text in repaired or texts:
            negated = not_a_command(text)
            meanings = self._negated if negated else self._alternatives
            found |= dict.fromkeys(meanings(text, now))
            if not (sure or negated):
                found |= dict.fromkeys(self._halves(text, now))
        likeliest = sorted(found, key=len) if repaired else found
        return tuple(islice(likeliest, _MOST_MEANINGS))

    def _may_be_read(self, said: Canonical) -> bool:
        return 0 < len(said.tokens) <= _LONGEST and not said.garbled

    def _items(
        self, said: Canonical, now: datetime, known: dict[int, list[ReadPart] | None], most: int
    ) -> list[ReadPart] | None:
        """The fewest certain forms, and sentences after or before them, that make up a text."""
        start = said.tokens[0].start
        if start not in known:
            is_part = most < _MOST_ITEMS
            whole = self._first_certain(said, now) or (self._beside(said, now) if is_part else None)
            known[start] = whole.each_item() if whole else None
            ways = [] if whole or most < 2 else list(_divisions(said))
            for head, rest in ways:
                first = self._first_certain(head, now) or self._beside(head, now)
                others = self._items(rest, now, known, most - 1) if first else None
                best = known[start]
                if first and others and (best is None or len(others) + 1 < len(best)):
                    known[start] = [first, *others]
        return known[start]

    def _first_certain(self, said: Canonical, now: datetime) -> ReadPart | None:
        return next(iter(self._read_certain(said, now)), None)

    def _negated(self, said: Canonical, now: datetime) -> Iterator[tuple[Command, ...]]:
        """The meanings of a text that negates, where that is what the form says: "not the peas"."""
        for reading in self._forms(said, now):
            if reading.match is not None and negates_itself(said, reading.match):
                yield (reading.command,)

    def _alternatives(self, said: Canonical, now: datetime) -> Iterator[tuple[Command, ...]]:
        for text in (said, with_units(said)):
            for reading in self._forms(text, now):
                yield tuple(part.command for part in reading.each_item())
        for end, start in cuts(said):
            head, rest = said.part(0, end), said.part(start, len(said.tokens))
            tails = list(self._alternatives(rest, now))
            for first in self._forms(with_units(head), now):
                yield from ((first.command, *tail) for tail in tails)

    def _halves(self, said: Canonical, now: datetime) -> Iterator[tuple[Command, ...]]:
        """The meanings of a text of which one half is a whole sentence: "add milk and lamp off"."""
        for end, start in cuts(said):
            halves = said.part(0, end), said.part(start, len(said.tokens))
            first, second = (self._beside(half, now) for half in halves)
            if first and not second:
                tails = self._alternatives(halves[1], now)
                yield from ((first.command, *tail) for tail in tails)
            elif second and not first:
                heads = self._alternatives(halves[0], now)
                yield from ((*head, second.command) for head in heads)

    def _forms(self, said: Canonical, now: datetime) -> Iterator[ReadPart]:
        """The conditional forms that may stand beside others: more than a name."""
        return (part for part in self._read_conditional(said, now) if not _is_bare(part))

    def _read_certain(self, said: Canonical, now: datetime) -> Iterator[ReadPart]:
        for part in _read(self._certain, said, now):
            names, things = _free(part)
            free = (*names, *things)
            told = bool(free) and unlikely_command(said) and not _asks(said, free)
            told = told or takes_too_much(part)
            thing = all(NO_THING.isdisjoint(text.split()) for text in things)
            if not told and thing and all(map(self._label, names)):
                yield part

    def _read_conditional(self, said: Canonical, now: datetime) -> Iterator[ReadPart]:
        for part in _read(self._conditional, said, now):
            fits = self._label if part.command.intent in self._naming else _name
            if all(map(fits, _free(part)[0])) and not takes_too_much(part):
                yield part

    def _label(self, text: str) -> bool:
        """Whether words may be a name of the user's own, and none of the home's."""
        words = text.split()
        return (
            0 < len(words) <= _LONGEST_LABEL
            and NO_LABEL.isdisjoint(words)
            and not any(word.isdecimal() for word in words)
            and (self._certain is None or self._certain.named(text) is None)
        )


def _read(templates: Templates | None, said: Canonical, now: datetime) -> Iterator[ReadPart]:
    for match in templates.match_canonical(said) if templates else ():
        if templates and (slots := templates.slots(match, now)) is not None:
            thing = templates.traits(match.intent).thing
            yield ReadPart(said, Command(intent=match.intent, slots=slots), match, thing=thing)


def _free(part: ReadPart) -> tuple[list[str], list[str]]:
    """The words in the place of a name, and those in the place of a thing."""
    captured = [c for c in part.match.slots if c.wildcard] if part.match else []
    names = [c.text for c in captured if c.schema.kind == "choice"]
    return names, [c.text for c in captured if c.schema.kind == "text"]


def _is_bare(part: ReadPart) -> bool:
    """Whether a form is nothing but the user's own words: any part of a text would fit it."""
    match = part.match
    return match is not None and not match.literal and all(c.wildcard for c in match.slots)


def with_units(said: Canonical) -> Canonical:
    """The text with a unit of time after each number: "peas 3" → "peas 3 minutes".

    "3 more minutes" becomes "3 minutes more".
    """
    words = [token.text for token in said.tokens]
    units = {_unit_s(words, at) for at in range(len(words))} - {0}
    unit = "seconds" if units == {1} else "minutes"
    tokens: list[Token] = []
    at = 0
    while at < len(words):
        _, end = (words[at].isdecimal() and amount(words, at)) or (0, at + 1)
        tokens += said.tokens[at:end]
        pronoun = said.source[said.tokens[at].start] == "one"
        if words[at].isdecimal() and not (pronoun or _has_unit(words, at, end)):
            tokens.append(said.tokens[end - 1]._replace(text=unit))
        elif words[end : end + 1] in _MORE and _unit_s(words, end + 1):
            tokens += (said.tokens[end + 1], said.tokens[end])
            end += 2
        at = end
    return said._replace(tokens=tuple(tokens))


def _has_unit(words: Sequence[str], start: int, end: int) -> bool:
    """Whether a number is part of a duration, a time or a date already."""
    after = [word for word in words[end : end + 2] if word not in ("more", "extra", "another")]
    before = [at for at in range(max(0, start - 2), start) if words[at] not in ("and", "more")]
    return bool(after and (unit_s(after[0]) or not after[0].isalpha())) or bool(
        before and (_unit_s(words, before[-1]) or words[before[-1]].isdecimal())
    )


def _unit_s(words: Sequence[str], at: int) -> int:
    """Seconds of the unit of time at a place; 0 for another word, and for the second of several."""
    if at >= len(words):
        return 0
    counted = at > 0 and (words[at - 1].isdecimal() or words[at - 1] == "half")
    return unit_s(words[at]) if counted or words[at] != _ORDINAL else 0


def _without_hedges(said: Canonical) -> Canonical:
    """The text without the words before a number that only make it less certain."""
    words = tuple(token.text for token in said.tokens)
    tokens: list[Token] = []
    at = 0
    while at < len(words):
        hedge = next((h for h in _HEDGES if words[at : at + len(h)] == h), ())
        asked = bool(tokens) and tokens[-1].text in ASKED_BEFORE_HEDGE
        rest = words[at + len(hedge) :] if hedge and not asked else ()
        if not (rest and (amount(rest) or (rest[0] == "a" and _unit_s(rest, 1)))):
            tokens.append(said.tokens[at])
            at += 1
        else:
            at += len(hedge)
    return said._replace(tokens=tuple(tokens))


def _announced(said: Canonical) -> Iterator[Canonical]:
    """A text, without the words that announce several timers, as said and as put right."""
    if found := START_SEVERAL.match(said.text):
        count = len(found[0].split())
        if count < len(said.tokens) and said.text[len(found[0]) :].startswith(" "):
            said = said.part(count, len(said.tokens))
    yield said
    yield from _repaired(said)


def _repaired(said: Canonical) -> Iterator[Canonical]:
    """The texts that one may stand for which corrects itself."""
    if parts := clauses.repair(said):
        head, correction = parts
        if [t.text for t in head.tokens[:1]] == [t.text for t in correction.tokens[:1]]:
            yield correction  # "add jam, no, add honey" begins anew
        else:
            yield from clauses.repaired(head, correction)


def _divisions(said: Canonical) -> Iterator[tuple[Canonical, Canonical]]:
    """The ways to divide a text where an item of a list may end."""
    count = len(said.tokens)
    yield from ((said.part(0, end), said.part(start, count)) for end, start in cuts(said))
    for at in range(1, count):
        word, following = said.tokens[at - 1].text, said.tokens[at].text
        if (unit_s(word) or word.isdecimal()) and following.isalpha() and not unit_s(following):
            yield said.part(0, at), said.part(at, count)


def _without_reasons(said: Canonical) -> Iterator[Canonical]:
    """A text, and its parts before or after a pause or a reason."""
    yield said
    words = tuple(token.text for token in said.tokens)
    count = len(words)
    asking = [at for at in range(count) if _asks_more(said, at)]
    first, last = min(asking, default=count), max(asking, default=0)
    for at in range(1, count):
        reason = any(words[at : at + len(r)] == r for r in _REASONS)
        paused = said.paused(at)
        if at > last and (reason or paused or _states(said, at)):
            yield said.part(0, at)
        if (
            paused
            and first >= at
            and not (not_a_command(said.part(0, at)) or reported(said.part(0, at)))
        ):
            yield said.part(at, count)


def _asks_more(said: Canonical, at: int) -> bool:
    """Whether a clause begins at a place that asks for something, or corrects what was said."""
    if at and not said.paused(at):
        return False
    words = tuple(token.text for token in said.tokens[at : at + 2])
    corrects = at > 0 and clauses.correction(said.part(at, len(said.tokens)))[0]
    return corrects or not BEGINNINGS.isdisjoint(words)


def _states(said: Canonical, at: int) -> bool:
    """Whether a statement about a thing begins at a place: "pause the rice, the pan is empty"."""
    first = said.tokens[at]
    if said.tokens[0].text in QUESTIONS or said.source[first.start - 1] not in ARTICLES:
        return False
    words = [token.text for token in said.tokens[at + 1 : at + 1 + _LATEST_VERB]]
    return first.text.endswith("'s") or not AUXILIARIES.isdisjoint(words)


def _asks(said: Canonical, free: Sequence[str]) -> bool:
    """Whether a form asks in its own words, not in those that are free: "did I put jam on it"."""
    plain = without_politeness(said)
    return plain.tokens[0].text in QUESTIONS and not any(map(plain.text.startswith, free))


def _name(text: str) -> bool:
    words = text.split()
    return len(words) <= _LONGEST_NAME and not any(word.isdecimal() for word in words)
