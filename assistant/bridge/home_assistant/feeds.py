"""The feeds of news that Home Assistant follows: the entities of its integration Feedreader.

Each is an event whose attributes tell the latest headline. Of other events nothing is taken over.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from assistant.core.errors import UNDECODABLE
from assistant.core.messages import ReportedAttributes
from assistant.skill.home import FEED

INTEGRATION = "feedreader"
LARGEST_BYTES = 1 << 20
"""Most bytes of an attribute, which may be a whole article."""
LONGEST_TEXT = 2000
"""Characters of a text that are passed on, HTML among them."""

_TEXT: msgspec.json.Decoder[str | None] = msgspec.json.Decoder(str | None)
_TYPES: msgspec.json.Decoder[list[str]] = msgspec.json.Decoder(list[str])


def is_feed(entity_id: str, attributes: Mapping[str, msgspec.Raw]) -> bool:
    """Whether an entity is a feed of news, and no doorbell or button."""
    if not entity_id.startswith(f"{FEED}."):
        return False
    try:
        return INTEGRATION in _TYPES.decode(attributes.get("event_types", b"[]"))
    except UNDECODABLE:
        return False


def latest(attributes: Mapping[str, msgspec.Raw]) -> ReportedAttributes:
    """The title of a feed's latest headline, and what it tells of it; nothing before the first."""
    title = _text(attributes, "title")
    description = _text(attributes, "description") or _text(attributes, "content")
    told = {"title": title, "description": description}
    return {name: text for name, text in told.items() if text}


def _text(attributes: Mapping[str, msgspec.Raw], name: str) -> str:
    """A text on one line, of which the beginning is enough."""
    content = attributes.get(name, b"null")
    try:
        text = _TEXT.decode(content) if len(memoryview(content)) <= LARGEST_BYTES else None
    except UNDECODABLE:
        return ""
    begin = (text or "")[:LONGEST_TEXT]
    return "".join(c if c.isprintable() else " " for c in begin).strip()
