"""Seeks the likeliest sentence in what whisper hears, and beside it what it hears freely.

The search goes piece by piece through all texts that are still in question, of which each stands
for all sentences that begin so. What whisper would write freely, its likeliest piece each time, is
one more text of the same search. How much likelier it is than the likeliest sentence says how
unsure that sentence is.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from assistant.core.constrained.constraint import Constraint, Options, Places, Way
from audio.asr.constrained.decoder import PieceDecoder

_TEXTS = 8
"""Most texts in question at once."""
_WEIGHT = 0.4
"""How much a sentence's price counts beside what was heard."""
_PIECE = 0.5
"""What each piece is worth, as more pieces only make a text less likely."""
_END = 3.0
"""How often the likelihood of a text's end counts: only there whisper tells that more was said."""
_MISSING = 1.0
"""What a sentence loses by each piece that it is shorter than the free text, which has as much to
say: of unclear sound a short sentence is the likeliest."""
_SPAN = 12.0
"""How much worse than the best a text may be, and than what is heard freely."""
_HOPELESS = 25.0
_FURTHER = 3.0
"""How much better a text may become on its way."""


class Reading(NamedTuple):
    """A text and how likely whisper thinks it: the sum of the pieces' log-probabilities."""

    text: str
    pieces: tuple[int, ...]
    heard: float
    price: float = 0.0
    """The natural logarithm of how likely the sentence is before anything was heard."""
    open: bool = True
    """Whether a part of it may be anything."""

    @property
    def score(self) -> float:
        """How good it is beside other sentences."""
        return self.heard + _WEIGHT * self.price + _PIECE * len(self.pieces)


class Readings(NamedTuple):
    """What was heard: sentences, the best one first, and freely."""

    sentences: tuple[Reading, ...]
    free: Reading
    no_speech: float
    """The probability that nobody spoke."""


_Rows = dict[tuple[int, ...], int]
"""The pieces of each text in the decoder → its row there."""


class _Text(NamedTuple):
    pieces: tuple[int, ...]
    heard: float
    places: Places
    score: float


class _Free:
    """What whisper hears without any constraint, as far as it has come."""

    def __init__(self) -> None:
        self.pieces: tuple[int, ...] = ()
        self.heard = 0.0
        self.over = False

    def add(
        self, likelihoods: NDArray[np.float32], end: int, suppressed: NDArray[np.int64]
    ) -> None:
        allowed = likelihoods.copy()
        allowed[suppressed] = -np.inf
        piece = int(allowed.argmax())
        self.heard += float(likelihoods[piece])
        self.over = piece == end
        if not self.over:
            self.pieces += (piece,)


class Beam:
    """The search in one model's pieces; `prompt` stands before any text, `end` behind it.

    `suppressed` are pieces that no free text has.
    """

    def __init__(
        self,
        decoder: PieceDecoder,
        prompt: Sequence[int],
        end: int,
        no_speech: int,
        suppressed: Sequence[int],
    ) -> None:
        self._decoder, self._prompt, self._end, self._no_speech = decoder, prompt, end, no_speech
        self._suppressed = np.array(suppressed, np.int64)

    def readings(
        self, encoded: NDArray[np.float32], constraint: Constraint, most_pieces: int
    ) -> Readings:
        """What is heard in the encoder's output, in at most so many pieces."""
        self._decoder.listen(encoded)
        behind, memory = self._decoder.begin(self._prompt)
        no_speech = math.exp(float(behind[0][self._no_speech]))
        texts = [_Text((), 0.0, constraint.start(), 0.0)]
        free, found = _Free(), list[tuple[Reading, Way]]()
        likelihoods = behind[-1][None]
        rows: _Rows = {(): 0}
        for _ in range(most_pieces):
            for text in texts:
                row = likelihoods[rows[text.pieces]]
                ended = constraint.ending(text.places) if text.pieces else None
                if ended is not None:
                    heard = text.heard + _END * float(row[self._end])
                    is_open = any(isinstance(word, int) for word in ended.words)
                    reading = Reading("", text.pieces, heard, ended.price, is_open)
                    found.append((reading, ended))
            if not free.over:
                free.add(likelihoods[rows[free.pieces]], self._end, self._suppressed)
            texts = self._further(texts, likelihoods, rows, constraint)
            texts = _hopeful(texts, found, free)
            running = [text.pieces for text in texts]
            if not free.over and free.pieces not in running:
                running.append(free.pieces)
            if not running:
                break
            parents = [rows[pieces[:-1]] for pieces in running]
            memory = self._decoder.chosen(memory, parents)
            likelihoods, memory = self._decoder.step([pieces[-1] for pieces in running], memory)
            rows = {pieces: row for row, pieces in enumerate(running)}
        found.sort(key=lambda one: _worth(one[0], len(free.pieces)), reverse=True)
        return Readings(
            tuple(reading._replace(text=constraint.text(way)) for reading, way in found),
            Reading("", free.pieces, free.heard),
            no_speech,
        )

    def _further(
        self,
        texts: Sequence[_Text],
        likelihoods: NDArray[np.float32],
        rows: _Rows,
        constraint: Constraint,
    ) -> list[_Text]:
        """The best texts that are longer by a piece."""
        pieces: list[NDArray[np.int32]] = []
        scores: list[NDArray[np.float32]] = []
        owners: list[NDArray[np.int64]] = []
        for owner, text in enumerate(texts):
            row = likelihoods[rows[text.pieces]]
            options = constraint.options(text.places)
            opened = constraint.opened(text.places)
            if opened > -math.inf:
                options = _with_any(options, self._likeliest(row), opened)
            pieces.append(options.pieces)
            scores.append(text.heard + row[options.pieces] + _WEIGHT * options.prices)
            owners.append(np.full(len(options.pieces), owner))
        if not texts:
            return []
        every, score = np.concatenate(pieces), np.concatenate(scores)
        owner_of = np.concatenate(owners)
        best: list[_Text] = []
        taken = set[tuple[int, int]]()
        bonus = _PIECE * (len(texts[0].pieces) + 1)
        for place in np.argsort(-score):
            key = int(owner_of[place]), int(every[place])
            worth = float(score[place]) + bonus
            if len(best) == _TEXTS or (best and worth < best[0].score - _SPAN):
                break
            if key in taken:
                continue
            taken.add(key)
            text = texts[key[0]]
            places = constraint.accept(text.places, key[1])
            heard = text.heard + float(likelihoods[rows[text.pieces]][key[1]])
            best.append(_Text((*text.pieces, key[1]), heard, places, worth))
        return best

    def _likeliest(self, row: NDArray[np.float32]) -> NDArray[np.int32]:
        """The likeliest pieces of a text without a constraint, but for its end."""
        best = np.argpartition(-row, _TEXTS)[:_TEXTS].astype(np.int32)
        allowed: NDArray[np.int32] = best[~np.isin(best, (*self._suppressed, self._end))]
        return allowed


def _worth(sentence: Reading, pieces: int) -> float:
    """How good a sentence is beside others, where the free text has so many pieces."""
    return sentence.score - _MISSING * max(0, pieces - len(sentence.pieces))


def _with_any(options: Options, pieces: NDArray[np.int32], price: float) -> Options:
    prices = np.full(len(pieces), price, np.float32)
    return Options(
        np.concatenate([options.pieces, pieces]), np.concatenate([options.prices, prices])
    )


def _hopeful(
    texts: Sequence[_Text], found: Sequence[tuple[Reading, Way]], free: _Free
) -> list[_Text]:
    """The texts that may still become the best sentence."""
    least = max((reading.score for reading, _ in found), default=-math.inf) - _FURTHER
    return [text for text in texts if text.score >= least and text.heard >= free.heard - _HOPELESS]
