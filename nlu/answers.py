"""A bare answer to a question for one slot: "ten minutes please", "the kitchen", "yes"."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime

from assistant.core.messages import Slot, SlotValue
from assistant.skill.manifest import SlotSchema
from nlu import resolve
from nlu.normalize import Canonical, canonical, wish
from nlu.phrases import words

_FRAME = frozenset(
    words(
        "for at in to on of with about around it is that this make let us say i would like want "
        "will take have go be should maybe probably think a my 1 number sorry no yes yeah ok well "
        "actually then from now until set put only just room mean meant said was rather by"
    )
)
"""Words that may stand around an answer without changing it."""

_LONGEST_ANSWER = 20


def resolve_answer(
    text: str, schema: SlotSchema, names: Mapping[str, SlotValue], now: datetime
) -> Slot | None:
    """Read the whole of `text` as a value for `schema`; None when it is none.

    `names` are the canonical words of a slot that draws from a list, with its values.
    """
    whole = canonical(text)
    said = whole if whole.text in names else wish(whole)
    if schema.kind == "text":
        raw = (
            " ".join(said.source[said.tokens[0].start : said.tokens[-1].end]) if said.tokens else ""
        )
        return Slot(name=schema.name, value=raw, raw=raw) if raw else None
    for start, end in _spans(said):
        part = said.part(start, end)
        value = names.get(part.text)
        if value is None:
            value = resolve.value(part.text, schema.kind, now)
        if value is not None:
            raw = part.spoken(0, len(part.text))
            confidence = 1.0 if part.tokens == said.tokens else 0.9
            return Slot(name=schema.name, value=value, raw=raw, confidence=confidence)
    return None


def _spans(said: Canonical) -> Iterator[tuple[int, int]]:
    """The spans with only frame words around them, the longest first."""
    texts = [token.text for token in said.tokens]
    if len(texts) > _LONGEST_ANSWER:
        return
    spans = ((s, e) for s in range(len(texts)) for e in range(s + 1, len(texts) + 1))
    for start, end in sorted(spans, key=lambda span: (span[0] - span[1], span[0])):
        if _FRAME.issuperset(texts[:start] + texts[end:]):
            yield start, end
