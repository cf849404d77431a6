"""Public data sets of sentences and their intents, in their various layouts.

CLINC150 (`data_full.json`: splits of [text, intent] pairs, with separate out-of-scope ones), HWU64
(Rasa JSON, `train.json` and `test.json`), and SNIPS or ATIS (folders `train`, `dev` and `test` with
the lines of `seq.in` and `label`; several intents are one label, joined by "#", as they stand).
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import msgspec

from assistant.core.errors import InputError

_DEV_SHARE = 0.1
_DEV_SEED = 2026
"""Seed that draws the same tenth that the training of the encoder leaves out."""

_Read = TypeVar("_Read")


class Sentence(NamedTuple):
    """A text and its intent."""

    text: str
    intent: str


class DataSet(NamedTuple):
    """The splits of one set; those named `oos` hold texts without an intent of the set."""

    train: list[Sentence]
    dev: list[Sentence]
    test: list[Sentence]
    oos_train: Sequence[str] = ()
    oos_test: Sequence[str] = ()

    @property
    def size(self) -> int:
        """How many texts there are in all."""
        splits = (self.train, self.dev, self.test, self.oos_train, self.oos_test)
        return sum(len(split) for split in splits)


class _Clinc(msgspec.Struct, frozen=True):
    train: list[Sentence]
    val: list[Sentence]
    test: list[Sentence]
    oos_train: list[Sentence] = []
    oos_test: list[Sentence] = []


class _Examples(msgspec.Struct, frozen=True):
    common_examples: list[dict[str, Any]]


class _Rasa(msgspec.Struct, frozen=True):
    rasa_nlu_data: _Examples


def read_data_set(folder: Path) -> DataSet:
    """The set in a folder; raises `InputError` if its layout is unknown or malformed."""
    if not folder.is_dir():
        raise InputError("intents.no_folder", f"{folder}: no such folder")
    if (folder / "data_full.json").is_file():
        found = _clinc150(folder / "data_full.json")
    elif (folder / "train.json").is_file():
        train, dev = _held_out(_rasa(folder / "train.json"))
        found = DataSet(train, dev, _rasa(folder / "test.json"))
    elif (folder / "train" / "seq.in").is_file():
        found = _columns(folder)
    else:
        wanted = "data_full.json, train.json and test.json, or train/seq.in and train/label"
        raise InputError("intents.layout", f"{folder}: holds none of {wanted}")
    for name in ("train", "dev", "test"):
        if not getattr(found, name):
            raise InputError("intents.none", f"{folder}: its {name} split holds no sentence")
    return found


def _clinc150(file: Path) -> DataSet:
    read = _json(file, _Clinc)
    oos_train, oos_test = ([s.text for s in part] for part in (read.oos_train, read.oos_test))
    return DataSet(read.train, read.val, read.test, oos_train, oos_test)


def _rasa(file: Path) -> list[Sentence]:
    read = _json(file, _Rasa)
    try:
        return [Sentence(one["text"], one["intent"]) for one in read.rasa_nlu_data.common_examples]
    except KeyError as error:
        message = f"{file}: an example has no {error.args[0]!r}"
        raise InputError("intents.malformed", message) from error


def _columns(folder: Path) -> DataSet:
    train = _split(folder / "train")
    if not (folder / "dev").is_dir():
        return DataSet(*_held_out(train), _split(folder / "test"))
    return DataSet(train, _split(folder / "dev"), _split(folder / "test"))


def _split(folder: Path) -> list[Sentence]:
    texts, intents = (_text(folder / name).splitlines() for name in ("seq.in", "label"))
    if len(texts) != len(intents):
        message = f"{folder}: {len(texts)} lines of seq.in, but {len(intents)} of label"
        raise InputError("intents.malformed", message)
    return [Sentence(t.strip(), i.strip()) for t, i in zip(texts, intents, strict=True)]


def _held_out(train: list[Sentence]) -> tuple[list[Sentence], list[Sentence]]:
    """Take a tenth of train as the dev split of a set without one."""
    shuffled = list(train)
    random.Random(_DEV_SEED).shuffle(shuffled)
    cut = int(len(shuffled) * _DEV_SHARE)
    return shuffled[cut:], shuffled[:cut]


def _json(file: Path, kind: type[_Read]) -> _Read:
    try:
        return msgspec.json.decode(_text(file), type=kind)
    except msgspec.DecodeError as error:
        raise InputError("intents.malformed", f"{file}: {error}") from error


def _text(file: Path) -> str:
    try:
        return file.read_text("utf-8")
    except OSError as error:
        raise InputError("intents.unreadable", f"{file}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InputError("intents.malformed", f"{file}: is no text in UTF-8") from error
