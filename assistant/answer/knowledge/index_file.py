"""The label of a file of vectors: its hash, its encoder, and the database it belongs to."""

from __future__ import annotations

import hashlib
import logging
import os
from pathlib import Path

import msgspec

from assistant.core.errors import UNDECODABLE
from assistant.core.files import sync

log = logging.getLogger(__name__)


class IndexLabel(msgspec.Struct, frozen=True, kw_only=True):
    """Stands in a small file beside the vectors, written after them."""

    encoder: str
    identity: str
    """The database's identity: in another one the ids mean other passages."""
    sha256: str
    trained_on: int
    """Number of vectors that the lists' centres were found from."""


def put(new: Path, file: Path, encoder: str, identity: str, trained_on: int) -> None:
    """Replace `file` by `new` and its label; `fitting` detects what a crash leaves behind."""
    label = IndexLabel(
        encoder=encoder, identity=identity, sha256=_sha256(new), trained_on=trained_on
    )
    label_new = _beside(new)
    label_new.write_bytes(msgspec.json.encode(label))
    for written in (new, label_new):
        sync(written)
    os.replace(new, file)
    os.replace(label_new, _beside(file))


def fitting(file: Path, encoder: str, identity: str) -> IndexLabel | None:
    """The label of `file` if it is whole, of this encoder and this database; else log why not."""
    fault = ""
    try:
        label = msgspec.json.decode(_beside(file).read_bytes(), type=IndexLabel)
        if label.encoder != encoder:
            fault = "another encoder made it"
        elif label.identity != identity:
            fault = "it belongs to another database"
        elif label.sha256 != _sha256(file):
            fault = "it is damaged"
    except (OSError, *UNDECODABLE) as error:
        fault = f"its label cannot be read ({type(error).__name__})"
    if not fault:
        return label
    log.warning("%s: %s; it is rebuilt (answer.vectors)", file.name, fault)
    return None


def drop(file: Path) -> None:
    """Remove `file` and its label, if they are there."""
    for old in (file, _beside(file)):
        old.unlink(missing_ok=True)


def _beside(file: Path) -> Path:
    return file.with_name(f"{file.name}.json")


def _sha256(file: Path) -> str:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()
