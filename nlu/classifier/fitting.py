"""The intent model of an installation, fitted once and kept until its sentences change."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from nlu.classifier import cache
from nlu.classifier.encoder import SentenceEncoder
from nlu.classifier.examples import CachedEncoder, IntentLabel, embed, read_shipped
from nlu.classifier.head import Head
from nlu.classifier.intent import IntentModel

_VERSION = 3
"""Version of the fitting; increase it when the way a head is fitted or stored changes."""
_KEPT = 8
"""Most fitted heads that are kept: the daemon's, and those of folders that were tried lately."""


class OwnSentences(NamedTuple):
    """Sentences of the installed skills: `commands` fit the head, `talk` is only compared with."""

    commands: Sequence[tuple[IntentLabel, str]] = ()
    talk: Sequence[tuple[IntentLabel, str]] = ()


def fitted(
    encoder: SentenceEncoder, shipped: bytes, own: OwnSentences, folder: Path
) -> IntentModel:
    """The model for the sentences `own` of the installed skills and the `shipped` examples.

    `folder` keeps embeddings and fitted heads; both are rebuilt when they are damaged.
    """
    digest = hashlib.blake2b(f"{_VERSION} {encoder.version}".encode(), digest_size=12)
    digest.update(shipped)
    for label, text in own.commands:
        digest.update(f"{label.text}\t{text}\n".encode())
    file = folder / f"head-{digest.hexdigest()}.npz"
    known = embed(CachedEncoder(encoder, folder), [*own.commands, *own.talk])
    commands, talk = known.divided(len(own.commands))
    head = cache.read(file, Head.from_npz)
    if head is None:
        head = IntentModel.fit(commands + read_shipped(shipped))
        cache.write(file, head.to_npz())
        cache.keep_newest(folder, "head-*.npz", _KEPT)
    return IntentModel(encoder, head, talk)
