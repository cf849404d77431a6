"""What the reply to one request shows of the version of a model that made it.

| reply          | missed             | asked        | slow: its first message after |
|----------------|--------------------|--------------|-------------------------------|
| Transcript     | no words           |              | 1 s                           |
| Interpretation | nothing understood | only choices | 60 ms                         |
| SpokenReply    | no answer found    |              | 1 s                           |
| Speech         | no sound           |              | 200 ms                        |

The time is that from when the stage began, so that it does not count what waited before it. Every
reply counts, whether or not a model had a part in it, which replies do not tell.
"""

from __future__ import annotations

from collections.abc import Mapping

from assistant.answer.trial import SLOW_S as SLOW_ANSWER_S
from assistant.control.metrics import BUDGET_S
from assistant.core.messages import Interpretation, Message, Speech, SpokenReply, Transcript
from assistant.core.models.trial import SLOW_S, Tally
from assistant.pool.requests import is_last
from audio.asr.tandem import LOOKS_WITHIN_S

MAY_TAKE_S: Mapping[type[Message], float] = {
    Transcript: LOOKS_WITHIN_S,
    Interpretation: SLOW_S,
    SpokenReply: SLOW_ANSWER_S,
    Speech: BUDGET_S["voice"],
}


class ReplyTally:
    """Sums up one reply, message by message."""

    def __init__(self) -> None:
        self._seconds: float | None = None
        self._sounds = False

    def add(self, message: Message, seconds: float) -> Tally | None:
        """What the whole reply shows, with its last message, which comes after so many `seconds`.

        None before that, and for a fault.
        """
        if self._seconds is None:
            self._seconds = seconds
        if isinstance(message, Speech):
            self._sounds |= bool(message.samples)
        may_take_s = MAY_TAKE_S.get(type(message))
        if may_take_s is None or not is_last(message):
            return None
        is_choice = isinstance(message, Interpretation) and bool(message.choices)
        nothing = self._has_nothing(message)
        return Tally(
            utterances=1,
            missed=nothing and not is_choice,
            asked=nothing and is_choice,
            slow=self._seconds > may_take_s,
            seconds=round(self._seconds, 4),
            confidence=_confidence(message),
        )

    def _has_nothing(self, last: Message) -> bool:
        match last:
            case Transcript(text=text):
                return not text
            case Interpretation(commands=commands):
                return not commands
            case SpokenReply(done=done, text=text):
                return not (done and text)
        return not self._sounds


def _confidence(message: Message) -> float:
    if not isinstance(message, Interpretation):
        return 0.0
    return min((command.confidence for command in message.commands), default=0.0)
