"""Parses sentence templates, each once: a skill's are checked, and then compiled."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from hassil.expression import Expression, Group

_SLOT = re.compile(r"\{(?:[^{}:]+:)?([^{}:]+)\}")
_RULE = re.compile(r"<([^<>]+)>")
_SIGNS = r"()\[\]{}<>|;"
_TOKEN = re.compile(rf"[()\[\]|;]|{{[^{_SIGNS}]+}}|<[^{_SIGNS}]+>|[^{_SIGNS}][^ {_SIGNS}]* *")
"""One part of a template: a sign, a list, a rule, or a word with the spaces after it."""
_CLOSED = {"(": ")", "[": "]"}
_DEEPEST = 50
"""Most groups in each other; both hassil and all that follows go into each by a call."""
MOST_KEPT, LONGEST_KEPT = 4_096, 500
"""Most templates, and words of them, that are kept as they were parsed, and their most characters.
Those that come with the program are some 2,600 of each, of up to 241; a home's own sentences come
again, changed, at each reload."""
Made = TypeVar("Made")


def _kept(make: Callable[[str], Made]) -> Callable[[str], Made]:
    """The same as `make`, which keeps what it makes of short texts."""
    keeping = lru_cache(maxsize=MOST_KEPT)(make)
    return lambda text: (keeping if len(text) <= LONGEST_KEPT else make)(text)


@_kept
def parsed(template: str) -> Expression:
    """The expression of a template; raises hassil's `ParseError` or `AssertionError`."""
    # Not at the top: the supervisor imports this module to read the home, but parses no sentence.
    from hassil.parse_expression import parse_sentence
    from hassil.parser import ParseError

    if _depth(template) > _DEEPEST:
        raise ParseError(f"it is nested more than {_DEEPEST} deep")
    return _parsed(template) or parse_sentence(template).expression


def _depth(template: str) -> int:
    """The most groups in each other, be it that some are never closed."""
    deepest = depth = 0
    for sign in template:
        depth += (sign in _CLOSED) - (sign in _CLOSED.values())
        deepest = max(deepest, depth)
    return deepest


def _parsed(template: str) -> Expression | None:
    """The same as hassil gives, which reads a group once for each that it stands in.

    None for what is unusual or wrong, which is left to hassil.
    """
    from hassil.expression import (
        Alternative,
        Group,
        ListReference,
        Permutation,
        RuleReference,
        Sequence,
        TextChunk,
    )

    text = template.strip()
    tokens = _TOKEN.findall(text)
    if not tokens or "\\" in text or sum(map(len, tokens)) != len(text):
        return None
    kinds = {"|": Alternative, ";": Permutation}
    outer: list[tuple[Group, str]] = []
    group: Group = Sequence()
    at, opened = 0, "("
    for token in tokens:
        at += len(token)
        sign = token[0]
        item: Expression
        if sign in _CLOSED:
            outer.append((group, sign))
            group, opened = Sequence(), sign
            continue
        if sign in kinds:
            if type(group) not in (Sequence, kinds[sign]):
                return None
            group = kinds[sign]([group]) if type(group) is Sequence else group
            group.items.append(Sequence())
            opened = ""
            continue
        if sign in _CLOSED.values():
            if opened or not outer or _CLOSED[outer[-1][1]] != sign or len(outer) > _DEEPEST:
                return None
            inner, (group, bracket) = _ended(group), outer.pop()
            item = inner
            if bracket == "[":
                item = inner if isinstance(inner, Alternative) else Alternative([inner])
                item.is_optional = True
                item.items.append(TextChunk("", parent=inner))
        elif sign == "{":
            item = ListReference(token[1:-1], is_end_of_word=text[at : at + 1].isspace())
        elif sign == "<":
            item = RuleReference(token[1:-1])
        else:
            item = TextChunk(_plain(token), token)
        opened = ""
        whole = group if type(group) is Sequence else group.items[-1]
        if isinstance(whole, Sequence):
            whole.items.append(item)
        if isinstance(item, TextChunk) and whole is group:
            item.parent = group
    sentence = _ended(group)
    only = sentence.items[0] if len(sentence.items) == 1 else None
    return None if outer else only if isinstance(only, Group) else sentence


def _ended(group: Group) -> Group:
    """A group at its end: around each item of a permutation there are spaces."""
    from hassil.expression import Group, Permutation, TextChunk

    for item in group.items if isinstance(group, Permutation) else ():
        if isinstance(item, Group):
            item.items[:] = [TextChunk(" "), *item.items, TextChunk(" ")]
    return group


@_kept
def _plain(word: str) -> str:
    from hassil.util import normalize_text

    return normalize_text(word)


def unparsable(template: str) -> str:
    """Why a template cannot be parsed; "" where it can."""
    if not template.strip():
        return "is empty"
    # Not at the top: as above.
    from hassil.parser import ParseError

    try:
        parsed(template)
    except (ParseError, AssertionError) as error:
        return f"cannot be parsed: {error}"
    except RecursionError:
        return "is nested too deeply"
    return ""


def read_template(sentence: str, rules: Mapping[str, str]) -> tuple[set[str], str]:
    """The slots that a sentence and its rules name, and what is wrong with it ("" for nothing)."""
    if fault := unparsable(sentence):
        return set(), f'"{sentence}": {fault}'
    seen, named = set[str](), set(_SLOT.findall(sentence))
    pending = _RULE.findall(sentence)
    while pending:
        rule = pending.pop()
        if rule not in rules:
            return named, f'"{sentence}" names the rule <{rule}>, which is not defined'
        if rule not in seen:
            seen.add(rule)
            named.update(_SLOT.findall(rules[rule]))
            pending.extend(_RULE.findall(rules[rule]))
    return named, ""
