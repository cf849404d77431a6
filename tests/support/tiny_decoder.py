"""Tiny decoders with random weights, and what they must say, in plain NumPy."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

from assistant.answer.generation.decoder_graph import Form, graph
from assistant.answer.generation.prompt import Mark, Notation
from assistant.core.causal.decoder import Decoder, Memory, Scores
from assistant.core.models.session import session_of_bytes

Array = NDArray[np.float32]

WIDTH, HEADS, POSITIONS = 64, 4, 64
NEO = Form(heads=HEADS, positions=POSITIONS, scaled=False, windows=(-1, 4), int8=False)
"""GPT-Neo: scores are not scaled, every other layer sees a window, positions are learned."""
OWN = Form(heads=HEADS, positions=POSITIONS, int8=False)
"""The generator that ships: rotary positions, each token read with the one before it."""


def weights(words: int, learned: bool, layers: int = 2, seed: int = 0) -> dict[str, Array]:
    """Random weights by the names of `models.training.decoder.Decoder`."""
    draw = np.random.default_rng(seed)

    def some(*shape: int) -> Array:
        return draw.normal(size=shape, scale=0.1).astype(np.float32)

    made = {"words.weight": some(words, WIDTH), "norm.weight": 1 + some(WIDTH)}
    made["norm.bias"] = some(WIDTH)
    if learned:
        made["positions.weight"] = some(POSITIONS, WIDTH)
    else:
        made["before.weight"] = some(WIDTH, WIDTH)
    for layer, norm in itertools.product(range(layers), ("norm1", "norm2")):
        name = f"layers.{layer}"
        made |= {f"{name}.{norm}.weight": 1 + some(WIDTH), f"{name}.{norm}.bias": some(WIDTH)}
    for layer in range(layers):
        name = f"layers.{layer}"
        made |= {f"{name}.qkv.weight": some(3 * WIDTH, WIDTH)}
        for part, rows, columns in (("out", 1, 1), ("up", 4, 1), ("down", 1, 4)):
            made[f"{name}.{part}.weight"] = some(rows * WIDTH, columns * WIDTH)
            made[f"{name}.{part}.bias"] = some(rows * WIDTH)
    return made


def decoder(made: dict[str, Array], form: Form) -> Decoder:
    """The decoder of these weights, through the runtime."""
    return Decoder(session_of_bytes(graph(made, form)))


def by_numpy(made: dict[str, Array], form: Form, ids: list[int]) -> Array:
    """Scores float[tokens, vocabulary] after each of the tokens."""
    x = made["words.weight"][ids]
    if "positions.weight" in made:
        x = x + made["positions.weight"][: len(ids)]
    else:
        x = x + made["words.weight"][[0, *ids[:-1]]] @ made["before.weight"].T
    layers = sum(name.endswith("qkv.weight") for name in made)
    for layer in range(layers):
        name = f"layers.{layer}"
        window = form.windows[layer] if form.windows else -1
        mixed = _attended(made, form, name, _norm(made, f"{name}.norm1", x), window)
        x = x + mixed @ made[f"{name}.out.weight"].T + made[f"{name}.out.bias"]
        up = _norm(made, f"{name}.norm2", x) @ made[f"{name}.up.weight"].T + made[f"{name}.up.bias"]
        wide = 0.5 * up * (1 + np.tanh(np.sqrt(2 / np.pi) * (up + 0.044715 * up**3)))
        x = x + wide @ made[f"{name}.down.weight"].T + made[f"{name}.down.bias"]
    return np.asarray(_norm(made, "norm", x) @ made["words.weight"].T, np.float32)


def _norm(made: dict[str, Array], key: str, x: Array) -> Array:
    centred = x - x.mean(-1, keepdims=True)
    spread = np.sqrt(x.var(-1, keepdims=True) + 1e-5)
    return np.asarray(centred / spread * made[f"{key}.weight"] + made[f"{key}.bias"], np.float32)


def _attended(made: dict[str, Array], form: Form, name: str, x: Array, window: int) -> Array:
    tokens, head = len(x), WIDTH // HEADS
    parts = (x @ made[f"{name}.qkv.weight"].T).reshape(tokens, 3, HEADS, head)
    query, key, value = parts.transpose(1, 2, 0, 3)
    if "positions.weight" not in made:
        query, key = _rotated(query), _rotated(key)
    scores = query @ key.swapaxes(-1, -2) / (np.sqrt(head) if form.scaled else 1)
    back = np.arange(tokens)[:, None] - np.arange(tokens)
    seen = (back >= 0) & ((back < window) | (window < 0))
    shares = np.exp(np.where(seen, scores, -1e9) - scores.max(-1, keepdims=True))
    shares /= shares.sum(-1, keepdims=True)
    return np.asarray((shares @ value).transpose(1, 0, 2).reshape(tokens, WIDTH))


def _rotated(x: Array) -> Array:
    head = x.shape[-1]
    angles = np.arange(x.shape[-2])[:, None] * 10_000.0 ** -(np.arange(0, head, 2) / head)
    first, second = x[..., : head // 2], x[..., head // 2 :]
    cosines, sines = np.cos(angles), np.sin(angles)
    turned = [first * cosines - second * sines, second * cosines + first * sines]
    return np.asarray(np.concatenate(turned, axis=-1))


def tokenizer(texts: list[str], marks: bool = True) -> Tokenizer:
    """Byte pairs of the texts, with our marks or, as GPT-Neo's, with one end of text."""
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    special = [str(mark) for mark in Mark] if marks else ["<|endoftext|>"]
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=400, special_tokens=special, initial_alphabet=alphabet, show_progress=False
    )
    made.train_from_iterator([f" {text}" for text in texts], trainer)
    return made


class Scripted(Decoder):
    """A decoder that wants to say a text, whatever it reads, as firmly as `score` says."""

    def __init__(self, notation: Notation, text: str, score: float = 5.0) -> None:
        self.score = score
        self.wanted = [*notation.text_ids(text), notation.marks[Mark.END]]
        self.size = notation.tokenizer.get_vocab_size()

    def nothing(self) -> Memory:
        return Memory({}, -1, 0)

    def read(self, ids: Sequence[int], memory: Memory) -> tuple[Scores, Memory]:
        place = memory.tokens + 1
        scores = np.zeros(self.size, np.float32)
        # What it wants comes first, then the end; else the tokens by their order.
        scores -= np.arange(self.size) / self.size
        scores[self.wanted[-1]] = 0.8 * self.score
        scores[self.wanted[min(place, len(self.wanted) - 1)]] = self.score
        return scores, Memory({}, place, ids[-1])
