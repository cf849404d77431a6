"""The same stages in one process without sockets: what the tests, `hear` and `say` run."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence

import msgspec

from assistant.core.messages import Commit, Message, Transcript
from assistant.core.stage import Stage

Observe = Callable[[Stage, float], None]
"""Told, after each message that a stage was fed, how many seconds it took."""


def run(
    stages: Sequence[Stage], messages: Iterable[Message], observe: Observe | None = None
) -> Iterator[Message]:
    """Feed `messages` to the stages, and every message that follows, in order, and give them all.

    What follows from one message is worked off before the next is taken. A message without a time
    of its own gets that of the message it came from. Faults propagate.
    """
    for first in messages:
        waiting = deque([first])
        while waiting:
            message = waiting.popleft()
            for stage in stages:
                if isinstance(message, stage.consumes):
                    for output in _feed(stage, message, observe):
                        waiting.append(output)
                        yield output


def typed(utterance_id: str, text: str, at_s: float, area: str = "") -> tuple[Message, Message]:
    """The messages of a text that is typed in place of an utterance in an area: final at once."""
    said = Transcript(
        utterance_id=utterance_id, revision=0, text=text, engine="text", at_s=at_s, area=area
    )
    return said, Commit(utterance_id=utterance_id, revision=0, at_s=at_s)


def _feed(stage: Stage, message: Message, observe: Observe | None) -> list[Message]:
    began_s = time.perf_counter()
    outputs = list(stage.feed(message))
    if observe is not None:
        observe(stage, time.perf_counter() - began_s)
    return [o if o.at_s else msgspec.structs.replace(o, at_s=message.at_s) for o in outputs]
