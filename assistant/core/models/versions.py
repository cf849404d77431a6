"""Which version of a model is in use, and which was before: one small file a model.

Versions that were imported lie beside the pulled models, each in a folder `NAME@VERSION`. There
`NAME.in-use.json` says which is in use; without it that is the manifest's own.
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
"""What msgspec raises for a damaged file: also for what is no UTF-8, and for nesting too deep."""
_VERSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,63}")

log = logging.getLogger(__name__)


class Use(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The version in use, and the one to go back to ("" for none)."""

    version: str
    before: str = ""
    manifest: str
    """The manifest's own version when this was chosen."""


def read_use(pulled: Path, name: str, manifest: str) -> Use:
    """What is in use of the model whose version in the manifest is `manifest`.

    That one itself, when no other was chosen, the choice cannot be read, or another version came
    with the assistant since: the choice was made against the old one's interface and canaries.
    """
    own, file = Use(version=manifest, manifest=manifest), _file(pulled, name)
    try:
        use = msgspec.json.decode(file.read_bytes(), type=Use)
    except FileNotFoundError:
        return own
    except (OSError, *MALFORMED) as error:
        log.warning("%s: %s; version %s is used (model.in_use)", file, error, manifest)
        return own
    return use if use.manifest == manifest else own


def write_use(pulled: Path, name: str, use: Use) -> None:
    """Have `use` hold from now on, also after a power cut; raises `ModelError`."""
    file = _file(pulled, name)
    try:
        pulled.mkdir(parents=True, exist_ok=True)
        replace_file(file, msgspec.json.encode(use) + b"\n")
    except OSError as error:
        message = f"{file} cannot be written: {error.strerror}; nothing was changed"
        raise ModelError("model.in_use", message) from error


def imported(pulled: Path, name: str) -> tuple[str, ...]:
    """The versions that were imported, by name."""
    found = []
    with suppress(OSError):  # no such folder, or one that this user may not enter
        found = [
            f.name.partition("@")[2] for f in pulled.iterdir() if f.name.startswith(f"{name}@")
        ]
    return tuple(sorted(v for v in found if os.path.isfile(folder(pulled, name, v) / LOCK)))


def folder(pulled: Path, name: str, version: str) -> Path:
    """Where an imported version lies or would lie; raises `ModelError` for what names none."""
    if not _VERSION.fullmatch(version):
        message = f'"{version}" names no version: letters, digits, ".", "-", "_" and "+" do'
        raise ModelError("model.version", message)
    return pulled / f"{name}@{version}"


def _file(pulled: Path, name: str) -> Path:
    return pulled / f"{name}.in-use.json"
