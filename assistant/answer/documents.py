"""What the user's documents say: passages with their words and vectors, in one SQLite file.

Passages are committed first, and their words find them at once; vectors follow. The file is the
only truth: the vector index is made from it.
"""

from __future__ import annotations

import json
import logging
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import tzinfo
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from assistant.answer.matching import Filter as Filter
from assistant.answer.matching import folded, query, span_s, telling
from assistant.answer.passages import Passage
from assistant.answer.schema import MIGRATIONS
from assistant.core.database import Database

log = logging.getLogger(__name__)

Ids = NDArray[np.int64]
Vectors = NDArray[np.float32]

COMMON = 5_000
"""Passages; to rank the hits of one word among so many takes 10 ms."""

SLICE = 16
"""Passages that are written or removed at once, so that a question meanwhile waits little."""

_COLUMNS = "text, title, place, kind, starts, ends, people"


class Source(msgspec.Struct, frozen=True, kw_only=True):
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


class Stored(msgspec.Struct, frozen=True, kw_only=True):
    """A passage with its id and the file it is from."""

    id: int
    passage: Passage
    source: Path


class Knowledge:
    """The passages of all documents; every method raises `StorageError`.

    `path` None keeps them in memory; `zone` is that of events without an offset.
    """

    def __init__(self, path: Path | None, zone: tzinfo | None = None) -> None:
        self._database = Database(path, MIGRATIONS)
        self._zone = zone
        self._forgotten: list[int] = []
        self.path = path
        if self._database.set_aside is not None:
            log.error(
                "%s was damaged and is kept as %s; documents are to be added again (answer.damaged)",
                *(path, self._database.set_aside),
            )

    def close(self) -> None:
        """Close the file and let another process have it."""
        self._database.close()

    # ── sources ─────────────────────────────────────────────────────────────────────────────

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

    def sources(self) -> list[Source]:
        """Every file in order of its path."""
        rows = self._database.execute(
            "SELECT path, s.title, s.kind, sha256, stamp, fault, count(p.id), count(w.passage)"
            " FROM sources s LEFT JOIN passages p ON p.source = s.id"
            " LEFT JOIN waiting w ON w.passage = p.id GROUP BY s.id ORDER BY path"
        )
        return [
            Source(
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

    # ── passages ────────────────────────────────────────────────────────────────────────────

    def passages(self, ids: Sequence[int]) -> list[Stored]:
        """The passages in the order of `ids`; an id that is gone is left out."""
        rows = self._database.execute(
            f"SELECT p.id, path, {_COLUMNS.replace('title, place, kind', 'p.title, place, p.kind')}"  # noqa: S608
            " FROM passages p JOIN sources s ON s.id = p.source"
            " WHERE p.id IN (SELECT value FROM json_each(?))",
            _listed(ids),
        )
        found = {
            row[0]: Stored(id=row[0], source=Path(row[1]), passage=_passage(row[2:]))
            for row in rows
        }
        return [found[i] for i in ids if i in found]

    def passages_of(self, source: Path) -> list[Passage]:
        """All that `source` holds, in its order."""
        columns = _COLUMNS.replace("title, place, kind", "p.title, place, p.kind")
        rows = self._database.execute(
            f"SELECT {columns} FROM passages p JOIN sources s ON s.id = p.source"  # noqa: S608
            " WHERE path = ? ORDER BY position",
            str(source),
        )
        return [_passage(row) for row in rows]

    def matching(
        self, words: str, limit: int, within: Filter | None = None
    ) -> list[tuple[int, float]]:
        """Ids of passages that hold any of `words`, with their BM25, the higher the better.

        Words that more than `COMMON` passages hold are left out where rarer ones are there.
        """
        if not (asked := query(self._rarer(telling(words)))):
            return []
        where, bound = _where(within)
        narrowed = f" AND rowid IN (SELECT id FROM passages WHERE {where})" if where else ""  # noqa: S608
        return self._database.execute(
            f"SELECT rowid, -rank FROM words WHERE words MATCH ?{narrowed} ORDER BY rank LIMIT ?",  # noqa: S608
            *(asked, *bound, limit),
        )

    def _rarer(self, tokens: Sequence[str]) -> Sequence[str]:
        """Those that few passages hold, or the two rarest: every hit of a word costs time."""
        if (self._one("SELECT max(id) FROM passages")[0] or 0) <= COMMON:
            return tokens
        counted = "SELECT count(*) FROM (SELECT 1 FROM words WHERE words MATCH ? LIMIT ?)"
        hits = {token: self._one(counted, query([token]), COMMON + 1)[0] for token in tokens}
        rare = [token for token in tokens if hits[token] <= COMMON]
        return rare or sorted(tokens, key=hits.__getitem__)[:2]

    def within(self, narrowed: Filter) -> list[int]:
        """Ids of all passages that the filter lets through."""
        where, bound = _where(narrowed)
        sql = f"SELECT id FROM passages WHERE {where or 'TRUE'} ORDER BY id"  # noqa: S608
        return [number for (number,) in self._database.execute(sql, *bound)]

    def inside(self, ids: Sequence[int], narrowed: Filter) -> list[int]:
        """Those of `ids` that the filter lets through, in their order."""
        where, bound = _where(narrowed)
        sql = f"SELECT id FROM passages WHERE {where or 'TRUE'} AND id IN (SELECT value FROM json_each(?))"  # noqa: S608, E501
        let = {number for (number,) in self._database.execute(sql, *bound, _listed(ids))}
        return [number for number in ids if number in let]

    @property
    def generation(self) -> int:
        """Rises with every change of passages or vectors."""
        return int(self._fact("generation"))

    @property
    def identity(self) -> str:
        """Of this file and no other; another file's ids mean other passages."""
        return self._fact("identity")

    # ── vectors ─────────────────────────────────────────────────────────────────────────────

    def unencoded(self, encoder: str, limit: int) -> list[tuple[int, str]]:
        """Up to `limit` passages, by id, that `encoder` has not seen, with their texts."""
        self._take_encoder(encoder)
        return self._database.execute(
            "SELECT id, text FROM waiting JOIN passages ON id = passage ORDER BY passage LIMIT ?",
            limit,
        )

    def waiting(self, encoder: str) -> int:
        """How many passages `encoder` has not seen."""
        self._take_encoder(encoder)
        return int(self._one("SELECT count(*) FROM waiting")[0])

    def keep_vectors(self, encoder: str, ids: Sequence[int], vectors: Vectors) -> None:
        """Keep what `encoder` made of these passages, as float16; one removed since is left out.

        A crash of the system, unlike one of this process, may take the last of them; it costs only
        the time to make them again.
        """
        self._take_encoder(encoder)
        with self._at_leisure(), self._change():
            for number, vector in zip(ids, vectors.astype(np.float16), strict=True):
                waited = "DELETE FROM waiting WHERE passage = ? RETURNING passage"
                if self._database.execute(waited, number):
                    self._database.execute(
                        "INSERT INTO vectors VALUES (?, ?)", number, vector.tobytes()
                    )

    def encoded(self, encoder: str, after: int = 0, limit: int = -1) -> Ids:
        """The ids that have a vector of `encoder`, int64[n], ascending from `after` on.

        At most `limit` of them; -1 is for all.
        """
        self._take_encoder(encoder)
        rows = self._database.execute(
            "SELECT passage FROM vectors WHERE passage > ? ORDER BY passage LIMIT ?", after, limit
        )
        return np.fromiter((number for (number,) in rows), np.int64, len(rows))

    def vectors(self, encoder: str, ids: Sequence[int]) -> dict[int, Vectors]:
        """The vectors of `encoder` that there are of `ids`, float32[dimensions] each."""
        found, rows = self.matrix(encoder, ids)
        return dict(zip(found.tolist(), rows, strict=True))

    def matrix(self, encoder: str, ids: Sequence[int] | Ids) -> tuple[Ids, Vectors]:
        """The same as one float32[n, dimensions], after the ids whose vectors they are."""
        self._take_encoder(encoder)
        rows = self._database.execute(
            "SELECT passage, vector FROM vectors WHERE passage IN (SELECT value FROM json_each(?))",
            _listed(ids),
        )
        joined = np.frombuffer(b"".join(vector for _, vector in rows), np.float16)
        found = np.fromiter((number for number, _ in rows), np.int64, len(rows))
        return found, joined.reshape(len(rows), -1 if rows else 0).astype(np.float32)

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

    # ── within ──────────────────────────────────────────────────────────────────────────────

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
            f"SELECT id, {_COLUMNS} FROM passages WHERE source = ? ORDER BY position",  # noqa: S608
            source,
        )
        held: defaultdict[Passage, list[int]] = defaultdict(list)
        for number, *row in rows:
            held[_passage(row)].append(number)
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
            f"INSERT INTO passages (source, position, {_COLUMNS}, starts_s, ends_s)"  # noqa: S608
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id",
            *(source, position, passage.text, passage.title, passage.place, passage.kind),
            *(passage.starts, passage.ends, json.dumps(passage.people)),
            *span_s(passage.starts, passage.ends, self._zone),
        )
        for name in passage.people:
            self._database.execute("INSERT INTO people VALUES (?, ?)", number, folded(name))

    def _take_encoder(self, encoder: str) -> None:
        """Vectors of another encoder than the last one's are worth nothing beside it."""
        if self._fact("encoder") == encoder:
            return
        with self._change():
            self._database.execute("DELETE FROM vectors")
            self._database.execute("INSERT OR IGNORE INTO waiting SELECT id FROM passages")
            self._database.execute("UPDATE facts SET value = ? WHERE name = 'encoder'", encoder)

    @contextmanager
    def _change(self) -> Iterator[None]:
        with self._database.transaction():
            yield
            self._database.execute(
                "UPDATE facts SET value = CAST(value AS INTEGER) + 1 WHERE name = 'generation'"
            )

    @contextmanager
    def _at_leisure(self) -> Iterator[None]:
        """Leave it to a later change to wait for the disk."""
        self._database.execute("PRAGMA synchronous=NORMAL")
        try:
            yield
        finally:
            self._database.execute("PRAGMA synchronous=FULL")

    def _fact(self, name: str) -> str:
        return str(self._one("SELECT value FROM facts WHERE name = ?", name)[0])

    def _one(self, sql: str, *parameters: Any) -> tuple[Any, ...]:
        return self._database.execute(sql, *parameters)[0]


def _passage(row: Sequence[Any]) -> Passage:
    text, title, place, kind, starts, ends, people = row
    return Passage(
        text=text,
        title=title,
        place=place,
        kind=kind,
        starts=starts,
        ends=ends,
        people=tuple(json.loads(people)),
    )


def _where(within: Filter | None) -> tuple[str, tuple[Any, ...]]:
    conditions = list(within.conditions()) if within is not None else []
    sql = " AND ".join(condition for condition, _ in conditions)
    return sql, tuple(value for _, bound in conditions for value in bound)


def _listed(ids: Sequence[int] | Ids) -> str:
    return json.dumps([int(number) for number in ids])
