"""The training loop: batches of similar length, and a checkpoint per epoch to continue from."""

from __future__ import annotations

import json
import logging
import random
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Protocol

import torch
from torch import Tensor, nn

from models.training.config import BUILD, Config

LOG = logging.getLogger("models.training")
_POOL = 50
"""Number of batches that are drawn together, sorted by length, and shuffled again."""


class Task(Protocol):
    """A model in training, with its examples."""

    name: str
    model: nn.Module

    def lengths(self, epoch: int) -> Sequence[int]:
        """The number of pieces of each example of the epoch, which this draws."""

    def loss(self, batch: Sequence[int]) -> Tensor:
        """The loss on the examples of these indices."""

    def dev(self) -> dict[str, float]:
        """Figures on dev, logged after each epoch."""


def device() -> torch.device:
    """The device to train on: a GPU when there is one."""
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def batches(lengths: Sequence[int], size: int, draw: random.Random) -> Iterator[list[int]]:
    """All indices once, shuffled, in batches of sentences of about the same length."""
    order = list(range(len(lengths)))
    draw.shuffle(order)
    for start in range(0, len(order), size * _POOL):
        pool = sorted(order[start : start + size * _POOL], key=lengths.__getitem__)
        cut = [pool[i : i + size] for i in range(0, len(pool), size)]
        draw.shuffle(cut)
        yield from cut


def train(task: Task, config: Config) -> None:
    """Train `task.model` in place for the remaining epochs."""
    torch.manual_seed(config.seed)
    folder = BUILD / task.name
    folder.mkdir(parents=True, exist_ok=True)
    task.model.to(device())
    optimizer = _optimizer(task.model, config)
    first = _resume(folder / "checkpoint.pt", task.model, optimizer)
    for epoch in range(first, config.epochs):
        torch.manual_seed(config.seed + epoch)
        started = time.monotonic()
        lost = _epoch(task, config, optimizer, epoch)
        figures = {"epoch": epoch + 1, "loss": lost, "seconds": time.monotonic() - started}
        figures |= task.dev()
        LOG.info("%s %s", task.name, {k: round(v, 4) for k, v in figures.items()})
        with (folder / "log.jsonl").open("a", encoding="utf-8") as log:
            print(json.dumps(figures), file=log)
        _save(folder / "checkpoint.pt", task.model, optimizer, epoch + 1)


def _epoch(task: Task, config: Config, optimizer: torch.optim.Optimizer, epoch: int) -> float:
    task.model.train()
    drawn = list(batches(task.lengths(epoch), config.batch, random.Random(config.seed + epoch)))
    total = 0.0
    for step, batch in enumerate(drawn):
        _set_rates(optimizer, config, (epoch + step / len(drawn)) / config.epochs)
        with torch.autocast(device().type, dtype=torch.bfloat16):
            loss = task.loss(batch)
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(task.model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        total += loss.item()
        if step % 50 == 49:
            LOG.info("%s epoch %d step %d/%d", task.name, epoch + 1, step + 1, len(drawn))
    return total / len(drawn)


def _optimizer(model: nn.Module, config: Config) -> torch.optim.Optimizer:
    encoder, head = [], []
    for name, parameter in model.named_parameters():
        if name == "encoder.words.weight":
            parameter.requires_grad_(False)
            continue
        (encoder if name.startswith("encoder.") else head).append(parameter)
    groups = [
        {"params": encoder, "peak": config.learning_rate},
        {"params": head, "peak": config.head_learning_rate},
    ]
    return torch.optim.AdamW(groups, weight_decay=config.weight_decay, fused=True)


def _set_rates(optimizer: torch.optim.Optimizer, config: Config, done: float) -> None:
    """Set the rates: they rise over `warmup`, then fall linearly; `done` is a share, 0 to 1."""
    share = done / config.warmup if done < config.warmup else (1 - done) / (1 - config.warmup)
    for group in optimizer.param_groups:
        group["lr"] = group["peak"] * share


def _save(file: Path, model: nn.Module, optimizer: torch.optim.Optimizer, epochs: int) -> None:
    state = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "epochs": epochs}
    torch.save(state, file.with_suffix(".new"))
    file.with_suffix(".new").replace(file)


def _resume(file: Path, model: nn.Module, optimizer: torch.optim.Optimizer) -> int:
    if not file.exists():
        return 0
    state = torch.load(file, map_location=device(), weights_only=True)
    model.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
    LOG.info("going on after epoch %d of %s", state["epochs"], file)
    return int(state["epochs"])


def padded(rows: Sequence[Sequence[int]]) -> tuple[Tensor, Tensor]:
    """The ids and mask int64[batch, tokens] of sentences of different lengths."""
    longest = max(map(len, rows))
    ids = torch.zeros(len(rows), longest, dtype=torch.long)
    mask = torch.zeros(len(rows), longest, dtype=torch.long)
    for index, row in enumerate(rows):
        ids[index, : len(row)] = torch.tensor(row)
        mask[index, : len(row)] = 1
    return ids.to(device()), mask.to(device())
