"""One decoder: tokens in, scores of the next one out; it keeps what it has read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from assistant.core.errors import ModelError
from assistant.core.models.session import FAULTS, Session

Scores = NDArray[np.float32]
_PAST, _PRESENT = "past_key_values", "present"


class Memory(NamedTuple):
    """What was read: keys and values by the decoder's input names. Never changed, so it can be
    shared."""

    cache: Mapping[str, NDArray[Any]]
    tokens: int
    last: int
    """The last token; 0 before the first."""


class Decoder:
    """A model in the layout of Hugging Face optimum's exports, with whichever of these inputs it
    has.

    Inputs are `input_ids`, `attention_mask`, `position_ids`, `use_cache_branch` (of exports that
    hold two graphs in one) and `past_key_values.N.key`; `before_ids`, the token before each, is our
    own. Outputs are `logits` of all tokens or of the last, and `present.N.key`. The batch size is
    1.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        given = {argument.name: argument for argument in session.get_inputs()}
        self._inputs = frozenset(given)
        self._past = {
            # The shape is [batch, heads, past, head].
            name: np.zeros((1, argument.shape[1], 0, argument.shape[3]), np.float32)
            for name, argument in given.items()
            if name.startswith(_PAST)
        }
        self._present = [name.replace(_PAST, _PRESENT) for name in self._past]

    def nothing(self) -> Memory:
        """The memory before the first token."""
        return Memory(self._past, 0, 0)

    def read(self, ids: Sequence[int], memory: Memory) -> tuple[Scores, Memory]:
        """Read further tokens; gives the scores float32[vocabulary] of the next one and the longer
        memory.

        Raises `ModelError` when the model fails, as it does beyond its positions.
        """
        tokens = memory.tokens + len(ids)
        row = np.array([ids], np.int64)
        every: dict[str, NDArray[Any]] = {
            "input_ids": row,
            "attention_mask": np.ones((1, tokens), np.int64),
            "position_ids": np.arange(memory.tokens, tokens, dtype=np.int64)[None],
            "before_ids": np.array([[memory.last, *ids[:-1]]], np.int64),
            "use_cache_branch": np.array([memory.tokens > 0]),
        }
        feeds = {name: value for name, value in every.items() if name in self._inputs}
        try:
            outputs = self._session.run(["logits", *self._present], {**feeds, **memory.cache})
        except FAULTS as error:
            message = f"the language model failed behind {memory.tokens} tokens: {error}"
            raise ModelError("model.run", message) from error
        scores, *cache = outputs
        kept = dict(zip(self._past, cache, strict=True))
        return np.asarray(scores)[0, -1], Memory(kept, tokens, ids[-1])
