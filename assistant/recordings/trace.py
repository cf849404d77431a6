"""What became of one recorded utterance, as it is kept beside its sound."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import TypeVar

import msgspec

from assistant.core.messages import (
    Asked,
    Choice,
    Command,
    Commit,
    Interpretation,
    Message,
    Question,
    SpokenReply,
    Transcript,
    Utterance,
)

_Kind = TypeVar("_Kind", bound=Message)


class Trace(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """One utterance: what was heard, what it was taken for, and what was replied."""

    said_at: datetime
    """The aware wall time at which it ended."""
    utterance: Utterance
    answers: tuple[str, ...] = ()
    """The likely answers to the question that was open; () for none."""
    heard: str = ""
    engine: str = ""
    alternatives: tuple[str, ...] = ()
    commands: tuple[Command, ...] = ()
    choices: tuple[Choice, ...] = ()
    question: str = ""
    """The question that was left to the documents; "" for none."""
    replies: tuple[str, ...] = ()
    wrong: bool = False
    """Whether the user said that this was wrong."""
    expect: str = ""
    """What the user says was said, so that it is a test case; "" for unknown."""

    @property
    def id(self) -> str:
        """The utterance's id, by which its files are called."""
        return self.utterance.utterance_id


def trace_of(
    events: Sequence[Message], asked: Asked | None, now: datetime, now_s: float
) -> Trace | None:
    """The trace of the events of one utterance; None for one that was not acted on, or is a secret.

    `asked` is the question before it; `now` is the aware wall time, `now_s` the events' own.
    """
    utterance = decided(events, Utterance)
    transcript, meant = decided(events, Transcript), decided(events, Interpretation)
    if utterance is None or transcript is None or meant is None or utterance.secret:
        return None
    follows = asked is not None and not (utterance.wake_word or utterance.unasked)
    return Trace(
        said_at=datetime.fromtimestamp(now.timestamp() - (now_s - utterance.at_s), now.tzinfo),
        utterance=utterance,
        answers=asked.answers if asked is not None and follows else (),
        heard=transcript.text,
        engine=transcript.engine,
        alternatives=transcript.alternatives,
        commands=meant.commands,
        choices=meant.choices,
        question=next((q.text for q in of_kind(events, Question)), ""),
        replies=tuple(reply.text for reply in of_kind(events, SpokenReply)),
    )


def decided(events: Sequence[Message], kind: type[_Kind]) -> _Kind | None:
    """The message of the revision that was acted on, else the last one."""
    acted = next((commit.revision for commit in of_kind(events, Commit)), None)
    every = list(of_kind(events, kind))
    of_it = [one for one in every if getattr(one, "revision", None) == acted]
    return next(reversed(of_it or every), None)


def of_kind(events: Sequence[Message], kind: type[_Kind]) -> Iterator[_Kind]:
    """The messages of one type, in their order."""
    return (event for event in events if isinstance(event, kind))
