"""Opens the rewriter's language model: the graph is made on the device once, and then cached."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from pathlib import Path

from tokenizers import Tokenizer

from assistant.core.causal.decoder import Decoder
from assistant.core.errors import ModelError
from assistant.core.layout import CONVERTER
from assistant.core.models.manifest import Library
from assistant.core.models.session import session_of_bytes
from assistant.core.models.tokens import tokenizer_of

BASE = "smollm2-135m-instruct"
"""The artefact of the language model, which is pulled."""
ADAPTER = "rewriter"
"""The artefact that makes a rewriter of it."""
_ADAPTER_FILE = "adapter.npz"
_FORMAT = "1"  # changes whenever the same files would give another graph
_THREADS = 2


def is_here(library: Library) -> bool:
    """Whether the language model was pulled, and what makes a rewriter of it is there."""
    return library.present(BASE) and library.present(ADAPTER)


def load(library: Library, cache: Path) -> tuple[Decoder, Tokenizer]:
    """The model and its tokenizer. Raises `ModelError` for files that are not as they must be."""
    key = hashlib.sha256(
        repr((_FORMAT, library.expected(BASE), library.expected(ADAPTER))).encode()
    ).hexdigest()[:24]
    model, pieces = cache / f"{key}.onnx", cache / f"{key}.json"
    if not (model.exists() and pieces.exists()):
        _make(library, model, pieces)
    decoder = Decoder(session_of_bytes(model.read_bytes(), str(model), _THREADS, providers=()))
    return decoder, tokenizer_of(pieces.read_bytes(), str(pieces))


def _make(library: Library, model: Path, pieces: Path) -> None:
    """Make both files, as a process of its own: it takes some seconds and half a gigabyte."""
    (name,) = library.expected(BASE)
    base, adapter = library.folder(BASE) / name, library.folder(ADAPTER) / _ADAPTER_FILE
    library.read_file(ADAPTER, _ADAPTER_FILE)  # which raises where it is not as recorded
    model.parent.mkdir(parents=True, exist_ok=True)
    for old in model.parent.iterdir():
        old.unlink(missing_ok=True)
    command = (sys.executable, "-P", "-m", CONVERTER, base, adapter, model, pieces)
    made = subprocess.run(command, capture_output=True, text=True, check=False)
    if made.returncode:
        why = (made.stderr.strip().splitlines() or [f"it ended with {made.returncode}"])[-1]
        raise ModelError("model.unusable", f"{base}: {why}; {library.remedy(BASE)}")
