"""Model files from an attacker: ONNX, tokenizers, examples, calibrations, manifests and records.

Each is read as a candidate is before it is used, in a process of its own. A file that agrees with
the manifest reaches the engine; it may run nothing, write nothing, and use no memory beyond the
limit.
"""

from __future__ import annotations

import hashlib
import io
import logging
import os
import pickle
import random
import shutil
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import msgspec
import numpy as np

from assistant.core.errors import ModelError
from assistant.core.models.calibration import FILE as CALIBRATION
from assistant.core.models.calibration import read_calibration
from assistant.core.models.canary import load_canaries
from assistant.core.models.manifest import SHIPPED, Library
from assistant.core.models.session import open_session, run_all
from assistant.core.models.tokens import load_tokenizer
from benchmarks.hostile.attack import changed, ill_told
from benchmarks.hostile.child import Child
from benchmarks.hostile.target import Effects, Target
from nlu.classifier.calibration import SlotCalibration
from nlu.classifier.examples import read_shipped

MODEL, TOKENIZER, EXAMPLES, CANARY = "model.onnx", "tokenizer.json", "examples.npz", "canary.json"
VOUCHED = 0.8
"""Share of the files whose hash the manifest names; it makes the reader refuse the others."""
_FORBIDDEN = ("os.system", "os.exec", "os.posix_spawn", "subprocess.Popen", "socket.connect")


class ModelsAttack:
    """One model folder a blow, with one of its files, the manifest or a record mutated."""

    name: ClassVar[str] = "models"
    blows: ClassVar[int] = 10_000

    def __init__(self, folder: Path, seed: int) -> None:
        self.settings = ""
        self._folder, self._seed = folder / "models", seed
        self._marker = folder / "marker"
        self._whole = _whole(self._marker)
        self._child = Child(read)

    def open(self, target: Target) -> None:
        """Watch the reading process together with the daemon's."""

    def blow(self, number: int) -> str:
        """Write the model of this number and have it read."""
        rng = random.Random(self._seed << 40 | number)
        shutil.rmtree(self._folder, ignore_errors=True)
        (self._folder / "words").mkdir(parents=True)
        files = dict(self._whole)
        known = (MODEL, MODEL, TOKENIZER, EXAMPLES, CALIBRATION, CANARY)
        name = rng.choice((*known, "manifest", "manifest", ""))
        before = dict(files)
        if name in files:
            files[name] = mutated(files[name], rng)
        vouched = rng.random() < VOUCHED
        manifest = _manifest(files if vouched else before)
        if name == "manifest":
            manifest = mutated(manifest, rng)
        for file, content in files.items():
            (self._folder / "words" / file).write_bytes(content)
        (self._folder / "manifest.toml").write_bytes(manifest)
        if not name:
            self._record(mutated(rng.choice(_RECORDS), rng))
        fault = self._child.ask(str(self._folder))
        if self._marker.exists():
            self._marker.unlink()
            fault = "it ran what the file holds"
        return f"{name or 'a record'}: {fault}" if fault else ""

    def wrong(self, before: Effects, after: Effects) -> list[str]:
        """Every change: nothing was requested."""
        return changed(before, after)

    def close(self) -> None:
        """End the reading process."""
        self._child.close()

    def _record(self, content: bytes) -> None:
        """A choice of version, and a lock of one."""
        version = self._folder / "pulled" / "words@2"
        shutil.copytree(self._folder / "words", version)
        (version / "lock.json").write_bytes(content)
        (self._folder / "pulled" / "words.in-use.json").write_bytes(content)


def read(path: str) -> str:
    """Read the model below `path` as a candidate; "" when it works or is refused in one line."""
    _listen()
    ran.clear()
    library = Library(Path(path) / "pulled", Path(path))
    try:
        _load(library)
    except ModelError as error:
        told = error.message
        if ill_told(told) or not error.code.startswith("model."):
            return f"no error of one line: {told[:200]!r}"
    return f"it tried {', '.join(ran)}" if ran else ""


def _load(library: Library) -> None:
    library.state("words")
    content = library.read("words")
    tokenizer = load_tokenizer(content[TOKENIZER], 16)
    tokenizer.encode("turn on the kitchen light")
    read_shipped(content[EXAMPLES])
    read_calibration(library, "words", SlotCalibration)
    load_canaries(library, "words")
    session = open_session(library, "words", MODEL)
    run_all(session, {"x": np.array([1, 2], np.float32)})


ran: list[str] = []
"""Forbidden actions of a model that this process was made to carry out."""


def _listen() -> None:
    global _listening
    if not _listening:
        _listening = True
        logging.disable()
        sys.addaudithook(_heard)


_listening = False


def _heard(event: str, arguments: tuple[Any, ...]) -> None:
    # What is opened by its descriptor is open already, such as the memory a session reads from.
    opens = event == "open" and not isinstance(arguments[0], int)
    writes = opens and str(arguments[1])[:1] in ("w", "a", "x")
    if writes or event in _FORBIDDEN:
        ran.append(event)


# ── a model, and what an enemy makes of it ──────────────────────────────────────────────────


def mutated(original: bytes, rng: random.Random) -> bytes:
    """The file with one or several things wrong."""
    for _ in range(rng.choice((1, 1, 1, 2, 5))):
        original = rng.choice(_WAYS)(original, rng)
    return original


def _bits(content: bytes, rng: random.Random) -> bytes:
    flipped = bytearray(content or b"x")
    for _ in range(rng.choice((1, 2, 10))):
        flipped[rng.randrange(len(flipped))] ^= 1 << rng.randrange(8)
    return bytes(flipped)


def _number(content: bytes, rng: random.Random) -> bytes:
    """Set a digit, or a byte that may be a length or a size, to the largest value."""
    at = rng.randrange(len(content) or 1)
    return (
        content[:at] + rng.choice((b"\xff\xff\xff\xff\x0f", b"9" * 20, b"\x7f")) + content[at + 1 :]
    )


def _cut(content: bytes, rng: random.Random) -> bytes:
    begin, end = sorted(rng.randrange(len(content) + 1) for _ in range(2))
    return rng.choice((content[:begin], content[:begin] + content[end:]))


def _inserted(content: bytes, rng: random.Random) -> bytes:
    at = rng.randrange(len(content) + 1)
    return content[:at] + rng.choice(_PIECES) + content[at:]


def _repeated(content: bytes, rng: random.Random) -> bytes:
    begin, end = sorted(rng.randrange(len(content) + 1) for _ in range(2))
    return content[:end] + content[begin:end] * rng.choice((1, 5)) + content[end:]


def _another(content: bytes, rng: random.Random) -> bytes:
    return rng.choice(_OTHERS)


_WAYS: tuple[Callable[[bytes, random.Random], bytes], ...] = (
    *(_bits, _bits, _number, _cut, _inserted, _repeated, _another),
)
_PIECES = (
    *(b"\0", b"\n", b"\xff", b'"', b"[", b"{", b"}", b"]", b"[x]\n", b'"../../etc/passwd"', b"'''"),
    *(b"\x6a\x0a\n\x01a\x12\x05/etc/", b"\x70\x01", b"[" * 5_000, b"\x0a" * 3_000, b"PK\1\2"),
)
_OTHERS = (b"", b"null", b"{}", b"[]", b"[" * 100_000, b"PK\3\4", b"\x80\x04.", bytes(100_000))
_RECORDS = (
    b'{"version": "2", "before": "1", "manifest": "1"}',
    b'{"source": "hf:x", "revision": "", "files": {"model.onnx": {"sha256": "00", "bytes": 1}}}',
    b'{"version": "../../words", "before": "", "manifest": "1"}',
)


class _Runs:
    """Creates the marker when it is unpickled."""

    def __init__(self, marker: str) -> None:
        self._marker = marker

    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, (self._marker,)


def _whole(marker: Path) -> dict[str, bytes]:
    """The files of a small model that works; the examples hold a pickle that is never read."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as examples:
        arrays = {
            "names": np.array(['["HassTurnOn",{}]']),
            "labels": np.array([0, -1], np.int32),
            "scales": np.ones(2, np.float32),
            "vectors": np.ones((2, 8), np.int8),
        }
        for name, array in arrays.items():
            with examples.open(f"{name}.npy", "w") as file:
                np.save(file, array)
        examples.writestr("other.npy", pickle.dumps(_Runs(str(marker))))
    vocabulary = msgspec.json.decode((SHIPPED / "ner" / TOKENIZER).read_bytes())
    kept = {p: i for p, i in vocabulary["model"]["vocab"].items() if i < 1_200}
    vocabulary["model"]["vocab"] = kept
    return {
        MODEL: _adding_model(),
        TOKENIZER: msgspec.json.encode(vocabulary),
        EXAMPLES: archive.getvalue(),
        CALIBRATION: (SHIPPED / "ner" / CALIBRATION).read_bytes(),
        CANARY: b'{"share": 0.9, "cases": [{"input": "a", "output": "b"}]}',
    }


def _manifest(files: dict[str, bytes]) -> bytes:
    listed = ", ".join(
        f'{{ name = "{name}", bytes = {len(content)}, sha256 = "{_sha256(content)}" }}'
        for name, content in files.items()
        if name != CANARY
    )
    text = (
        '[words]\nversion = "1"\nkind = "intent"\nsummary = "x"\nlicence = "CC0"\n'
        'source = "shipped"\ninputs = { x = "float32[2]" }\noutputs = { y = "float32[2]" }\n'
    )
    return f"{text}files = [{listed}]\n".encode()


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _field(number: int, value: int | bytes) -> bytes:
    """A field of protobuf, shorter than 128 bytes."""
    if isinstance(value, int):
        return bytes([number << 3, value])
    return bytes([number << 3 | 2, len(value)]) + value


def _adding_model() -> bytes:
    """`y = x + w`, as onnx.proto3 has it."""
    shape = _field(1, 1) + _field(2, _field(1, _field(1, 2)))
    ends = [_field(1, name) + _field(2, _field(1, shape)) for name in (b"x", b"y")]
    weights = np.array([1, 2], np.float32).tobytes()
    tensor = _field(1, 2) + _field(2, 1) + _field(8, b"w") + _field(9, weights)
    node = _field(1, b"x") + _field(1, b"w") + _field(2, b"y") + _field(4, b"Add")
    graph = _field(1, node) + _field(2, b"g") + _field(5, tensor)
    graph += _field(11, ends[0]) + _field(12, ends[1])
    return _field(1, 8) + _field(8, _field(2, 13)) + _field(7, graph)
