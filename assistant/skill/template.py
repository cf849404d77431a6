"""Parses sentence templates, each once: a skill's are checked, and then compiled."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hassil.expression import Expression

_SLOT = re.compile(r"\{(?:[^{}:]+:)?([^{}:]+)\}")
_RULE = re.compile(r"<([^<>]+)>")


@cache
def parsed(template: str) -> Expression:
    """The expression of a template; raises hassil's `ParseError` or `AssertionError`."""
    # Not at the top: the supervisor imports this module to read the home, but parses no sentence.
    from hassil.parse_expression import parse_sentence

    return parse_sentence(template).expression


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
