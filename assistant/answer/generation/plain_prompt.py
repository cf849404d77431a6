"""Prompts in plain words for a general model such as GPT-Neo, which does not know our marks."""

from __future__ import annotations

from collections.abc import Sequence

from tokenizers import Tokenizer

from assistant.answer.generation.prompt import Mark, Prompt

_NAMES = {Mark.TITLE: "Title", Mark.TEXT: "Text", Mark.ASK: "Question", Mark.KIND: "About"}
_END = "<|endoftext|>"


class PlainNotation:
    """The same prompts as `Notation`'s, line by line; a reply ends with its line."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self.tokenizer = tokenizer
        self.never: list[int] = []
        ends = (tokenizer.token_to_id(_END), *tokenizer.encode("\n", add_special_tokens=False).ids)
        self.stops = frozenset(token for token in ends if token is not None)

    def ids(self, prompt: Prompt) -> list[int]:
        """The prompt's tokens."""
        return list(self.tokenizer.encode(self.written(prompt), add_special_tokens=False).ids)

    def written(self, prompt: Prompt) -> str:
        """The prompt as lines, the last one begun for the reply."""
        lines, facts = [], []
        for place, (mark, text) in enumerate(prompt):
            if mark in _NAMES:
                lines.append(f"{_NAMES[mark]}: {text}")
            elif mark is Mark.IS and prompt[place - 1][0] is not Mark.TEXT:
                facts.append(f"{prompt[place - 1][1]}: {text}")
        if facts:
            lines.insert(0, "Facts: " + "; ".join(facts))
        return "\n".join([*lines, "Answer:"])

    def text(self, ids: Sequence[int]) -> str:
        """The words of ids."""
        return str(self.tokenizer.decode(list(ids), skip_special_tokens=True)).strip()
