"""A language model that rewrites as it is told, however it is asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from tokenizers import Tokenizer, decoders, models, pre_tokenizers

from assistant.core.causal.decoder import Decoder, Memory, Scores

SURE, UNSURE = 20.0, 8.0
"""Scores of the wanted piece beside 0 for each other one."""


def tokenizer() -> Tokenizer:
    """Each byte is a piece."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    made = Tokenizer(models.BPE({sign: n for n, sign in enumerate(alphabet)}, []))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    return made


class Scripted(Decoder):
    """Writes `plain` of what was said, as firmly as `score` says, and "-" of all else."""

    def __init__(self, plain: Mapping[str, str], score: float = SURE) -> None:
        self._plain, self._score, self._tokenizer = plain, score, tokenizer()
        self.read_texts: list[str] = []
        """What was read each time, but for the pieces that it wrote itself."""

    def nothing(self) -> Memory:
        return Memory({"read": np.zeros(0, np.int64)}, 0, 0)

    def read(self, ids: Sequence[int], memory: Memory) -> tuple[Scores, Memory]:
        if len(ids) > 1:
            self.read_texts.append(self._tokenizer.decode(list(ids)))
        every = np.concatenate([memory.cache["read"], np.array(ids, np.int64)])
        text = self._tokenizer.decode(every.tolist())
        said, _, written = text.rpartition("said: ")[2].partition("\nplain:")
        wanted = f" {self._plain.get(said, '-')}\n"[len(written) :]
        scores = np.zeros(self._tokenizer.get_vocab_size(), np.float32)
        scores[self._tokenizer.encode(wanted[:1] or "\n").ids[0]] = self._score
        return scores, Memory({"read": every}, len(every), int(every[-1]))
