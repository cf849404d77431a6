"""Whisper's decoder, a piece at a time for several texts at once."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assistant.core.errors import ModelError, RecognitionError
from assistant.core.files import replace_file
from assistant.core.models.session import run_all, session_of_bytes
from audio.asr.constrained import graph
from audio.asr.constrained.weights import read_weights

_FORMAT = "1"  # changes whenever the same weights would give other graphs
_HEARD, _STEP = "heard", "step"

Memory = Mapping[str, NDArray[np.float32]]
"""Keys and values of the pieces before, by the graph's names: a row for each text."""


class PieceDecoder:
    """The decoder of the model in `folder`, a CTranslate2 one, in eight bits.

    Its graphs are made once and kept in `cache`. Raises `RecognitionError` for weights that are not
    as they must be.
    """

    def __init__(self, folder: Path, cache: Path, threads: int) -> None:
        try:
            listening, stepping = (
                session_of_bytes(model, f"{folder}, the graph {name}", threads, providers=())
                for name, model in _graphs(folder / "model.bin", cache)
            )
        except (ModelError, ValueError, OSError) as error:
            message = f"{folder}: sentences cannot be sought with this model: {error}"
            raise RecognitionError("asr.model", message) from error
        self._listening, self._stepping = listening, stepping
        self._heard_names = [output.name for output in listening.get_outputs()]
        shapes = {one.name: one.shape for one in stepping.get_inputs()}
        self._nothing = {
            name: np.zeros((1, shape[1], 0, shape[3]), np.float32)
            for name, shape in shapes.items()
            if name.startswith("past.")
        }
        self._heard: dict[str, NDArray[Any]] = {}

    def listen(self, encoded: NDArray[np.float32]) -> None:
        """Take the encoder's output, [frames, width], for what is decoded from now on."""
        found = run_all(self._listening, {"encoded": encoded}, self._heard_names)
        self._heard = dict(zip(self._heard_names, found, strict=True))

    def begin(self, prompt: Sequence[int]) -> tuple[list[NDArray[np.float32]], Memory]:
        """Read the pieces before a text; gives the log-probabilities behind each of them."""
        memory: Memory = self._nothing
        behind = []
        for piece in prompt:
            likelihoods, memory = self.step([piece], memory)
            behind.append(likelihoods[0])
        return behind, memory

    def step(self, pieces: Sequence[int], memory: Memory) -> tuple[NDArray[np.float32], Memory]:
        """A further piece of each text; gives float32[texts, vocabulary], and the longer memory."""
        place = next(iter(memory.values())).shape[2]
        inputs: dict[str, NDArray[Any]] = {
            "piece": np.array(pieces, np.int64),
            "place": np.array([place], np.int64),
            **self._heard,
            **memory,
        }
        likelihoods, *present = run_all(
            self._stepping, inputs, ["likelihoods", *map(_present, self._nothing)]
        )
        return likelihoods, dict(zip(self._nothing, present, strict=True))

    @staticmethod
    def chosen(memory: Memory, texts: Sequence[int]) -> Memory:
        """The memory of these texts alone, in this order."""
        return {name: kept[texts] for name, kept in memory.items()}


def _present(past: str) -> str:
    return past.replace("past.", "present.")


def _graphs(weights: Path, cache: Path) -> list[tuple[str, bytes]]:
    """The two graphs of these weights, made where `cache` does not have them."""
    content = weights.read_bytes()
    key = hashlib.sha256(_FORMAT.encode() + content).hexdigest()[:24]
    files = {name: cache / f"{key}-{name}.onnx" for name in (_HEARD, _STEP)}
    if not all(file.exists() for file in files.values()):
        read = read_weights(content)
        cache.mkdir(parents=True, exist_ok=True)
        for old in cache.glob("*.onnx"):
            old.unlink(missing_ok=True)
        for name, made in ((_HEARD, graph.heard_graph(read)), (_STEP, graph.step_graph(read))):
            replace_file(files[name], made, 0o600, durable=False)
    return [(name, file.read_bytes()) for name, file in files.items()]
