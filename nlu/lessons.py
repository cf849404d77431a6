"""What the user's corrections teach the intent model: the label of each, or why there is none.

None teaches other words for what opens a way in, deletes or takes back, and none is needed where a
sentence fits.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from assistant.core.messages import Command
from nlu.classifier.corrections import Correction, Lesson, Use
from nlu.classifier.examples import IntentLabel
from nlu.fallback.guesser import spoken
from nlu.grammar.templates import Templates
from nlu.interpreter import Interpreter
from nlu.parts.composer import Composer
from nlu.parts.doings import SWITCHING
from nlu.parts.questions import Questions
from nlu.text.canonical import canonical, without_politeness
from nlu.understood import By

_SURE = (By.SENTENCE, By.PARTS, By.SHORT_FORM, By.COMPOSED)
"""Rules by which words are understood already, so that the models are not asked."""
_TOLD = (*_SURE, By.FREE_TEXT)
"""Rules by which the user's own word for what was said is read."""
_ANY_DAY = datetime(2026, 1, 1, tzinfo=UTC)


class Teacher:
    """Reads corrections by the sentences and the parts of commands in the room of `templates`."""

    def __init__(self, templates: Templates) -> None:
        there = (templates.home, templates.area)
        self._templates, self._compose = templates, Composer(*there)
        self._interpret = Interpreter(templates, None, self._compose, Questions(*there))

    def lesson(self, correction: Correction) -> Lesson:
        """What a correction teaches."""
        text = spoken(without_politeness(canonical(correction.heard)))
        return Lesson(correction.key, text, self._label(correction))

    def _label(self, correction: Correction) -> IntentLabel | Use:
        if self._read(correction.heard, _SURE):
            return Use.KNOWN
        told = correction.command
        meant = (told,) if told is not None else self._read(correction.expect, _TOLD)
        label = self._of(meant[0]) if len(meant) == 1 else None
        if label is None:
            return Use.UNCLEAR
        return label if self._is_learnable(meant[0]) else Use.GUARDED

    def _read(self, text: str, rules: Sequence[By]) -> Sequence[Command]:
        """The commands that a text holds, where one of these rules read it."""
        understood = self._interpret(canonical(text), _ANY_DAY)
        return understood.commands if understood.by in rules else ()

    def _of(self, command: Command) -> IntentLabel | None:
        """The label that fixes most of a command's slots; None for an intent without sentences."""
        slots = {(slot.name, slot.value) for slot in command.slots}
        schemas = (claim.schema for claim in self._templates.claims)
        fixed = {tuple(sorted(s.fixed.items())) for s in schemas if s.intent == command.intent}
        fitting = sorted(one for one in fixed if slots.issuperset(one))
        return IntentLabel(command.intent, max(fitting, key=len)) if fitting else None

    def _is_learnable(self, command: Command) -> bool:
        """Whether a command may be taught: it opens and deletes nothing."""
        traits = self._templates.traits(command.intent)
        if traits.guarded or traits.asks:
            return not traits.guarded
        on_devices = self._compose.domains_of(command) or command.intent in SWITCHING
        return self._compose.harmless(command) if on_devices else True
