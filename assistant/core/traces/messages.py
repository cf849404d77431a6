"""What is said of where the time of an utterance went."""

from __future__ import annotations

from assistant.core.parts import Control, Id


class Generated(Control, frozen=True, kw_only=True):
    """The generator has worded a reply, or has tried to."""

    utterance_id: Id
    began_at_s: float
    """When the words were asked for, after all that is said had been found."""
    tokens: int
    """Tokens that it made."""


class TraceMade(Control, frozen=True, kw_only=True):
    """Where the time of an utterance went, for a collector on the network."""

    export: str
    """A line of OTLP's JSON, without any words of the user."""
