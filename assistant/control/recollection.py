"""What became of the last utterances: what each stage believed of them, and where the time went.

It holds what was said, so it is kept in memory alone, and of few utterances.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence

import msgspec

from assistant.control.describe import describe, describe_command
from assistant.control.metrics import BUDGET_S, times
from assistant.core.clock import boottime_s
from assistant.core.errors import ControlError
from assistant.core.messages import (
    Commit,
    Generated,
    Interpretation,
    Message,
    PlaybackStarted,
    Question,
    SpokenReply,
    StageFailed,
    Transcript,
    Utterance,
    Woke,
    Word,
)
from assistant.recordings.trace import decided, of_kind

KEPT = 20
"""Most utterances that are remembered."""
_MOST_EVENTS = 64
"""Most messages of one utterance: speech that goes on and on has many revisions."""

_EARLY = 32
"""Most utterances of which other messages are held until the one that something was spoken; those
of which only a wake word was heard never have one."""

_OF_UTTERANCES = (
    *(Utterance, Transcript, Interpretation, Commit, Question, SpokenReply),
    *(PlaybackStarted, StageFailed, Woke, Generated),
)


class StageTime(msgspec.Struct, frozen=True, kw_only=True):
    """Milliseconds that a stage took for one utterance, and that it may take."""

    stage: str
    ms: float
    budget_ms: float


class Account(msgspec.Struct, frozen=True, kw_only=True):
    """What became of one utterance; what did not happen is empty."""

    ago_s: float
    heard: str = ""
    engine: str = ""
    sure: float | None = None
    """How likely the words are right, from 0 to 1."""
    words: tuple[Word, ...] = ()
    alternatives: tuple[str, ...] = ()
    """Other texts that the recogniser had."""
    understood: tuple[str, ...] = ()
    """The commands, with how sure they are."""
    choices: tuple[str, ...] = ()
    """Meanings of which none was likely enough."""
    missed: str = ""
    """Words beside the commands that were not understood."""
    nearest: str = ""
    """The sentence that comes nearest to what was not understood."""
    asked: str = ""
    """The question that was left to the documents."""
    replies: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()
    times: tuple[StageTime, ...] = ()
    """The stages' times until the reply was heard; () where none was."""


class Accounts(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """The last utterances, the latest first."""

    accounts: tuple[Account, ...]


class Recollection:
    """Observes every event, and keeps those of the last utterances in memory.

    Events of several processes come in any order.
    """

    def __init__(self, keep: int = KEPT, clock: Callable[[], float] = boottime_s) -> None:
        self._keep, self._clock = keep, clock
        self._events: OrderedDict[str, list[Message]] = OrderedDict()
        self._early: OrderedDict[str, list[Message]] = OrderedDict()
        """What came before the message that something was spoken, if it ever comes."""

    def observe(self, message: Message) -> None:
        """Keep `message` if it is about an utterance that was spoken."""
        if not isinstance(message, _OF_UTTERANCES):
            return
        utterance_id = message.utterance_id
        if isinstance(message, Utterance) and utterance_id not in self._events:
            self._events[utterance_id] = self._early.pop(utterance_id, [])
            if len(self._events) > self._keep:
                self._events.popitem(last=False)
        events = self._events.get(utterance_id)
        if events is None:
            events = self._early.setdefault(utterance_id, [])
            if len(self._early) > _EARLY:
                self._early.popitem(last=False)
        if len(events) < _MOST_EVENTS:
            events.append(message)

    def events(self, utterance_id: str) -> Sequence[Message]:
        """The messages of an utterance, in the order in which they came; () for an unknown one."""
        return self._events.get(utterance_id, ())

    def told(self, count: str = "1") -> Accounts:
        """What became of the last `count` utterances; raises `ControlError` for no number."""
        if count not in map(str, range(1, KEPT + 1)):
            raise ControlError("control.arguments", f'"{count:.40}" is no number from 1 to {KEPT}')
        meant = [events for events in self._events.values() if not _is_noise(events)]
        last = meant[: -int(count) - 1 : -1]
        return Accounts(accounts=tuple(_account(events, self._clock()) for events in last))


def _is_noise(events: Sequence[Message]) -> bool:
    """Whether something without the wake word was listened to, and no word was heard in it."""
    unasked = any(one.unasked for one in of_kind(events, Utterance))
    return unasked and not any(one.text for one in of_kind(events, Transcript))


def _account(events: Sequence[Message], now_s: float) -> Account:
    transcript, meant = decided(events, Transcript), decided(events, Interpretation)
    question = next(of_kind(events, Question), None)
    first = next(of_kind(events, Utterance), events[0])
    return Account(
        ago_s=round(now_s - first.at_s, 1),
        heard=transcript.text if transcript else "",
        engine=transcript.engine if transcript else "",
        sure=transcript.confidence if transcript else None,
        words=transcript.words if transcript else (),
        alternatives=transcript.alternatives if transcript else (),
        understood=tuple(map(describe_command, meant.commands)) if meant else (),
        choices=tuple(describe_command(one.command) for one in meant.choices) if meant else (),
        missed=meant.missed if meant else "",
        nearest=meant.unclaimed.nearest if meant and not meant.commands else "",
        asked=question.text if question else "",
        replies=tuple(reply.text for reply in of_kind(events, SpokenReply)),
        faults=tuple(map(describe, of_kind(events, StageFailed))),
        times=tuple(
            StageTime(stage=stage, ms=round(s * 1000, 1), budget_ms=BUDGET_S[stage] * 1000)
            for stage, s in (times(events) or {}).items()
        ),
    )
