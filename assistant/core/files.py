"""Files and folders: replaced as a whole, locked, kept private, and read within bounds."""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import stat
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO, Any

MOST_BYTES = 1 << 20
"""Most bytes of a text file that people write."""
_AT_FDCWD, _RENAME_EXCHANGE = -100, 2
"""Constants of renameat2(2), for which Python has no function."""
_ASIDE = ("damaged", "empty", "missing")
MOST_WAIT_S = 300.0
"""Seconds for which a process waits at most for what another makes."""
_WAIT_STEP_S = 0.05


def replace_file(path: Path, content: bytes, mode: int = 0o644, *, durable: bool = True) -> None:
    """Replace the file at `path` by `content`: a reader sees the old content or the new.

    With `durable` that also holds after a power cut, and the call waits for the disk. Raises
    `OSError`, and then the old file is left as it was.
    """
    with replacing(path, mode, durable=durable) as file:
        file.write(content)


@contextmanager
def replacing(path: Path, mode: int = 0o644, *, durable: bool = True) -> Iterator[IO[bytes]]:
    """A file to write that replaces the one at `path` when the block ends, as `replace_file` does.

    When the block raises, the old file is left as it was.
    """
    with (
        tempfile.NamedTemporaryFile(dir=path.parent, prefix=".", delete=False) as file,
        ExitStack() as on_failure,
    ):
        on_failure.callback(os.unlink, file.name)
        yield file
        file.flush()
        os.fchmod(file.fileno(), mode)
        if durable:
            os.fsync(file.fileno())
        os.replace(file.name, path)
        on_failure.pop_all()
    if durable:
        sync(path.parent)


def mark_used(path: Path) -> None:
    """Give a file of a cache the time of now, so that what is not used is the oldest there."""
    with suppress(OSError):  # of another user, or on a disk that cannot be written
        os.utime(path)


def exchange(one: Path, other: Path) -> None:
    """Exchange two files or folders on one disk in a single step, at any moment of a power cut.

    Raises `OSError`, also where the file system cannot do it.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    paths = (_AT_FDCWD, os.fsencode(one), _AT_FDCWD, os.fsencode(other))
    if libc.renameat2(*paths, _RENAME_EXCHANGE):
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), str(other))


def sync(path: Path) -> None:
    """Write a file, or a folder's entries, to the disk before returning."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def try_lock(file: int | IO[Any]) -> bool:
    """Lock an open file until it is closed or this process dies; False where another has it.

    Raises `OSError`.
    """
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def open_locked(path: Path, mode: str = "wb") -> IO[Any] | None:
    """The file at `path`, opened and locked; None where another process has it.

    Raises `OSError`.
    """
    file = path.open(mode)
    try:
        if try_lock(file):
            return file
    except OSError:
        file.close()
        raise
    file.close()
    return None


@contextmanager
def made_once(path: Path) -> Iterator[bool]:
    """A block that makes the cached file at `path`; other processes wait for its end before theirs.

    It is given whether this process has waited, and the file may be there now. It only saves time:
    who waits in vain goes on after a while, and at once where no lock can be put beside `path`.
    """
    beside, waited = path.with_name(f"{path.name}.lock"), False
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = beside.open("wb")
    except OSError:
        yield False
        return
    with file:
        until_s = time.monotonic() + MOST_WAIT_S
        while not try_lock(file) and time.monotonic() < until_s:
            waited = True
            time.sleep(_WAIT_STEP_S)
        try:
            yield waited
        finally:
            with suppress(OSError):
                beside.unlink()
            # A fork that began meanwhile has it open as well, and would wait for itself.
            with suppress(OSError):
                fcntl.flock(file, fcntl.LOCK_UN)


@contextmanager
def in_memory(content: bytes) -> Iterator[str]:
    """The path of a file with `content` in memory, for as long as the block runs.

    It needs no disk that can be written.
    """
    with open(os.memfd_create("in-memory"), "wb") as file:
        file.write(content)
        file.flush()
        yield f"/proc/self/fd/{file.fileno()}"


def read_text(path: Path, most_bytes: int = MOST_BYTES) -> str:
    """The UTF-8 text of a file that people write.

    Raises `OSError`, also for a pipe, without waiting for it, and for a file larger than
    `most_bytes`; ValueError for a text that is not UTF-8.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except ValueError as error:
        raise OSError(errno.EINVAL, "a path holds no NUL character") from error
    with os.fdopen(descriptor, "rb") as file:
        if stat.S_ISFIFO(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "is a pipe, not a file")
        content = file.read(most_bytes + 1)
    if len(content) > most_bytes:
        raise OSError(errno.EFBIG, f"is larger than {most_bytes // 1024} KiB")
    return content.decode("utf-8")


def read_private(path: Path, most_bytes: int) -> bytes:
    """At most `most_bytes` of a file that its owner alone may read; a link is not followed.

    Raises `OSError`, also for one that others may read.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as opened:
        mode = os.fstat(descriptor).st_mode
        if not stat.S_ISREG(mode) or mode & (stat.S_IRWXG | stat.S_IRWXO):
            raise _refusal(f"others may read this secret; run: chmod 600 {path}")
        return opened.read(most_bytes)


def make_private(folder: Path) -> None:
    """Make `folder` if needed, and check that only this user and root control it and its parents.

    Raises `OSError`, also for an existing one that another user made or may write: in a shared
    folder such as /tmp another user may have made it first.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    # The owner of a link or folder on the way could replace this folder by another.
    for step in (folder.absolute(), *folder.absolute().parents, *folder.resolve().parents):
        facts = step.lstat()
        if facts.st_uid not in (0, os.geteuid()):
            raise _refusal(f"{step} belongs to another user; remove it or choose another folder")
        if stat.S_ISDIR(facts.st_mode) and _open_to_all(facts.st_mode):
            raise _refusal(f"every user can write {step}; run: chmod o-w {step}")
    facts = folder.stat()
    if facts.st_uid != os.geteuid():
        raise _refusal(f"{folder} belongs to another user; choose another folder")
    if facts.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise _refusal(f"others can write {folder}; run: chmod go-w {folder}")


def tighten(*files: Path) -> None:
    """Let only this user read and write those of `files` that exist; raises `OSError`."""
    for file in files:
        if file.exists() and file.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
            file.chmod(stat.S_IRUSR | stat.S_IWUSR)


class HeldFile:
    """A file that one process writes, held by a lock beside it.

    The lock remembers whether there was such a file: one that is gone was lost. The file's
    `companions` have its name and a suffix. Every method raises `OSError`.
    """

    def __init__(self, path: Path, companions: Sequence[str]) -> None:
        self._path, self._lock_path = path, path.with_name(f"{path.name}.lock")
        self._all = (path, *(path.with_name(path.name + suffix) for suffix in companions))
        self._lock: IO[Any] | None = None
        self._why = "damaged"
        self.was_used = path.exists() and not path.stat().st_size and not self._lock_path.exists()
        """Whether there was something in the file, as in an empty one that was put here."""

    @property
    def is_read_only(self) -> bool:
        """Whether the disk is, found by trying to write: a failed disk does not report it."""
        try:
            self._lock_path.open("ab").close()
        except OSError as error:
            return error.errno == errno.EROFS
        return False

    def hold(self, read_only: bool) -> bool:
        """Lock it; False where another process has it."""
        exists = self._path.exists()
        self._why = "damaged" if exists and self._path.stat().st_size else "empty"
        self._why = self._why if exists else "missing"
        if not read_only:
            tighten(*self._all)  # what is made beside it gets the same permissions
        self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._lock = open_locked(self._lock_path, "rb" if read_only else "ab")
        self.was_used |= self._lock is not None and self._lock_path.stat().st_size > 0
        return self._lock is not None

    def is_lost_if_empty(self, had_tables: bool) -> bool:
        """Whether nothing in it is a loss: it was used, and had tables or was there at least."""
        return self.was_used and (had_tables or self._why == "missing")

    def settle(self) -> None:
        """Remember that it is used, and let no other user read it."""
        if self._lock is not None and not self._lock_path.stat().st_size:
            self._lock.write(b"used\n")
            self._lock.flush()
        tighten(*self._all)

    def move_aside(self) -> tuple[str, Path]:
        """Rename it, with its companions, and return why, in a word, and its new path."""
        number = 1
        while (aside := self._path.with_name(f"{self._path.name}.{self._why}-{number}")).exists():
            number += 1
        for file in self._all:
            if file.exists():
                file.rename(aside.with_name(aside.name + file.name.removeprefix(self._path.name)))
        self.was_used = False
        return self._why, aside

    def close(self) -> None:
        """Let another process have it."""
        if self._lock is not None:
            self._lock.close()


def why_aside(aside: Path) -> str:
    """Why a file was moved aside by `HeldFile`."""
    return aside.suffix.removeprefix(".").partition("-")[0]


def aside_of(name: str, files: Iterable[str]) -> str:
    """Which of `files` the one of that `name` was moved aside from; "" for none."""
    before, _, why = name.rpartition(".")
    return before if before in files and why.partition("-")[0] in _ASIDE else ""


def _open_to_all(mode: int) -> bool:
    return bool(mode & stat.S_IWOTH) and not mode & stat.S_ISVTX


def _refusal(reason: str) -> PermissionError:
    return PermissionError(errno.EPERM, reason)
