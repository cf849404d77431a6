"""The paths that the user wants among the documents, or wants left out."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from assistant.answer.knowledge.database import KnowledgeDatabase
from assistant.core.database import rescued


class RootStore:
    """Stores paths: True if wanted, False if left out of a wanted path above."""

    def __init__(self, database: KnowledgeDatabase) -> None:
        self._database = database

    def all(self) -> dict[Path, bool]:
        """Path → whether it is wanted."""
        rows = self._database.execute("SELECT path, wanted FROM roots")
        return {Path(path): bool(wanted) for path, wanted in rows}

    def keep(self, roots: Mapping[Path, bool]) -> None:
        """Replace all paths with these."""
        with self._database.transaction():
            self._database.execute("DELETE FROM roots")
            for path, wanted in roots.items():
                self._database.execute("INSERT INTO roots VALUES (?, ?)", str(path), int(wanted))

    def rescue(self, damaged: Path) -> bool:
        """Copy the paths of a damaged file; False where they cannot be read."""
        rows = rescued(damaged, "SELECT path, wanted FROM roots")
        if rows is not None:
            self.keep({Path(path): bool(wanted) for path, wanted in rows})
        return rows is not None
