"""The user's documents, kept as they are on the disk: found, read and encoded, one slice a turn.

What has been read is committed before the next file is begun, and words find it from then on;
vectors follow. So whatever ends the process costs one slice of work, and the next start continues.
"""

from __future__ import annotations

from collections.abc import Collection as Sized
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Protocol

import msgspec

from assistant.answer.ingest.encoding import PassageEncoding, Turn
from assistant.answer.ingest.roots import Roots, listing, path_named
from assistant.answer.ingest.sync import Parses, Sync, Turns
from assistant.answer.knowledge.knowledge import Knowledge
from assistant.answer.knowledge.sources import DocumentSource
from assistant.answer.summary.summariser import Summary
from assistant.core.errors import AnswerError, AssistantError, ModelError
from assistant.core.messages import (
    DocumentsDone,
    DocumentsListed,
    DocumentsProgress,
    DocumentsRequest,
    DocumentSummary,
    Message,
)

LOOK_EVERY_S, FILES_A_SECOND = 10.0, 1000
"""Seconds between two looks at the disk, and the number of files that add one second more."""
WAIT_S = 0.005
"""Seconds to wait for the parser, or for a thread of the index."""
AGAIN_AFTER_S = 30.0
"""Seconds until the next attempt after a fault."""
TELL_EVERY_S = 0.5
LISTED_AT_ONCE = 100


class Summarises(Protocol):
    """Summarises documents."""

    def summarise(self, name: str, words: int | None = None) -> Summary:
        """The summary of what `name` names, of a wished length; raises `AnswerError`."""


class Collection:
    """Keeps `knowledge` in line with the wanted files; all work is done by `step`.

    `folders` are wanted in addition to what was added. Without `encoding` words alone find
    passages; without `summariser` nothing is summarised. `requests` are those that an earlier
    collection has left, each with its reply if that is known by now.
    """

    def __init__(
        self,
        knowledge: Knowledge,
        encoding: PassageEncoding | None,
        parser: Parses,
        suffixes: Sized[str],
        folders: Sequence[Path] = (),
        summariser: Summarises | None = None,
        requests: dict[str, DocumentsDone | None] | None = None,
    ) -> None:
        self._knowledge, self._encoding = knowledge, encoding
        self._summariser = summariser
        self._wanted = Roots(knowledge.roots, knowledge.sources, folders)
        self._intake = Sync(knowledge.sources, parser, suffixes)
        self._look: Turns | None = None
        self._look_s = self._due_s = self._told_s = 0.0
        self._requests = {} if requests is None else requests
        self._fault = self._blind = ""
        knowledge.unseen = bool(self._wanted.roots())

    def deadline_s(self) -> float:
        """When `step` should be called next."""
        return self._due_s

    def take(self, request: DocumentsRequest) -> Iterator[Message]:
        """Begin what the command line asks for; errors are reported, not raised."""
        try:
            match request.action:
                case "add":
                    self._wanted.add([path_named(argument) for argument in request.arguments])
                    self._requests[request.request_id] = None
                    self.look_anew()
                case "remove":
                    gone = self._wanted.remove(request.arguments)
                    self._requests[request.request_id] = _sum(gone)
                    self.look_anew()
                case "list":
                    yield from self._listed(request)
                case "summarise":
                    yield from self._summarised(request)
        except AssistantError as error:
            yield DocumentsDone(request_id=request.request_id, code=error.code, error=error.message)

    def step(self, at_s: float) -> Iterator[Message]:
        """Do one slice of the work that is due.

        Raises the `AssistantError` that prevents it, but only once while it lasts, because it is
        spoken; what failed is tried again later. A `ModelError` prevents only the encoding.
        """
        self._due_s = at_s + AGAIN_AFTER_S  # also after an unexpected error
        try:
            turn = self._read(at_s)
            if turn is not Turn.WORKED:
                turn = max(turn, self._encode())
            if turn is Turn.IDLE and self._encoding is not None:
                turn = self._encoding.settle()
        except ModelError as error:  # words find everything that was read all the same
            self._due_s = at_s
            known, self._blind = self._blind, error.code
            if error.code == known:
                return
            raise
        except AssistantError as error:
            self._restart(at_s + AGAIN_AFTER_S)
            yield from self._done(error)
            known, self._fault = self._fault, error.code
            if error.code == known:
                return
            raise
        dues_s = {Turn.IDLE: self._look_s, Turn.WAITED: at_s + WAIT_S, Turn.WORKED: at_s}
        self._due_s = dues_s[turn]
        yield from self._reports(at_s, turn)

    def close(self) -> None:
        """Stop; finished work is kept."""
        self._restart()
        if self._encoding is not None:
            self._encoding.close()

    def _listed(self, request: DocumentsRequest) -> Iterator[Message]:
        listed = [listing(source) for source in self._knowledge.sources.all()]
        for at in range(0, len(listed), LISTED_AT_ONCE):
            some = tuple(listed[at : at + LISTED_AT_ONCE])
            yield DocumentsListed(request_id=request.request_id, documents=some)
        yield msgspec.structs.replace(
            _sum(self._knowledge.sources.all()), request_id=request.request_id
        )

    def _summarised(self, request: DocumentsRequest) -> Iterator[Message]:
        if self._summariser is None:
            raise AnswerError("model.absent", "the model that reads is not here; install it again")
        name, *wished = request.arguments or ("",)
        summary = self._summariser.summarise(name, _words(wished))
        yield DocumentSummary(
            request_id=request.request_id,
            title=summary.title,
            place=summary.place,
            path=str(summary.source),
            sentences=tuple(said.text for said in summary.sentences),
        )
        yield DocumentsDone(request_id=request.request_id, documents=1)

    # ── a slice ─────────────────────────────────────────────────────────────────────────────

    def look_anew(self) -> None:
        """Look at the disk at the next `step`, as it has changed."""
        self._knowledge.unseen = True
        self._restart()

    def _restart(self, at_s: float = 0.0) -> None:
        """Stop the current look at the disk; another begins at `at_s`."""
        if self._look is not None:
            self._look.close()
        self._look = None
        self._look_s = self._due_s = at_s

    def _read(self, at_s: float) -> Turn:
        """Continue the look at the disk, or begin one when it is time."""
        if self._look is None:
            if at_s < self._look_s:
                return Turn.IDLE
            self._look = self._intake.look(self._wanted.roots())
            if self._encoding is not None:
                self._encoding.look_anew()
        waits = next(self._look, None)
        self._knowledge.unseen = self._knowledge.unseen and not self._intake.surveyed
        if self._encoding is not None:
            self._encoding.follow(self._knowledge.generation)
        if waits is None:
            self._look = None
            self._look_s = at_s + LOOK_EVERY_S + self._intake.seen / FILES_A_SECOND
        return Turn.WAITED if waits else Turn.WORKED

    def _encode(self) -> Turn:
        """Encode some passages."""
        if self._encoding is None:
            return Turn.IDLE
        turn = self._encoding.encode()
        if turn is Turn.WORKED:
            self._blind = ""
        return turn

    # ── what is reported ────────────────────────────────────────────────────────────────────

    def _reports(self, at_s: float, turn: Turn) -> Iterator[Message]:
        faults, self._intake.faults = self._intake.faults, []
        for fault in faults:
            yield self._progress(fault)
        if turn is Turn.IDLE:
            self._fault = ""
            if self._requests:
                yield self._progress()
            yield from self._done()
        elif at_s >= self._told_s + TELL_EVERY_S and (self._requests or self._intake.files):
            self._told_s = at_s
            yield self._progress()

    def _progress(self, fault: str = "") -> DocumentsProgress:
        encoding = self._encoding
        encoded, unencoded = (encoding.encoded, encoding.unencoded) if encoding else (0, 0)
        return DocumentsProgress(
            files_done=self._intake.files_done,
            files=self._intake.files,
            encoded=encoded,
            passages=encoded + unencoded,
            fault=fault,
        )

    def _done(self, error: AssistantError | None = None) -> Iterator[DocumentsDone]:
        """Report to the waiting requests that everything is done, or why it is not."""
        requests = dict(self._requests)
        self._requests.clear()
        for request, done in requests.items():
            if error is not None:
                done = DocumentsDone(request_id="", code=error.code, error=error.message)
            told = done or _sum(self._knowledge.sources.all())
            yield msgspec.structs.replace(told, request_id=request)


def _words(wished: Sequence[str]) -> int | None:
    """How many words a summary may have, as the command line gives it; None where it says none."""
    number = wished[0] if wished else ""
    if number and not number.isdecimal():
        raise AnswerError("documents.words", f'"{number}" is no number of words.')
    return int(number) if number else None


def _sum(sources: Sequence[DocumentSource]) -> DocumentsDone:
    passages = sum(source.passages for source in sources)
    return DocumentsDone(request_id="", documents=len(sources), passages=passages)
