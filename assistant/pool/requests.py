"""What a pool is asked: the messages that a stage is fed, and which message ends the reply."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from assistant.core.documents.messages import Phrased
from assistant.core.messages import (
    Interpretation,
    Message,
    Question,
    Speech,
    Spoken,
    SpokenReply,
    StageFailed,
    Transcript,
)
from assistant.pool.routing import RequestShape

TOKENS = 16
"""Tokens that a reply is expected to take of which nothing is known."""


class PoolRequest(msgspec.Struct, frozen=True, kw_only=True):
    """Messages about one utterance, as a stage is fed them; the last of them is replied to."""

    messages: tuple[Spoken, ...]
    shape: RequestShape = RequestShape(tokens=TOKENS)
    lighter: tuple[Spoken, ...] = ()
    """What is asked instead where there is no time for all of it; () for nothing lighter."""

    @property
    def utterance_id(self) -> str:
        """The utterance, by which the reply is known."""
        return self.messages[-1].utterance_id

    def as_lighter(self) -> PoolRequest | None:
        """Its lighter form, which takes no tokens to speak of; None where it has none."""
        if not self.lighter:
            return None
        shape = msgspec.structs.replace(self.shape, tokens=1)
        return PoolRequest(messages=self.lighter, shape=shape)

    def replayed(self) -> PoolRequest:
        """What a worker without the conversation is asked first, as quickly as that can be told."""
        messages = (
            msgspec.structs.replace(m, wording="none") if isinstance(m, Question) else m
            for m in self.messages
        )
        return PoolRequest(messages=tuple(messages), shape=self.shape)

    def named(self, utterance_id: str) -> Iterator[Spoken]:
        """Its messages about an utterance of another name."""
        for message in self.messages:
            yield msgspec.structs.replace(message, utterance_id=utterance_id)


def is_last(message: Message) -> bool:
    """Whether a message ends the reply of its stage to one utterance."""
    match message:
        case SpokenReply(more=more):
            return not more
        case Speech(last=last):
            return last
        case Transcript() | Interpretation() | Phrased() | StageFailed():
            return True
    return False


def is_part(message: Message) -> bool:
    """Whether a message belongs to the reply of a stage, rather than to what goes on beside it."""
    return isinstance(message, Spoken | StageFailed) and bool(message.utterance_id)
