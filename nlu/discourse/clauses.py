"""How the parts of one text are related: joined, sharing words, corrected, pointing back.

    joined      "turn off the lamp and set a timer"      two commands
    shared      "turn on the lamp and the fan"           the second borrows "turn on"
    lent        "turn the lamp and the fan off"          the first borrows "off"
    repaired    "a timer for five, no, ten minutes"      the second replaces the first's end
    pointing    "turn on the lamp and dim it"            "it" is the lamp

Everything here works on texts: each function gives the texts that a part may stand for, the
likeliest first, and the caller keeps the first that means something. Repairs follow the usual
analysis of self-corrections (reparandum, editing term, repair; Shriberg 1994).
"""

from __future__ import annotations

from collections.abc import Iterator

from assistant.english import phrases
from assistant.english.commands import groceries
from assistant.english.commands.amounts import COMPARATIVES
from assistant.english.commands.words import BEGINNINGS, CORRECTIONS, QUESTIONS
from nlu.text.canonical import Canonical, Token, canonical, without_politeness

_LONGEST_REPAIR = 12
_LONGEST_MEANT = 3
"""Most words of a clause that "I mean" follows, and that corrects the one before it."""


def joined(first: Canonical, second: Canonical) -> Canonical:
    """Two parts as one text: of the same text, or of two that were said one after the other."""
    if first.source == second.source:
        return first._replace(tokens=first.tokens + second.tokens)
    shift = len(first.source)
    moved = tuple(Token(t.text, t.start + shift, t.end + shift) for t in second.tokens)
    return Canonical(
        first.tokens + moved,
        first.source + second.source,
        first.pauses | {pause + shift for pause in second.pauses},
        first.stops | {stop + shift for stop in second.stops},
        asked=second.asked,
        garbled=first.garbled or second.garbled,
    )


def unpaused(said: Canonical) -> Canonical:
    """A text as if it had been said without a pause."""
    return said._replace(pauses=frozenset(), stops=frozenset())


def as_question(said: Canonical) -> Canonical | None:
    """A text that only its question mark makes a question, with "is" before it: "door shut?"."""
    if not (said.asked and said.tokens) or without_politeness(said) != said:
        return None
    starts = (at for at in range(len(said.tokens)) if at == 0 or said.paused(at))
    asks = any(said.tokens[at].text in QUESTIONS | BEGINNINGS for at in starts)
    return None if asks else joined(canonical("is"), said)


def shared(head: Canonical, part: Canonical) -> Iterator[Canonical]:
    """`part` after ever fewer of the first words of `head`."""
    for length in range(len(head.tokens) - 1, 0, -1):
        yield joined(head.part(0, length), part)


def lent(head: Canonical, rest: Canonical) -> Iterator[Canonical]:
    """`head` before ever more of the last words of `rest`."""
    for start in range(len(rest.tokens) - 1, 0, -1):
        yield joined(head, rest.part(start, len(rest.tokens)))


def repair(said: Canonical) -> tuple[Canonical, Canonical] | None:
    """The parts before and after the last words that correct something; None without such words.

    An empty second part takes back all of the first.
    """
    words = tuple(token.text for token in said.tokens)
    for start in range(len(words) - 1, 0, -1):
        if words[start] == "not" and said.paused(start):
            end = next((i for i in range(start + 1, len(words)) if said.paused(i)), start)
        else:
            end = _editing_end(words, start)
        if end > start:
            start = _editing_start(words, start, end)
            rest = _without_instead(said.part(end, len(words)))
            if not rest.tokens and phrases.TAKING_BACK.isdisjoint(words[start:end]):
                return repair(said.part(0, start)) or _last_clause(said.part(0, start))
            if start and len(rest.tokens) <= _LONGEST_REPAIR:
                return said.part(0, start), rest
    return None


def _last_clause(said: Canonical) -> tuple[Canonical, Canonical] | None:
    """The parts before and after the last pause: "turn everything off, lights" … "I mean"."""
    count = len(said.tokens)
    at = next((i for i in range(count - 1, 0, -1) if said.paused(i)), count)
    short = count - at <= _LONGEST_MEANT
    return (said.part(0, at), said.part(at, count)) if at < count and short else None


def correction(said: Canonical) -> tuple[bool, Canonical]:
    """Whether a text begins by correcting the one before, and the rest of it."""
    words = tuple(token.text for token in said.tokens)
    if words in COMPARATIVES:  # "not that loud"
        return False, said
    for length in (3, 2, 1):
        if words[:length] in CORRECTIONS:
            rest = correction(said.part(length, len(words)))[1]
            return True, rest
    for length in (2, 1):  # "the bedroom I meant", "the bedroom instead"
        if len(words) > length and words[-length:] in CORRECTIONS:
            return True, said.part(0, len(words) - length)
    if len(words) == 3 and words[1] == "not" and words[0].isdecimal() and words[2].isdecimal():
        return True, said.part(0, 1)  # "sixteen, not sixty"
    return False, said


def repaired(head: Canonical, correction: Canonical) -> Iterator[Canonical]:
    """`head` with its end, or a word that says the opposite, replaced by `correction`."""
    if len(correction.tokens) == 1 and (wrong := phrases.OPPOSITES.get(correction.tokens[0].text)):
        for at in range(len(head.tokens) - 1, -1, -1):
            if head.tokens[at].text == wrong:
                yield _spliced(head, correction, at, at + 1)
    for at, token in enumerate(head.tokens):
        if token.text == "everything":  # "turn everything off, no, the lights"
            yield _spliced(head, correction, at, at + 1)
    yield from shared(head, correction)
    numbers = [token.text.isdecimal() for token in correction.tokens]
    for at in range(len(head.tokens) - len(numbers), -1, -1):
        replaced = head.tokens[at : at + len(numbers)]
        if any(numbers) and [token.text.isdecimal() for token in replaced] == numbers:
            yield _spliced(head, correction, at, at + len(numbers))


def recounted(said: Canonical) -> Iterator[Canonical]:
    """A text whose number is put right: "two more degrees, no, one" → "one more degrees"."""
    head, correction = repair(said) or (said, said.part(0, 0))
    numbers = [at for at, token in enumerate(head.tokens) if token.text.isdecimal()]
    if numbers and len(correction.tokens) == 1 and correction.tokens[0].text.isdecimal():
        yield _spliced(head, correction, numbers[-1], numbers[-1] + 1)


def enumerated(said: Canonical, raw: str) -> list[str]:
    """The things that the spoken words `raw` of a text name, one by one.

    Pairs that are one thing ("fish and chips") stay together; what households buy needs no joint
    between: "eggs butter and sugar".
    """
    words = raw.split()
    starts = range(len(said.source) - len(words) + 1)
    first = next((i for i in starts if list(said.source[i : i + len(words)]) == words), None)
    if first is None:
        return [raw]
    things: list[list[str]] = [[]]
    for at, word in enumerate(words):
        pair = " ".join(words[max(at - 1, 0) : at + 2])
        if at and first + at in said.pauses:
            things.append([])
        if word == "and" and pair not in phrases.PAIRS:
            things.append([])
        else:
            things[-1].append(word)
    plain = ([w for w in thing if w not in phrases.HESITATIONS] for thing in things)
    return [" ".join(one) for thing in plain if thing for one in groceries.divided(thing)]


def plain(said: Canonical) -> Canonical:
    """A negated text without its negation: "don't turn it on" → "turn it on"."""
    words = [token.text for token in said.tokens]
    at = words.index("not") + 1 if "not" in words[:4] else 0
    return said.part(at, len(words))


def takes_back(said: Canonical) -> bool:
    """Whether a text only takes back what was said before it: "never mind", "leave it"."""
    words = tuple(token.text for token in said.tokens)
    return not words or words in phrases.RETRACTIONS


def pointing(
    said: Canonical, referent: str, pronouns: frozenset[str] = phrases.PRONOUNS
) -> Canonical | None:
    """The text with `referent` in the place of its first "it" or "them"; None without such."""
    words = [token.text for token in said.tokens]
    at = next((i for i, word in enumerate(words) if word in pronouns), None)
    if at is None or not referent:
        return None
    return canonical(" ".join([*words[:at], referent, *words[at + 1 :]]))


def _editing_end(words: tuple[str, ...], start: int) -> int:
    """Where an editing term that begins at `start` ends; `start` when none does."""
    lengths = (n for n in range(phrases.LONGEST_EDITING, 0, -1))
    found = next((n for n in lengths if words[start : start + n] in phrases.EDITING), 0)
    return start + found


def _editing_start(words: tuple[str, ...], start: int, end: int) -> int:
    """Where the editing terms and hesitations begin; the last of them is from `start` to `end`."""
    while start > 0:
        if words[start - 1] in phrases.EDITING_FILLERS:
            earlier = start - 1
        else:
            reaching = range(max(0, start - phrases.LONGEST_EDITING), start)
            ends = {i: _editing_end(words, i) for i in reaching}
            earlier = next((i for i, e in ends.items() if e in (start, end)), start)
        if earlier == start:
            break
        start = earlier
    return start


def _spliced(head: Canonical, correction: Canonical, start: int, end: int) -> Canonical:
    return joined(joined(head.part(0, start), correction), head.part(end, len(head.tokens)))


def _without_instead(said: Canonical) -> Canonical:
    tokens = [token for token in said.tokens if token.text not in phrases.HESITATIONS]
    if tokens and tokens[-1].text == "instead":
        tokens.pop()
    while tokens and tokens[0].text in phrases.EDITING_FILLERS:
        tokens.pop(0)
    rest = said._replace(tokens=tuple(tokens))
    if tokens and tokens[0].text == "not":  # "wait, not milk, oat milk"
        begin = next((i for i in range(1, len(tokens)) if rest.paused(i)), 0)
        return rest.part(begin, len(tokens))
    return rest
