"""A language model of the Llama family in torch, with an adapter of low rank (Hu et al. 2021)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import accumulate

import torch
from torch import Tensor, nn
from torch.nn import functional

from assistant.core.causal.gguf import Model

_ALIKE = 6
"""Number of conversations that are padded to one length."""
SCALE = 2.0
"""How much the adapter's product counts."""
LINEARS = (
    "attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down",
)  # fmt: skip


class Packing:
    """Which tokens see which: the first `shared` ones are seen by all behind them.

    After them stand conversations of these `lengths`, which do not see each other.
    """

    def __init__(self, shared: int, lengths: Sequence[int]) -> None:
        starts = list(accumulate(lengths, initial=shared))
        alike = sorted(range(len(lengths)), key=lambda one: lengths[one])
        groups = [alike[first : first + _ALIKE] for first in range(0, len(alike), _ALIKE)]
        self._shared = shared
        self._groups = [
            _Group(shared, [starts[one] for one in group], [lengths[one] for one in group])
            for group in groups
        ]
        places = torch.cat([group.places for group in self._groups])
        self._order = torch.empty_like(places).scatter_(
            0, places - shared, torch.arange(len(places))
        )

    def attended(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        """What each token, [tokens, heads, head], gathers from those that it sees."""
        first = [x[: self._shared].transpose(0, 1)[None] for x in (query, key, value)]
        names = functional.scaled_dot_product_attention(*first, is_causal=True, enable_gqa=True)
        behind = [group.attended(query, key, value, first[1:]) for group in self._groups]
        return torch.cat([names[0].transpose(0, 1), torch.cat(behind)[self._order]])


class _Group:
    """Conversations of about one length, which are padded to the longest."""

    def __init__(self, shared: int, starts: Sequence[int], lengths: Sequence[int]) -> None:
        longest = max(lengths)
        rows = torch.arange(longest)
        begun, sizes = torch.tensor(starts)[:, None], torch.tensor(lengths)[:, None]
        self._spread = (begun + torch.minimum(rows, sizes - 1)).flatten()
        self._kept = (rows < sizes).flatten().nonzero()[:, 0]
        self._rows = len(lengths), longest
        self._seen = torch.ones(longest, shared + longest, dtype=torch.bool).tril(shared)
        self.places = self._spread[self._kept]
        """Where its tokens stand in the sequence, in the order in which they are given."""

    def attended(
        self, query: Tensor, key: Tensor, value: Tensor, names: Sequence[Tensor]
    ) -> Tensor:
        """What its tokens gather from the keys and values of the `names` and from each other."""
        spread, *others = (
            x[self._spread].view(*self._rows, *x.shape[1:]).transpose(1, 2)
            for x in (query, key, value)
        )
        every = [
            torch.cat([x.expand(self._rows[0], -1, -1, -1), other], dim=2)
            for x, other in zip(names, others, strict=True)
        ]
        mixed = functional.scaled_dot_product_attention(
            spread, *every, attn_mask=self._seen, enable_gqa=True
        )
        return mixed.transpose(1, 2).flatten(0, 1)[self._kept]


class Adapted(nn.Module):
    """A matrix that stays as it is, and two thin ones that are learned beside it."""

    def __init__(self, weight: Tensor, rank: int) -> None:
        super().__init__()
        self.weight = weight
        out, width = weight.shape
        self.rank = rank
        if rank:
            self.down = nn.Parameter(torch.randn(rank, width) / math.sqrt(width))
            self.up = nn.Parameter(torch.zeros(out, rank))

    def forward(self, x: Tensor) -> Tensor:
        made = functional.linear(x, self.weight)
        if not self.rank:
            return made
        thin = functional.linear(x, self.down.to(x.dtype))
        return made + functional.linear(thin, self.up.to(x.dtype)) * SCALE


class Layer(nn.Module):
    """One layer; `rank` 0 for none of an adapter."""

    def __init__(self, model: Model, number: int, rank: int) -> None:
        super().__init__()
        self.form = model.form
        weights = {
            name.removeprefix(f"blk.{number}.").removesuffix(".weight"): torch.from_numpy(value)
            for name, value in model.weights.items()
            if name.startswith(f"blk.{number}.")
        }
        self.linears = nn.ModuleDict(
            {name: Adapted(weights[name].bfloat16(), rank) for name in LINEARS}
        )
        self.norms = [weights[name].bfloat16() for name in ("attn_norm", "ffn_norm")]

    def forward(self, x: Tensor, turned: tuple[Tensor, Tensor], packing: Packing) -> Tensor:
        form, tokens = self.form, x.shape[0]
        normed = self._norm(x, 0)
        query, key, value = (
            self.linears[name](normed).view(tokens, -1, form.width // form.heads)
            for name in LINEARS[:3]
        )
        mixed = packing.attended(rotated(query, turned), rotated(key, turned), value)
        x = x + self.linears["attn_output"](mixed.reshape(tokens, -1))
        normed = self._norm(x, 1)
        gate = functional.silu(self.linears["ffn_gate"](normed))
        return x + self.linears["ffn_down"](gate * self.linears["ffn_up"](normed))

    def _norm(self, x: Tensor, which: int) -> Tensor:
        return functional.rms_norm(x, x.shape[-1:], self.norms[which], self.form.epsilon)


class Llama(nn.Module):
    """The model; the layers from `first` on have an adapter of this rank."""

    def __init__(self, model: Model, rank: int, first: int) -> None:
        super().__init__()
        self.form, self.first = model.form, first
        self.words = torch.from_numpy(model.weights["token_embd.weight"]).bfloat16()
        self.norm = torch.from_numpy(model.weights["output_norm.weight"]).bfloat16()
        self.layers = nn.ModuleList(
            Layer(model, n, rank if n >= first else 0) for n in range(model.form.layers)
        )

    def forward(self, ids: Tensor, places: Tensor, packing: Packing) -> Tensor:
        """The states, [tokens, width], of packed tokens at their places."""
        turned = self.waves(places)
        x = self.words[ids]
        with torch.no_grad():
            for layer in self.layers[: self.first]:
                x = layer(x, turned, packing)
        for layer in self.layers[self.first :]:
            x = layer(x, turned, packing)
        return functional.rms_norm(x, x.shape[-1:], self.norm, self.form.epsilon)

    def scores(self, states: Tensor) -> Tensor:
        """The scores of each next piece."""
        return functional.linear(states, self.words).float()

    def waves(self, places: Tensor) -> tuple[Tensor, Tensor]:
        """The cosines and sines of the places."""
        head = self.form.width // self.form.heads
        lengths = self.form.base ** -(torch.arange(0, head, 2) / head)
        angles = places[:, None] * lengths
        return angles.cos()[:, None].bfloat16(), angles.sin()[:, None].bfloat16()

    def adapter(self) -> Iterator[nn.Parameter]:
        """What is learned."""
        return (parameter for parameter in self.parameters() if parameter.requires_grad)


def rotated(x: Tensor, turned: tuple[Tensor, Tensor]) -> Tensor:
    """Turn each pair of neighbours by its place (Su et al. 2021), as GGUF orders them."""
    cosines, sines = turned
    even, odd = x[..., 0::2], x[..., 1::2]
    pair = (even * cosines - odd * sines, even * sines + odd * cosines)
    return torch.stack(pair, dim=-1).flatten(-2)
