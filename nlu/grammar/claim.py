"""One block of sentences that a skill, or Home Assistant's vocabulary, claims."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from hassil.expression import Expression, Sentence

from assistant.skill.manifest import IntentSchema
from nlu.grammar.blocks import Block


@dataclass(frozen=True)
class Claim:
    """One intent and the sentences for it, bound for matching."""

    skill: str
    """The skill that serves the intent, "" for none."""
    schema: IntentSchema
    bound: tuple[Sentence, ...]
    write: Callable[[], tuple[Expression, ...]]
    block: Block | None = None
    """The vocabulary's block; None for a skill's own sentences."""

    @cached_property
    def written(self) -> tuple[Expression, ...]:
        """The sentences in their author's own words, bound on first use."""
        return self.write()

    @property
    def precedence(self) -> tuple[int, int]:
        """Sort key where two fit equally well: the user's, the skills', then the most specific."""
        if self.block is None:
            return (1, 0)
        return (0 if self.block.custom else 2, -self.block.specific)
