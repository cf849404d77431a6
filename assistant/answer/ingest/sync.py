"""From the disk to the database: changed files are read, moved ones keep their passages."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Collection, Generator, Mapping
from pathlib import Path
from typing import Protocol

from assistant.answer.ingest.formats.suffixes import CALENDARS
from assistant.answer.ingest.opening import opened
from assistant.answer.ingest.parser_client import ParsedFile
from assistant.answer.ingest.scan import below, size_of, surveyed
from assistant.answer.knowledge.sources import SourceStore
from assistant.core.errors import AnswerError

PIECE_BYTES = 1 << 22
TRANSIENT_FAULT = "answer.indexer"
"""The code of a fault in the parser, not in the file, which may be over the next time."""

log = logging.getLogger(__name__)

Turns = Generator[bool, None, None]
"""Work in slices; a turn is True when it only waits for the parser."""


class Parses(Protocol):
    """Parses one file at a time into passages, elsewhere (`ParserClient`)."""

    def begin(self, path: Path) -> None:
        """Have `path` parsed."""

    def poll(self) -> ParsedFile | None:
        """What the file holds, once it is known."""

    def close(self) -> None:
        """Abandon the file that is being parsed."""


class Sync:
    """Brings `sources` in line with the files, one look at the disk after another.

    `files` is how many files the last look found changed, `files_done` how many of them are done,
    `seen` how many files there are, `surveyed` whether it knows which; `faults` says in a line each
    what could not be read.
    """

    def __init__(self, sources: SourceStore, parser: Parses, suffixes: Collection[str]) -> None:
        self._sources, self._parser, self._suffixes = sources, parser, suffixes
        self.files = self.files_done = self.seen = self._unnamed = 0
        self.faults: list[str] = []
        self.surveyed = False

    def look(self, roots: Mapping[Path, bool]) -> Turns:
        """Find what has changed below `roots`, read it, and forget what is gone."""
        self.files = self.files_done = 0
        self.surveyed = False
        survey = yield from surveyed(roots, self._suffixes)
        if self._unnamed != survey.unnamed:
            self._unnamed = survey.unnamed
            names = "names that no one can read: line breaks, control characters, no UTF-8"
            self.faults.append(f"{survey.unnamed} files or folders have {names}")
        known = self._sources.contents()
        left_out = [path for path, wanted in roots.items() if not wanted]
        gone = {
            path: entry
            for path, entry in known.items()
            if path not in survey.files
            and (below(path, left_out) or not below(path, survey.unseen))
        }
        changed = [p for p, stamp in survey.files.items() if known.get(p, ("",))[0] != stamp]
        for _ in self._sources.expect({p: _likely_kind(p) for p in changed}):
            yield False
        self.files, self.seen, self.surveyed = len(changed), len(survey.files), True
        for path in changed:
            stamp, (_, sha256) = survey.files[path], known.get(path, ("", ""))
            before = None if sha256 else (yield from self._moved(path, stamp, gone))
            if before is None:
                yield from self._read(path, stamp, sha256)
            else:
                self._sources.move(before, path, stamp)
                del gone[before]
            self.files_done += 1
        if changed:
            self._parser.close()  # it is a process, and rarely needed
        for path in gone:
            for _ in self._sources.removing(path):
                yield False

    def _moved(
        self, path: Path, stamp: str, gone: Mapping[Path, tuple[str, str]]
    ) -> Generator[bool, None, Path | None]:
        """Where, among the files that are gone, the very same content was before."""
        likely = [p for p, (old, _) in gone.items() if size_of(old) == size_of(stamp)]
        hashed = hashlib.sha256()
        if not likely:
            return None
        try:
            with open(path, "rb", opener=lambda *_: opened(path)) as file:
                while piece := file.read(PIECE_BYTES):
                    hashed.update(piece)
                    yield False
        except OSError:
            return None
        return next((p for p in likely if gone[p][1] == hashed.hexdigest()), None)

    def _read(self, path: Path, stamp: str, sha256: str) -> Turns:
        """Have `path` parsed and keep what it holds, or why it cannot be read."""
        try:
            self._parser.begin(path)
            while (parsed := self._parser.poll()) is None:
                yield True
        except AnswerError as error:
            self.faults.append(error.message)
            log.info("a document cannot be read (%s)", error.code)
            self._sources.fail(path, "" if error.code == TRANSIENT_FAULT else stamp, error.message)
            return
        except GeneratorExit:
            self._parser.close()
            raise
        if parsed.sha256 == sha256:
            self._sources.touch(path, stamp)
        else:
            document = parsed.document
            turns = self._sources.adding(
                path, parsed.sha256, document.title, document.kind, parsed.passages, stamp
            )
            for _ in turns:
                yield False


def _likely_kind(path: Path) -> str:
    """The kind of a file that was not read yet."""
    return "event" if path.suffix.lower() in CALENDARS else "document"
