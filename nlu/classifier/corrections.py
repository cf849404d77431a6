"""What the user has put right, as examples for the intent model of this device.

A correction pairs words as they were heard with the command that was meant. None teaches other
words for what opens a way in or deletes something, and none is needed where a sentence fits.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from enum import Enum
from functools import partial
from pathlib import Path
from typing import NamedTuple

import msgspec

from assistant.core.messages import Command
from nlu.classifier import cache
from nlu.classifier.examples import IntentLabel

_FILE = "corrections.json"


class Correction(msgspec.Struct, frozen=True, kw_only=True):
    """Words that were misunderstood, and what they meant."""

    id: str
    """The utterance's id."""
    heard: str
    command: Command | None = None
    """What was meant, as it was said next; None where `expect` tells it."""
    expect: str = ""
    """What was really said; "" where `command` tells it."""

    @property
    def key(self) -> str:
        """A digest of all of it, which tells no word."""
        return hashlib.blake2b(msgspec.msgpack.encode(self), digest_size=12).hexdigest()


class Use(Enum):
    """What became of a correction at the last start."""

    USED = "used"
    HARMFUL = "left out: others are understood worse with it"
    GUARDED = "never used: it opens, unlocks or deletes"
    KNOWN = "not needed: a sentence fits it"
    UNCLEAR = "not used: what it means is not clear"


class Lesson(NamedTuple):
    """A correction as the head sees it: its key, the text as models read it, and its label.

    In place of the label stands why there is none.
    """

    key: str
    text: str
    label: IntentLabel | Use


class _Kept(msgspec.Struct, frozen=True):
    """What became of corrections, by their keys, beside the sentences with the digest `base`."""

    base: str
    uses: dict[str, Use]


def read_uses(folder: Path, base: str = "") -> Mapping[str, Use]:
    """What became of each correction, by its key, at the last start.

    With `base`, {} where that was beside other sentences.
    """
    kept = cache.read(folder / _FILE, partial(msgspec.json.decode, type=_Kept))
    return kept.uses if kept and base in ("", kept.base) else {}


def write_uses(folder: Path, base: str, uses: Mapping[str, Use]) -> None:
    """Keep what became of each correction, in a folder of caches."""
    cache.write(folder / _FILE, msgspec.json.encode(_Kept(base, dict(uses))))
