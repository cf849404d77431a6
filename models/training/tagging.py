"""Trains token classification on the MiniLM-L6 encoder, with or without the sentence's intent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from models.training import bio, tokens
from models.training.config import Config
from models.training.loop import device, padded
from models.training.network import WIDTH, Encoder, pretrained

_IGNORED, _OPEN = -1, -2
"""Targets that are no tag: of a piece without a tag, and of a word that may have several tags."""
CASES = 7
"""Number of the cases that `letter_case` tells apart, with 0 for a piece of no word."""


@dataclass(frozen=True)
class Example:
    """A sentence as words with BIO tags, and its intent ("" where none is to be learned).

    A `partial` example marks only what fills the intent's slots: other words may be names too.
    """

    words: list[str]
    tags: list[str]
    intent: str = ""
    partial: bool = False


def letter_case(word: str) -> int:
    """The case of a word's letters as a number, because the uncased tokenizer drops it."""
    if not any(c.isalpha() for c in word):
        return 1 if any(c.isdigit() for c in word) else 2
    if word.islower():
        return 3
    if word.isupper():
        return 5 if len(word) > 1 else 4
    return 4 if word[0].isupper() and word[1:].islower() else 6


class Tagger(nn.Module):
    """The encoder with a linear head for tags and, with `intents`, one on [CLS] for the intent."""

    def __init__(
        self, encoder: Encoder, tags: int, intents: int, dropout: float, cased: bool
    ) -> None:
        super().__init__()
        self.encoder = encoder
        self.dropout = nn.Dropout(dropout)
        self.tags = nn.Linear(WIDTH, tags)
        self.intents = nn.Linear(WIDTH, intents) if intents else None
        self.cases = nn.Embedding(CASES, WIDTH) if cased else None
        if self.cases is not None:
            nn.init.normal_(self.cases.weight, std=0.02)

    def forward(
        self, ids: Tensor, mask: Tensor, cases: Tensor | None = None
    ) -> tuple[Tensor, Tensor | None]:
        """The logits float32[batch, tokens, tags] and float32[batch, intents]."""
        extra = self.cases(cases) if self.cases is not None and cases is not None else None
        states = self.encoder(ids, mask, extra)
        intents = self.intents(self.dropout(states[:, 0])) if self.intents is not None else None
        return self.tags(self.dropout(states)), intents


class TaggingTask:
    """Training on examples, which a subclass may draw for each epoch in `examples`."""

    def __init__(
        self,
        name: str,
        config: Config,
        train: Sequence[Example],
        dev: Sequence[Example],
        tags: list[str],
        cased: bool = False,
        unmarked: Sequence[str] = (),
    ) -> None:
        """Prepare the training; `unmarked` are the labels that a partial example leaves out."""
        torch.manual_seed(config.seed)
        kept = {bio.OUTSIDE, *(f"{prefix}-{label}" for label in unmarked for prefix in "BI")}
        self.open = torch.tensor([index for index, tag in enumerate(tags) if tag in kept])
        self.name, self.tags, self.cased = name, tags, cased
        self.smoothing = config.smoothing
        self.intents = sorted({e.intent for e in train} - {""})
        self.train_set, self.dev_set = train, dev
        self.model = Tagger(
            pretrained(config.dropout), len(tags), len(self.intents), config.dropout, cased
        )
        self.transitions = bio.allowed(tags)
        self._encode(train)

    def _encode(self, examples: Sequence[Example]) -> None:
        self.pieces = tokens.of_words([e.words for e in examples])
        self.cases = [letter_cases(e, p) for e, p in zip(examples, self.pieces, strict=True)]
        tag_numbers = {tag: index for index, tag in enumerate(self.tags)}
        intent_numbers = {intent: index for index, intent in enumerate(self.intents)}
        self.targets = [
            [_OPEN if e.partial and t == bio.OUTSIDE else tag_numbers[t] for t in e.tags]
            for e in examples
        ]
        self.intent_targets = [intent_numbers.get(e.intent, -1) for e in examples]

    def examples(self, epoch: int) -> Sequence[Example]:
        """The examples of an epoch: the same in each, unless a subclass draws them."""
        return self.train_set

    def lengths(self, epoch: int) -> Sequence[int]:
        """Encode the epoch's examples, and return their lengths."""
        self._encode(self.examples(epoch))
        return [len(p.ids) for p in self.pieces]

    def loss(self, batch: Sequence[int]) -> Tensor:
        """The cross entropy of the words' first pieces and of the intent.

        For a word that a partial example leaves unmarked, every tag that it may have is right
        (partial annotation, Tsuboi et al. 2008).
        """
        ids, mask = padded([self.pieces[i].ids for i in batch])
        cases, _ = padded([self.cases[i] for i in batch])
        targets = torch.full(ids.shape, _IGNORED, dtype=torch.long)
        for row, index in enumerate(batch):
            firsts = self.pieces[index].firsts
            targets[row, firsts] = torch.tensor(self.targets[index][: len(firsts)])
        tags, intents = self.model(ids, mask, cases if self.cased else None)
        loss = self._tagged(tags.float().flatten(0, 1), targets.flatten())
        if intents is not None:
            wanted = torch.tensor([self.intent_targets[i] for i in batch], device=intents.device)
            known = wanted >= 0
            if known.any():
                loss = loss + functional.cross_entropy(
                    intents[known].float(), wanted[known], label_smoothing=self.smoothing
                )
        return loss

    def _tagged(self, logits: Tensor, targets: Tensor) -> Tensor:
        targets = targets.to(logits.device)
        known, unmarked = targets >= 0, targets == _OPEN
        loss = functional.cross_entropy(
            logits[known], targets[known], label_smoothing=self.smoothing, reduction="sum"
        )
        shares = functional.log_softmax(logits[unmarked], dim=-1)[:, self.open.to(logits.device)]
        return (loss - shares.logsumexp(dim=-1).sum()) / (known | unmarked).sum()

    def dev(self) -> dict[str, float]:
        """The figures of the float model on the dev split."""
        return figures(self.dev_set, self.predict(self.dev_set), self.intents)

    def predict(self, examples: Sequence[Example], size: int = 64) -> list[Prediction]:
        """The predictions of the float model."""
        pieces = tokens.of_words([e.words for e in examples])
        order = sorted(range(len(examples)), key=lambda index: len(pieces[index].ids))
        made: dict[int, Prediction] = {}
        self.model.to(device()).eval()
        with torch.no_grad(), torch.autocast(device().type, dtype=torch.bfloat16):
            for start in range(0, len(order), size):
                part = order[start : start + size]
                ids, mask = padded([pieces[i].ids for i in part])
                cases, _ = padded([letter_cases(examples[i], pieces[i]) for i in part])
                tags, intents = self.model(ids, mask, cases if self.cased else None)
                for row, index in enumerate(part):
                    chosen = intents[row].float().cpu().numpy() if intents is not None else None
                    logits = tags[row].float().cpu().numpy()
                    made[index] = self.read(logits, chosen, pieces[index].firsts)
        self.model.train()
        return [made[index] for index in range(len(examples))]

    def read(self, logits: np.ndarray, intents: np.ndarray | None, firsts: list[int]) -> Prediction:
        """The prediction from one sentence's logits [tokens, tags] and [intents]."""
        path = bio.decode(logits[firsts], self.transitions) if firsts else []
        intent = self.intents[int(intents.argmax())] if intents is not None else ""
        return Prediction([self.tags[index] for index in path], intent)


@dataclass(frozen=True)
class Prediction:
    """A model's tags and intent for a sentence."""

    tags: list[str]
    intent: str


def letter_cases(example: Example, pieces: tokens.Pieces) -> list[int]:
    """For each piece, the case of the word that it belongs to."""
    result = [0] * len(pieces.ids)
    ends = [*pieces.firsts[1:], len(pieces.ids) - 1]
    for word, start, end in zip(example.words, pieces.firsts, ends, strict=False):
        if start:
            result[start:end] = [letter_case(word)] * (end - start)
    return result


def figures(
    examples: Sequence[Example], predictions: Sequence[Prediction], intents: Sequence[str]
) -> dict[str, float]:
    """The slot F1 and, with intents, their accuracy and the share of wholly right sentences."""
    gold = [bio.spans(e.tags) for e in examples]
    # The rest of a sentence that was cut off has no tags.
    given = [bio.spans(p.tags[: len(e.tags)]) for e, p in zip(examples, predictions, strict=True)]
    result = {"slot_f1": bio.f1(gold, given)}
    known = [bool(e.intent) for e in examples]
    if intents and any(known):
        right = [e.intent == p.intent for e, p in zip(examples, predictions, strict=True)]
        whole = [r and g == p for r, g, p in zip(right, gold, given, strict=True)]
        result["intent"] = float(np.mean(right, where=known))
        result["sentence"] = float(np.mean(whole, where=known))
    return result
