"""Reads a language model of the Llama family from a GGUF file, and its tokenizer.

The layout is that of github.com/ggml-org/ggml/blob/master/docs/gguf.md, read by its own package.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import gguf
import numpy as np
from numpy.typing import NDArray
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers

_FAMILY = "llama"
_CONTROL = 3
"""The kind of tokens that are no text, such as the end of a reply."""
_DIGIT = r"\p{N}"


class Form(NamedTuple):
    """What the weights do not show."""

    layers: int
    heads: int
    shared: int
    """Number of heads of keys and values, each of which several heads look at."""
    width: int
    epsilon: float
    base: float
    """The longest wave of the rotary positions, in tokens by 2 pi."""
    positions: int


class Model(NamedTuple):
    """A model as it was read; the weights by GGUF's names, `blk.0.attn_q.weight`, as [out, in]."""

    form: Form
    weights: Mapping[str, NDArray[np.float32]]
    tokenizer: Tokenizer


class _Weights(Mapping[str, NDArray[np.float32]]):
    """The weights by their names, each read when it is asked for: all at once take 540 MB."""

    def __init__(self, tensors: Iterable[gguf.ReaderTensor]) -> None:
        self._tensors = {tensor.name: tensor for tensor in tensors}

    def __getitem__(self, name: str) -> NDArray[np.float32]:
        """The matrix or vector of that name."""
        tensor = self._tensors[name]
        return gguf.quants.dequantize(tensor.data, tensor.tensor_type)

    def __iter__(self) -> Iterator[str]:
        """All names."""
        return iter(self._tensors)

    def __len__(self) -> int:
        """How many there are."""
        return len(self._tensors)


def read(path: Path) -> Model:
    """The model in the file at `path`. Raises ValueError for what is no such file."""
    try:
        reader = gguf.GGUFReader(path)
        facts = {name: field.contents() for name, field in reader.fields.items()}
        form = _form(facts)
        return Model(form, _Weights(reader.tensors), _tokenizer(facts))
    except (KeyError, IndexError, OSError, ValueError, NotImplementedError) as error:
        raise ValueError(
            f"{path} is no GGUF file of a language model of the Llama family: {error!r}"
        ) from error


def _form(facts: Mapping[str, Any]) -> Form:
    family = facts["general.architecture"]
    if family != _FAMILY:
        raise ValueError(f"it is of the family {family}, not {_FAMILY}")
    return Form(
        layers=facts[f"{family}.block_count"],
        heads=facts[f"{family}.attention.head_count"],
        shared=facts[f"{family}.attention.head_count_kv"],
        width=facts[f"{family}.embedding_length"],
        epsilon=facts[f"{family}.attention.layer_norm_rms_epsilon"],
        base=facts[f"{family}.rope.freq_base"],
        positions=facts[f"{family}.context_length"],
    )


def _tokenizer(facts: Mapping[str, Any]) -> Tokenizer:
    """The tokenizer: pieces of bytes (Radford et al. 2019) in which each digit is a piece."""
    words: list[str] = facts["tokenizer.ggml.tokens"]
    merges = [tuple(pair.split(" ")) for pair in facts["tokenizer.ggml.merges"]]
    made = Tokenizer(models.BPE({word: n for n, word in enumerate(words)}, merges))
    made.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(_DIGIT), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False),
        ]
    )
    made.decoder = decoders.ByteLevel()
    kinds = zip(words, facts["tokenizer.ggml.token_type"], strict=True)
    made.add_special_tokens(
        [AddedToken(word, special=True) for word, kind in kinds if kind == _CONTROL]
    )
    return made
