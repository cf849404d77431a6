"""Trains the generator on dialogue acts and on our own passages; continues after an interruption.

Each round makes its own examples, with other names and numbers, and ends with a checkpoint. The
learning rate rises, stays, and falls over the last rounds (Hu et al. 2024), so that a training can
be extended without a restart.
"""

from __future__ import annotations

import json
import logging
import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import torch
from tokenizers import Tokenizer
from torch import Tensor, nn
from torch.nn import functional

from assistant.answer.generation.prompt import Mark, Notation
from models.training import dialogue, facts, grounded, vocabulary
from models.training.config import BUILD, GENERATOR, SENTENCES, GeneratorConfig
from models.training.decoder import Decoder, Shape, known_words
from models.training.dialogue import Dialogues, Example

LOG = logging.getLogger("models.training")
FOLDER = BUILD / "generator"
_POOL = 12
"""Number of batches that are drawn together and sorted by length."""


@dataclass(frozen=True)
class Row:
    """One example as token ids; the last `said` of them are the reply and its end mark."""

    ids: list[int]
    said: int


class Examples:
    """The training examples, drawn for each round."""

    def __init__(self, config: GeneratorConfig) -> None:
        self.config = config
        self.notation = Notation(tokenizer())
        self.dialogues = Dialogues()
        turns = self.dialogues.turns
        self._weights = [1.0 if t.values else config.without_values for t in turns]

    def round(self, number: int) -> list[Row]:
        """The examples of a round: the same for the same texts and the same number."""
        draw = random.Random(self.config.seed * 1000 + number)
        asked = grounded.read(dev=False)
        answered = [a for a in asked if a.said]
        declined = [a for a in asked if not a.said]
        grounded_share = self.config.grounded if answered else 0.0
        made: list[Example] = []
        turns = draw.choices(self.dialogues.turns, self._weights, k=self.config.round)
        for turn in turns:
            chance = draw.random()
            if chance >= grounded_share + self.config.facts:
                made.append(self.dialogues.example(turn, draw))
            elif chance >= grounded_share:
                made.append(facts.example(draw))
            elif chance < grounded_share * self.config.declined and declined:
                made.append(grounded.example(draw.choice(declined), draw))
            else:
                made.append(grounded.example(draw.choice(answered), draw))
        return self.rows(made)

    def rows(self, examples: Sequence[Example]) -> list[Row]:
        """The examples as rows, without those that are too long."""
        rows = [row(self.notation, example) for example in examples]
        return [r for r in rows if len(r.ids) <= self.config.longest]

    def dev(self) -> dict[str, list[Row]]:
        """Dialogue turns of the dev split, and the questions about held-out documents."""
        turns = [t for t in dialogue.read("dev") if t.whole][::25]
        spoken = [(dialogue.about_facts(t.acts, t.kind), dialogue.tidy(t)) for t in turns]
        asked = [grounded.plain(a) for a in grounded.read(dev=True) if a.said]
        return {"dialogue": self.rows(spoken), "grounded": self.rows(asked)}


def row(notation: Notation, example: Example) -> Row:
    """The example as token ids: prompt, reply and end mark."""
    prompt, reply = example
    none = reply == Mark.NONE
    said = [notation.marks[Mark.NONE]] if none else notation.text_ids(reply)
    said.append(notation.marks[Mark.END])
    return Row(notation.ids(prompt) + said, len(said))


def tokenizer() -> Tokenizer:
    """The tokenizer; it is built from the training texts when there is none yet."""
    file = FOLDER / "tokenizer.json"
    if not file.exists():
        FOLDER.mkdir(parents=True, exist_ok=True)
        vocabulary.build(_texts()).save(str(file))
    return Tokenizer.from_file(str(file))


def _texts() -> Iterator[str]:
    for turn in Dialogues().turns:
        yield from (turn.user, turn.reply, *(f"{act.name} {act.value}" for act in turn.acts))
    for asked in grounded.read(dev=False):
        # Each text thrice: there are a hundred times as many words of dialogue.
        yield from 3 * [asked.question, asked.said, asked.title, " ".join(asked.sentences)]
    for file in sorted(SENTENCES.glob("*.txt")):
        yield file.read_text("utf-8")


def shape(config: GeneratorConfig, words: int) -> Shape:
    """The sizes of the network."""
    return Shape(
        vocabulary=words,
        layers=config.layers,
        width=config.width,
        heads=config.heads,
        positions=config.positions,
    )


def train(config: GeneratorConfig = GENERATOR) -> tuple[Decoder, Examples]:
    """Train for the remaining rounds."""
    torch.manual_seed(config.seed)
    examples = Examples(config)
    model = Decoder(shape(config, examples.notation.tokenizer.get_vocab_size()))
    LOG.info("generator: %d words are known", known_words(model, examples.notation.tokenizer))
    optimizer = torch.optim.AdamW(
        model.parameters(), betas=(0.9, 0.98), weight_decay=config.weight_decay, fused=True
    )
    file = FOLDER / "checkpoint.pt"
    first = _resume(file, model, optimizer)
    LOG.info("generator: %d parameters", sum(p.numel() for p in model.parameters()))
    for number in range(first, config.rounds):
        started = time.monotonic()
        figures = _round(model, optimizer, examples, number)
        figures |= {"round": number + 1, "seconds": time.monotonic() - started}
        if number % config.judged == config.judged - 1 or number + 1 == config.rounds:
            figures |= dev_losses(model, examples)
        LOG.info("generator %s", {k: round(v, 4) for k, v in figures.items()})
        with (FOLDER / "log.jsonl").open("a", encoding="utf-8") as log:
            print(json.dumps(figures), file=log)
        state = {"model": model.state_dict(), "optimizer": optimizer.state_dict()}
        torch.save(state | {"rounds": number + 1}, file.with_suffix(".new"))
        file.with_suffix(".new").replace(file)
    return model, examples


def rate(config: GeneratorConfig, done: float) -> float:
    """The learning rate after `done` rounds."""
    falling = config.rounds * (1 - config.falling)
    rise = min(1.0, (done + 0.01) / config.rising)
    fall = 1.0 if done < falling else (config.rounds - done) / (config.rounds - falling)
    return config.learning_rate * rise * max(fall, 0.02)


def _round(
    model: Decoder, optimizer: torch.optim.Optimizer, examples: Examples, number: int
) -> dict[str, float]:
    config = examples.config
    rows = examples.round(number)
    drawn = list(batches(rows, config.batch, random.Random(number)))
    model.train()
    total = tokens = 0.0
    for step, batch in enumerate(drawn):
        for group in optimizer.param_groups:
            group["lr"] = rate(config, number + step / len(drawn))
        with torch.autocast("cpu", dtype=torch.bfloat16):
            lost = loss(model, batch)
        lost.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        total += lost.item()
        tokens += sum(len(r.ids) for r in batch)
    return {"loss": total / len(drawn), "tokens": tokens, "rate": rate(config, number)}


def batches(rows: Sequence[Row], size: int, draw: random.Random) -> Iterator[list[Row]]:
    """Batches of about `size` tokens, each of rows of about the same length."""
    drawn = list(rows)
    draw.shuffle(drawn)
    pools = [drawn[i : i + size * _POOL // 40] for i in range(0, len(drawn), size * _POOL // 40)]
    for pool in pools:
        cut: list[list[Row]] = [[]]
        for one in sorted(pool, key=lambda r: len(r.ids)):
            if cut[-1] and len(one.ids) * (len(cut[-1]) + 1) > size:
                cut.append([])
            cut[-1].append(one)
        draw.shuffle(cut)
        yield from cut


def loss(model: Decoder, batch: Sequence[Row]) -> Tensor:
    """The mean cross entropy of the replies' tokens; the prompt is read, but not learned."""
    longest = max(len(r.ids) for r in batch)
    ids = torch.tensor([r.ids + [0] * (longest - len(r.ids)) for r in batch])
    places = [
        n * longest + p
        for n, r in enumerate(batch)
        for p in range(len(r.ids) - r.said - 1, len(r.ids) - 1)
    ]
    wanted = torch.tensor(list(chain.from_iterable(r.ids[-r.said :] for r in batch)))
    states = model(ids).flatten(0, 1)[torch.tensor(places)]
    return functional.cross_entropy(model.logits(states).float(), wanted)


def dev_losses(model: Decoder, examples: Examples) -> dict[str, float]:
    """The mean losses per token on the dev split."""
    model.eval()
    found = {}
    with torch.no_grad(), torch.autocast("cpu", dtype=torch.bfloat16):
        for name, rows in examples.dev().items():
            parts = list(batches(rows, examples.config.batch, random.Random(0)))
            sums = [loss(model, p).item() * sum(r.said for r in p) for p in parts]
            found[f"dev_{name}"] = sum(sums) / max(1, sum(r.said for r in rows))
    return found


def _resume(file: Path, model: nn.Module, optimizer: torch.optim.Optimizer) -> int:
    if not file.exists():
        return 0
    state = torch.load(file, weights_only=True)
    model.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
    LOG.info("going on after round %d of %s", state["rounds"], file)
    return int(state["rounds"])
