"""The archive of a backup: a tar file under gzip, its manifest first.

    manifest.json                        the `Manifest`: format, date, and every file's hash
    settings/{system,user,own}.toml      the settings, by where they came from
    home.yaml, calendar.ics, …            the files that the settings name
    sentences/**.yaml                    the user's own sentences
    state/…                              what lay in the state folder

Nothing in an archive is trusted: its members must be the plain files that the manifest lists, in
that order, under these names. tarfile extracts nothing, as Python 3.11.2 lacks its filters.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import re
import tarfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from typing import IO

import msgspec

from assistant.core.config import LONGEST_NAME_BYTES
from assistant.core.errors import UNDECODABLE, InputError
from assistant.core.files import replacing
from assistant.core.layout import SKILLS_FOLDER
from skills.isolation.installed import FILES, RECORD

FORMAT = 1
STATE, SENTENCES, SETTINGS = "state", "sentences", "settings"
"""Folders of an archive."""
SYSTEM, USER, OWN = (f"{SETTINGS}/{role}.toml" for role in ("system", "user", "own"))
"""The settings of the system, of the user, and those that `--config` named."""
HOME, CERTIFICATE, PASSWORD = "home.yaml", "certificate.pem", "password"
CALENDAR = "calendar.ics"
"""The files that `home.file`, `mqtt.ca_file`, `mqtt.password_file` and `calendar.file` name."""

_MANIFEST = "manifest.json"
_NAMES = re.compile(
    rf"{SETTINGS}/(system|user|own)\.toml|{re.escape(HOME)}|{re.escape(CERTIFICATE)}|{PASSWORD}|{re.escape(CALENDAR)}"
    rf"|{SENTENCES}/.+\.ya?ml"
    rf"|{STATE}/(state\.db|knowledge\.db|heard|calendar\.ics|usage\.json|quarantine\.json|wake/[^/]+\.npz|recordings/[^/]+"
    rf"|{SKILLS_FOLDER}/[A-Za-z0-9_-]+\.db"
    rf"|{SKILLS_FOLDER}/[a-z][a-z0-9_]*/({re.escape(RECORD)}|{FILES}/.+))"
)
_MOST_FILES = 200_000
_MOST_AT_ONCE = 64 << 20
"""Most bytes of a manifest, and of any other header."""
_BLOCK_BYTES = 1 << 20
_MODE = 0o600
_DAMAGES = (tarfile.TarError, EOFError, zlib.error, gzip.BadGzipFile, RecursionError)
"""What a truncated, damaged or hostile archive makes the standard library raise."""


class StoredFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One file of a backup."""

    name: str
    size_bytes: int
    sha256: str


class Manifest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a backup holds."""

    format: int
    program: str
    """Version of the program that wrote it."""
    made_at: datetime
    files: tuple[StoredFile, ...]


class _Header(msgspec.Struct):
    """The part of a manifest that all formats have."""

    format: int
    program: str


class _BoundedGzip(gzip.GzipFile):
    """Does not read at once what only a hostile header asks for."""

    def read(self, size: int | None = -1) -> bytes:
        if size is None or not 0 <= size <= _MOST_AT_ONCE:
            raise tarfile.ReadError("a header is too large")
        return super().read(size)


def write_archive(folder: Path, archive: Path, made_at: datetime) -> Manifest:
    """Write the files of `folder` into `archive`, for its user alone, as a whole or not at all.

    A backup of that name is replaced. Raises `InputError` for another file of that name, and where
    it cannot be written.
    """
    if archive.exists():
        read_manifest(archive)
    names = [str(f.relative_to(folder)) for f in sorted(folder.rglob("*")) if f.is_file()]
    files = tuple(_stored(folder / name, name) for name in names)
    program = version("hark-assistant")
    manifest = Manifest(format=FORMAT, program=program, made_at=made_at, files=files)
    listing = msgspec.json.format(msgspec.json.encode(manifest))
    try:
        with (
            replacing(archive, _MODE) as file,
            gzip.GzipFile("", "wb", fileobj=file) as packed,
            tarfile.open(fileobj=packed, mode="w") as tar,
        ):
            tar.addfile(_member(_MANIFEST, len(listing), made_at), io.BytesIO(listing))
            for stored in files:
                with (folder / stored.name).open("rb") as content:
                    tar.addfile(_member(stored.name, stored.size_bytes, made_at), content)
    except OSError as error:
        raise InputError("backup.unwritable", f"{archive}: {error.strerror}") from error
    return manifest


def read_manifest(archive: Path) -> Manifest:
    """The manifest alone; raises `InputError` for what is no backup that can be read here."""
    with _opened(archive) as tar:
        return _manifest(archive, tar)


def read_archive(archive: Path, place: Callable[[str], Path | None]) -> Manifest:
    """Check all of an archive, and write each file to where `place` puts it, if anywhere.

    The files are on the disk when this returns, for this user alone. Raises `InputError` for what
    is no backup, is damaged, of a later format, or holds what does not belong into one; `OSError`
    where a file cannot be written.
    """
    with _opened(archive) as tar:
        manifest = _manifest(archive, tar)
        for stored in manifest.files:
            member = tar.next()
            if member is None or not _is_plain(member, stored):
                raise _damaged(archive, f"{stored.name} is not there, or is no plain file")
            content = tar.extractfile(member)
            with _sink(place(stored.name)) as sink:
                if content is None or _copy(content, sink) != stored.sha256:
                    raise _damaged(archive, f"{stored.name} is not what was stored")
        if tar.next() is not None or not _is_at_end(tar):
            raise _damaged(archive, "it holds more than its manifest lists")
    return manifest


@contextmanager
def _opened(archive: Path) -> Iterator[tarfile.TarFile]:
    try:
        with (
            archive.open("rb") as file,
            _BoundedGzip(fileobj=file, mode="rb") as packed,
            tarfile.TarFile(fileobj=packed) as tar,
        ):
            yield tar
    except _DAMAGES as error:
        raise _damaged(archive, str(error) or type(error).__name__) from error
    except (FileNotFoundError, PermissionError, IsADirectoryError) as error:
        if error.filename != str(archive):
            raise
        raise InputError("backup.unreadable", f"{archive}: {error.strerror}") from error


def _manifest(archive: Path, tar: tarfile.TarFile) -> Manifest:
    member = tar.next()
    if member is None or member.name != _MANIFEST or member.type != tarfile.REGTYPE:
        raise _no_backup(archive)
    content = tar.extractfile(member)
    listing = content.read() if content is not None else b""
    try:
        header = msgspec.json.decode(listing, type=_Header)
        if header.format > FORMAT:
            message = (
                f"{archive}: version {header.program[:40]} of Hark wrote it, in a later format"
                f" ({header.format}, known here: {FORMAT}); update Hark first"
            )
            raise InputError("backup.newer", message)
        manifest = msgspec.json.decode(listing, type=Manifest)
    except UNDECODABLE as error:
        raise _no_backup(archive) from error
    names = [stored.name for stored in manifest.files]
    if len(names) > _MOST_FILES or len(set(names)) < len(names):
        raise _damaged(archive, "its manifest lists a file twice, or too many")
    for name in names:
        if not _belongs(name):
            raise _damaged(archive, f"{name[:100]!r} does not belong into a backup")
    return manifest


def _belongs(name: str) -> bool:
    parts = name.split("/")
    return (
        _NAMES.fullmatch(name) is not None
        and not any(part in ("", ".", "..") for part in parts)
        and all(len(os.fsencode(part)) <= LONGEST_NAME_BYTES for part in parts)
        and name.isprintable()
    )


def _is_plain(member: tarfile.TarInfo, stored: StoredFile) -> bool:
    """Whether a member is the plain file that is listed; links, devices and holes are not."""
    plain = member.type == tarfile.REGTYPE and not member.issparse()
    return plain and (member.name, member.size) == (stored.name, stored.size_bytes)


def _is_at_end(tar: tarfile.TarFile) -> bool:
    """Whether only padding follows; reading it has gzip compare the checksum of the whole."""
    file = tar.fileobj
    return file is not None and not any(file.read(_BLOCK_BYTES)) and not file.read(1)


def _stored(file: Path, name: str) -> StoredFile:
    with file.open("rb") as content:
        sha256 = hashlib.file_digest(content, "sha256").hexdigest()
        return StoredFile(name=name, size_bytes=content.tell(), sha256=sha256)


def _member(name: str, size_bytes: int, made_at: datetime) -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.size, member.mode, member.mtime = size_bytes, _MODE, int(made_at.timestamp())
    return member


@contextmanager
def _sink(target: Path | None) -> Iterator[IO[bytes] | None]:
    """The new file at `target`, which is on the disk at the end; None for None."""
    if target is None:
        yield None
        return
    target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with os.fdopen(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _MODE), "wb") as file:
        yield file
        file.flush()
        os.fsync(file.fileno())


def _copy(content: IO[bytes], sink: IO[bytes] | None) -> str:
    """Copy to the sink, if there is one; the SHA-256 of what was copied."""
    digest = hashlib.sha256()
    while block := content.read(_BLOCK_BYTES):
        digest.update(block)
        if sink is not None:
            sink.write(block)
    return digest.hexdigest()


def _no_backup(archive: Path) -> InputError:
    return InputError("backup.foreign", f"{archive}: is no backup of Hark")


def _damaged(archive: Path, why: str) -> InputError:
    return InputError("backup.damaged", f"{archive}: cannot be used: {why}")
