"""Brings texts, typed or recognised, into the canonical words that templates are matched with.

Templates and texts go through the same steps, so that both sides of a match agree:

    text      "Hey, could you turn the T.V. on at six thirty p.m., please?"
    canonical "hey could you turn tv on at 6 30 pm please"
    command   "turn tv on at 6 30 pm"
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from assistant.english import numbers, phrases
from assistant.english.commands.written import LONGEST_WRITTEN, fractions_in_words, written
from assistant.english.contractions import ASKED_WITH_A_NOUN, CONTRACTIONS
from assistant.english.numbers import is_digits, read_number
from assistant.english.stems import base_verb


class Token(NamedTuple):
    """One canonical word and the half-open range of source words that it stands for."""

    text: str
    start: int
    end: int


class Canonical(NamedTuple):
    """A text in canonical words, with the words as they were spoken."""

    tokens: tuple[Token, ...]
    source: tuple[str, ...]
    """The words as they were spoken."""
    pauses: frozenset[int] = frozenset()
    """Places of source words with a comma or the end of a sentence before them."""
    stops: frozenset[int] = frozenset()
    """Those of the pauses that end a sentence."""
    asked: bool = False
    """Whether the text ends with a question mark."""
    garbled: bool = False
    """Whether the text contains signs that no sentence has, spoken or written."""

    @property
    def text(self) -> str:
        """The canonical words joined by single spaces, "" when none are left."""
        return " ".join(token.text for token in self.tokens)

    @property
    def words(self) -> str:
        """The source words of the canonical words; other words may stand between them."""
        places = dict.fromkeys(i for t in self.tokens for i in range(t.start, t.end))
        return " ".join(self.source[i] for i in places)

    def spoken(self, start: int, end: int) -> str:
        """The source words for the characters `start` to `end` of `text`."""
        covered, at = [], 0
        for token in self.tokens:
            if at < end and at + len(token.text) > start:
                covered.append(token)
            at += len(token.text) + 1
        return " ".join(self.source[covered[0].start : covered[-1].end]) if covered else ""

    def paused(self, at: int) -> bool:
        """Whether there is a pause between canonical word `at` and the one before it."""
        return not self.pauses.isdisjoint(self._gap(at))

    def stopped(self, at: int) -> bool:
        """Whether a sentence ends between canonical word `at` and the one before it."""
        return not self.stops.isdisjoint(self._gap(at))

    def part(self, start: int, end: int) -> Canonical:
        """The canonical words `start` to `end` as a text of their own."""
        return self._replace(tokens=self.tokens[start:end])

    def _gap(self, at: int) -> range:
        return range(self.tokens[at - 1].end, self.tokens[at].start + 1)


_MOST_PHRASES = 6
"""Most polite phrases in a row that are removed at either end."""

_SOURCE_WORD = re.compile(
    r"\d+(?:st|nd|rd|th)\b|(?:[£$€]\s?)?\d+(?:[.,:]\d+)*|[^\W\d_]+(?:['.][^\W\d_]+)*|[%°&]"
    r"|(?<=\d)/(?=\d)|@(?=\s*\d)"
)
_PAUSE = re.compile(r"[,.;:!?…—–]|\.\.|\s-+\s")
_STOP = re.compile(r"[.!?…](?!\S)")
_UNSPOKEN = re.compile(r"[<>{}\[\]|^~`\\_*#@=\x00-\x08\x0b-\x1f\x7f]")
_MOST_UNSPOKEN = 2
_INITIALISM = re.compile(r"[^\W\d_](?:\.[^\W\d_])+")


def canonical(text: str) -> Canonical:
    """Bring a text into canonical words; never fails, and gives "" for a text without words."""
    source, pauses, stops = _source(text)
    tokens = [Token(word, i, i + 1) for i, word in enumerate(source)]
    for step in _STEPS:
        tokens = list(step(tokens))
    garbled = len(_UNSPOKEN.findall(text)) >= _MOST_UNSPOKEN
    asked = text.rstrip().endswith("?")
    return Canonical(tuple(tokens), source, pauses, stops, asked, garbled)


def without_politeness(said: Canonical) -> Canonical:
    """Remove politeness, hesitation and link words: what is left is the command itself."""
    return readings(said)[-1]


def without_polite_ending(said: Canonical) -> Canonical:
    """Remove hesitations, and the politeness at the end; a beginning may say "no"."""
    tokens = [token for token in said.tokens if token.text not in phrases.HESITATIONS]
    for _ in range(_MOST_PHRASES):
        if not (polite := _ending(tokens)):
            break
        tokens = tokens[:-polite]
    return said._replace(tokens=tuple(tokens))


def readings(said: Canonical) -> list[Canonical]:
    """A text, and what is left as more and more of its politeness is removed.

    There are several because a template may contain the polite words: "could you repeat that".
    """
    found = [said, without_polite_ending(said)]
    tokens = list(found[1].tokens)
    for _ in range(_MOST_PHRASES):
        opening = _phrase_at(tokens, 0, phrases.OPENINGS)
        if opening is None:
            break
        tokens = tokens[len(opening[0]) :]
        if tokens and opening[1] == "gerund":
            tokens[0] = tokens[0]._replace(text=base_verb(tokens[0].text))
        found.append(said._replace(tokens=tuple(tokens)))
    return [said, *(left for left in found[1:] if left.tokens and left.tokens != said.tokens)]


def cuts(said: Canonical) -> Iterator[tuple[int, int]]:
    """Where each "and", "then" or pause between two parts begins and ends, in order."""
    words = tuple(token.text for token in said.tokens)
    at = 1
    while at < len(words):
        joint = next((j for j in phrases.JOINTS if words[at : at + len(j)] == j), ())
        if (joint or said.paused(at)) and at + len(joint) < len(words):
            yield at, at + len(joint)
        at += len(joint) or 1


@lru_cache(maxsize=8192)
def canonical_chunk(text: str) -> str:
    """The canonical form of a piece of a template, with its outer white space."""
    words = canonical(text).text
    before, after = text[:1].isspace(), text[-1:].isspace()
    if not words:
        return " " if before or after else ""
    return f"{' ' * before}{words}{' ' * after}"


def spoken_words(text: str) -> Iterator[str]:
    """The words of a text as they stand, in lower case and without punctuation."""
    for word in _SOURCE_WORD.findall(_flat(text)):
        yield word.replace(".", "") if "." in word and _INITIALISM.fullmatch(word) else word


def _flat(text: str) -> str:
    flat = text if text.isascii() else unicodedata.normalize("NFKC", fractions_in_words(text))
    return flat.casefold().replace("’", "'")


def _source(text: str) -> tuple[tuple[str, ...], frozenset[int], frozenset[int]]:
    """The words of a text, and which of them come after a pause and after a sentence's end."""
    flat = _flat(text)
    words, pauses, stops, end = list[str](), set[int](), set[int](), 0
    for match in _SOURCE_WORD.finditer(flat):
        word = match[0]
        if words and _PAUSE.search(flat, end, match.start()):
            pauses.add(len(words))
            if _STOP.search(flat, end, match.start()):
                stops.add(len(words))
        initials = _INITIALISM.fullmatch(word)
        words.append(word.replace(".", "") if initials else word)
        end = match.end() + flat.startswith(".", match.end()) if initials else match.end()
    return tuple(words), frozenset(pauses), frozenset(stops)


def _symbols(tokens: Iterable[Token]) -> Iterator[Token]:
    """Write digits with signs as separate words: "6:30" → "6 30", "2.5" → "2 point 5"."""
    for token in tokens:
        text = re.sub(r",(?=\d{3}(?!\d))", "", token.text).lstrip("£$€ ")
        if text[:1].isdecimal() and not text.isalnum():
            for piece in re.findall(r"\d+|\.", text.replace(",", ".")):
                yield token._replace(text="point" if piece == "." else piece)
        else:
            yield token._replace(text=phrases.SYMBOLS.get(text, text))


def _contractions(tokens: Iterable[Token]) -> Iterator[Token]:
    before = ""
    for token in tokens:
        words = CONTRACTIONS.get(token.text, token.text)
        if before in ASKED_WITH_A_NOUN and words.endswith("'s"):  # "what day's the ninth"
            words = words.removesuffix("'s") + " is"
        for word in words.split():
            yield token._replace(text=word)
        before = token.text


def _letters(tokens: Sequence[Token]) -> Iterator[Token]:
    """Join letters that were spelled out: "t v" → "tv", "seven a m" → "7 am"."""
    at = 0
    while at < len(tokens):
        end = at
        while end < len(tokens) and len(tokens[end].text) == 1 and tokens[end].text.isalpha():
            end += 1
        if tokens[at].text in ("a", "i") and [t.text for t in tokens[at:end]] != ["a", "m"]:
            end = at  # an article or a pronoun before the letters
        end = max(end, at + 1)
        yield Token("".join(t.text for t in tokens[at:end]), tokens[at].start, tokens[end - 1].end)
        at = end


def _misheard(tokens: Sequence[Token]) -> Iterator[Token]:
    """Put right a number that was written as another word: "for for minutes"."""
    for at, token in enumerate(tokens):
        before, after = (tokens[i].text if 0 <= i < len(tokens) else "" for i in (at - 1, at + 1))
        if after in numbers.TIMED_BY:
            meant = numbers.MISHEARD.get(token.text)
            if before in numbers.BEFORE_NUMBER:
                meant = meant or numbers.MISHEARD_AFTER.get(token.text)
            token = token._replace(text=meant or token.text)
        yield token


def _numbers(tokens: Sequence[Token]) -> Iterator[Token]:
    words = [token.text for token in tokens]
    at, after_number = 0, False
    while at < len(tokens):
        if after_number and words[at] in ("oh", "o") and at + 1 < len(words):
            digit = read_number(words, at + 1)
            if digit and digit[0] < 10:  # "six oh five"
                yield Token(f"0{digit[0]}", tokens[at].start, tokens[digit[1] - 1].end)
                at, after_number = digit[1], False
                continue
        leading_zero = words[at][0] == "0" and is_digits(words[at])  # as in 6:05
        number = None if leading_zero else read_number(words, at)
        value, end = number or (words[at], at + 1)
        yield Token(str(value), tokens[at].start, tokens[end - 1].end)
        at, after_number = end, number is not None


def _synonyms(tokens: Sequence[Token]) -> Iterator[Token]:
    """Replace phrases that mean the same, and drop "the", which never separates two commands."""
    at = 0
    while at < len(tokens):
        words, replacement = _phrase_at(tokens, at, phrases.SYNONYMS) or ((tokens[at].text,), None)
        end = at + len(words)
        for word in (tokens[at].text if replacement is None else replacement).split():
            if word != "the":
                yield Token(word, tokens[at].start, tokens[end - 1].end)
        at = end


def _phrase_at(
    tokens: Sequence[Token], at: int, table: dict[tuple[str, ...], str]
) -> tuple[tuple[str, ...], str] | None:
    words = tuple(token.text for token in tokens[at : at + phrases.LONGEST])
    for length in range(len(words), 0, -1):
        if (phrase := words[:length]) in table:
            return phrase, table[phrase]
    return None


def _ending(tokens: Sequence[Token]) -> int:
    """How many of the last words are politeness."""
    words = tuple(token.text for token in tokens[-phrases.LONGEST :])
    lengths = (n for n in range(len(words), 0, -1) if words[-n:] in phrases.ENDINGS)
    return next(lengths, 0)


def _written(tokens: Sequence[Token]) -> Iterator[Token]:
    """Read what is written short as it is said: "for 730", "at 6.45", "1h 30m", "on 3/12"."""
    at = 0
    while at < len(tokens):
        before = tokens[at - 1].text if at else ""
        length, words = written(before, [token.text for token in tokens[at : at + LONGEST_WRITTEN]])
        start, end = tokens[at].start, tokens[at + length - 1].end
        yield from (Token(word, start, end) for word in words)
        at += length


_STEPS: tuple[Callable[[list[Token]], Iterator[Token]], ...] = (
    _symbols,
    _contractions,
    _letters,
    _misheard,
    _numbers,
    _written,
    _synonyms,
)
