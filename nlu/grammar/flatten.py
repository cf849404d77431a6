"""Flattens bound expressions: one that can match in two ways would be matched twice."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import groupby

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
    for are_words, run in groupby(_unnested(expression), lambda item: isinstance(item, TextChunk)):
        together = list(run)
        items += [_joined(together)] if are_words else together
    items = [item for item in items if not (isinstance(item, TextChunk) and not item.text)]
    return items[0] if len(items) == 1 else ExpressionSequence(items) if items else TextChunk("")


def _joined(words: Iterable[Expression]) -> TextChunk:
    texts = [item.text for item in words if isinstance(item, TextChunk)]
    return TextChunk(re.sub(" +", " ", "".join(texts)) if len(texts) > 1 else texts[0])


def _unnested(expression: ExpressionSequence) -> Iterator[Expression]:
    for item in expression.items:
        if isinstance(item, ExpressionSequence):
            yield from item.items
        else:
            yield item
