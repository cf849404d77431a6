"""A tiny language model of the Llama family as a GGUF file, and its scores in plain NumPy."""

from __future__ import annotations

from pathlib import Path

import gguf
import numpy as np
from numpy.typing import NDArray
from tokenizers import pre_tokenizers

Array = NDArray[np.float32]

WIDTH, WIDE, HEADS, SHARED, LAYERS = 64, 96, 4, 2, 2
HEAD = WIDTH // HEADS
EPSILON, BASE = 1e-5, 10_000.0
ALPHABET = sorted(pre_tokenizers.ByteLevel.alphabet())
WORDS = ["<|endoftext|>", *ALPHABET, "th", "the", "Ġthe"]
MERGES = ["t h", "th e", "Ġ the"]


def weights(seed: int = 0) -> dict[str, Array]:
    """Random weights by GGUF's names."""
    draw = np.random.default_rng(seed)

    def some(*shape: int) -> Array:
        return draw.normal(size=shape, scale=0.2).astype(np.float32)

    made = {"token_embd.weight": some(len(WORDS), WIDTH), "output_norm.weight": 1 + some(WIDTH)}
    for layer in range(LAYERS):
        name = f"blk.{layer}"
        made |= {f"{name}.attn_norm.weight": 1 + some(WIDTH)}
        made |= {f"{name}.ffn_norm.weight": 1 + some(WIDTH)}
        for part, rows, columns in (
            *(("attn_q", WIDTH, WIDTH), ("attn_k", SHARED * HEAD, WIDTH)),
            *(("attn_v", SHARED * HEAD, WIDTH), ("attn_output", WIDTH, WIDTH)),
            *(("ffn_gate", WIDE, WIDTH), ("ffn_up", WIDE, WIDTH), ("ffn_down", WIDTH, WIDE)),
        ):
            made[f"{name}.{part}.weight"] = some(rows, columns)
    return made


def write(path: Path, made: dict[str, Array], family: str = "llama") -> Path:
    """The model in a file."""
    file = gguf.GGUFWriter(path, family)
    file.add_block_count(LAYERS)
    file.add_context_length(256)
    file.add_embedding_length(WIDTH)
    file.add_head_count(HEADS)
    file.add_head_count_kv(SHARED)
    file.add_layer_norm_rms_eps(EPSILON)
    file.add_rope_freq_base(BASE)
    file.add_token_list(WORDS)
    file.add_token_types([3, *[1] * (len(WORDS) - 1)])
    file.add_token_merges(MERGES)
    for name, value in made.items():
        file.add_tensor(name, value)
    file.write_header_to_file()
    file.write_kv_data_to_file()
    file.write_tensors_to_file()
    file.close()
    return path


def by_numpy(made: dict[str, Array], ids: list[int]) -> Array:
    """Scores float[tokens, vocabulary] behind each of the tokens."""
    x = made["token_embd.weight"][ids]
    for layer in range(LAYERS):
        name = f"blk.{layer}"
        normed = _norm(x, made[f"{name}.attn_norm.weight"])
        x = x + _attended(made, name, normed) @ made[f"{name}.attn_output.weight"].T
        normed = _norm(x, made[f"{name}.ffn_norm.weight"])
        gate = normed @ made[f"{name}.ffn_gate.weight"].T
        wide = gate / (1 + np.exp(-gate)) * (normed @ made[f"{name}.ffn_up.weight"].T)
        x = x + wide @ made[f"{name}.ffn_down.weight"].T
    normed = _norm(x, made["output_norm.weight"])
    return np.asarray(normed @ made["token_embd.weight"].T, np.float32)


def _norm(x: Array, weight: Array) -> Array:
    return np.asarray(x / np.sqrt((x**2).mean(-1, keepdims=True) + EPSILON) * weight, np.float32)


def _attended(made: dict[str, Array], name: str, x: Array) -> Array:
    query, key, value = (
        (x @ made[f"{name}.attn_{part}.weight"].T).reshape(len(x), -1, HEAD).swapaxes(0, 1)
        for part in ("q", "k", "v")
    )
    key, value = (np.repeat(part, HEADS // SHARED, axis=0) for part in (_rotated(key), value))
    scores = _rotated(query) @ key.swapaxes(-1, -2) / np.sqrt(HEAD)
    seen = np.tril(np.ones((len(x), len(x)), bool))
    shares = np.exp(np.where(seen, scores, -1e9) - scores.max(-1, keepdims=True))
    shares /= shares.sum(-1, keepdims=True)
    return np.asarray((shares @ value).swapaxes(0, 1).reshape(len(x), WIDTH), np.float32)


def _rotated(x: Array) -> Array:
    """Turn each pair of neighbours by its place, as GGUF orders the rows."""
    angles = np.arange(x.shape[-2])[:, None] * BASE ** -(np.arange(0, HEAD, 2) / HEAD)
    even, odd = x[..., 0::2], x[..., 1::2]
    turned = (
        even * np.cos(angles) - odd * np.sin(angles),
        even * np.sin(angles) + odd * np.cos(angles),
    )
    return np.asarray(np.stack(turned, axis=-1).reshape(x.shape), np.float32)
