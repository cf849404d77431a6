"""Other versions of the models that ship: good ones, and such as must be refused."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np

from assistant.core.manifest import SHIPPED, Library
from assistant.downloads import import_version

WIDTH = 384
MODEL, TOKENIZER = "model.onnx", "tokenizer.json"
_TENSOR = b"layers.5.norm2.weight"
_RAW_DATA = b"\x4a\x80\x0c"
"""The tag of onnx.proto3's TensorProto.raw_data and the length of 384 floats, as a varint."""
OTHER = 0.05
"""How far the weights of a version are off that is another, and as good."""
NONSENSE = 100.0


def variant(name: str, folder: Path, seed: int, off_by: float = OTHER) -> Path:
    """The model with the weights of its last layer's norm changed by some of themselves."""
    shutil.copytree(SHIPPED / name, folder)
    file = folder / MODEL
    content = bytearray(file.read_bytes())
    start = content.index(_TENSOR + _RAW_DATA) + len(_TENSOR + _RAW_DATA)
    weights = np.frombuffer(content, np.float32, WIDTH, start)
    noise = np.random.default_rng(seed).standard_normal(WIDTH)
    changed = (weights * (1 + off_by * noise)).astype(np.float32).tobytes()
    del weights
    content[start : start + len(changed)] = changed
    file.write_bytes(content)
    return folder


def add(library: Library, name: str, version: str, seed: int) -> None:
    """Import a good variant."""
    folder = library.pulled / f"{name}-{version}-made"
    import_version(library, name, variant(name, folder, seed), version, _unchecked)
    shutil.rmtree(folder)


def add_unsound(library: Library, name: str) -> dict[str, str]:
    """Import versions that must be refused; gives version → what the refusal must tell of."""
    for version, (_, spoilt) in UNSOUND.items():
        folder = library.pulled / f"{name}-{version}-made"
        if version == "nonsense":
            variant(name, folder, 0, NONSENSE)
        else:
            shutil.copytree(SHIPPED / name, folder)
        if spoilt is not None and version not in AFTERWARDS:
            spoilt(folder)
        import_version(library, name, folder, version, _unchecked)
        shutil.rmtree(folder)
        if spoilt is not None and version in AFTERWARDS:
            spoilt(library.place(name, version))
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
    """The weights' TensorProto (all fields but the data kept) names a file for its data."""
    content = (folder / MODEL).read_bytes()
    start = content.index(_TENSOR + _RAW_DATA) + len(_TENSOR)
    entry = _text(1, b"location") + _text(2, b"weights.bin")
    length = len(_RAW_DATA) + 4 * WIDTH
    outside = _text(13, entry) + b"\x70\x01"
    filler = length - len(outside) - 3
    # TensorProto.doc_string takes up the rest, so that no length around it changes.
    made = outside + b"\x62" + _varint(filler) + b" " * filler
    (folder / MODEL).write_bytes(content[:start] + made + content[start + length :])


def _text(number: int, value: bytes) -> bytes:
    return bytes([number << 3 | 2, len(value)]) + value


def _varint(value: int) -> bytes:
    return bytes([value & 0x7F | 0x80, value >> 7])


def _no_tokenizer(folder: Path) -> None:
    (folder / TOKENIZER).write_text(json.dumps({"model": "none"}))


def _unchecked(*_: object) -> None:
    """What is imported here by hand would be found out on the way in."""


AFTERWARDS = ("corrupt", "incomplete")
"""Spoilt where they lie, after they were recorded."""
UNSOUND: dict[str, tuple[str, Callable[[Path], None] | None]] = {
    "corrupt": ("is corrupt", _corrupt),
    "incomplete": ("No such file", lambda folder: (folder / TOKENIZER).unlink()),
    "interface": ("outputs are", _other_interface),
    "outside": ("lies in another file", _outside),
    "garbled": ("cannot be loaded", _no_tokenizer),
    "nonsense": ("canaries come out as recorded", None),
}
"""Version → what is told of it, and what is done to it."""
