"""Runs the written models with onnxruntime, as the assistant does."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

import numpy as np
from numpy.typing import NDArray
from onnxruntime import InferenceSession, SessionOptions

from models.training.tokens import Pieces

Array = NDArray[np.float32]
_BATCH = 16


def open_model(model: bytes, threads: int = 1) -> InferenceSession:
    """The session of a serialized model."""
    options = SessionOptions()
    options.intra_op_num_threads = threads
    return InferenceSession(model, options, providers=["CPUExecutionProvider"])


def run(
    model: bytes, pieces: Sequence[Pieces], cases: Sequence[Sequence[int]] | None = None
) -> list[list[Array]]:
    """The outputs of each sentence, without the batch dimension; equal lengths share a batch."""
    session = open_model(model)
    order = sorted(range(len(pieces)), key=lambda index: len(pieces[index].ids))
    made: dict[int, list[Array]] = {}
    for _, group in groupby(order, key=lambda index: len(pieces[index].ids)):
        same = list(group)
        for start in range(0, len(same), _BATCH):
            part = same[start : start + _BATCH]
            ids = np.array([pieces[index].ids for index in part], np.int64)
            inputs = {"input_ids": ids, "attention_mask": np.ones_like(ids)}
            if cases is not None:
                inputs["casing"] = np.array([cases[index] for index in part], np.int64)
            outputs = session.run(None, inputs)
            for row, index in enumerate(part):
                made[index] = [np.asarray(output[row]) for output in outputs]
    return [made[index] for index in range(len(pieces))]
