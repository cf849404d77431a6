"""The examples that the intent head is fitted to: shipped ones and the skills' own.

The shipped ones are embedded already, in `examples.npz` beside the encoder. `names` are the labels
as text, `labels` each row's label (-1 for a text that is meant for no assistant), `vectors` the
embeddings as int8, with a float32 in `scales` for each row. The skills' sentences are embedded here
once and kept in a cache.
"""

from __future__ import annotations

import hashlib
import io
import zipfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from assistant.core.errors import ModelError
from assistant.core.messages import SlotValue
from nlu.classifier import cache
from nlu.classifier.cache import UNREADABLE
from nlu.classifier.encoder import Embeddings, SentenceEncoder

Fixed = tuple[tuple[str, SlotValue], ...]


class IntentLabel(NamedTuple):
    """An intent with its fixed slots, which do not depend on the words, such as domain = light."""

    intent: str
    fixed: Fixed = ()

    @property
    def text(self) -> str:
        """The label as a line of JSON."""
        return msgspec.json.encode([self.intent, dict(self.fixed)]).decode()

    @classmethod
    def read(cls, text: str) -> IntentLabel:
        """Read a label from such a line."""
        intent, fixed = msgspec.json.decode(text, type=tuple[str, dict[str, SlotValue]])
        return cls(intent, tuple(sorted(fixed.items())))


class Examples(NamedTuple):
    """Embedded sentences with their labels; None for one that no assistant should act on."""

    labels: list[IntentLabel | None]
    embeddings: Embeddings

    @property
    def negatives(self) -> Examples:
        """The examples that no assistant should act on."""
        return self.where(np.array([label is None for label in self.labels], bool))

    def where(self, chosen: NDArray[np.bool_]) -> Examples:
        """The examples that are chosen, bool[examples]."""
        labels = [label for label, is_chosen in zip(self.labels, chosen, strict=True) if is_chosen]
        return Examples(labels, self.embeddings[chosen])

    def __add__(self, other: Examples) -> Examples:  # type: ignore[override]
        """These and others."""
        parts = [part for part in (self.embeddings, other.embeddings) if len(part)]
        return Examples(self.labels + other.labels, np.concatenate(parts))


def read_shipped(content: bytes) -> Examples:
    """The examples of an `examples.npz`; raises `ModelError` for any other content."""
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
            names = [IntentLabel.read(str(name)) for name in arrays["names"]]
            embeddings = arrays["vectors"].astype(np.float32) * arrays["scales"][:, None]
            labels = [names[i] if i >= 0 else None for i in arrays["labels"]]
    except (*UNREADABLE, IndexError, TypeError, MemoryError) as error:
        message = f"the shipped examples cannot be read: {type(error).__name__}: {error}"
        raise ModelError("model.unusable", message) from error
    if len(labels) != len(embeddings):
        message = f"the shipped examples are {len(embeddings)} sentences with {len(labels)} labels"
        raise ModelError("model.unusable", message)
    return Examples(labels, embeddings)


def write_shipped(file: Path, examples: Examples) -> None:
    """Write the examples as `examples.npz`; the same examples make the same bytes."""
    names = sorted({label.text for label in examples.labels if label})
    rows = [names.index(label.text) if label else -1 for label in examples.labels]
    scales = np.abs(examples.embeddings).max(axis=1) / 127
    vectors = np.round(examples.embeddings / scales[:, None]).astype(np.int8)
    arrays = {
        "names": np.array(names),
        "labels": np.array(rows, np.int32),
        "scales": scales.astype(np.float32),
        "vectors": vectors,
    }
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, array in arrays.items():
            buffer = io.BytesIO()
            np.save(buffer, array, allow_pickle=False)
            archive.writestr(zipfile.ZipInfo(f"{name}.npy"), buffer.getvalue())


class CachedEncoder:
    """An encoder that keeps the embeddings of its last call in `folder`, in a file named `name`.

    Beside them it keeps up to `others` of the calls before, those made last.
    """

    def __init__(
        self, encoder: SentenceEncoder, folder: Path, name: str = "embeddings", others: int = 0
    ) -> None:
        self._encoder, self._others = encoder, others
        self._file = folder / f"{name}-{encoder.version[:16]}.npz"

    def encode(self, texts: Sequence[str]) -> Embeddings:
        """The texts' embeddings; cached embeddings of too many other texts are deleted."""
        known = cache.read(self._file, _decoded) or {}
        by_key = {_key(text): text for text in texts}
        new = sorted(by_key.keys() - known.keys())
        if new:
            made = self._encoder.encode([by_key[key] for key in new])
            known |= dict(zip(new, made, strict=True))
        wanted = {key: known[key] for key in by_key}
        others = [key for key in known if key not in wanted]
        if new or len(others) > self._others:
            kept = {key: known[key] for key in others[max(0, len(others) - self._others) :]}
            cache.write(self._file, _encoded(kept | wanted))
        rows = [wanted[_key(text)] for text in texts]
        return np.stack(rows) if rows else np.zeros((0, 0), np.float32)


def _decoded(content: bytes) -> dict[str, Embeddings]:
    with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
        return dict(zip(arrays["keys"].tolist(), arrays["embeddings"], strict=True))


def _encoded(known: dict[str, Embeddings]) -> bytes:
    file = io.BytesIO()
    np.savez(file, keys=np.array(list(known)), embeddings=np.array(list(known.values())))
    return file.getvalue()


def _key(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=12).hexdigest()


def embed(encoder: CachedEncoder, sentences: Iterable[tuple[IntentLabel, str]]) -> Examples:
    """Sentences with their labels as examples."""
    listed = list(sentences)
    return Examples([label for label, _ in listed], encoder.encode([text for _, text in listed]))
