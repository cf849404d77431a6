"""What became of each utterance: understood, asked back about, or put right by the next one.

An utterance is settled when the one after it in its room has shown whether it puts it right. It
does not count where no model had a part in it, or where nobody may have addressed the assistant.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assistant.core.layout import MARK_WRONG, UNDO
from assistant.core.messages import Command, Interpretation, Message, Transcript
from assistant.core.models.trial import SLOW_S, Tally
from assistant.core.rooms.newest import Newest

CORRECTED_S = 60.0
"""Seconds within which an utterance is put right by the next one of its room."""


@dataclass
class Reading:
    """What the last revision of an utterance came to."""

    utterance_id: str
    at_s: float
    new: bool = False
    """Whether a version of a model on trial reads it."""
    before: Reading | None = None
    """The utterance that it may put right."""
    consulted: bool = False
    """Whether a model had a part in it."""
    meant: Interpretation | None = None
    seconds: float = 0.0
    corrected: bool = False

    def take(
        self, transcript: Transcript, outputs: Sequence[Message], seconds: float, consulted: bool
    ) -> None:
        """Note what a revision of it came to."""
        self.seconds = seconds
        if not (transcript.secret or transcript.unasked) and transcript.text:
            self.consulted |= consulted
        self.meant = next((m for m in outputs if isinstance(m, Interpretation)), None)
        if self.before is not None:
            self.before.corrected = self.meant is not None and _corrects(self.meant)

    def tally(self) -> Tally | None:
        """The utterance alone; None where it does not count."""
        if self.meant is None or not self.consulted:
            return None
        # What it may mean while a skill says so is no sign: any text may be the name of a routine.
        commands = self.meant.commands
        understood = bool(commands)
        return Tally(
            utterances=1,
            missed=not understood and not self.meant.choices,
            asked=not understood and bool(self.meant.choices),
            corrected=understood and self.corrected,
            slow=self.seconds > SLOW_S,
            seconds=round(self.seconds, 4),
            confidence=min((command.confidence for command in commands), default=0.0),
        )


class Readings:
    """The last utterance of each room, and those that are settled."""

    def __init__(self) -> None:
        self._last = Newest[str, Reading]()
        self._settled: list[Reading] = []

    def last(self, area: str) -> Reading | None:
        """The last utterance of a room."""
        return self._last.get(area)

    def of(self, transcript: Transcript) -> Reading:
        """The utterance that a transcript is a revision of; its first one begins it."""
        last = self._last.get(transcript.area)
        if last is not None and last.utterance_id == transcript.utterance_id:
            return last
        reading = self._last[transcript.area] = Reading(transcript.utterance_id, transcript.at_s)
        if last is not None:
            if last.before is not None:
                self._settled.append(last.before)
                last.before = None
            if transcript.at_s - last.at_s < CORRECTED_S:
                reading.before = last
            else:
                self._settled.append(last)
        return reading

    def settled(self) -> list[Reading]:
        """The utterances that nothing can put right any more, without those of earlier calls."""
        settled, self._settled = self._settled, []
        return settled


def _corrects(meant: Interpretation) -> bool:
    """Whether an utterance takes back or puts right what came before it, or says it was wrong."""
    # What it means, or the likeliest that it may mean while the skills say so.
    commands: Sequence[Command] = meant.commands or next(iter(meant.conditional), ())
    return any(one.instead or one.intent in (MARK_WRONG, UNDO) for one in commands)
