"""What a sentence may begin and end with, and that no text with such edges is passed over."""

from __future__ import annotations

import pytest
from hassil.expression import TextChunk
from hassil.intents import RangeSlotList, TextSlotList, TextSlotValue, WildcardSlotList
from hassil.parse_expression import parse_sentence

from nlu.grammar.edges import Edges

LISTS = {
    "lamp": TextSlotList(
        "lamp",
        [TextSlotValue(TextChunk("floor lamp"), 1), TextSlotValue(TextChunk("spot"), 2)],
    ),
    "level": RangeSlotList("level", 0, 100),
    "what": WildcardSlotList("what"),
}
FIRST, LAST = Edges(LISTS, at_end=False), Edges(LISTS, at_end=True)
DIGITS = set("0123456789")


@pytest.mark.parametrize(
    ("template", "first", "last"),
    [
        ("turn on lights", {"turn"}, {"lights"}),
        ("(dim|fade) light[s]", {"dim", "fade"}, {"light", "s"}),
        ("[please] stop [now]", {"please", "stop"}, {"stop", "now"}),
        ("{lamp} [to] {level}", {"floor", "spot"}, DIGITS),
        ("(on;{lamp})", {"on", "floor", "spot"}, {"on", "lamp", "spot"}),
        ("find {what}", {"find"}, None),
        ("{what} [please]", None, None),
        ("[please]", None, None),
        ("{lamp}'s light", {"floor", "spot"}, {"light"}),
        ("light of {lamp}'s", {"light"}, {"'s"}),
        ("[{lamp}]'s light", None, {"light"}),  # a sign of the text's own may stand there
    ],
)
def test_edges(template: str, first: set[str] | None, last: set[str] | None) -> None:
    expression = parse_sentence(template).expression
    assert (FIRST.of(expression), LAST.of(expression)) == (first, last)


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("turn on spots", True, False),
        ("turned spot", True, True),
        ("no turn on spot", False, True),
        ("'s turn", True, False),
        ("turn ?", True, True),
        ("", True, True),
    ],
)
def test_a_text_has_them_or_not(text: str, first: bool, last: bool) -> None:
    assert FIRST.may_be(text, frozenset(("turn",))) is first
    assert LAST.may_be(text, frozenset(("spot",))) is last
    assert FIRST.may_be(text, None)
    assert LAST.may_be(text, None)
