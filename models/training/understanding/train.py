"""Trains the rewriter's adapter: `python -m models.training.understanding.train GGUF ADAPTER`.

Each round sees all conversations of the homes that are not held out. Every round ends with a
checkpoint, from which the next run goes on.
"""

from __future__ import annotations

import argparse
import logging
import math
import random
import time
from pathlib import Path

import torch
from torch.nn import functional

from assistant.core.causal import gguf
from models.training.understanding.llama import Llama, Packing
from models.training.understanding.pairs import Packed, Sequences, households

LOG = logging.getLogger("models.training")
RANK, FIRST = 32, 8
"""The adapter's rank, and the first layer that has one."""
HIGHEST, LEAST = 6e-4, 0.03
"""Highest learning rate, and the share of it that is left at the end."""
_WARM = 20
_LONGEST = 2200
"""Tokens of conversations in one sequence."""
_SAVED_S = 300.0


def main() -> None:
    """Train as the arguments say."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("gguf", type=Path)
    parser.add_argument("adapter", type=Path, help="checkpoint that is written and gone on from")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--held", nargs="*", default=[], help="homes that are held out")
    parser.add_argument("--pairs", type=float, default=1.0, help="share of the conversations")
    given = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    torch.manual_seed(0)
    model = gguf.read(given.gguf)
    network = Llama(model, RANK, FIRST)
    parameters = list(network.adapter())
    optimizer = torch.optim.AdamW(parameters, HIGHEST, betas=(0.9, 0.98), weight_decay=0.01)
    homes = [one for one in households() if one.name not in given.held]
    if given.pairs < 1:
        homes = [
            one._replace(
                conversations=one.conversations[: int(len(one.conversations) * given.pairs)]
            )
            for one in homes
        ]
    maker = Sequences(model.tokenizer, _LONGEST)
    rounds = [maker.round(homes, random.Random(n)) for n in range(given.rounds)]
    steps = [one for sequences in rounds for one in sequences]
    begun = _resumed(given.adapter, network, optimizer)
    LOG.info("%d homes, %d steps, from %d on", len(homes), len(steps), begun)
    learned, told, saved_s = 0.0, 0, time.monotonic()
    for step in range(begun, len(steps)):
        loss, count = _loss(network, steps[step])
        loss.backward()  # type: ignore[no-untyped-call]
        for group in optimizer.param_groups:
            group["lr"] = HIGHEST * _share(step, len(steps))
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        optimizer.step()
        optimizer.zero_grad()
        learned, told = learned + loss.item() * count, told + count
        if step % 10 == 9:
            LOG.info("step %d loss %.3f", step + 1, learned / told)
            learned, told = 0.0, 0
        if step + 1 == len(steps) or time.monotonic() - saved_s > _SAVED_S:
            _save(given.adapter, network, optimizer, step + 1)
            saved_s = time.monotonic()


def _loss(network: Llama, packed: Packed) -> tuple[torch.Tensor, int]:
    """The mean loss of what is to be written, and of how many pieces."""
    labels = torch.tensor(packed.labels[1:])
    written = labels >= 0
    packing = Packing(packed.shared, packed.lengths)
    states = network(torch.tensor(packed.ids), torch.tensor(packed.places), packing)
    scores = network.scores(states[:-1][written])
    return functional.cross_entropy(scores, labels[written]), int(written.sum())


def _share(step: int, steps: int) -> float:
    falling = 0.5 * (1 + math.cos(math.pi * step / steps))
    return min(1.0, (step + 1) / _WARM) * max(LEAST, falling)


def _resumed(path: Path, network: Llama, optimizer: torch.optim.Optimizer) -> int:
    if not path.exists():
        return 0
    kept = torch.load(path)
    network.load_state_dict(kept["adapter"], strict=False)
    optimizer.load_state_dict(kept["optimizer"])
    return int(kept["step"])


def _save(path: Path, network: Llama, optimizer: torch.optim.Optimizer, step: int) -> None:
    unfinished = path.with_suffix(".unfinished")
    adapter = network.state_dict()
    torch.save({"adapter": adapter, "optimizer": optimizer.state_dict(), "step": step}, unfinished)
    unfinished.rename(path)


if __name__ == "__main__":
    main()
