"""The intent model of an installation, fitted once and kept until its sentences change."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from assistant.core.files import made_once
from nlu.classifier import cache
from nlu.classifier.corrections import Lesson, Use, read_uses, write_uses
from nlu.classifier.encoder import SentenceEncoder
from nlu.classifier.examples import CachedEncoder, Examples, IntentLabel, embed, read_shipped
from nlu.classifier.head import Head
from nlu.classifier.intent import IntentModel
from nlu.classifier.learning import Trial, refitted, taught

log = logging.getLogger(__name__)

_VERSION = 3
"""Version of the fitting; increase it when the way a head is fitted or stored changes."""
_KEPT = 8
"""Most fitted heads that are kept: the daemon's, and those of folders that were tried lately."""
_SHIPPED = "head.npz"
"""The file beside the encoder with the head that is used until one was fitted."""
_OTHERS = 4000
"""Embeddings of other sentences of skills that are kept, 6 MB: as many as of six installations."""


class OwnSentences(NamedTuple):
    """What this installation adds: sentences of its skills, and what its user has put right.

    `commands` fit the head, `talk` is only compared with, and `lessons` fit it where nothing else
    is understood worse with them.
    """

    commands: Sequence[tuple[IntentLabel, str]] = ()
    talk: Sequence[tuple[IntentLabel, str]] = ()
    lessons: Sequence[Lesson] = ()
    key: str = ""
    """A digest of all that the sentences were drawn from; "" where that may not be told apart."""


def fitted(
    encoder: SentenceEncoder,
    shipped: bytes,
    own: OwnSentences,
    folder: Path,
    start: Head | None = None,
) -> IntentModel:
    """The model for the sentences `own` of the installed skills and the `shipped` examples.

    `folder` keeps embeddings and fitted heads; both are rebuilt when they are damaged. With
    `start`, a head that is not kept there is fitted from that one, in a tenth of the time, with its
    calibration; it is not kept, and what the user has put right is left out.
    """
    digest = _digest(encoder, shipped)
    for label, text in own.commands:
        digest.update(f"{label.text}\t{text}\n".encode())
    base = digest.hexdigest()
    cached = CachedEncoder(encoder, folder, others=_OTHERS)
    talk = embed(cached, own.talk)
    if start is not None and not _file(folder, base).exists():
        head = refitted(start, embed(cached, own.commands) + read_shipped(shipped))
        return IntentModel(encoder, head, talk, provisional=True)
    head = _kept(
        folder, base, lambda: IntentModel.fit(embed(cached, own.commands) + read_shipped(shipped))
    )
    if own.lessons or read_uses(folder, base):
        teaching = [
            (one.label, one.text) for one in own.lessons if isinstance(one.label, IntentLabel)
        ]
        # What was said here is kept apart, and only for as long as it is a lesson.
        corrections = embed(CachedEncoder(encoder, folder, "lessons"), teaching)
        commands, examples = embed(cached, own.commands), read_shipped(shipped)
        trial = partial(Trial, head, commands, examples, talk, encoder.calibration)
        chosen = corrections.where(_harmless(own.lessons, corrections, trial, folder, base))
        if chosen.labels:
            digest.update(chosen.embeddings.tobytes())
            digest.update("\n".join(label.text for label in chosen.labels if label).encode())
            whole = commands + examples
            fit = partial(taught, head, whole, chosen)
            head = _kept(folder, digest.hexdigest(), fit)
    elif own.key:
        found = _Found(
            base, [label.text for label in talk.labels if label], talk.embeddings.tolist()
        )
        cache.write(_found_file(encoder, shipped, folder, own.key), msgspec.msgpack.encode(found))
        cache.keep_newest(folder, "found-*.msgpack", _KEPT)
    return IntentModel(encoder, head, talk)


def found(encoder: SentenceEncoder, shipped: bytes, folder: Path, key: str) -> IntentModel | None:
    """The model that `fitted` gave for sentences with this `key`, which need not be drawn for it.

    None where it is not kept, or the user has put anything right.
    """
    if not key or read_uses(folder):
        return None
    decode = partial(msgspec.msgpack.decode, type=_Found)
    kept = cache.read(_found_file(encoder, shipped, folder, key), decode)
    head = cache.read(_file(folder, kept.head), Head.from_npz) if kept else None
    if kept is None or head is None:
        return None
    talk = Examples([*map(IntentLabel.read, kept.labels)], np.array(kept.talk, np.float32))
    return IntentModel(encoder, head, talk)


def first(encoder: SentenceEncoder, shipped: bytes, folder: Path) -> IntentModel | None:
    """The model with the head that ships in `folder`, to be used until one is fitted here.

    It was fitted to the built-in skills and a home like others. None where it is of another encoder
    or damaged.
    """

    def read(content: bytes) -> Head | None:
        return Head.from_shipped(
            content, encoder.version, read_shipped(shipped).negatives.embeddings
        )

    head = cache.read(folder / _SHIPPED, read)
    return IntentModel(encoder, head, provisional=True) if head is not None else None


class _Found(msgspec.Struct, frozen=True):
    """The name of a head that was fitted, and the examples beside it that it was not fitted to."""

    head: str
    labels: list[str]
    talk: list[list[float]]


def _found_file(encoder: SentenceEncoder, shipped: bytes, folder: Path, key: str) -> Path:
    digest = _digest(encoder, shipped)
    digest.update(key.encode())
    return folder / f"found-{digest.hexdigest()}.msgpack"


def _digest(encoder: SentenceEncoder, shipped: bytes) -> hashlib.blake2b:
    digest = hashlib.blake2b(f"{_VERSION} {encoder.version}".encode(), digest_size=12)
    digest.update(shipped)
    return digest


def _kept(folder: Path, name: str, fit: Callable[[], Head]) -> Head:
    """The head of that name in `folder`, which is fitted where there is none."""
    file = _file(folder, name)
    head = cache.read(file, Head.from_npz)
    if head is not None:
        return head
    with made_once(file) as waited:
        head = cache.read(file, Head.from_npz) if waited else None
        if head is None:
            head = fit()
            cache.write(file, head.to_npz())
            cache.keep_newest(folder, "head-*.npz", _KEPT)
    return head


def _file(folder: Path, name: str) -> Path:
    return folder / f"head-{name}.npz"


def _harmless(
    lessons: Sequence[Lesson],
    corrections: Examples,
    trial: Callable[[], Trial],
    folder: Path,
    base: str,
) -> NDArray[np.bool_]:
    """Which corrections are fitted to; `folder` keeps what became of each lesson.

    Only what is new beside the same other sentences, `base`, is tried. What did harm there is not
    tried again.
    """
    past = read_uses(folder, base)
    uses = {one.key: one.label for one in lessons if isinstance(one.label, Use)}
    keys = [one.key for one in lessons if one.key not in uses]
    fit = np.array([past.get(key) is not Use.HARMFUL for key in keys], bool)
    if any(key not in past for key in keys):
        fit[fit] = trial().harmless(corrections.where(fit))
    uses |= {
        key: Use.USED if fits else Use.HARMFUL for key, fits in zip(keys, fit.tolist(), strict=True)
    }
    if uses != past:
        write_uses(folder, base, uses)
        if not fit.all():
            left_out = "%d of %d corrections are left out: others are understood worse with them"
            log.warning(f"{left_out} (nlu.corrections)", int((~fit).sum()), len(fit))
    return fit
