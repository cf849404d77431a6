"""What the user's documents say: passages with their words and vectors, in one SQLite file.

Passages are committed first, and their words find them at once; vectors follow. The file is the
only source of truth: the vector index is built from it.
"""

from __future__ import annotations

import logging
from datetime import UTC, tzinfo
from enum import Enum
from pathlib import Path

from assistant.answer.knowledge.database import KnowledgeDatabase
from assistant.answer.knowledge.passage_store import PassageStore
from assistant.answer.knowledge.roots import RootStore
from assistant.answer.knowledge.sources import SourceStore
from assistant.answer.knowledge.vectors import VectorStore
from assistant.english.spoken import count, joined

log = logging.getLogger(__name__)

READING = "I'm still reading your {what}."
MOST_NAMED = 2
"""Most documents that are named as unreadable."""


class Damage(Enum):
    """What a damaged file has cost: nothing but time, or the list of what the user wants."""

    READ_AGAIN = "all documents are read again"
    FORGOTTEN = "name your documents again: assistant documents add PATH"


class Knowledge:
    """The open file and its stores, whose methods all raise `StorageError`.

    `path` None keeps everything in memory; events without an offset are in `zone`. `damage` is set
    where the file was damaged and a new one begun. With `shared` it is only read, while its one
    writer may have it open.
    """

    def __init__(self, path: Path | None, zone: tzinfo = UTC, shared: bool = False) -> None:
        self._database = KnowledgeDatabase(path, zone, shared)
        self.path, self.zone, self.shared = path, zone, shared
        self.sources = SourceStore(self._database)
        self.passages = PassageStore(self._database)
        self.vectors = VectorStore(self._database)
        self.roots = RootStore(self._database)
        self.unseen = False
        """Whether the disk is still to be looked at for what has changed."""
        self.awaited: Path | None = None
        """The file of a calendar on a server, which is there once that was read."""
        self.damage = self._rescue(self._database.set_aside)

    @property
    def generation(self) -> int:
        """A number that rises with every change of passages or vectors."""
        return self._database.generation

    def unread(self, kind: str = "") -> str:
        """What is to be said of documents of a kind, or any, that are not read; "" where all are.

        So that nobody is told that there is nothing in them.
        """
        reading, faulty = self.sources.unread(kind)
        awaited = kind == "event" and self.awaited is not None and not self.awaited.exists()
        if reading or self.unseen or awaited:
            return READING.format(what="calendar" if kind == "event" else "documents")
        if not faulty:
            return ""
        named = faulty[:MOST_NAMED]
        if more := len(faulty) - len(named):
            named.append(count(more, "other document"))
        return f"I can't read {joined(named)}."

    def close(self) -> None:
        """Close the file and let another process open it."""
        self._database.close()

    def _rescue(self, aside: Path | None) -> Damage | None:
        """Copy the roots from a damaged file that was set aside."""
        if aside is None:
            return None
        damage = Damage.READ_AGAIN if self.roots.rescue(aside) else Damage.FORGOTTEN
        told = "%s was damaged and is kept as %s; %s (answer.damaged)"
        log.error(told, self.path, aside, damage.value)
        return damage
