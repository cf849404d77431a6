"""The generator: turns a prompt into words, token by token, and into whole sentences once complete.

Decoding is greedy: what is said should be what is most likely, and the same each time. Every stream
is a Python generator; closing it between two tokens is how barge-in stops it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from collections.abc import Generator as GeneratorOf
from dataclasses import dataclass
from typing import Protocol

import msgspec
import numpy as np
from numpy.typing import NDArray

from assistant.answer.generation.constraint import Tokens
from assistant.answer.generation.plain_prompt import PlainNotation
from assistant.answer.generation.prompt import Mark, Notation, Prompt
from assistant.core.causal.decoder import Decoder, Memory, Scores
from assistant.core.errors import AnswerError, ModelError
from assistant.core.models.calibration import FILE as CALIBRATION
from assistant.core.models.calibration import read_calibration
from assistant.core.models.manifest import Library
from assistant.core.models.session import session_of
from assistant.core.models.tokens import tokenizer_of
from assistant.english.sentences import sentences

Generated = GeneratorOf["GeneratedText", None, None]

MODEL = KIND = "generator"
GRAPH, TOKENIZER = "model.onnx", "tokenizer.json"
"""File names of a generator, of the shipped one and of those that users import."""

REPEATED = 5
"""Length in tokens of a sequence that no reply says twice."""


class GenerationBudget(msgspec.Struct, frozen=True, kw_only=True):
    """What one reply may use; when it is used up, the unfinished sentence is dropped."""

    tokens: int = 64
    """Most tokens, not counting those of values that must be said."""
    seconds: float = 2.0


class GeneratorCalibration(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The numbers that decide whether a generator's words are trusted; read with it."""

    least_sure: float
    """Minimum mean log-probability of a reply made from facts. Below it the constraint forced the
    words, and they are rarely a sentence. Chosen on results of known kinds: of 42 replies above it
    all were true, and 40 were English."""


GENERAL = GeneratorCalibration(least_sure=-0.2)
"""Calibration of generators that were not made for Hark and bring none: the shipped one's, not
measured on them."""


class OutputConstraint(Protocol):
    """What restricts a reply's words: a `SpanConstraint` of a text, or a `Constraint` of facts."""

    weight: float
    """What is added to the scores of preferred tokens."""
    room: int
    """Tokens needed for what must be said; the budget grows by them."""

    def allowed(self) -> NDArray[np.bool_]:
        """bool[vocabulary]: the tokens that may come next."""

    def leaning(self) -> list[int]:
        """The preferred tokens."""

    def take(self, token: int) -> None:
        """Continue after this token."""


@dataclass(frozen=True)
class GeneratedText:
    """One step of a stream."""

    text: str
    """All words so far."""
    tokens: int
    done: bool
    """Whether the model ended the reply itself."""
    sureness: float = 0.0
    """Mean log-probability of the words by the model alone, unconstrained: low where they were
    forced."""


class Generator:
    """A decoder with its notation; `clock` is monotonic, in seconds."""

    def __init__(
        self,
        decoder: Decoder,
        notation: Notation | PlainNotation,
        positions: int = 320,
        clock: Callable[[], float] = time.monotonic,
        calibration: GeneratorCalibration = GENERAL,
    ) -> None:
        self._decoder, self.notation, self._clock = decoder, notation, clock
        self.calibration = calibration
        self._positions = positions
        self._prefix: tuple[tuple[int, ...], Memory] = ((), decoder.nothing())
        self.tokens = Tokens(notation) if isinstance(notation, Notation) else None

    @classmethod
    def load(cls, library: Library, name: str = MODEL, threads: int = 1) -> Generator:
        """Load the library's generator `name`; raises `ModelError`, also if it is no generator."""
        require_generator(library, name)
        content = library.read(name)
        session = session_of(library, name, GRAPH, content, threads)
        tokenizer = tokenizer_of(content[TOKENIZER], f"{library.folder(name) / TOKENIZER}")
        own = tokenizer.token_to_id(Mark.SAY) == list(Mark).index(Mark.SAY)
        notation = Notation(tokenizer) if own else PlainNotation(tokenizer)
        positions = 320 if own else 2048
        brings = any(file.name == CALIBRATION for file in library.artefact(name).files)
        calibration = read_calibration(library, name, GeneratorCalibration) if brings else GENERAL
        return cls(Decoder(session), notation, positions, calibration=calibration)

    def keep(self, ids: Sequence[int]) -> None:
        """Read a beginning that many prompts share once, and remember it."""
        _, memory = self._next(list(ids), self._decoder.nothing())
        self._prefix = (tuple(ids), memory)

    def stream(
        self,
        prompt: Prompt,
        constraint: OutputConstraint | None = None,
        budget: GenerationBudget | None = None,
    ) -> Generated:
        """Give the words as they come; raises `AnswerError` when the prompt is too long for the
        model.

        The first step reads the prompt, each further step a token; `close` ends it in between.
        """
        budget = budget or GenerationBudget()
        ends_s = self._clock() + budget.seconds
        most = budget.tokens + (constraint.room if constraint is not None else 0)
        scores, memory = self._read(self.notation.ids(prompt), most)
        said: list[int] = []
        sureness = 0.0
        while len(said) < most and self._clock() < ends_s:
            token = self._chosen(scores, said, constraint)
            if token is None:
                return
            if token in self.notation.stops:
                yield GeneratedText(
                    self.notation.text(said), len(said), True, sureness / (len(said) or 1)
                )
                return
            said.append(token)
            sureness += float(scores[token] - np.logaddexp.reduce(scores))
            if constraint is not None:
                constraint.take(token)
            yield GeneratedText(self.notation.text(said), len(said), False, sureness / len(said))
            scores, memory = self._next([token], memory)

    def sentences(
        self,
        prompt: Prompt,
        constraint: OutputConstraint | None = None,
        budget: GenerationBudget | None = None,
    ) -> Iterator[str]:
        """Whole sentences, each as soon as the next one begins or the reply ends."""
        given = 0
        for spoken in self.stream(prompt, constraint, budget):
            whole = sentences(spoken.text)
            ready = len(whole) if spoken.done else len(whole) - 1
            yield from whole[given:ready]
            given = max(given, ready)

    def declined(self, prompt: Prompt) -> float:
        """The probability, by the model, that the text of the prompt does not answer."""
        scores, _ = self._read(self.notation.ids(prompt), 0)
        shares = np.exp(scores - scores.max())
        return float(shares[list(Mark).index(Mark.NONE)] / shares.sum())

    def _read(self, ids: list[int], room: int) -> tuple[Scores, Memory]:
        if len(ids) + room > self._positions:
            message = f"{len(ids)} tokens of prompt and {room} of reply are too many for the model"
            raise AnswerError("answer.too_long", message)
        prefix, memory = self._prefix
        if prefix and tuple(ids[: len(prefix)]) == prefix and len(ids) > len(prefix):
            return self._next(ids[len(prefix) :], memory)
        return self._next(ids, self._decoder.nothing())

    def _next(self, ids: Sequence[int], memory: Memory) -> tuple[Scores, Memory]:
        try:
            return self._decoder.read(ids, memory)
        except ModelError as error:
            raise AnswerError("answer.generator", error.message) from error

    def _chosen(
        self, scores: Scores, said: Sequence[int], constraint: OutputConstraint | None
    ) -> int | None:
        """The likeliest token that is allowed; None where none is."""
        scores, circles = scores.copy(), set(repeating(said))
        scores[self.notation.never] = -np.inf
        if constraint is not None:
            leaning = constraint.leaning()
            scores[leaning] += constraint.weight
            scores[~constraint.allowed()] = -np.inf
            # Two values may be alike for longer than `REPEATED` tokens.
            circles.difference_update(leaning)
        onward = scores.copy()
        onward[list(circles)] = -np.inf
        best = int((onward if np.isfinite(onward).any() else scores).argmax())
        return best if np.isfinite(scores[best]) else None


def require_generator(library: Library, name: str) -> None:
    """Raise `ModelError` where the manifest has no generator of that name."""
    if library.artefact(name).kind != KIND:
        known = ", ".join(n for n, made in library.artefacts.items() if made.kind == KIND)
        message = f"{name} is no generator; set answer.generator to one of: {known}"
        raise ModelError("model.unfit", message)


def repeating(said: Sequence[int], run: int = REPEATED) -> list[int]:
    """Tokens that would make the reply's end repeat `run` tokens that it holds already.

    A small model that always takes its likeliest token goes round in circles otherwise.
    """
    last = list(said[-run + 1 :])
    if len(last) < run - 1:
        return []
    starts = range(len(said) - run + 1)
    return [said[i + run - 1] for i in starts if list(said[i : i + run - 1]) == last]
