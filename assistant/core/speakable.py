"""What people may say to this assistant, from which a recogniser's language model is made."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from assistant.core.errors import UNDECODABLE
from assistant.core.files import replace_file

ANYTHING = "\u9fa5"
"""The word of a sentence that stands for any words at all: a letter that no English text has."""


class Speakable(msgspec.Struct, frozen=True, kw_only=True):
    """Sentences in spoken words, and the classes of values that words of theirs stand for.

    `sentences` are a sentence → how often it is said beside the others. `classes` are a class's
    word → the phrases that may stand in its place → how often each is said beside the others. A
    word of a sentence that begins with a class's word, such as its possessive, stands for every
    phrase of it with that ending; `ANYTHING` stands for any words. `short` are short forms, weighed
    like the sentences: what is mostly meant only after something else was said.
    """

    sentences: Mapping[str, float]
    classes: Mapping[str, Mapping[str, float]] = {}
    short: Mapping[str, float] = {}


GivenNames = Mapping[str, Mapping[str, tuple[str, ...]]]
"""Names of routines and of music: skill → slot of its sentences → the names that it takes."""
NO_NAMES: GivenNames = {}
_NAMES = msgspec.json.Decoder(dict[str, dict[str, tuple[str, ...]]])


def read_names(file: Path) -> GivenNames:
    """The names in a file, which the daemon's skills write; none where it cannot be read."""
    try:
        return _NAMES.decode(file.read_bytes())
    except (OSError, *UNDECODABLE):
        return NO_NAMES


def write_names(file: Path, names: GivenNames) -> None:
    """Write the names to a file; raises `OSError`."""
    replace_file(file, msgspec.json.encode(names), 0o600)


class SpeakableSource(NamedTuple):
    """Gives what may be said, which takes seconds, to who has nothing of its `key` yet."""

    key: str
    """Hexadecimal digits; they change whenever `draw` would give something else."""
    draw: Callable[[], Speakable]
    share: float = 1.0
    """How many sentences are drawn beside as many as are worth it."""

    @property
    def name(self) -> str:
        """What tells it from all other sources."""
        return f"{self.key} {self.share}" if self.share < 1 else self.key


def always(sentences: Sequence[str]) -> SpeakableSource:
    """A source of just these sentences."""
    key = hashlib.sha256("\n".join(sorted(sentences)).encode()).hexdigest()
    return SpeakableSource(key, lambda: Speakable(sentences=Counter(sentences)))
