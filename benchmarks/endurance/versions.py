"""Other versions of the shipped models: good ones, and some that must be refused."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assistant.core.models.calibration import FILE as CALIBRATION
from assistant.core.models.manifest import SHIPPED, Library
from assistant.model_files.pull import import_version

Array = NDArray[np.floating[Any]]
WIDTH = 384
MODEL, TOKENIZER, LABELS = "model.onnx", "tokenizer.json", "labels.json"
OFF_BY = 0.05
_NORM = b"layers.5.norm2.weight"


def variant(name: str, folder: Path, seed: int) -> Path:
    """Another version in `folder`, with the same result for nearly all texts; as certain, or not.

    An encoder's last norm is slightly changed; a tagger's last layer is smaller, the more the
    larger the seed is.
    """
    noise = np.random.default_rng(seed).standard_normal(WIDTH)
    if (SHIPPED / name / LABELS).exists():
        return _changed(name, folder, b"tags.weight", lambda weights: weights * (1 - 0.1 * seed))
    return _changed(name, folder, _NORM, lambda weights: weights * (1 + OFF_BY * noise))


def nonsense(name: str, folder: Path) -> Path:
    """An intact version that makes nothing of any text."""
    noise = np.random.default_rng(0).standard_normal(WIDTH)
    return _changed(name, folder, _NORM, lambda weights: weights * 100 * noise)


def babbling(folder: Path) -> Path:
    """An intact generator that says anything, whatever it reads."""
    noise = np.random.default_rng(0).standard_normal(WIDTH)
    return _changed("generator", folder, b"norm.weight", lambda weights: weights * noise)


def _changed(name: str, folder: Path, tensor: bytes, change: Callable[[Array], Array]) -> Path:
    shutil.copytree(SHIPPED / name, folder)
    file = folder / MODEL
    content = file.read_bytes()
    start, end = _raw_data(content, tensor)
    weights = change(np.frombuffer(content[start:end], np.float32))
    file.write_bytes(content[:start] + weights.astype(np.float32).tobytes() + content[end:])
    return folder


def _raw_data(content: bytes, tensor: bytes) -> tuple[int, int]:
    """The place of onnx.proto3's TensorProto.raw_data of this name, which stands before it."""
    length, shift = 0, 0
    at = content.index(tensor + b"\x4a") + len(tensor) + 1
    while True:
        length |= (content[at] & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if content[at - 1] < 0x80:
            return at, at + length


def add(library: Library, name: str, version: str, seed: int) -> None:
    """Import a good variant."""
    folder = library.pulled / f"{name}-{version}-made"
    import_version(library, name, variant(name, folder, seed), version, unchecked)
    shutil.rmtree(folder)


def add_unsound(library: Library, name: str) -> dict[str, str]:
    """Import versions that must be refused; gives version → what the refusal must mention."""
    for version, (_, spoilt) in UNSOUND.items():
        folder = library.pulled / f"{name}-{version}-made"
        if version == "nonsense":
            nonsense(name, folder)
        else:
            shutil.copytree(SHIPPED / name, folder)
        if spoilt is not None and version not in AFTERWARDS:
            spoilt(folder)
        import_version(library, name, folder, version, unchecked)
        shutil.rmtree(folder)
        if spoilt is not None and version in AFTERWARDS:
            spoilt(library.version_folder(name, version))
    return {version: told for version, (told, _) in UNSOUND.items()}


def _corrupt(folder: Path) -> None:
    file = folder / MODEL
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)


def _other_interface(folder: Path) -> None:
    other = "ner" if (folder / "examples.npz").exists() else "intent"
    shutil.copyfile(SHIPPED / other / MODEL, folder / MODEL)


def _outside(folder: Path) -> None:
    """Make the weights' TensorProto (all fields but the data kept) name a file for its data."""
    content = (folder / MODEL).read_bytes()
    start, end = _raw_data(content, _NORM)
    start -= 3  # the field's tag and its length
    entry = _text(1, b"location") + _text(2, b"weights.bin")
    outside = _text(13, entry) + b"\x70\x01"
    filler = end - start - len(outside) - 3
    # TensorProto.doc_string fills the rest, so that no length around it changes.
    made = outside + b"\x62" + _varint(filler) + b" " * filler
    (folder / MODEL).write_bytes(content[:start] + made + content[end:])


def _text(number: int, value: bytes) -> bytes:
    return bytes([number << 3 | 2, len(value)]) + value


def _varint(value: int) -> bytes:
    return bytes([value & 0x7F | 0x80, value >> 7])


def _no_tokenizer(folder: Path) -> None:
    (folder / TOKENIZER).write_text(json.dumps({"model": "none"}))


def _uncalibrated(folder: Path) -> None:
    (folder / CALIBRATION).write_text("{}")


def unchecked(*_: object) -> None:
    """Import by hand what the usual import would refuse."""


AFTERWARDS = ("corrupt", "incomplete")
"""Versions that are spoilt in their folder, after they were recorded."""
UNSOUND: dict[str, tuple[str, Callable[[Path], None] | None]] = {
    "corrupt": ("is corrupt", _corrupt),
    "incomplete": ("No such file", lambda folder: (folder / TOKENIZER).unlink()),
    "interface": ("outputs are", _other_interface),
    "outside": ("lies in another file", _outside),
    "garbled": ("cannot be loaded", _no_tokenizer),
    "uncalibrated": ("missing required field", _uncalibrated),
    "nonsense": ("canaries come out as recorded", None),
}
"""Version → what its refusal mentions, and the damage done to it."""
