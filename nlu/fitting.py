"""The intent model of an installation: fitted once, and kept until its sentences change."""

from __future__ import annotations

import hashlib
import logging
import os
import tempfile
import zipfile
from collections.abc import Sequence
from pathlib import Path

from nlu.encoder import Encoder
from nlu.examples import CachedEncoder, Label, embed, read_shipped
from nlu.head import Head
from nlu.intent import IntentModel

log = logging.getLogger(__name__)

_VERSION = 1
"""Raised when a head is made in another way."""
_KEPT = 8
"""Fitted heads that are kept: the daemon's, and those of folders that were tried lately."""


def fitted(
    encoder: Encoder,
    shipped: bytes,
    own: Sequence[tuple[Label, str]],
    folder: Path,
) -> IntentModel:
    """The model for the sentences `own` of the installed skills and the `shipped` examples.

    `folder` keeps embeddings and fitted heads; both are made anew when they are damaged.
    """
    digest = hashlib.blake2b(f"{_VERSION} {encoder.version}".encode(), digest_size=12)
    digest.update(shipped)
    for label, text in own:
        digest.update(f"{label.text}\t{text}\n".encode())
    file = folder / f"head-{digest.hexdigest()}.npz"
    head = _read(file)
    if head is None:
        cached = CachedEncoder(encoder, folder)
        head = IntentModel.fit(embed(cached, own) + read_shipped(shipped))
        _write(file, head)
    return IntentModel(encoder, head)


def _read(file: Path) -> Head | None:
    try:
        return Head.from_npz(file.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
        log.warning("%s is made anew: %s (nlu.cache)", file, error)
        return None


def _write(file: Path, head: Head) -> None:
    """Move a new file into place, and take the oldest away."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=file.parent, delete=False) as temporary:
            temporary.write(head.to_npz())
        os.replace(temporary.name, file)
        kept = sorted(file.parent.glob("head-*.npz"), key=lambda p: p.stat().st_mtime)
        for old in kept[:-_KEPT]:
            old.unlink(missing_ok=True)
    except OSError as error:  # a full disk costs time at the next start, no more
        log.warning("%s cannot be written: %s (nlu.cache)", file, error.strerror)
