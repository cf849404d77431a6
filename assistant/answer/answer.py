"""Answers that are composed from what is stored, not read out of it."""

from __future__ import annotations

from collections.abc import Sequence

from assistant.answer.answerer import Answer, AnswerTier
from assistant.answer.knowledge.passage_store import StoredPassage


def composed_answer(text: str, stored: Sequence[StoredPassage], kind: str = "event") -> Answer:
    """The answer; its source is the first passage it rests on, its kind `kind` if there is none."""
    first = stored[0] if stored else None
    if first is None:
        return Answer(text=text, tier=AnswerTier.EXTRACTED, kind=kind)
    passage = first.passage
    return Answer(
        text=text,
        tier=AnswerTier.EXTRACTED,
        sentence="\n".join(one.passage.text for one in stored),
        title=passage.title,
        place=passage.place,
        kind=passage.kind,
        source=first.source,
        passage=first.id,
    )
