"""The generator's network in torch: a pre-norm decoder with rotary positions that sees pairs.

Each token's embedding has that of the token before it added, through a matrix. So one layer
can find where a token stood before and continue with what followed there. Plain decoders need two
layers and long training for that (smeared keys, Olsson et al. 2022). The first layers start as such
copying heads, because this model mostly copies, and is trained briefly.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from safetensors.torch import load_file
from tokenizers import Tokenizer
from torch import Tensor, nn
from torch.nn import functional

from models.training.tokens import base

EPSILON = 1e-5
BASE = 10_000.0
"""Base of the wave lengths of the rotary positions (Su et al. 2021)."""
_SPREAD = 0.02
"""Standard deviation of the initial weights (Radford et al. 2019)."""
_SHARP = 0.05
"""Size of the copying heads' initial weights, large enough that a match stands out."""
_SOFT = 0.2
"""Factor that keeps the copying heads' output about as large as the embeddings."""


@dataclass(frozen=True, kw_only=True)
class Shape:
    """Sizes of a decoder."""

    vocabulary: int
    layers: int
    width: int
    heads: int
    positions: int

    @property
    def inner(self) -> int:
        """Width of the hidden layer of the feed-forward network."""
        return 4 * self.width


class Layer(nn.Module):
    """One layer: attention and feed-forward, each after a layer norm (Radford et al. 2019)."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.heads = shape.heads
        self.norm1 = nn.LayerNorm(shape.width, eps=EPSILON)
        self.qkv = nn.Linear(shape.width, 3 * shape.width, bias=False)
        self.out = nn.Linear(shape.width, shape.width)
        self.norm2 = nn.LayerNorm(shape.width, eps=EPSILON)
        self.up = nn.Linear(shape.width, shape.inner)
        self.down = nn.Linear(shape.inner, shape.width)

    def forward(self, x: Tensor, cosines: Tensor, sines: Tensor) -> Tensor:
        """Hidden states [batch, tokens, width] → the same; positions rotate queries and keys."""
        batch, tokens, width = x.shape
        heads = self.qkv(self.norm1(x)).view(batch, tokens, 3, self.heads, width // self.heads)
        query, key, value = heads.permute(2, 0, 3, 1, 4).unbind(0)
        mixed = functional.scaled_dot_product_attention(
            rotated(query, cosines, sines), rotated(key, cosines, sines), value, is_causal=True
        )
        x = x + self.out(mixed.transpose(1, 2).reshape(batch, tokens, width))
        wide = functional.gelu(self.up(self.norm2(x)), approximate="tanh")
        return x + self.down(wide)


class Decoder(nn.Module):
    """The decoder, from token ids to hidden states; the embeddings are also the output matrix."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        self.words = nn.Embedding(shape.vocabulary, shape.width)
        self.layers = nn.ModuleList(Layer(shape) for _ in range(shape.layers))
        self.before = nn.Linear(shape.width, shape.width, bias=False)
        self.norm = nn.LayerNorm(shape.width, eps=EPSILON)
        self._start()
        for layer in self.layers[1:3]:
            self._copying(layer)

    def _copying(self, layer: Layer) -> None:
        """Initialize the layer to find where a token stood before, and to copy what followed it."""
        query, key, value = layer.qkv.weight.data.chunk(3)
        query.normal_(std=_SHARP)
        value.normal_(std=_SHARP)
        key.copy_(query @ self.before.weight.data.T)
        layer.out.weight.data.copy_(_SOFT * value.T)

    def _start(self) -> None:
        for name, parameter in self.named_parameters():
            if parameter.dim() > 1:
                last = name.endswith(("out.weight", "down.weight"))
                share = (2 * self.shape.layers) ** -0.5 if last else 1.0
                nn.init.normal_(parameter, std=_SPREAD * share)
        nn.init.orthogonal_(self.before.weight)

    def forward(self, ids: Tensor) -> Tensor:
        """Whole texts int64[batch, tokens] → float[batch, tokens, width], ready for `logits`."""
        cosines, sines = waves(ids.shape[1], self.shape.width // self.shape.heads)
        before = functional.pad(ids, (1, 0))[:, :-1]
        x = self.words(ids) + self.before(self.words(before))
        cosines, sines = cosines.to(x.device), sines.to(x.device)
        for layer in self.layers:
            x = layer(x, cosines, sines)
        return self.norm(x)

    def logits(self, states: Tensor) -> Tensor:
        """States [..., width] → scores [..., vocabulary]."""
        return functional.linear(states, self.words.weight)


def known_words(model: Decoder, pieces: Tokenizer) -> int:
    """Start from MiniLM's embeddings of the words that it knows too; returns their number.

    They are centred and scaled to the size of the others. So words of similar meaning have similar
    embeddings from the start, which our few texts could not teach. Both widths are 384.
    """
    theirs = load_file(base() / "model.safetensors")["embeddings.word_embeddings.weight"].float()
    theirs = (theirs - theirs.mean(0)) / theirs.std() * _SPREAD
    vocabulary = Tokenizer.from_file(str(base() / "tokenizer.json")).get_vocab()
    found = 0
    for text, number in pieces.get_vocab().items():
        word = text.removeprefix("Ġ").lower()
        place = vocabulary.get(word if text.startswith("Ġ") or len(word) == 1 else f"##{word}")
        if place is not None:
            model.words.weight.data[number] = theirs[place]
            found += 1
    return found


def waves(positions: int, head: int) -> tuple[Tensor, Tensor]:
    """Cosines and sines float32[positions, head / 2] of the rotary positions."""
    lengths = BASE ** -(torch.arange(0, head, 2) / head)
    angles = torch.arange(positions)[:, None] * lengths
    return angles.cos(), angles.sin()


def rotated(x: Tensor, cosines: Tensor, sines: Tensor) -> Tensor:
    """The states with each head's two halves rotated by the angles of the position."""
    cosines, sines = cosines.to(x.dtype), sines.to(x.dtype)
    first, second = x.chunk(2, dim=-1)
    return torch.cat([first * cosines - second * sines, second * cosines + first * sines], dim=-1)
