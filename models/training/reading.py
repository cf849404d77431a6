"""Trains the reader: MiniLM-L6, which learns to find the answer to a question in a passage.

One network does two things, so that one file and one session serve both. A text alone is embedded
as the base model embeds it (a loss keeps it so), for retrieval. In a passage after a question the
start and the end of the answer are found, both at [CLS] for no answer (Devlin et al. 2019).
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from numpy.typing import NDArray
from tokenizers import Encoding, Tokenizer
from torch import Tensor, nn
from torch.nn import functional

from assistant.english.sentences import sentences
from models.training import tokens
from models.training.config import ReaderConfig
from models.training.intent import embed
from models.training.loop import device, padded
from models.training.network import WIDTH, Encoder, pooled, pretrained
from models.training.questions import Block, blocks
from models.training.runtime import open_model

LONGEST = 320
"""Most pieces of a question and its passage together."""
NEAREST = 8
"""Number of the most similar other passages, from which a question's wrong passage is drawn."""
VALUE = re.compile(r"\b(?:\d[\d.,:]*|[A-Z][\w'-]+(?: (?:of |the )?[A-Z][\w'-]+)*)")
"""The pattern of what a made-up question may ask for: a number or a name."""
ASKING = ("what", "which", "who", "how many", "when", "where", "what is")
_WORD = re.compile(r"[\w'-]+")


@dataclass(frozen=True)
class Example:
    """A question and a passage with its answer's first and last character, None for no answer."""

    question: str
    passage: str
    answer: tuple[int, int] | None


class Reader(nn.Module):
    """The encoder with scores for each piece: as the first and as the last of an answer."""

    def __init__(self, encoder: Encoder) -> None:
        super().__init__()
        self.encoder = encoder
        self.spans = nn.Linear(WIDTH, 2)

    def embed(self, ids: Tensor, mask: Tensor) -> Tensor:
        """The embeddings float32[batch, 384], of length 1, of texts alone."""
        return pooled(self.encoder(ids, mask), mask)

    def forward(self, ids: Tensor, mask: Tensor, segments: Tensor) -> Tensor:
        """The scores float32[batch, 2, tokens] of questions with passages, which are segment 1."""
        table = self.encoder.segments.weight
        states = self.encoder(ids, mask, (table - table[0])[segments])
        return self.spans(states).float().transpose(1, 2)


class ReaderTask:
    """Training of the reader on our own passages."""

    name = "reader"

    def __init__(self, config: ReaderConfig) -> None:
        self.config = config
        torch.manual_seed(config.seed)
        self.blocks = blocks(held_out=False)
        self.model = Reader(pretrained(config.dropout))
        _freeze(self.model.encoder, config.frozen)
        self.pieces = tokens.tokenizer()
        self.pieces.enable_truncation(LONGEST, strategy="only_second")
        self.drawn: list[Example] = []

    @cached_property
    def near(self) -> list[list[int]]:
        """For each block, the indices of the nearest others by the base model's embeddings."""
        made = embed(pretrained(), [block.text for block in self.blocks])
        likeness = made @ made.T
        np.fill_diagonal(likeness, -1)
        return [list(row) for row in np.argsort(-likeness, axis=1)[:, :NEAREST]]

    @cached_property
    def texts(self) -> list[str]:
        """The texts that are embedded alone: passages, sentences, questions."""
        return [
            text
            for block in self.blocks
            for text in (block.text, *sentences(block.text), *(a.question for a in block.asked))
        ]

    @cached_property
    def base(self) -> Tensor:
        """The base model's embeddings of `texts`."""
        return torch.from_numpy(embed(pretrained(), self.texts))

    def lengths(self, epoch: int) -> Sequence[int]:
        """Draw the epoch's examples, and return their lengths."""
        self.draw = random.Random(self.config.seed * 1000 + epoch)
        self.drawn = [e for index in range(len(self.blocks)) for e in self._examples(index)]
        encoded = self.pieces.encode_batch([(e.question, e.passage) for e in self.drawn])
        return [len(e.ids) for e in encoded]

    def _examples(self, index: int) -> Iterator[Example]:
        block = self.blocks[index]
        for asked in block.asked:
            question = self._as_spoken(asked.question)
            right = answer_place(block.text, asked.answer, asked.spoken)
            yield self._cut(Example(question, block.text, right))
            if self.draw.random() < self.config.foreign:
                foreign = self.blocks[self.draw.choice(self.near[index])]
                yield self._cut(Example(question, foreign.text, None))
        for question in block.unanswered:
            yield self._cut(Example(self._as_spoken(question), block.text, None))
        yield from self._made_up(block)

    def _as_spoken(self, question: str) -> str:
        return question.rstrip("?") if self.draw.random() < self.config.unmarked else question

    def _made_up(self, block: Block) -> Iterator[Example]:
        """Examples that ask for a name or number of a sentence, as a cloze (Lewis et al. 2019)."""
        found = list(VALUE.finditer(block.text))
        for value in self.draw.sample(found, min(self.config.made_up, len(found))):
            before = block.text.rfind(". ", 0, value.start()) + 2
            after = block.text.find(". ", value.end())
            sentence = (
                block.text[before : value.start()]
                + block.text[value.end() : after if after >= 0 else None]
            )
            kept = [w for w in _WORD.findall(sentence) if self.draw.random() < self.config.kept]
            words = [self.draw.choice(ASKING), *kept]
            yield self._cut(Example(" ".join(words), block.text, value.span()))

    def _cut(self, example: Example) -> Example:
        """The example with some successive sentences only, because documents are cut anywhere."""
        edges = [0, *(m.end() for m in re.finditer(r"[.!?] ", example.passage))]
        edges.append(len(example.passage))
        first, last = example.answer or (0, 0)
        start = self.draw.choice([e for e in edges[:-1] if e <= first])
        end = self.draw.choice([e for e in edges[1:] if e >= last and e > start])
        answer = example.answer and (first - start, last - start)
        return Example(example.question, example.passage[start:end], answer)

    def loss(self, batch: Sequence[int]) -> Tensor:
        """The cross entropy of first and last piece, plus the distance to the base's embeddings."""
        examples = [self.drawn[index] for index in batch]
        encoded = self.pieces.encode_batch([(e.question, e.passage) for e in examples])
        scores = self._scores(encoded)
        wanted = torch.tensor(
            [piece_places(e, x.answer) for e, x in zip(encoded, examples, strict=True)]
        ).to(scores.device)
        with torch.autocast(device().type, enabled=False):
            found = functional.cross_entropy(
                scores.reshape(-1, scores.shape[-1]), wanted.reshape(-1)
            )
        return found + self.config.likeness * self._unlike(max(len(batch) // 2, 1))

    def _unlike(self, count: int) -> Tensor:
        rows = self.draw.sample(range(len(self.texts)), count)
        encoded = self.pieces.encode_batch([self.texts[row] for row in rows])
        ids, mask = padded([e.ids for e in encoded])
        made, base = self.model.embed(ids, mask).float(), self.base[rows].to(device())
        return (1 - (made * base).sum(dim=1)).mean()

    def _scores(self, encoded: Sequence[Encoding]) -> Tensor:
        ids, mask = padded([e.ids for e in encoded])
        segments, _ = padded([e.type_ids for e in encoded])
        scores: Tensor = self.model(ids, mask, segments)
        closed = (segments == 0) | (ids == self.pieces.token_to_id("[SEP]"))
        closed[:, 0] = False
        return scores.masked_fill(closed[:, None, :], -1e4)

    def dev(self) -> dict[str, float]:
        """The figures on held-out documents: exact and overlapping answers, and right refusals."""
        self.model.eval()
        exact, touched, declined, kept = [], [], [], []
        for block in blocks(held_out=True):
            for asked in block.asked:
                right = answer_place(block.text, asked.answer, asked.spoken)
                found = self._answer(asked.question, block.text)
                exact.append(found == right)
                touched.append(found is not None and found[0] < right[1] and right[0] < found[1])
                kept.append(found is not None)
            declined += [self._answer(q, block.text) is None for q in block.unanswered]
        self.model.train()
        parts = {"exact": exact, "overlap": touched, "answered": kept, "declined": declined}
        return {name: float(np.mean(values)) for name, values in parts.items()}

    def _answer(self, question: str, passage: str) -> tuple[int, int] | None:
        encoded = self.pieces.encode(question, passage)
        with torch.no_grad(), torch.autocast(device().type, dtype=torch.bfloat16):
            first, last = self._scores([encoded])[0].cpu().numpy()
        pairs = np.triu(first[:, None] + last[None, :]) - np.tril(
            np.full((len(first),) * 2, 1e5), -1
        )
        start, end = np.unravel_index(pairs.argmax(), pairs.shape)
        if start == 0 or end == 0:
            return None
        return encoded.offsets[start][0], encoded.offsets[end][1]


def _freeze(encoder: Encoder, layers: int) -> None:
    """Exclude the embeddings and the lowest layers from the training."""
    below = (encoder.words, encoder.positions, encoder.segments, encoder.norm)
    for part in (*below, *encoder.layers[:layers]):
        part.requires_grad_(False)


def compare(task: ReaderTask, int8: bytes, exact: bytes) -> dict[str, float]:
    """The similarity of int8 to float on held-out documents, and to the base model's embeddings."""
    held = blocks(held_out=True)
    pairs = [(a.question, block.text) for block in held for a in block.asked]
    texts = [block.text for block in held] + [question for question, _ in pairs]
    quick, slow = (_Written(model, task.pieces) for model in (int8, exact))
    made, wanted = quick.embed(texts), slow.embed(texts)
    same = [quick.answer(*pair) == slow.answer(*pair) for pair in pairs]
    return {
        "int8_float_cosine_min": float((made * wanted).sum(axis=1).min()),
        "int8_float_same_answer": float(np.mean(same)),
        "base_cosine_mean": float((made * embed(pretrained(), texts)).sum(axis=1).mean()),
    }


class _Written:
    """A written model, run with onnxruntime."""

    def __init__(self, model: bytes, pieces: Tokenizer) -> None:
        self._session, self._pieces = open_model(model), pieces

    def _run(self, encoded: Encoding, output: str) -> NDArray[np.float32]:
        inputs = {
            "input_ids": encoded.ids,
            "attention_mask": encoded.attention_mask,
            "token_type_ids": encoded.type_ids,
        }
        rows = {name: np.array([row], np.int64) for name, row in inputs.items()}
        return np.asarray(self._session.run([output], rows)[0][0])

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.stack([self._run(self._pieces.encode(text), "embedding") for text in texts])

    def answer(self, question: str, passage: str) -> tuple[int, int]:
        spans = self._run(self._pieces.encode(question, passage), "spans")
        return int(spans[:, 0].argmax()), int(spans[:, 1].argmax())


def answer_place(passage: str, answer: str, spoken: str) -> tuple[int, int]:
    """Start and end of `answer`; of several, those in the sentence most similar to `spoken`."""
    words = set(_WORD.findall(spoken.lower()))
    places = [found.start() for found in re.finditer(re.escape(answer), passage)]

    def likeness(place: int) -> int:
        before = passage.rfind(". ", 0, place) + 1
        after = passage.find(". ", place)
        around = passage[before : after if after >= 0 else None]
        return len(words & set(_WORD.findall(around.lower())))

    start = max(places, key=likeness)
    return start, start + len(answer)


def piece_places(encoded: Encoding, answer: tuple[int, int] | None) -> tuple[int, int]:
    """The answer's first and last piece in the passage; (0, 0) for no answer, or one cut off."""
    if answer is None:
        return 0, 0
    inside = [
        index
        for index, (start, end) in enumerate(encoded.offsets)
        if encoded.sequence_ids[index] == 1 and start < answer[1] and answer[0] < end
    ]
    return (inside[0], inside[-1]) if inside else (0, 0)
