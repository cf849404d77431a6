"""The intent model of an installation, fitted once and kept until its sentences change."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

from nlu.classifier import cache
from nlu.classifier.encoder import SentenceEncoder
from nlu.classifier.examples import CachedEncoder, IntentLabel, embed, read_shipped
from nlu.classifier.head import Head
from nlu.classifier.intent import IntentModel

_VERSION = 2
"""Version of the fitting; increase it when the way a head is fitted or stored changes."""
_KEPT = 8
"""Most fitted heads that are kept: the daemon's, and those of folders that were tried lately."""


def fitted(
    encoder: SentenceEncoder,
    shipped: bytes,
    own: Sequence[tuple[IntentLabel, str]],
    folder: Path,
) -> IntentModel:
    """The model for the sentences `own` of the installed skills and the `shipped` examples.

    `folder` keeps embeddings and fitted heads; both are rebuilt when they are damaged.
    """
    digest = hashlib.blake2b(f"{_VERSION} {encoder.version}".encode(), digest_size=12)
    digest.update(shipped)
    for label, text in own:
        digest.update(f"{label.text}\t{text}\n".encode())
    file = folder / f"head-{digest.hexdigest()}.npz"
    head = cache.read(file, Head.from_npz)
    if head is None:
        cached = CachedEncoder(encoder, folder)
        head = IntentModel.fit(embed(cached, own) + read_shipped(shipped))
        cache.write(file, head.to_npz())
        cache.keep_newest(folder, "head-*.npz", _KEPT)
    return IntentModel(encoder, head)
