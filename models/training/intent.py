"""Trains the intent encoder: MiniLM-L6, which learns to separate the intents of public sets.

Each set has its own classes in a large margin cosine softmax, and one class more, "none", whose
cosine is a learned constant: a sentence out of scope must be less similar than that to all intents.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import cached_property

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from models.training import corpora, tokens
from models.training.config import NONE, IntentConfig
from models.training.loop import device, padded
from models.training.markup import Sentence
from models.training.network import WIDTH, Encoder, pooled, pretrained

PARTS = {"snips": 4000, "atis": 1500}
"""Number of sentences that an epoch draws from the sets that are learned early."""
OOS_COPIES = 4
"""Number of times that an epoch uses CLINC150's 100 out-of-scope training sentences."""
MIXED = (0.3, 0.7)
"""Lowest and highest share of one sentence in an outlier that is mixed from two."""

OUTSIDE_CLINC = frozenset(
    {
        "SearchScreeningEvent",
        "SearchCreativeWork",
        "RateBook",
        "email_query",
        "email_sendemail",
        "email_addcontact",
        "email_querycontact",
        "news_query",
        "qa_factoid",
        "qa_stock",
        "social_post",
        "social_query",
        "recommendation_events",
        "recommendation_movies",
        "play_podcasts",
        "play_radio",
        "play_audiobook",
        "play_game",
        "takeaway_order",
        "takeaway_query",
    }
)
"""Intents of other sets that no intent of CLINC150 covers: they are outliers for CLINC150."""


class Proxies(nn.Module):
    """The encoder with a direction for each class of each set, and a cosine for its "none"."""

    def __init__(self, encoder: Encoder, classes: int, sets: int) -> None:
        super().__init__()
        self.encoder = encoder
        self.directions = nn.Parameter(torch.randn(classes, WIDTH) * WIDTH**-0.5)
        self.none = nn.Parameter(torch.full((sets,), 0.4))

    def embed(self, ids: Tensor, mask: Tensor) -> Tensor:
        """The embeddings float32[batch, 384], of length 1."""
        return pooled(self.encoder(ids, mask), mask)

    def cosines(self, embeddings: Tensor) -> Tensor:
        """The cosines float32[batch, classes] of embeddings and classes."""
        return embeddings.float() @ functional.normalize(self.directions, dim=-1).T


class IntentTask:
    """Training of the encoder; `held` are the intents of CLINC150 that are held out."""

    def __init__(self, config: IntentConfig, name: str = "intent") -> None:
        self.name, self.config = name, config
        torch.manual_seed(config.seed)
        self.held = _held_out(config)
        sentences = [s for s in _training_sentences() if s.intent not in self.held]
        self.sets = sorted({s.origin for s in sentences})
        known = {(s.origin, s.intent) for s in sentences if not _is_none(s)}
        self.classes = sorted(known)
        self.model = Proxies(pretrained(config.dropout), len(self.classes), len(self.sets))
        self.sentences = sentences
        self.pieces = tokens.of_texts([s.text for s in sentences])
        self._prepare()

    @cached_property
    def base(self) -> Tensor:
        """The base model's embeddings of all training sentences."""
        return torch.from_numpy(embed(pretrained(), [s.text for s in self.sentences]))

    def _prepare(self) -> None:
        numbers = {key: index for index, key in enumerate(self.classes)}
        self.owner = torch.tensor([self.sets.index(origin) for origin, _ in self.classes])
        none = len(self.classes)
        self.targets = torch.tensor(
            [numbers.get((s.origin, s.intent), none) for s in self.sentences]
        )
        self.origins = torch.tensor([self.sets.index(s.origin) for s in self.sentences])
        self.outside = torch.tensor([s.intent in OUTSIDE_CLINC for s in self.sentences])
        self.drawn: list[int] = []

    def lengths(self, epoch: int) -> Sequence[int]:
        """Draw the epoch's sentences: a part of some sets, and outliers several times."""
        draw = random.Random(self.config.seed * 1000 + epoch)
        by_set: dict[str, list[int]] = {}
        for index, sentence in enumerate(self.sentences):
            copies = OOS_COPIES if sentence.intent == "oos" else 1
            by_set.setdefault(sentence.origin, []).extend([index] * copies)
        self.drawn = []
        for origin, indices in by_set.items():
            part = min(PARTS.get(origin, len(indices)), len(indices))
            self.drawn += draw.sample(indices, part)
        return [len(self.pieces[index].ids) for index in self.drawn]

    def loss(self, batch: Sequence[int]) -> Tensor:
        """The sum of the losses on intents, on outliers, and on the distance to the base model."""
        rows = torch.tensor([self.drawn[index] for index in batch])
        ids, mask = padded([self.pieces[row].ids for row in rows.tolist()])
        embeddings = self.model.embed(ids, mask)
        origins, targets = self.origins[rows], self.targets[rows]
        with torch.autocast(device().type, enabled=False):
            loss = self._classified(embeddings, origins, targets).mean()
            clinc = torch.full_like(origins, self.sets.index("clinc150"))
            none = torch.full_like(targets, len(self.classes))
            out = self.outside[rows]
            if out.any():
                exposed = self._classified(embeddings[out], clinc[out], none[out])
                loss = loss + self.config.exposure * exposed.sum() / len(rows)
            loss = loss + self.config.mixture * self._mixed(embeddings, origins, targets)
            return loss + self.config.likeness * self._unlike(embeddings, rows)

    def _classified(self, embeddings: Tensor, origins: Tensor, targets: Tensor) -> Tensor:
        """The cross entropy of each sentence among the classes of its set and "none"."""
        cosines = self.model.cosines(embeddings)
        cosines = torch.cat([cosines, self.model.none[origins][:, None]], dim=1)
        taken = functional.one_hot(targets, len(self.classes) + 1) * self.config.margin
        foreign = self.owner[None, :] != origins[:, None]
        foreign = functional.pad(foreign, (0, 1), value=False)
        logits = (cosines - taken) * self.config.scale
        logits = logits.masked_fill(foreign.to(logits.device), -1e4)
        return functional.cross_entropy(logits, targets.to(logits.device), reduction="none")

    def _mixed(self, embeddings: Tensor, origins: Tensor, targets: Tensor) -> Tensor:
        """The loss on outliers mixed from two sentences of one set with different intents."""
        partner = torch.randperm(len(targets))
        fit = (origins == origins[partner]) & (targets != targets[partner])
        if not fit.any():
            return embeddings.new_zeros(())
        share = torch.empty(int(fit.sum()), 1).uniform_(*MIXED).to(embeddings.device)
        mixed = share * embeddings[fit] + (1 - share) * embeddings[partner][fit]
        mixed = functional.normalize(mixed, dim=-1)
        none = torch.full_like(targets[fit], len(self.classes))
        return self._classified(mixed, origins[fit], none).mean()

    def _unlike(self, embeddings: Tensor, rows: Tensor) -> Tensor:
        """The difference between the batch's similarities and those of the base model."""
        base = self.base[rows].to(embeddings.device)
        return functional.mse_loss(embeddings @ embeddings.T, base @ base.T)

    def dev(self) -> dict[str, float]:
        """Accuracy by the nearest direction, and out-of-scope recall at 4 % false alarms."""
        inside = [s for s in corpora.clinc150("val") if s.intent not in self.held]
        right, near = self._nearest(inside, "clinc150")
        _, far = self._nearest(corpora.clinc150("oos_val"), "clinc150")
        hwu, _ = self._nearest(corpora.hwu64("dev"), "hwu64")
        recall = float((far < np.quantile(near, 0.04)).mean())
        return {"clinc150": right, "oos_recall": recall, "hwu64": hwu}

    def _nearest(self, sentences: list[Sentence], origin: str) -> tuple[float, NDArray[np.float32]]:
        embeddings = torch.from_numpy(embed(self.model.encoder, [s.text for s in sentences]))
        with torch.no_grad():
            cosines = self.model.cosines(embeddings.to(device())).cpu().numpy()
        cosines[:, (self.owner != self.sets.index(origin)).numpy()] = -1
        best = cosines.argmax(axis=1)
        right = [self.classes[b][1] == s.intent for b, s in zip(best, sentences, strict=True)]
        return float(np.mean(right)), cosines.max(axis=1)


def embed(encoder: Encoder, texts: Sequence[str], size: int = 128) -> NDArray[np.float32]:
    """The encoder's embeddings float32[n, 384], in the order of the texts."""
    pieces = tokens.of_texts(texts)
    order = sorted(range(len(texts)), key=lambda index: len(pieces[index].ids))
    result = np.zeros((len(texts), WIDTH), np.float32)
    encoder.to(device()).eval()
    with torch.no_grad(), torch.autocast(device().type, dtype=torch.bfloat16):
        for start in range(0, len(order), size):
            part = order[start : start + size]
            ids, mask = padded([pieces[index].ids for index in part])
            result[part] = pooled(encoder(ids, mask), mask).cpu().numpy()
    encoder.train()
    return result


def _training_sentences() -> list[Sentence]:
    return [
        *corpora.clinc150("train"),
        *corpora.clinc150("oos_train"),
        *corpora.hwu64("train"),
        *corpora.tagged("snips", "train"),
        *corpora.tagged("atis", "train"),
        *(Sentence(s.text, s.spans, s.intent, "own") for s in corpora.own()),
    ]


def _is_none(sentence: Sentence) -> bool:
    return sentence.intent in ("oos", NONE)


def _held_out(config: IntentConfig) -> frozenset[str]:
    intents = sorted({s.intent for s in corpora.clinc150("train")})
    drawn = random.Random(config.seed).sample(intents, round(config.held_out * len(intents)))
    return frozenset(drawn)
