"""What a text may begin and end with to be a sentence."""

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
        ("find {what}", {"find"}, {""}),
        ("{what} [please]", {""}, {""}),
        ("[please]", {""}, {""}),
        ("{lamp}'s light", {"floor", "spot"}, {"light"}),
        ("light of {lamp}'s", {"light"}, {"'s"}),
        ("[{lamp}]'s light", {""}, {"light"}),  # a sign of the text's own may stand there
    ],
)
def test_edges(template: str, first: set[str], last: set[str]) -> None:
    expression = parse_sentence(template).expression
    assert (set(FIRST.of(expression)), set(LAST.of(expression))) == (first, last)
