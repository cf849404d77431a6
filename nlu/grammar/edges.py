"""The words with which what an expression stands for may begin, or end."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from hassil.expression import (
    Alternative,
    Expression,
    Group,
    ListReference,
    Permutation,
    TextChunk,
)
from hassil.intents import RangeSlotList, SlotList, TextSlotList

_Edge = frozenset[str] | None
"""Pieces of words, one of which stands at the edge; None where anything may."""

_NOTHING = ""
"""Stands in an edge for an expression that may be left out."""
_DIGITS = frozenset("0123456789")


class Edges:
    """Finds the edges of expressions whose lists have these values."""

    def __init__(self, lists: Mapping[str, SlotList], at_end: bool) -> None:
        self._lists, self._at_end = lists, at_end
        self._of_lists: dict[str, _Edge] = {}

    def of(self, expression: Expression) -> tuple[str, ...]:
        """Beginnings, or endings, of which a text of the sentence has one; "" for any."""
        edge = self._edge(expression)
        return ("",) if edge is None or _NOTHING in edge else tuple(edge)

    def _edge(self, expression: Expression) -> _Edge:
        if isinstance(expression, TextChunk):
            return self._of_words(expression.text.split())
        if isinstance(expression, ListReference):
            return self._of_list(expression.list_name)
        if isinstance(expression, Alternative):
            spare = [frozenset((_NOTHING,))] if expression.is_optional else []
            return _either([*map(self._edge, expression.items), *spare])
        if isinstance(expression, Permutation):
            return _either(map(self._edge, expression.items))
        return self._of_sequence(expression.items) if isinstance(expression, Group) else None

    def _of_words(self, words: Sequence[str]) -> _Edge:
        if not words:
            return frozenset((_NOTHING,))
        piece = words[-1 if self._at_end else 0]
        return frozenset((piece,)) if piece[-1 if self._at_end else 0].isalnum() else None

    def _of_sequence(self, items: Sequence[Expression]) -> _Edge:
        found: frozenset[str] = frozenset((_NOTHING,))
        for item in reversed(items) if self._at_end else items:
            edge = self._edge(item)
            if edge is None:
                return None
            found = found - {_NOTHING} | edge
            if _NOTHING not in edge:
                break
        return found

    def _of_list(self, name: str) -> _Edge:
        if name not in self._of_lists:
            values = self._lists.get(name)
            if isinstance(values, TextSlotList):
                edge = _either(self._edge(value.text_in) for value in values.values)
            else:
                edge = _DIGITS if isinstance(values, RangeSlotList) else None
            self._of_lists[name] = edge
        return self._of_lists[name]


def _either(edges: Iterable[_Edge]) -> _Edge:
    known = list(_all_known(edges))
    return None if None in known else frozenset().union(*(edge for edge in known if edge))


def _all_known(edges: Iterable[_Edge]) -> Iterator[_Edge]:
    """The edges up to the first that may be anything."""
    for edge in edges:
        yield edge
        if edge is None:
            return
