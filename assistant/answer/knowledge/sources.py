"""The files that passages come from: added, moved and removed with their passages."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from assistant.answer.knowledge.database import (
    COLUMNS,
    JOINED_COLUMNS,
    KnowledgeDatabase,
    passage_of,
)
from assistant.answer.knowledge.passages import Passage
from assistant.answer.knowledge.query import folded, span_s

SLICE = 16
"""Most passages that are written or removed at once; a question waits for no more."""

AWAITED = "awaited"
"""The stamp of a file that is still to be read; no file's own."""
EXPECTED = 200
"""Most files that are noted at once as still to be read."""


class DocumentSource(msgspec.Struct, frozen=True, kw_only=True):
    """A file that passages come from."""

    path: Path
    title: str
    kind: str
    sha256: str
    passages: int
    unencoded: int
    """Number of its passages that have no vector yet."""
    stamp: str = ""
    """A mark whose change shows that the file has changed."""
    fault: str = ""
    """Why it could not be read last time; "" if it could."""


class SourceStore:
    """Adds, moves and removes sources, each with its passages.

    Every method raises `StorageError`.
    """

    def __init__(self, database: KnowledgeDatabase) -> None:
        self._database = database
        self._forgotten: list[int] = []

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

        Only the last one records `sha256` and `stamp`, so that a source that was interrupted counts
        as changed, and adding it again continues there.
        """
        (number,) = self._database.row(
            "INSERT INTO sources (path, title, kind, sha256, stamp) VALUES (?, ?, ?, '', '')"
            " ON CONFLICT (path) DO UPDATE SET title = excluded.title, kind = excluded.kind,"
            " sha256 = '', stamp = '' RETURNING id",
            *(str(source), document_title, kind),
        )
        held, gone = self._compared(number, passages)
        yield from self._deleting(gone)
        for at in range(0, len(passages), SLICE):
            with self._database.at_leisure(), self._database.change():
                for position, passage in enumerate(passages[at : at + SLICE], at):
                    self._put(number, position, passage, held[passage])
            yield
        with self._database.change():
            self._database.execute(
                "UPDATE sources SET sha256 = ?, stamp = ?, fault = '' WHERE id = ?",
                *(sha256, stamp, number),
            )

    def expect(self, kinds: Mapping[Path, str]) -> Iterator[None]:
        """Note that these files, each of a likely kind, have changed and are still to be read.

        In turns, some files a transaction.
        """
        rows = [(str(path), path.stem, kind) for path, kind in kinds.items()]
        for at in range(0, len(rows), EXPECTED):
            with self._database.at_leisure(), self._database.transaction():
                for row in rows[at : at + EXPECTED]:
                    self._database.execute(
                        "INSERT INTO sources (path, title, kind, sha256, stamp)"
                        " VALUES (?, ?, ?, '', ?)"
                        " ON CONFLICT (path) DO UPDATE SET stamp = excluded.stamp, fault = ''",
                        *(*row, AWAITED),
                    )
            yield

    def unread(self, kind: str = "") -> tuple[bool, list[str]]:
        """Whether files of a kind, or any, are still to be read, and names of those that cannot."""
        rows = self._database.execute(
            "SELECT path, fault FROM sources WHERE (sha256 = '' OR stamp = ? OR fault != '')"
            " AND (kind = ? OR ? = '') ORDER BY path",
            *(AWAITED, kind, kind),
        )
        return any(not fault for _, fault in rows), [Path(p).name for p, fault in rows if fault]

    def fail(self, source: Path, stamp: str, fault: str) -> None:
        """Note why `source` could not be read as of `stamp`; what it held before stays."""
        with self._database.change():
            self._database.execute(
                "INSERT INTO sources (path, title, kind, sha256, stamp, fault)"
                " VALUES (?, ?, 'document', '', ?, ?)"
                " ON CONFLICT (path) DO UPDATE SET stamp = excluded.stamp, fault = excluded.fault",
                *(str(source), source.stem, stamp, fault),
            )

    def move(self, source: Path, to: Path, stamp: str) -> None:
        """Note that the same content is at `to` now."""
        self.remove(to)
        with self._database.change():
            self._database.execute(
                "UPDATE sources SET path = ?, stamp = ? WHERE path = ?",
                *(str(to), stamp, str(source)),
            )

    def touch(self, source: Path, stamp: str) -> None:
        """Note that the file's `stamp` has changed, but not its content."""
        self._database.execute(
            "UPDATE sources SET stamp = ?, fault = '' WHERE path = ?", stamp, str(source)
        )

    def retry(self) -> None:
        """Have every file that could not be read count as changed."""
        self._database.execute("UPDATE sources SET stamp = '' WHERE fault != ''")

    def remove(self, source: Path) -> int:
        """Forget `source` with its passages; gives their number."""
        count = len(self._ids_of(source))
        for _ in self.removing(source):
            pass
        return count

    def removing(self, source: Path) -> Iterator[None]:
        """The same in turns, a few passages a transaction."""
        yield from self._deleting(self._ids_of(source))
        self._database.execute("DELETE FROM sources WHERE path = ?", str(source))

    def forgotten(self) -> list[int]:
        """Ids of the passages that have gone since the last call."""
        gone, self._forgotten = self._forgotten, []
        return gone

    def all(self) -> list[DocumentSource]:
        """Every file, in order of path."""
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
        """Each file's stamp and SHA-256, which is "" if it was never read."""
        rows = self._database.execute("SELECT path, stamp, sha256 FROM sources")
        return {Path(path): (stamp, sha256) for path, stamp, sha256 in rows}

    def holds(self, kind: str) -> bool:
        """Whether there is a file of this kind, even an empty one."""
        sql = "SELECT EXISTS (SELECT 1 FROM sources WHERE kind = ? AND fault = '')"
        return bool(self._database.row(sql, kind)[0])

    def passages(self, source: Path) -> list[Passage]:
        """All passages of `source`, in order."""
        rows = self._database.execute(
            f"SELECT {JOINED_COLUMNS} FROM passages p JOIN sources s ON s.id = p.source"  # noqa: S608
            " WHERE path = ? ORDER BY position",
            str(source),
        )
        return [passage_of(row) for row in rows]

    # ── passages ────────────────────────────────────────────────────────────────────────────

    def _ids_of(self, source: Path) -> list[int]:
        rows = self._database.execute(
            "SELECT p.id FROM passages p JOIN sources s ON s.id = source WHERE path = ?",
            str(source),
        )
        return [number for (number,) in rows]

    def _compared(
        self, source: int, passages: Sequence[Passage]
    ) -> tuple[dict[Passage, list[int]], list[int]]:
        """The ids of the source's passages so far, and those to delete."""
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
            with self._database.at_leisure(), self._database.change():
                for number in some:
                    self._database.execute("DELETE FROM passages WHERE id = ?", number)
            self._forgotten += some
            yield

    def _put(self, source: int, position: int, passage: Passage, held: list[int]) -> None:
        """Put the passage at `position`, under an id that it has already if there is one."""
        if held:
            moved = "UPDATE passages SET position = ? WHERE id = ?"
            self._database.execute(moved, position, held.pop(0))
        else:
            self._insert(source, position, passage)

    def _insert(self, source: int, position: int, passage: Passage) -> None:
        (number,) = self._database.row(
            f"INSERT INTO passages (source, position, {COLUMNS}, starts_s, ends_s)"  # noqa: S608
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id",
            *(source, position, passage.text, passage.title, passage.place, passage.kind),
            *(passage.starts, passage.ends, json.dumps(passage.people)),
            msgspec.json.encode(passage.series).decode() if passage.series else "",
            *span_s(passage.starts, passage.ends, self._database.zone),
        )
        for name in passage.people:
            self._database.execute("INSERT INTO people VALUES (?, ?)", number, folded(name))
