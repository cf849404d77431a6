"""What was spoken of just before a question."""

from __future__ import annotations

from datetime import datetime

import msgspec


class Topic(msgspec.Struct, frozen=True, kw_only=True):
    """What the last answer was about; the default is nothing."""

    passage: int = 0
    """The id of the passage that it rests on; 0 for none."""
    sentence: str = ""
    """The sentence of it that was said."""
    question: str = ""
    """The question that it answered."""
    event: str = ""
    """The name of the event that it is; "" for no event."""
    moment: datetime | None = None
    """When the event takes place that it told of."""


NOTHING = Topic()
