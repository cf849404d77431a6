"""What a wheel holds, checked against its own list; nothing of it is run.

Nothing in a wheel is trusted: its members must be plain files of bounded size that its RECORD lists
with their hashes, under names that stay within one folder.
"""

from __future__ import annotations

import base64
import configparser
import csv
import hashlib
import io
import stat
import zipfile
import zlib
from collections.abc import Mapping
from email.parser import Parser
from pathlib import Path

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.utils import InvalidWheelFilename, canonicalize_name, parse_wheel_filename

from assistant.core.errors import SkillError
from assistant.skill_installation.contents import (
    MOST_BYTES,
    Distribution,
    check_amount,
    check_content,
    check_path,
    check_size,
    refused,
)
from skills.isolation.package import GROUP

_HASHES = ("sha256", "sha384", "sha512")
_UNLISTED = ("RECORD", "RECORD.jws", "RECORD.p7s")
"""Files of the `.dist-info` folder that RECORD gives no hash of."""
_PYTHON = "3.11"
"""The oldest Python that the assistant runs on."""
_DAMAGES = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError)
"""What a damaged, encrypted or hostile archive makes zipfile raise."""


def read_wheel(file: Path) -> Distribution:
    """What is in a wheel; raises `SkillError` with the reason why it cannot be installed."""
    where = file.name
    try:
        name, version, _, tags = parse_wheel_filename(where)
    except InvalidWheelFilename as error:
        raise refused(where, f"this is no wheel's name ({error})") from error
    if not any((tag.abi, tag.platform) == ("none", "any") for tag in tags):
        raise refused(where, "it is built for one kind of machine; only pure Python is installed")
    try:
        if file.stat().st_size > MOST_BYTES:
            raise refused(where, f"it has more than {MOST_BYTES / 1e6:.0f} MB")
        packed = file.read_bytes()
    except OSError as error:
        raise SkillError("skill.unreadable", f"{file}: {error.strerror}") from error
    try:
        with zipfile.ZipFile(io.BytesIO(packed)) as archive:
            files = _files(where, archive)
    except _DAMAGES as error:
        raise refused(where, f"it is damaged: {error}") from error
    facts = _facts_folder(where, name, str(version), files)
    _check_record(where, facts, files)
    metadata = Parser().parsestr(_text(where, f"{facts}/METADATA", files))
    _check_python(where, metadata.get("Requires-Python", ""))
    wheel = Parser().parsestr(_text(where, f"{facts}/WHEEL", files))
    if wheel.get("Root-Is-Purelib", "").strip().lower() != "true":
        raise refused(where, "it says that it holds native code (Root-Is-Purelib)")
    return Distribution(
        name=name,
        version=str(version),
        source=where,
        files={n: c for n, c in files.items() if not n.startswith(f"{facts}/")},
        requires=tuple(metadata.get_all("Requires-Dist", [])),
        points=_points(where, files.get(f"{facts}/entry_points.txt", b"")),
        sha256=hashlib.sha256(packed).hexdigest(),
    )


def _files(where: str, archive: zipfile.ZipFile) -> dict[str, bytes]:
    """Every file of the archive, no larger than it may be whatever its headers say."""
    members = [member for member in archive.infolist() if not member.is_dir()]
    check_amount(where, len(members), sum(member.file_size for member in members))
    files: dict[str, bytes] = {}
    for member in members:
        name, kind = member.filename, stat.S_IFMT(member.external_attr >> 16)
        check_path(where, name)
        if kind not in (0, stat.S_IFREG):
            raise refused(where, f"{name} is a link, or no plain file")
        check_size(where, name, member.file_size)
        with archive.open(member) as packed:
            content = packed.read(member.file_size + 1)
        if len(content) != member.file_size:
            raise refused(where, f"{name} is not as large as it says")
        if name in files:
            raise refused(where, f"{name} is in it twice")
        check_content(where, name, content)
        files[name] = content
    folded = {name.casefold() for name in files}
    if len(folded) < len(files):
        raise refused(where, "two of its names differ in capitals alone")
    return files


def _facts_folder(where: str, name: str, version: str, files: Mapping[str, bytes]) -> str:
    found = {n.partition("/")[0] for n in files if n.partition("/")[0].endswith(".dist-info")}
    if len(found) != 1:
        raise refused(where, "it needs one .dist-info folder")
    (folder,) = found
    named, _, numbered = folder.removesuffix(".dist-info").rpartition("-")
    if canonicalize_name(named) != name or numbered != version:
        raise refused(where, f"{folder} is that of another package or version")
    return folder


def _check_record(where: str, facts: str, files: Mapping[str, bytes]) -> None:
    """Every file has the hash that RECORD lists for it, and every file is listed."""
    listed: set[str] = set()
    for row in csv.reader(_text(where, f"{facts}/RECORD", files).splitlines()):
        if not row or (row[0] in (f"{facts}/{one}" for one in _UNLISTED)):
            continue
        name, given = row[0], row[1] if len(row) > 1 else ""
        if name not in files:
            raise refused(where, f"its RECORD lists {name[:100]!r}, which is not there")
        kind, _, wanted = given.partition("=")
        if kind not in _HASHES:
            raise refused(where, f"its RECORD has no safe hash of {name}")
        digest = hashlib.new(kind, files[name]).digest()
        if base64.urlsafe_b64encode(digest).rstrip(b"=").decode() != wanted.rstrip("="):
            raise refused(where, f"{name} is not what its RECORD says")
        listed.add(name)
    unlisted = set(files) - listed - {f"{facts}/{one}" for one in _UNLISTED}
    if unlisted:
        raise refused(where, f"its RECORD does not list {min(unlisted)}")


def _check_python(where: str, wanted: str) -> None:
    try:
        fits = SpecifierSet(wanted).contains(f"{_PYTHON}.2", prereleases=True)
    except InvalidSpecifier as error:
        raise refused(where, f"its Requires-Python cannot be read: {wanted[:50]!r}") from error
    if not fits:
        raise refused(where, f"it needs Python {wanted}")


def _points(where: str, content: bytes) -> dict[str, str]:
    """The entry points in the group of skills."""
    parser = configparser.ConfigParser(delimiters=("=",), interpolation=None)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    try:
        parser.read_string(content.decode())
    except (configparser.Error, UnicodeDecodeError) as error:
        raise refused(where, "its entry points cannot be read") from error
    return dict(parser[GROUP]) if parser.has_section(GROUP) else {}


def _text(where: str, name: str, files: Mapping[str, bytes]) -> str:
    try:
        return files[name].decode()
    except (KeyError, UnicodeDecodeError) as error:
        raise refused(where, f"{name} is missing, or no text") from error
