"""What the user has put right: examples for understanding, beside the recordings they come from.

    recordings/examples      one `Correction` a line, the oldest first

A correction is what is said next to put right what was not understood, or only guessed: "pop some
tunes on", "I meant play some music". What was surely understood teaches nothing: who corrects it
has misspoken, was misheard, or has changed their mind.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from pathlib import Path

import msgspec

from assistant.core.errors import StorageError
from assistant.core.files import replace_file
from assistant.outcome import in_words
from assistant.recordings.trace import Trace
from nlu.classifier.corrections import Correction, read_uses
from nlu.discourse.clauses import correction
from nlu.room import CONVERSATION_S
from nlu.text.canonical import canonical

MOST = 32
"""Most examples that are kept; the oldest go first. Each may be tried alone, which takes some
3 s of one core of a server."""
_MODE = 0o600
_MOST_BYTES = 1 << 20
_SURE = 0.85
"""Least confidence of a command for it to put another right. Guesses have less."""
_UNTRIED = "at the next start"

log = logging.getLogger(__name__)


class Example(msgspec.Struct, frozen=True, kw_only=True):
    """A correction as a user sees it."""

    id: str
    heard: str
    meant: str
    use: str
    """What understanding makes of it, in words."""


class Examples:
    """The corrections in a file; the folder `cache` tells what understanding makes of them."""

    def __init__(self, file: Path, cache: Path) -> None:
        self._file, self._cache = file, cache

    def all(self) -> list[Correction]:
        """The corrections, the oldest first; a damaged file is told of in the log, and is none."""
        try:
            if self._file.stat().st_size > _MOST_BYTES:
                raise ValueError("it is too large")
            return msgspec.json.Decoder(Correction).decode_lines(self._file.read_bytes())[-MOST:]
        except FileNotFoundError:
            return []
        except (OSError, ValueError) as error:  # msgspec's errors are ValueErrors
            log.warning("%s cannot be read: %s (recordings.examples)", self._file, error)
            return []

    def described(self) -> tuple[Example, ...]:
        """The corrections, each with what became of it at the last start."""
        uses = read_uses(self._cache)
        return tuple(
            Example(
                id=one.id,
                heard=one.heard,
                meant=in_words(one.command) if one.command else one.expect,
                use=uses[one.key].value if one.key in uses else _UNTRIED,
            )
            for one in self.all()
        )

    def add(self, new: Correction) -> None:
        """Keep a correction, in place of one of the same utterance; raises `StorageError`."""
        others = [one for one in self.all() if one.id != new.id]
        self._write([*others, new][-MOST:])

    def remove(self, name: str) -> bool:
        """Remove the correction of an utterance; False for none. Raises `StorageError`."""
        every = self.all()
        left = [one for one in every if one.id != name]
        if len(left) < len(every):
            self._write(left)
        return len(left) < len(every)

    def clear(self) -> None:
        """Remove all; raises `OSError`."""
        self._file.unlink(missing_ok=True)

    def _write(self, corrections: Iterable[Correction]) -> None:
        try:
            replace_file(self._file, msgspec.json.Encoder().encode_lines(corrections), _MODE)
        except OSError as error:
            message = f"{self._file}: {error.strerror}"
            raise StorageError("recordings.unwritable", message) from error


def put_right(before: Trace, after: Trace) -> Correction | None:
    """What one utterance teaches of the one before it; None where it corrects nothing."""
    if not before.heard or len(after.commands) != 1:
        return None
    (meant,) = after.commands
    corrects = meant.instead or correction(canonical(after.heard))[0]
    soon = 0 <= (after.said_at - before.said_at).total_seconds() <= CONVERSATION_S
    sure = any(command.confidence >= 1 for command in before.commands)
    same = any(command.intent == meant.intent for command in before.commands)
    if not (corrects and soon) or sure or same or meant.confidence < _SURE:
        return None
    return Correction(id=before.id, heard=before.heard, command=meant)


def told(trace: Trace) -> Correction | None:
    """What the user teaches by telling what was said; None where that is what was heard."""
    if not (trace.heard and trace.expect) or canonical(trace.heard) == canonical(trace.expect):
        return None
    return Correction(id=trace.id, heard=trace.heard, expect=trace.expect)
