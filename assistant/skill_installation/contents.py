"""What a skill may bring: which files, how large, and how many."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Mapping

import msgspec

from assistant.core.config import LONGEST_NAME_BYTES
from assistant.core.errors import SkillError
from skills.isolation.sources import LARGEST_FILE_BYTES

MOST_FILES = 2000
MOST_BYTES = 20_000_000
"""Most bytes of all files of a skill and of what it depends on."""
PROVIDED = ("hark-assistant", "msgspec")
"""Distributions that every skill finds in its process already."""
_NATIVE = re.compile(r".*\.(so(\.\d+)*|pyd|dll|dylib|a|o|wasm)")
_NATIVE_STARTS = (b"\x7fELF", b"MZ\x90\0", b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe", b"\0asm")
_TAKEN = ("assistant", "audio", "models", "msgspec", "nlu", "skills")


class Distribution(msgspec.Struct, frozen=True, kw_only=True):
    """What a folder or a wheel holds: its facts, and its files by path from where it is imported.

    `source` names it, `sha256` is the hash of a wheel, and `points` are its entry points in the
    group of skills.
    """

    name: str
    version: str
    source: str
    files: Mapping[str, bytes]
    requires: tuple[str, ...] = ()
    points: Mapping[str, str] = {}
    sha256: str = ""


def check_path(where: str, name: str) -> None:
    """Raise `SkillError` for the path of a file that no skill may bring."""
    parts = name.split("/")
    plain = name.isprintable() and "\\" not in name
    if not plain or any(part in ("", ".", "..") for part in parts) or name.startswith("/"):
        raise refused(where, f"{name[:100]!r} leads out of its folder, or is no plain path")
    if any(len(part.encode()) > LONGEST_NAME_BYTES for part in parts) or len(name) > 500:
        raise refused(where, f"{name[:100]!r} is too long a name")
    if name.endswith(".pth"):
        raise refused(where, f"{name} would be run whenever Python starts; remove the .pth file")
    if _NATIVE.fullmatch(name):
        raise refused(where, f"{name} is native code; only Python can be confined here")
    for part in parts[:-1]:
        if part.endswith(".data"):
            raise refused(where, f"{name} would be placed outside of the skill's own folder")


def check_content(where: str, name: str, content: bytes) -> None:
    """Raise `SkillError` for content that no skill may bring."""
    if content.startswith(_NATIVE_STARTS):
        raise refused(where, f"{name} is native code; only Python can be confined here")


def check_size(where: str, name: str, size_bytes: int) -> None:
    """Raise `SkillError` for a file that is too large to be served to a skill."""
    if size_bytes > LARGEST_FILE_BYTES:
        limit = f"{LARGEST_FILE_BYTES / 1e6:.0f} MB"
        raise refused(where, f"{name} has more than {limit}, the most that a skill can read")


def check_amount(where: str, files: int, size_bytes: int) -> None:
    """Raise `SkillError` for too many files, or too much in them."""
    if files > MOST_FILES:
        raise refused(where, f"it has more than {MOST_FILES} files")
    if size_bytes > MOST_BYTES:
        raise refused(where, f"it has more than {MOST_BYTES / 1e6:.0f} MB unpacked")


def merged(distributions: Iterable[Distribution]) -> dict[str, bytes]:
    """The files of a skill and of what it depends on, side by side.

    Raises `SkillError` where two bring the same file, where one takes the place of a module that is
    there for every skill, and where there is too much.
    """
    files: dict[str, bytes] = {}
    for one in distributions:
        for name in one.files:
            top = name.partition("/")[0].removesuffix(".py")
            if top in _TAKEN or top in sys.stdlib_module_names:
                raise refused(one.source, f"{name} would take the place of the module {top}")
            if name in files:
                raise refused(one.source, f"{name} is in another package too")
        files |= one.files
    check_amount("all that it depends on", len(files), sum(map(len, files.values())))
    return files


def refused(where: str, why: str) -> SkillError:
    """The error for what is not installed."""
    return SkillError("skill.refused", f"{where}: not installed: {why}")
