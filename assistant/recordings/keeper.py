"""Keeps what is said, from the events of the bus: the sound that recognition has, and the trace."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from datetime import datetime

import msgspec

from assistant.control.recollection import Recollection
from assistant.core.errors import ControlError, InputError, StorageError
from assistant.core.layout import MARK_WRONG
from assistant.core.messages import (
    Asked,
    Commit,
    Interpretation,
    KeepSound,
    Message,
    Question,
    SpokenReply,
    Transcript,
    Utterance,
)
from assistant.recordings.examples import Example, put_right, told
from assistant.recordings.folder import Recordings
from assistant.recordings.trace import Trace, trace_of

log = logging.getLogger(__name__)

_TELLING = (Utterance, Transcript, Interpretation, Commit, SpokenReply, Question)
"""Events after which a trace may be whole. Those of several processes come in any order."""


class RecordingState(msgspec.Struct, frozen=True, kw_only=True, tag="Recordings"):
    """Whether what is said is kept, where, and how much there is."""

    on: bool
    folder: str
    utterances: int
    size_bytes: int
    examples: tuple[Example, ...] = ()
    """What the user has put right, and what became of it."""

    @property
    def kept(self) -> str:
        """How much there is, and where, in words."""
        return f"{self.utterances} utterances, {self.size_bytes / 1e6:.1f} MB, in {self.folder}"


class RecordingKeeper:
    """Observes every event after `recollection` has; `now` gives the aware wall time.

    What an utterance puts right of the one before it becomes an example.
    """

    def __init__(
        self,
        recordings: Recordings,
        recollection: Recollection,
        now: Callable[[], datetime],
    ) -> None:
        self._recordings, self._recollection, self._now = recordings, recollection, now
        self._asked: dict[str, Asked | None] = {}
        """The last utterance, with the question that was open when it was said."""
        self._open: Asked | None = None
        self._last = self._before = ""
        """The ids of the last utterance that is kept, and of the one before it."""

    def observe(self, message: Message) -> Iterator[KeepSound]:
        """Keep what an event tells; give the request to keep the sound, once for an utterance."""
        if isinstance(message, Asked):
            self._open = message
        if isinstance(message, Utterance) and message.utterance_id not in self._asked:
            self._asked, self._open = {message.utterance_id: self._open}, None
        if not isinstance(message, _TELLING) or not self._recordings.on:
            return
        events = self._recollection.events(message.utterance_id)
        trace = trace_of(events, self._asked.get(message.utterance_id), self._now(), message.at_s)
        if trace is None or not _is_meant(trace) or not any(isinstance(e, Commit) for e in events):
            return
        if MARK_WRONG in (command.intent for command in trace.commands):
            if trace.replies:
                self._recordings.mark(self._last)
            return
        if trace.id != self._last:
            self._before, self._last = self._last, trace.id
            yield KeepSound(utterance_id=trace.id)
        if trace.replies or trace.question:
            self._recordings.keep_trace(trace)
            self._learn(trace)

    def _learn(self, trace: Trace) -> None:
        before = self._recordings.trace(self._before) if self._before else None
        correction = put_right(before, trace) if before else None
        if correction is None:
            return
        try:
            self._recordings.examples.add(correction)
        except StorageError as error:
            log.warning("an example is lost: %s (%s)", error.message, error.code)

    def answer(self, action: str = "", name: str = "", expect: str = "") -> RecordingState:
        """Do what a caller asks for, and tell the state.

        Raises `ControlError` for an unknown action, or an utterance that is not kept.
        """
        try:
            name = name or ("" if action == "forget" else self._last)
            return carry_out(self._recordings, action, name, expect)
        except InputError as error:
            raise ControlError(error.code, error.message) from error


def carry_out(
    recordings: Recordings, action: str = "", name: str = "", expect: str = ""
) -> RecordingState:
    """Begin or end what is kept, remove it, or mark an utterance as wrong; and tell the state.

    With what was really said, an utterance that is marked becomes an example, which "forget"
    removes. Raises `InputError` for an unknown action, or an utterance that is not kept.
    """
    match action:
        case "on":
            recordings.agree()
        case "off" | "remove":
            recordings.withdraw(remove=action == "remove")
        case "wrong":
            if not recordings.mark(name, expect):
                raise InputError("recordings.unknown", "that utterance is not kept")
            marked = recordings.trace(name) if recordings.on else None
            if marked and (correction := told(marked)):
                recordings.examples.add(correction)
        case "forget":
            if not recordings.examples.remove(name):
                raise InputError("recordings.unknown", "there is no such example")
        case "":
            pass
        case _:
            raise InputError("control.arguments", f'"record": there is no "{action}"')
    return state_of(recordings)


def state_of(recordings: Recordings) -> RecordingState:
    """The state of recordings, and of what they teach."""
    return RecordingState(
        on=recordings.on,
        folder=str(recordings.folder),
        examples=recordings.examples.described(),
        **recordings.usage()._asdict(),
    )


def _is_meant(trace: Trace) -> bool:
    """Whether an utterance was meant for the assistant: in the time after a reply, others talk."""
    return bool(trace.heard) and (bool(trace.commands) or not trace.utterance.unasked)
