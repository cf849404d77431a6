"""Says in plain sentences what was said at home, by a small language model.

The model has read the home's names beforehand; of each utterance it reads the conversation so far
and what was said, and writes what it takes it to mean, piece by piece, the likeliest each time.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import NamedTuple

import numpy as np
from tokenizers import Tokenizer

from assistant.core.causal.decoder import Decoder, Memory
from assistant.skill.home import Home
from nlu.rewriter import prompt
from nlu.rewriter.prompt import Turn

_MOST_PIECES = 80
"""Most pieces that are written; five plain sentences have fewer."""


class Rewrite(NamedTuple):
    """What an utterance was taken to mean."""

    plain: str
    likelihoods: tuple[float, ...]
    """The log-probability of each piece, the end's included."""

    @property
    def likelihood(self) -> float:
        """The log-probability of the whole."""
        return math.fsum(self.likelihoods)

    @property
    def sentences(self) -> tuple[str, ...]:
        """The plain sentences; () where nothing is to be done, or it is not what is wished."""
        if not self.plain or self.plain[0] in (prompt.NOTHING, prompt.CANNOT):
            return ()
        return tuple(self.plain.removeprefix(prompt.ASK).strip().split(prompt.SEPARATOR))


class Rewriter:
    """Rewrites what is said in one home. Raises what the decoder raises."""

    def __init__(self, decoder: Decoder, tokenizer: Tokenizer, home: Home) -> None:
        self._decoder, self._tokenizer, self._home = decoder, tokenizer, home
        self._names: Memory | None = None
        (self._end,) = self._ids(prompt.END)

    def prepare(self) -> None:
        """Read the home's names, which takes a second or more."""
        if self._names is None:
            _, self._names = self._decoder.read(
                self._ids(prompt.names(self._home)), self._decoder.nothing()
            )

    def __call__(
        self, said: str, area: str, now: datetime, before: Iterable[Turn] = (), known: str = ""
    ) -> Rewrite:
        """What was said in the area of that id, as plain sentences, after the turns `before`."""
        self.prepare()
        assert self._names is not None  # noqa: S101 - it has just been read
        name = next((one.name for one in self._home.areas if one.id == area), "")
        turns = (prompt.question(turn.said) + prompt.answer(turn.plain) for turn in before)
        text = "".join((prompt.opening(name, now, known), *turns, prompt.question(said)))
        scores, memory = self._decoder.read(self._ids(text), self._names)
        written: list[int] = []
        likelihoods: list[float] = []
        while len(written) < _MOST_PIECES:
            piece = int(scores.argmax())
            likelihoods.append(float(scores[piece]) - _log_sum(scores))
            if piece == self._end:
                break
            written.append(piece)
            scores, memory = self._decoder.read([piece], memory)
        return Rewrite(self._tokenizer.decode(written).strip(), tuple(likelihoods))

    def _ids(self, text: str) -> Sequence[int]:
        return self._tokenizer.encode(text, add_special_tokens=False).ids


def _log_sum(scores: np.ndarray[tuple[int], np.dtype[np.float32]]) -> float:
    highest = float(scores.max())
    return highest + math.log(float(np.exp(scores - highest).sum()))
