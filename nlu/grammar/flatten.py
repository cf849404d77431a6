"""Flattens bound expressions: one that can match in two ways would be matched twice."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hassil.expression import Alternative, Expression, TextChunk
from hassil.expression import Sequence as ExpressionSequence


def flat_alternative(expression: Alternative) -> Expression:
    """Flatten an alternative of flat parts, and keep equal words once."""
    items: list[Expression] = []
    optional = expression.is_optional
    for item in expression.items:
        if isinstance(item, Alternative):
            optional = optional or item.is_optional
        items += item.items if isinstance(item, Alternative) else [item]
    words = set[str]()
    kept = []
    for item in items:
        text = item.text if isinstance(item, TextChunk) else None
        if text is None or text not in words:
            kept.append(item)
        if text is not None:
            words.add(text)
    return kept[0] if len(kept) == 1 else Alternative(kept, is_optional=optional)


def flat_sequence(expression: ExpressionSequence) -> Expression:
    """Flatten a sequence of flat parts, and join neighbouring words."""
    items: list[Expression] = []
    for item in _unnested(expression):
        if isinstance(item, TextChunk) and items and isinstance(items[-1], TextChunk):
            items[-1] = TextChunk(re.sub(" +", " ", items[-1].text + item.text))
        elif not (isinstance(item, TextChunk) and not item.text):
            items.append(item)
    return items[0] if len(items) == 1 else ExpressionSequence(items) if items else TextChunk("")


def _unnested(expression: ExpressionSequence) -> Iterator[Expression]:
    for item in expression.items:
        if isinstance(item, ExpressionSequence):
            yield from item.items
        else:
            yield item
