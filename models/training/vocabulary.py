"""Builds the generator's vocabulary: byte pairs of the training texts, with single digits."""

from __future__ import annotations

from collections.abc import Iterable

from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers

from assistant.answer.generation.prompt import Mark

SIZE = 5000
WORD = r"'(?:s|t|re|ve|m|ll|d)\b| ?\p{L}+| ?\d| ?[^\s\p{L}\d]+|\s+"
"""The pattern of a word: GPT-2's, but with single digits, because numbers are copied, not known."""


def build(texts: Iterable[str], size: int = SIZE) -> Tokenizer:
    """A byte-level BPE tokenizer (Sennrich et al. 2016; Radford et al. 2019) with the marks."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(WORD), behavior="isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=size,
        special_tokens=[str(mark) for mark in Mark],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator((f" {text}" for text in texts), trainer)
    return tokenizer
