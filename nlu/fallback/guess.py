"""What guesses the meaning of texts that fit no sentence, as understanding calls it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from assistant.core.messages import Command
from nlu.text.canonical import Canonical


class Guess(Protocol):
    """Guesses what a text means, with the models."""

    @property
    def consulted(self) -> int:
        """How often a model was asked, or would have been if its answer were not remembered."""

    @property
    def sure_parts(self) -> float:
        """Confidence from which the parts of a text count as several commands, not one."""

    def __call__(self, said: Canonical, now: datetime, whole: bool = True) -> Command | None:
        """The likeliest command; None when no guess is likely enough."""

    def asks(self, said: Canonical, now: datetime) -> tuple[Command, ...]:
        """The commands to ask about: two that tie, or the likeliest where it may be none at all."""

    def may_be(self, said: Canonical, intent: str) -> bool:
        """Whether a text that fits a sentence with free text may mean that `intent`."""

    def persons(self, said: Canonical) -> tuple[str, ...]:
        """The people whom a text surely names."""

    def talk(self, said: Canonical) -> Command | None:
        """What a text is like that is only talked about; None where it is like nothing."""

    def likeness(self, said: Canonical, sentences: Sequence[str]) -> Sequence[float]:
        """How near sentences are to a text in meaning, from 0, for another meaning, to 1 each."""
