"""A bare answer to a question for one slot: "ten minutes please", "the kitchen", "yes"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import datetime

from assistant.core.messages import Slot, SlotValue
from assistant.english.replies import AROUND_VALUE, EARLIER, LATER, PLACES_OF_TWO
from assistant.skill.manifest import SlotSchema
from nlu.text.canonical import Canonical, canonical, without_politeness
from nlu.values import resolve
from nlu.values.written import signs_as_words

_LONGEST_ANSWER = 20

_PART = re.compile(r"(?:in |this |at )?(am|pm|morning|afternoon|evening|night)")
_HOURS = dict.fromkeys(("am", "morning"), range(12)) | dict.fromkeys(
    ("pm", "afternoon", "evening"), range(12, 24)
)
_HOURS["night"] = range(18, 24)


def resolve_answer(
    text: str, schema: SlotSchema, names: Mapping[str, SlotValue], now: datetime
) -> Slot | None:
    """Read the whole of `text` as a value for `schema`; None when it is none.

    `names` are the canonical words of the slot's list, if it has one, with their values.
    """
    whole = canonical(text if schema.kind == "text" else signs_as_words(text))
    said = whole if whole.text in names else without_politeness(whole)
    if schema.kind == "text":
        raw = (
            " ".join(said.source[said.tokens[0].start : said.tokens[-1].end]) if said.tokens else ""
        )
        return Slot(name=schema.name, value=raw, raw=raw) if raw else None
    for start, end in _spans(said):
        part = said.part(start, end)
        value = names.get(part.text)
        if value is None:
            value = _value(part.text, schema, now)
        if value is not None:
            raw = part.spoken(0, len(part.text))
            confidence = 1.0 if part.tokens == said.tokens else 0.9
            return Slot(name=schema.name, value=value, raw=raw, confidence=confidence)
    return None


def _value(text: str, schema: SlotSchema, now: datetime) -> SlotValue:
    if schema.choices and schema.kind != "choice":
        return _which(text, schema, now)
    return resolve.value(text, schema.kind, now)


def _which(text: str, schema: SlotSchema, now: datetime) -> str | None:
    """Which of two values was meant: "the second", "in the evening", "pm", or the value again."""
    values = schema.choices
    if text in PLACES_OF_TWO:
        return values[PLACES_OF_TWO[text]]
    if text in (*EARLIER, *LATER):
        return min(values) if text in EARLIER else max(values)
    meant = {str(r.value) for r in resolve.resolve(text, schema.kind, now).readings}
    if schema.kind in ("time", "datetime") and (part := _PART.fullmatch(text)):
        meant = {v for v in values if _hour(v) in _HOURS[part[1]]}
    fitting = [value for value in values if value in meant]
    return fitting[0] if len(fitting) == 1 else None


def _hour(value: str) -> int:
    """The hour of a time or a moment in ISO 8601."""
    return int(value.rpartition("T")[2][:2])


def _spans(said: Canonical) -> Iterator[tuple[int, int]]:
    """The spans with only frame words around them, the longest first."""
    texts = [token.text for token in said.tokens]
    if len(texts) > _LONGEST_ANSWER:
        return
    spans = ((s, e) for s in range(len(texts)) for e in range(s + 1, len(texts) + 1))
    for start, end in sorted(spans, key=lambda span: (span[0] - span[1], span[0])):
        if AROUND_VALUE.issuperset(texts[:start] + texts[end:]):
            yield start, end
