"""Where installed skills lie: each is laid ready beside its place, and put there in one step.

The record that makes a folder an installed skill holds its grant as well, so that a power cut at
any moment leaves the skill of before, with its grant, or the new one with its own. It lies with
the skill, not in the settings: those of a service belong to root, who installs nothing.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from assistant.core.errors import InputError, StorageError
from assistant.core.files import exchange, make_private, open_locked, sync
from assistant.core.layout import SKILLS_FOLDER, SKILLS_LOCK
from assistant.skill_installation.source import Contents
from skills.isolation.installed import FILES, RECORD, Installed, is_installed

_DRAFT = ".draft-"
"""Beginning of the names of folders that are no skill yet, or no more."""


class Store:
    """The installed skills of a state folder, held for one who changes them; see `opened`."""

    def __init__(self, place: Path) -> None:
        self._place = place

    def folder_of(self, name: str) -> Path:
        """Where a skill lies, or would."""
        return self._place / name

    def holds(self, name: str) -> bool:
        """Whether a skill is installed."""
        return is_installed(self.folder_of(name))

    @contextmanager
    def draft(self, contents: Contents) -> Iterator[Path]:
        """A folder with the files of a skill, which is none of the installed ones; it is removed.

        It has the form of an installed skill's, with nothing granted.
        """
        parent = Path(tempfile.mkdtemp(prefix=_DRAFT, dir=self._place))
        try:
            folder = parent / contents.name
            folder.mkdir(mode=0o700)
            for name, content in contents.files.items():
                file = folder / FILES / name
                file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                _write(file, content)
            self.grant(folder, contents, ())
            yield folder
        finally:
            shutil.rmtree(parent, ignore_errors=True)

    def grant(self, draft: Path, contents: Contents, granted: tuple[str, ...]) -> Installed:
        """Write the record of a draft, with what it is granted."""
        record = Installed(
            name=contents.name,
            version=contents.version,
            module=contents.module,
            source=contents.source,
            granted=granted,
            wheels=contents.wheels,
            files={n: hashlib.sha256(c).hexdigest() for n, c in sorted(contents.files.items())},
        )
        (draft / RECORD).unlink(missing_ok=True)
        _write(draft / RECORD, msgspec.json.format(msgspec.json.encode(record)))
        return record

    def put(self, draft: Path) -> None:
        """Put a draft in its place, in one step; what was there before is then the draft."""
        for folder, _, _ in os.walk(draft):
            sync(Path(folder))
        target = self.folder_of(draft.name)
        if target.exists():
            exchange(draft, target)
        else:
            draft.rename(target)
        sync(self._place)

    def remove(self, name: str) -> None:
        """Take a skill away, in one step, with what it is granted."""
        parent = Path(tempfile.mkdtemp(prefix=_DRAFT, dir=self._place))
        self.folder_of(name).rename(parent / name)
        sync(self._place)
        shutil.rmtree(parent)


@contextmanager
def opened(state: Path) -> Iterator[Store]:
    """The store of a state folder, which nobody else changes meanwhile.

    What an installation left that was cut off is removed first. Raises `InputError` where the
    folder is somebody else's, `StorageError` where it cannot be written.
    """
    _require_own(state)
    place = state / SKILLS_FOLDER
    try:
        make_private(state)
        make_private(place)
        lock = open_locked(state / SKILLS_LOCK)
        if lock is None:
            raise InputError("skill.in_use", f"another command is changing {place}; wait for it")
        with lock:
            for left in place.glob(f"{_DRAFT}*"):
                shutil.rmtree(left)
            yield Store(place)
    except OSError as error:
        message = f"{error.filename or place}: {error.strerror}"
        raise StorageError("skill.unwritable", message) from error


def _require_own(state: Path) -> None:
    """Refuse to work as root for the service, or as anybody for another."""
    if not state.exists() or state.stat().st_uid == os.geteuid():
        return
    message = (
        f"{state} belongs to another user; run this as that one, as in:"
        " sudo -u assistant assistant skills …"
    )
    raise InputError("skill.owner", message)


def _write(file: Path, content: bytes) -> None:
    """Write a new file that is on the disk when this returns."""
    with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as opened:
        opened.write(content)
        opened.flush()
        os.fsync(opened.fileno())
