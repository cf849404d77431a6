"""The same stages in one process without sockets: what the tests, `hear` and `say` run."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from assistant.core.messages import Message
from assistant.core.stage import Stage


def run(stages: Sequence[Stage], messages: Iterable[Message]) -> Iterator[Message]:
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
                    for output in stage.feed(message):
                        timed = output if output.at_s else _at(output, message.at_s)
                        waiting.append(timed)
                        yield timed


def _at(message: Message, at_s: float) -> Message:
    return msgspec.structs.replace(message, at_s=at_s)
