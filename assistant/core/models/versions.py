"""Which version of a model is in use, and which was before: one small file for each model.

Imported versions are stored beside the pulled models, each in a folder `NAME@VERSION`. The file
`NAME.in-use.json` there names the one in use; without it the manifest's own version is in use.
"""

from __future__ import annotations

import logging
import os
import re
from contextlib import suppress
from pathlib import Path

import msgspec

from assistant.core.errors import ModelError
from assistant.core.files import replace_file

LOCK = "lock.json"
MALFORMED = (ValueError, RecursionError)
"""Exceptions of msgspec for a damaged file, including invalid UTF-8 and too deep nesting."""
_VERSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,63}")

log = logging.getLogger(__name__)


class InUse(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The version in use, and the one to go back to ("" for none)."""

    version: str
    before: str = ""
    manifest: str
    """The manifest's own version at the time of this choice."""


def read_in_use(pulled: Path, name: str, manifest: str) -> InUse:
    """The version in use of a model whose version in the manifest is `manifest`.

    It is the manifest's version when no other was chosen, when the choice cannot be read, or when
    the manifest's version has changed since: the choice was checked against the old one's interface
    and canaries.
    """
    own, file = InUse(version=manifest, manifest=manifest), _file(pulled, name)
    try:
        use = msgspec.json.decode(file.read_bytes(), type=InUse)
    except FileNotFoundError:
        return own
    except (OSError, *MALFORMED) as error:
        log.warning("%s: %s; version %s is used (model.in_use)", file, error, manifest)
        return own
    return use if use.manifest == manifest else own


def write_in_use(pulled: Path, name: str, use: InUse) -> None:
    """Store `use`, safe against a power cut; raises `ModelError`."""
    file = _file(pulled, name)
    try:
        pulled.mkdir(parents=True, exist_ok=True)
        replace_file(file, msgspec.json.encode(use) + b"\n")
    except OSError as error:
        message = f"{file} cannot be written: {error.strerror}; nothing was changed"
        raise ModelError("model.in_use", message) from error


def imported(pulled: Path, name: str) -> tuple[str, ...]:
    """The imported versions of a model, sorted."""
    found = []
    with suppress(OSError):  # no such folder, or one that this user may not enter
        found = [
            f.name.partition("@")[2] for f in pulled.iterdir() if f.name.startswith(f"{name}@")
        ]
    return tuple(sorted(v for v in found if os.path.isfile(folder(pulled, name, v) / LOCK)))


def folder(pulled: Path, name: str, version: str) -> Path:
    """The folder of an imported version; raises `ModelError` for an invalid version name."""
    if not _VERSION.fullmatch(version):
        message = f'"{version}" names no version: letters, digits, ".", "-", "_" and "+" do'
        raise ModelError("model.version", message)
    return pulled / f"{name}@{version}"


def _file(pulled: Path, name: str) -> Path:
    return pulled / f"{name}.in-use.json"
