"""Tokenizers, which cut texts into word pieces, and the inputs of encoders made from these."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from assistant.core.errors import ModelError

BATCH = 32
KEPT: dict[bytes, Tokenizer] = {}
"""A `tokenizer.json` → its tokenizer, whose word pieces are in memory once for all that have it."""


def keep_tokenizer(content: bytes) -> None:
    """Keep the tokenizer of `content` for as long as the process lives; raises `ModelError`."""
    KEPT[content] = tokenizer_of(content)


def load_tokenizer(content: bytes, longest: int, cut: str = "longest_first") -> Tokenizer:
    """A tokenizer that cuts off after `longest` pieces and does not pad.

    For a pair of texts `cut` says which is shortened: "longest_first", "only_first" or
    "only_second". It shares its word pieces, 7 MB of the shipped ones, with the tokenizer that is
    kept for `content`, if any. Raises `ModelError` when `content` is not a tokenizer.
    """
    kept = KEPT.get(content)
    tokenizer = tokenizer_of(content) if kept is None else _sharing(kept)
    tokenizer.no_padding()
    tokenizer.enable_truncation(longest, strategy=cut)
    return tokenizer


def tokenizer_of(content: bytes, where: str = "the tokenizer") -> Tokenizer:
    """The tokenizer of a `tokenizer.json`; raises `ModelError`, which names `where`."""
    try:
        return Tokenizer.from_buffer(content)
    except ValueError as error:
        raise ModelError("model.unusable", f"{where} cannot be loaded: {error}") from error


def _sharing(kept: Tokenizer) -> Tokenizer:
    """A tokenizer with the parts of another one, but with a length of its own."""
    tokenizer = Tokenizer(kept.model)
    for part in ("normalizer", "pre_tokenizer", "post_processor", "decoder"):
        if (shared := getattr(kept, part)) is not None:
            setattr(tokenizer, part, shared)
    added = list(kept.get_added_tokens_decoder().values())
    tokenizer.add_special_tokens([token for token in added if token.special])
    tokenizer.add_tokens([token for token in added if not token.special])
    return tokenizer


def as_inputs(rows: Sequence[Sequence[int]]) -> dict[str, NDArray[np.int64]]:
    """The model's inputs for rows of word piece ids, padded to the longest."""
    ids = padded(rows)
    mask = padded([[1] * len(row) for row in rows])
    return {"input_ids": ids, "attention_mask": mask}


def padded(rows: Sequence[Sequence[int]]) -> NDArray[np.int64]:
    """The rows as int64[rows, longest], padded with 0."""
    made = np.zeros((len(rows), max(map(len, rows))), np.int64)
    for index, row in enumerate(rows):
        made[index, : len(row)] = row
    return made


def batches_by_length(lengths: Sequence[int], size: int = BATCH) -> Iterator[list[int]]:
    """The indices of texts of these lengths, in batches of similar length: little is padded."""
    order = sorted(range(len(lengths)), key=lengths.__getitem__)
    for at in range(0, len(order), size):
        yield order[at : at + size]
