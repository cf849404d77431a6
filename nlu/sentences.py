"""Texts as whole sentences of the skills, and parts with what their words and intents tell."""

from __future__ import annotations

from datetime import datetime

import msgspec

from assistant.core.messages import Command
from nlu.discourse.direction import directions
from nlu.discourse.negation import negates_itself, not_a_command
from nlu.discourse.reading import ReadPart
from nlu.grammar.match import Match
from nlu.grammar.templates import Templates
from nlu.text.canonical import Canonical

_FREE_TEXT_CONFIDENCE = 0.9


class Sentences:
    """The sentences of all skills, over the names of a home."""

    def __init__(self, templates: Templates) -> None:
        self._templates = templates

    def read(self, said: Canonical, now: datetime, *, free_text: bool) -> ReadPart | None:
        """The command of the first sentence that fits a text; None for none."""
        if not (free_text or self._templates.spells(said)):
            return None
        careful = free_text and not_a_command(said)
        for match in self._templates.match_canonical(said):
            if match.counts_pronoun(said):
                continue
            if match.wildcard and (not free_text or (careful and not negates_itself(said, match))):
                continue
            slots = self._templates.slots(match, now)
            if slots is not None:
                confidence = _FREE_TEXT_CONFIDENCE if match.wildcard else 1.0
                command = Command(intent=match.intent, slots=slots, confidence=confidence)
                return self.part(said, command, match)
        return None

    def with_names(self, said: Canonical, now: datetime) -> ReadPart | None:
        """The same without free text, but for the name of something: "play jazz"."""
        exact = self.read(said, now, free_text=False)
        free = None if exact else self.read(said, now, free_text=True)
        return free if free and self._templates.traits(free.command.intent).by_name else exact

    def part(
        self,
        said: Canonical,
        command: Command,
        match: Match | None = None,
        doing: Canonical | None = None,
    ) -> ReadPart:
        """A part with the directions of its words, or of those that say what is `doing`."""
        told = directions(said if doing is None else doing, self._templates.named)
        command = msgspec.structs.replace(command, directions=told)
        thing = self._templates.traits(command.intent).thing
        return ReadPart(said, command, match, thing=thing)
