"""The files that passages come from, and the paths that the user wants or does not."""

from __future__ import annotations

import json
import logging
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from datetime import UTC, tzinfo
from enum import Enum
from pathlib import Path

import msgspec

from assistant.answer.knowledge.passages import Passage
from assistant.answer.knowledge.query import folded, span_s
from assistant.answer.knowledge.store import COLUMNS, SLICE, Store, passage_of
from assistant.core.database import rescued

log = logging.getLogger(__name__)


class Damage(Enum):
    """What a damaged file has cost: nothing but time, or the list of what the user wants."""

    READ_AGAIN = "all documents are read again"
    FORGOTTEN = "name your documents again: assistant documents add PATH"


class DocumentSource(msgspec.Struct, frozen=True, kw_only=True):
    """A file that passages come from; `unencoded` of them have no vector yet.

    `stamp` tells cheaply whether the file has changed, `fault` why it was last not read.
    """

    path: Path
    title: str
    kind: str
    sha256: str
    passages: int
    unencoded: int
    stamp: str = ""
    fault: str = ""


class SourceStore(Store):
    """Adds, moves and removes sources, each with its passages.

    `damage` is what it has cost where the file was damaged and a new one begun.
    """

    def __init__(self, path: Path | None, zone: tzinfo = UTC) -> None:
        super().__init__(path, zone)
        aside = self._database.set_aside
        self.damage = None if aside is None else self._rescue(aside)
        if self.damage is not None:
            told = "%s was damaged and is kept as %s; %s (answer.damaged)"
            log.error(told, path, aside, self.damage.value)

    def add(
        self,
        source: Path,
        sha256: str,
        document_title: str,
        kind: str,
        passages: Sequence[Passage],
        stamp: str = "",
    ) -> None:
        """Have `source` hold just `passages`; those it held before keep their ids and vectors."""
        for _ in self.adding(source, sha256, document_title, kind, passages, stamp):
            pass

    def adding(
        self,
        source: Path,
        sha256: str,
        document_title: str,
        kind: str,
        passages: Sequence[Passage],
        stamp: str = "",
    ) -> Iterator[None]:
        """The same in turns, a few passages a transaction.

        Only the last writes `sha256` and `stamp` down, so that a source that was left off in the
        middle counts as changed, and adding it again goes on from there.
        """
        (number,) = self._one(
            "INSERT INTO sources (path, title, kind, sha256, stamp) VALUES (?, ?, ?, '', '')"
            " ON CONFLICT (path) DO UPDATE SET title = excluded.title, kind = excluded.kind,"
            " sha256 = '', stamp = '' RETURNING id",
            *(str(source), document_title, kind),
        )
        held, gone = self._compared(number, passages)
        yield from self._deleting(gone)
        for at in range(0, len(passages), SLICE):
            with self._at_leisure(), self._change():
                for position, passage in enumerate(passages[at : at + SLICE], at):
                    self._put(number, position, passage, held[passage])
            yield
        with self._change():
            self._database.execute(
                "UPDATE sources SET sha256 = ?, stamp = ?, fault = '' WHERE id = ?",
                *(sha256, stamp, number),
            )

    def fail(self, source: Path, stamp: str, fault: str) -> None:
        """Note why `source` could not be read as of `stamp`; what it held before stays."""
        with self._change():
            self._database.execute(
                "INSERT INTO sources (path, title, kind, sha256, stamp, fault)"
                " VALUES (?, ?, 'document', '', ?, ?)"
                " ON CONFLICT (path) DO UPDATE SET stamp = excluded.stamp, fault = excluded.fault",
                *(str(source), source.stem, stamp, fault),
            )

    def move(self, source: Path, to: Path, stamp: str) -> None:
        """The same content is found at `to` now."""
        self.remove(to)
        with self._change():
            self._database.execute(
                "UPDATE sources SET path = ?, stamp = ? WHERE path = ?",
                *(str(to), stamp, str(source)),
            )

    def touch(self, source: Path, stamp: str) -> None:
        """The file's `stamp` has changed, its content has not."""
        self._database.execute(
            "UPDATE sources SET stamp = ?, fault = '' WHERE path = ?", stamp, str(source)
        )

    def retry(self) -> None:
        """Have every file that could not be read count as changed."""
        self._database.execute("UPDATE sources SET stamp = '' WHERE fault != ''")

    def remove(self, source: Path) -> int:
        """Forget `source` with its passages; how many those were."""
        count = len(self._passages_of(source))
        for _ in self.removing(source):
            pass
        return count

    def removing(self, source: Path) -> Iterator[None]:
        """The same in turns, a few passages a transaction."""
        yield from self._deleting(self._passages_of(source))
        self._database.execute("DELETE FROM sources WHERE path = ?", str(source))

    def forgotten(self) -> list[int]:
        """Ids of the passages that have gone since this was last asked."""
        gone, self._forgotten = self._forgotten, []
        return gone

    def sources(self) -> list[DocumentSource]:
        """Every file in order of its path."""
        rows = self._database.execute(
            "SELECT path, s.title, s.kind, sha256, stamp, fault, count(p.id), count(w.passage)"
            " FROM sources s LEFT JOIN passages p ON p.source = s.id"
            " LEFT JOIN waiting w ON w.passage = p.id GROUP BY s.id ORDER BY path"
        )
        return [
            DocumentSource(
                path=Path(path),
                title=title,
                kind=kind,
                sha256=sha256,
                stamp=stamp,
                fault=fault,
                passages=passages,
                unencoded=unencoded,
            )
            for path, title, kind, sha256, stamp, fault, passages, unencoded in rows
        ]

    def contents(self) -> dict[Path, tuple[str, str]]:
        """Each file's stamp and SHA-256, which is "" where it was never read."""
        rows = self._database.execute("SELECT path, stamp, sha256 FROM sources")
        return {Path(path): (stamp, sha256) for path, stamp, sha256 in rows}

    # ── roots ───────────────────────────────────────────────────────────────────────────────

    def roots(self) -> dict[Path, bool]:
        """The paths that the user wants, True, or wants left out of what lies above, False."""
        rows = self._database.execute("SELECT path, wanted FROM roots")
        return {Path(path): bool(wanted) for path, wanted in rows}

    def keep_roots(self, roots: dict[Path, bool]) -> None:
        """Have just these."""
        with self._database.transaction():
            self._database.execute("DELETE FROM roots")
            for path, wanted in roots.items():
                self._database.execute("INSERT INTO roots VALUES (?, ?)", str(path), int(wanted))

    def _rescue(self, damaged: Path) -> Damage:
        rows = rescued(damaged, "SELECT path, wanted FROM roots")
        if rows is None:
            return Damage.FORGOTTEN
        self.keep_roots({Path(path): bool(wanted) for path, wanted in rows})
        return Damage.READ_AGAIN

    # ── passages ────────────────────────────────────────────────────────────────────────────

    def _passages_of(self, source: Path) -> list[int]:
        rows = self._database.execute(
            "SELECT p.id FROM passages p JOIN sources s ON s.id = source WHERE path = ?",
            str(source),
        )
        return [number for (number,) in rows]

    def _compared(
        self, source: int, passages: Sequence[Passage]
    ) -> tuple[dict[Passage, list[int]], list[int]]:
        """The ids that the source's passages have by now, and those that are to go."""
        rows = self._database.execute(
            f"SELECT id, {COLUMNS} FROM passages WHERE source = ? ORDER BY position",  # noqa: S608
            source,
        )
        held: defaultdict[Passage, list[int]] = defaultdict(list)
        for number, *row in rows:
            held[passage_of(row)].append(number)
        wanted = Counter(passages)
        return held, [i for passage, ids in held.items() for i in ids[wanted[passage] :]]

    def _deleting(self, gone: Sequence[int]) -> Iterator[None]:
        for at in range(0, len(gone), SLICE):
            some = gone[at : at + SLICE]
            with self._at_leisure(), self._change():
                for number in some:
                    self._database.execute("DELETE FROM passages WHERE id = ?", number)
            self._forgotten += some
            yield

    def _put(self, source: int, position: int, passage: Passage, held: list[int]) -> None:
        """Have the passage stand there, under an id that it has already if there is one."""
        if held:
            moved = "UPDATE passages SET position = ? WHERE id = ?"
            self._database.execute(moved, position, held.pop(0))
        else:
            self._insert(source, position, passage)

    def _insert(self, source: int, position: int, passage: Passage) -> None:
        (number,) = self._one(
            f"INSERT INTO passages (source, position, {COLUMNS}, starts_s, ends_s)"  # noqa: S608
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id",
            *(source, position, passage.text, passage.title, passage.place, passage.kind),
            *(passage.starts, passage.ends, json.dumps(passage.people)),
            msgspec.json.encode(passage.series).decode() if passage.series else "",
            *span_s(passage.starts, passage.ends, self._zone),
        )
        for name in passage.people:
            self._database.execute("INSERT INTO people VALUES (?, ?)", number, folded(name))
