"""Opens a bundle, whichever form it has, as named spans of files."""

from __future__ import annotations

import os
import stat
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, NamedTuple

import msgspec

from assistant.core.errors import ModelError
from assistant.model_files.signing.bundle import MOST_FILES, header
from assistant.model_files.signing.confined import confined

MOST_MEMBERS = MOST_FILES + 8
MOST_PAPER_BYTES = 1 << 18
"""Most bytes of a member that is no file of the model."""
_STEP_BYTES = 1 << 20


class Span(NamedTuple):
    """A part of an open file."""

    file: int
    offset: int
    length: int

    def pieces(self) -> Iterator[bytes]:
        """Its bytes, piece by piece; fewer than there should be where the file is shorter."""
        at, end = self.offset, self.offset + self.length
        while at < end and (piece := os.pread(self.file, min(_STEP_BYTES, end - at), at)):
            yield piece
            at += len(piece)


Members = dict[str, Span]
"""The members of a bundle, by name, in their order."""


class Placed(msgspec.Struct, frozen=True):
    """Where a member lies in the file."""

    name: str
    offset: int
    length: int


class Layout(msgspec.Struct, frozen=True, tag=True):
    """Where the members of a tar file lie."""

    members: tuple[Placed, ...]


def text(members: Members, name: str) -> str:
    """A short member; raises `ModelError` where it is missing, too long or no text."""
    span = members.get(name)
    if span is None or span.length > MOST_PAPER_BYTES:
        raise ModelError("model.bundle", f"the bundle holds no {name}, or one that is too long")
    try:
        return b"".join(span.pieces()).decode()
    except UnicodeDecodeError as error:
        raise ModelError("model.bundle", f"the bundle's {name} is no text") from error


@contextmanager
def opened_file(path: Path) -> Iterator[IO[bytes]]:
    """A regular file, open to be read; a link is not followed. Raises `ModelError`."""
    try:
        number = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", error)
        raise ModelError("model.bundle", f"{path} cannot be opened: {reason}") from error
    if not stat.S_ISREG(os.fstat(number).st_mode):
        os.close(number)
        raise ModelError("model.bundle", f"{path} is no file")
    with os.fdopen(number, "rb") as file:
        yield file


@contextmanager
def opened_tar(path: Path) -> Iterator[Members]:
    """The members of a bundle in one file; raises `ModelError`."""
    with opened_file(path) as file:
        layout = confined(tar_layout, file, Layout, str(path))
        number = file.fileno()
        members = {m.name: Span(number, m.offset, m.length) for m in layout.members}
        if len(members) != len(layout.members):
            raise ModelError("model.bundle", f"{path} holds a member twice")
        yield members


def tar_layout(file: IO[bytes]) -> Layout:
    """Where the members lie; raises ValueError unless the file is what `write_bundle` writes.

    Only the members' contents are not looked at.
    """
    members: list[Placed] = []
    try:
        with tarfile.TarFile(fileobj=file) as tar:
            while (found := tar.next()) is not None:
                if len(members) == MOST_MEMBERS:
                    raise ValueError("it has too many members")
                members.append(Placed(found.name, found.offset_data, found.size))
    except (tarfile.TarError, EOFError, OverflowError, RecursionError) as error:
        raise ValueError(str(error)) from error
    end = 0
    for member in members:
        end = _checked(file, member, end)
    length = -(-(end + 2 * tarfile.BLOCKSIZE) // tarfile.RECORDSIZE) * tarfile.RECORDSIZE
    file.seek(end)
    if file.read(length - end + 1) != bytes(length - end):
        raise ValueError("it does not end where its last member does")
    return Layout(tuple(members))


def _checked(file: IO[bytes], member: Placed, begin: int) -> int:
    """The end of a member that begins at `begin` with its plain header, and is filled by zeros."""
    file.seek(begin)
    block = file.read(tarfile.BLOCKSIZE)
    end = begin + len(block) + member.length
    padded = -(-end // tarfile.BLOCKSIZE) * tarfile.BLOCKSIZE
    file.seek(end)
    if block != header(member.name, member.length) or member.offset != begin + len(block):
        raise ValueError("a member is no plain file, or has a date or an owner")
    if file.read(padded - end) != bytes(padded - end):
        raise ValueError("something stands between its members")
    return padded
