"""Scenes and scripts that are asked for by a part of their names: "do bedtime", "film please"."""

from __future__ import annotations

from assistant.core.messages import Command
from assistant.english.commands.short_forms import NO_LABEL
from assistant.english.commands.words import DOING, REQUESTING
from assistant.english.negation import NEGATIONS
from nlu.parts.names import Names
from nlu.parts.places import slot
from nlu.text.canonical import Canonical, without_politeness

_CONFIDENCE = 0.9


class Routines:
    """The scenes and scripts of one home."""

    def __init__(self, names: Names) -> None:
        self._names = names

    def __call__(self, said: Canonical) -> Command | None:
        """The command that a text asks for by a part of a name; None where it asks for none.

        It must ask for it: "bedtime" alone may only be told.
        """
        words = tuple(token.text for token in without_politeness(said).tokens)
        verb = next((verb for verb in DOING if words[: len(verb)] == verb), ())
        asked = verb or not REQUESTING.isdisjoint(token.text for token in said.tokens)
        name = words[len(verb) :]
        negated = any(token.text in NEGATIONS for token in said.tokens)
        if negated or not asked or not name or NO_LABEL.issuperset(name):
            return None
        found = dict.fromkeys(entity.name for entity in self._names.routines(name))
        if not found:
            return None
        return Command(intent="HassTurnOn", slots=(slot("name", *found),), confidence=_CONFIDENCE)
