"""Templates are parsed as hassil parses them, and what it refuses is refused."""

from __future__ import annotations

import re

import pytest
from hassil.expression import Expression, Group, TextChunk
from hassil.parse_expression import parse_sentence
from hassil.parser import ParseError
from hypothesis import given
from hypothesis import strategies as st

from assistant.english.templates import RULES, SPOKEN
from assistant.skill import template
from nlu.grammar.vocabulary import built_in
from skills.registry import load_registry

PARTS = ("(", ")", "[", "]", "|", ";", "{a}", "{a:b}", "{@c}", "{1..9}", "<r>", "turn ", "it", " ")
ODD = ("'s", "\t", "  ", "\\(", "{", "}", "<", ">", "{a(}")


def shape(expression: Expression, inside: Expression | None = None) -> object:
    """All that a parsed expression holds, and whether its parent is the group that it is in."""
    held = dict(vars(expression), kind=type(expression).__name__)
    if isinstance(expression, Group):
        held["items"] = [shape(item, expression) for item in expression.items]
    if isinstance(expression, TextChunk):
        held["parent"] = expression.parent is inside, type(expression.parent).__name__
    if match := held.get("_inline_range_match"):
        held["_inline_range_match"] = re.Match.groups(match)
    return held


def by_hassil(text: str) -> object:
    try:
        return shape(parse_sentence(text).expression)
    except (ParseError, AssertionError) as error:
        return str(error)


def by_us(text: str) -> object:
    try:
        return shape(template.parsed(text))
    except (ParseError, AssertionError) as error:
        return str(error)


def test_every_template_of_the_package_and_the_skills_is_parsed_here_as_by_hassil() -> None:
    texts = {*RULES.values(), *SPOKEN.values()}
    for block in built_in().blocks:
        texts.update(block.sentences, block.rules.values())
    for manifest in load_registry().manifests:
        texts.update(manifest.rules.values())
        texts.update(text for schema in manifest.intents for text in schema.sentences)
    assert len(texts) > 1500
    for text in texts:
        expression = template._parsed(text)
        assert expression is not None, text
        assert shape(expression) == by_hassil(text)


@given(st.lists(st.sampled_from(PARTS + ODD), max_size=12).map("".join))
def test_any_text_is_parsed_or_refused_as_by_hassil(text: str) -> None:
    assert by_us(text) == by_hassil(text)


@pytest.mark.parametrize(
    "text", ["((a)", "(a])", "()", "a|b;c", "a\\(b", "(" * 60 + "a" + ")" * 60]
)
def test_what_is_wrong_or_unusual_is_left_to_hassil(text: str) -> None:
    assert template._parsed(text) is None


def test_the_comparison_sees_a_parent_that_is_another() -> None:
    expression = parse_sentence("turn it on").expression
    assert isinstance(expression, Group)
    before = shape(expression)
    first = expression.items[0]
    assert isinstance(first, TextChunk)
    first.parent = None
    assert shape(expression) != before


@pytest.mark.parametrize("text", ["(a|" * 2_000 + "b" + ")" * 2_000, "(" * 9_000, "[(" * 300])
def test_groups_in_one_another_are_bounded(text: str) -> None:
    with pytest.raises(ParseError, match="nested more than 50 deep"):
        template.parsed(text)
    deep = "(" * 50 + "a" + ")" * 50
    assert by_us(deep) == by_hassil(deep)


def test_templates_that_change_again_and_again_are_not_all_kept() -> None:
    short = template.parsed("turn on lamp 1")
    assert template.parsed("turn on lamp 1") is short
    for number in range(template.MOST_KEPT):
        template.parsed(f"turn on lamp{number}")
    assert template.parsed("turn on lamp 1") is not short
    long = "turn on " * 100
    assert template.parsed(long) is not template.parsed(long)
