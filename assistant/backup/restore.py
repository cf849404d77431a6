"""Puts a backup back: everything is checked and laid beside its place, then exchanged step by step.

What was there is kept beside it, under a name that is told. The state folder is exchanged last, in
one step: until then the old state stands, and from then on the new one. What a backup does not
hold of the state folder, such as pulled models, is the same files in both (hard links).
"""

from __future__ import annotations

import filecmp
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from assistant.answer.knowledge.schema import MIGRATIONS as KNOWLEDGE_MIGRATIONS
from assistant.backup.archive import PASSWORD, STATE, Manifest, read_archive
from assistant.backup.contents import DATABASES, FILES, REBUILT, table_files
from assistant.backup.places import Place, require_state_folder, settled
from assistant.backup.soundness import code_of, read_at_rest
from assistant.core.errors import InputError, StorageError
from assistant.core.files import aside_of, exchange, open_locked, sync
from assistant.core.layout import (
    KNOWLEDGE_FILE,
    RECORDINGS_FOLDER,
    SKILLS_FOLDER,
    SKILLS_LOCK,
    STATE_FILE,
)
from assistant.recordings.folder import EXAMPLES
from assistant.supervision.folders import LOCK_FILE
from audio.wake.own.store import FOLDER as WAKE_FOLDER
from skills.state import MIGRATIONS as STATE_MIGRATIONS

_KNOWN_STEPS = {STATE_FILE: STATE_MIGRATIONS, KNOWLEDGE_FILE: KNOWLEDGE_MIGRATIONS}
_LOCKS = (LOCK_FILE, SKILLS_LOCK, *(f"{name}.lock" for name in DATABASES))
_REPLACED = (
    *(f"{name}{suffix}" for name in DATABASES for suffix in ("", "-wal", "-shm", "-journal")),
    *(*FILES, *REBUILT, *_LOCKS, WAKE_FOLDER, SKILLS_FOLDER, f"{RECORDINGS_FOLDER}/{EXAMPLES}"),
)
"""What of a state folder is the backup's, also where the backup has none of it."""


class Restored(NamedTuple):
    """A file or folder that was put back, and where the one before it is kept, if there was one."""

    target: Path
    previous: Path | None


class Restore:
    """A backup that was checked and lies ready beside its places; `staged` removes it again."""

    def __init__(
        self, manifest: Manifest, places: Sequence[Place], stamp: str, staged: ExitStack
    ) -> None:
        self.manifest = manifest
        self._places, self._stamp, self._staged = places, stamp, staged

    @property
    def targets(self) -> tuple[Path, ...]:
        """The files and folders that will be replaced or made; the state folder is the last."""
        return tuple(place.target for place in self._places)

    def carry_out(self) -> tuple[Restored, ...]:
        """Put all in place; raises `InputError`, and then all is as before."""
        staged = self._staged.pop_all()  # from now on what lies there may be what was before
        done: list[Place] = []
        try:
            for place in self._places:
                _put_in_place(place)
                done.append(place)
        except OSError as error:
            for put in reversed(done):
                _take_back(put)
            staged.close()
            message = f"{place.target}: it cannot be replaced in one step: {error.strerror}"
            raise InputError("backup.unwritable", message) from error
        return tuple(self._keep_previous(place) for place in self._places)

    def _keep_previous(self, place: Place) -> Restored:
        if not place.staged.exists():
            return Restored(place.target, None)
        previous = place.target.with_name(f"{place.target.name}.before-{self._stamp}")
        os.rename(place.staged, previous)
        return Restored(place.target, previous)


@contextmanager
def prepared(
    archive: Path, config_file: Path | None, stamp: str, *, keep_settings: bool = False
) -> Iterator[Restore]:
    """Check a backup, lay it ready beside its places, and hold the state folder while open.

    `config_file` is where the settings belong, if not to the usual place; with `keep_settings`
    those here stay, and so do home and sentences. `stamp` is part of the names of what is replaced.
    Raises `InputError`; what lay ready by then is removed again, and nothing else was written.
    """
    with ExitStack() as open_things:
        try:
            scratch = Path(open_things.enter_context(TemporaryDirectory()))
            manifest = read_archive(
                archive, lambda name: None if _of_state(name) else scratch / name
            )
            config, places = settled(manifest, scratch, config_file, keep_settings)
            state = config.state_dir.resolve()
            require_state_folder(state)
            open_things.enter_context(_held(state))
            staged = open_things.enter_context(ExitStack())
            ready = [_lay_file_ready(place, state, stamp, staged) for place in places]
            folder = _lay_state_ready(archive, manifest, state, stamp, staged)
        except OSError as error:
            hint = "; run: sudo assistant restore" if isinstance(error, PermissionError) else ""
            message = f"{error.filename or archive}: {error.strerror}{hint}"
            raise InputError("backup.unwritable", message) from error
        yield Restore(manifest, [*filter(None, ready), folder], stamp, staged)


@contextmanager
def _held(state: Path) -> Iterator[None]:
    """Hold a state folder's locks, so that no assistant works in it."""
    with ExitStack() as locks:
        for name in _LOCKS:
            if (state / name).exists():
                lock = open_locked(state / name, "rb")
                if lock is None:
                    message = (
                        f"an assistant is using {state}; stop it: sudo systemctl stop assistant"
                    )
                    raise InputError("backup.in_use", message)
                locks.enter_context(lock)
        yield


def _lay_file_ready(place: Place, state: Path, stamp: str, staged: ExitStack) -> Place | None:
    """Copy a file beside its place; None where the same file is there already."""
    target = place.target
    if target.is_file() and filecmp.cmp(place.staged, target, shallow=False):
        return None
    target.parent.mkdir(parents=True, exist_ok=True)
    ready = target.with_name(f".{target.name}.restoring-{stamp}")
    staged.callback(ready.unlink, missing_ok=True)
    with ready.open("xb") as copy, place.staged.open("rb") as original:
        secret = place.staged.name == PASSWORD
        like = target if target.exists() else state if secret and state.exists() else None
        mode = 0o600 if secret else 0o644
        os.fchmod(copy.fileno(), target.stat().st_mode & 0o777 if target.exists() else mode)
        _give(copy.fileno(), like)
        shutil.copyfileobj(original, copy)
        copy.flush()
        os.fsync(copy.fileno())
    return Place(ready, target)


def _lay_state_ready(
    archive: Path, manifest: Manifest, state: Path, stamp: str, staged: ExitStack
) -> Place:
    """Unpack the state beside its folder, with what stays of the one there."""
    ready = state.with_name(f"{state.name}.restoring-{stamp}")
    state.parent.mkdir(parents=True, exist_ok=True)
    needed = sum(f.size_bytes for f in manifest.files if _of_state(f.name))
    if needed > shutil.disk_usage(state.parent).free:
        message = f"{state.parent}: {needed / 1e6:.0f} MB are needed there; free some space"
        raise InputError("backup.unwritable", message)
    ready.mkdir(mode=0o700)
    staged.callback(shutil.rmtree, ready, ignore_errors=True)
    read_archive(archive, lambda name: _within(ready, name) if _of_state(name) else None)
    for database in (*(ready / name for name in DATABASES), *table_files(ready)):
        if database.exists():
            _require_sound(database, manifest)
    owner = state if state.exists() else None
    for path in (ready, *ready.rglob("*")):
        _give(path, owner)
    if owner is not None:
        _carry_over(state, ready)
    for folder, _, _ in os.walk(ready):
        sync(Path(folder))
    return Place(ready, state)


def _require_sound(database: Path, manifest: Manifest) -> None:
    """Raise `InputError` for a database that nobody could use, or that is not as ours are.

    Views and triggers of skills are their own affair, and run where skills do.
    """
    try:
        found = read_at_rest(database)
    except StorageError as error:
        raise InputError(
            "backup.damaged", f"the backup's {database.name}: cannot be read"
        ) from error
    known = _KNOWN_STEPS.get(database.name)
    if known is None:
        return
    if not found.migrations:
        raise InputError("backup.damaged", f"the backup's {database.name}: cannot be read")
    if later := found.migrations - {step.__name__ for step in known}:
        message = (
            f"the backup's {database.name} was written by a later version of Hark"
            f" ({manifest.program[:40]}: {', '.join(sorted(later))}); update Hark first"
        )
        raise InputError("backup.newer", message)
    if found.code - code_of(known):
        message = f"the backup's {database.name} has views or triggers that are none of Hark's"
        raise InputError("backup.damaged", message)


def _carry_over(state: Path, ready: Path) -> None:
    """Link what is no part of a backup, such as pulled models, from the one folder to the other."""
    for folder, folders, names in os.walk(state):
        within = Path(folder).relative_to(state)
        names += [name for name in folders if Path(folder, name).is_symlink()]
        kept = [name for name in folders if str(within / name) not in _REPLACED]
        folders[:] = [name for name in kept if name not in names]
        for name in folders:
            if not (ready / within / name).exists():
                (ready / within / name).mkdir()
                shutil.copymode(Path(folder, name), ready / within / name)
                _give(ready / within / name, state)
        for name in names:
            # What was moved aside stays with the state that it was lost from.
            if str(within / name) not in _REPLACED and not aside_of(name, DATABASES):
                with suppress(FileExistsError):  # the backup has one of that name
                    os.link(Path(folder, name), ready / within / name, follow_symlinks=False)


def _put_in_place(place: Place) -> None:
    if place.target.exists():
        exchange(place.staged, place.target)
    else:
        os.rename(place.staged, place.target)
    sync(place.target.parent)


def _take_back(place: Place) -> None:
    if place.staged.exists():
        exchange(place.staged, place.target)
    else:
        os.rename(place.target, place.staged)


def _give(path: Path | int, like: Path | None) -> None:
    """Give what root has written to whom the file or folder `like` belongs."""
    if os.geteuid() == 0 and like is not None:
        owner = like.stat()
        os.chown(path, owner.st_uid, owner.st_gid)


def _of_state(name: str) -> bool:
    return name.startswith(f"{STATE}/")


def _within(folder: Path, name: str) -> Path:
    return folder / name.removeprefix(f"{STATE}/")
