"""The files and folders that the user wants among the documents, and what is known of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from assistant.answer.ingest.scan import below, is_there
from assistant.answer.knowledge.roots import RootStore
from assistant.answer.knowledge.sources import DocumentSource, SourceStore
from assistant.core.errors import InputError
from assistant.core.messages import ListedDocument


class Roots:
    """The settings' `folders`, and what was added and removed since, which is stored in `kept`."""

    def __init__(self, kept: RootStore, sources: SourceStore, folders: Sequence[Path]) -> None:
        self._kept, self._sources, self._folders = kept, sources, folders

    def roots(self) -> dict[Path, bool]:
        """Path → whether it is wanted with all below it, or excluded from what is above it."""
        return {**dict.fromkeys(self._folders, True), **self._kept.all()}

    def add(self, paths: Sequence[Path]) -> None:
        """Add these paths, and retry files that could not be read; raises `InputError`."""
        for path in paths:
            if not is_there(path):
                message = (
                    f"{path} is not there, or not for the assistant to see: as a service it sees"
                    " no one's home unless it is let (systemd/documents.conf)"
                )
                raise InputError("documents.missing", message)
        self._kept.keep({**self._others(paths), **dict.fromkeys(paths, True)})
        self._sources.retry()

    def remove(self, names: Sequence[str]) -> list[DocumentSource]:
        """Remove what has these paths or titles; gives the sources that the next look will drop.

        Raises `InputError` for a name that fits nothing, or too much.
        """
        sources = self._sources.all()
        paths = [self._meant(name, sources) for name in names]
        others = self._others(paths)
        above = {*self._folders, *(path for path, wanted in others.items() if wanted)}
        # A file of a folder that stays wanted would be found again.
        left_out = {path: False for path in paths if below(path, above)}
        self._kept.keep({**others, **left_out})
        return [source for source in sources if below(source.path, paths)]

    def _others(self, paths: Sequence[Path]) -> dict[Path, bool]:
        known = self._kept.all().items()
        return {path: wanted for path, wanted in known if not below(path, paths)}

    def _meant(self, name: str, sources: Sequence[DocumentSource]) -> Path:
        path = Path(name)
        if path in self.roots() or any(below(source.path, [path]) for source in sources):
            return path
        called = name.casefold()
        meant = [s.path for s in sources if called in (s.title.casefold(), s.path.name.casefold())]
        if len(meant) == 1:
            return meant[0]
        fault = "is no document's path or title; see: assistant documents list"
        if meant:
            fault = f"is what several are called; give the path: {', '.join(map(str, meant))}"
        raise InputError("documents.unknown", f'"{name}" {fault}')


def path_named(name: str) -> Path:
    """The path `name`; raises `InputError` for what is no absolute path."""
    if not name.startswith("/") or "\0" in name:
        message = f"{name!a} is no path from the root, such as /home/anna/notes"
        raise InputError("documents.path", message)
    return Path(name)


def listing(source: DocumentSource) -> ListedDocument:
    """The source as a list entry, with why it was not read or that it is away."""
    away = "" if is_there(source.path) else "it is not there now"
    return ListedDocument(
        title=source.title,
        kind=source.kind,
        path=str(source.path),
        passages=source.passages,
        unencoded=source.unencoded,
        fault=source.fault or away,
    )
