"""Tells whether a guess leaves out what its text names, so that it is not what was meant."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

from assistant.core.messages import Command
from assistant.english.asking.mentions import named
from assistant.english.commands.directions import DIRECTIONS
from assistant.english.commands.words import NORMS, QUESTIONS
from assistant.english.stems import singular
from assistant.english.stop_words import COMMON
from nlu.discourse.reading import ReadPart
from nlu.grammar.templates import Templates
from nlu.parts.composer import Composed
from nlu.text.canonical import Canonical, without_politeness

Compose = Callable[[Canonical], list[Composed] | None]
"""Gives the commands of a text that is read by its parts."""


def leaves_out(guessed: ReadPart, templates: Templates) -> bool:
    """Whether a guess that names nothing leaves out what is named: "pause the spuds".

    It is a word of no sentence, after a verb; in a question, of no sentence of that intent.
    """
    if any(slot.raw for slot in guessed.command.slots):
        return False
    words = [token.text for token in without_politeness(guessed.said).tokens]
    strange = [word not in COMMON and not templates.spelt(word) for word in words]
    if templates.traits(guessed.command.intent).asks:
        own = templates.words_of(guessed.command.intent)
        other = (own.isdisjoint((w, singular(w))) for w in named(guessed.said.text))
        wanted = not NORMS.isdisjoint(words)  # "how hot should the oven be"
        asked = not QUESTIONS.isdisjoint(words)  # "hi, it's Bella, what time is her bedtime"
        return asked and (wanted or any(strange) or any(other))
    return any((verb,) in DIRECTIONS and s for verb, s in zip(words, strange[1:], strict=False))


def leaves_out_clause(guessed: ReadPart, compose: Compose) -> bool:
    """Whether a clause of a guess's text, read by its parts, means another command.

    "Curtains open, heating twenty one" is more than a temperature, and "halfway" more than open.
    """
    said = guessed.said
    pauses = [at for at in range(1, len(said.tokens)) if said.paused(at)]
    if not pauses:
        return False
    clauses = (said.part(begin, end) for begin, end in pairwise([0, *pauses, len(said.tokens)]))
    made = (one.command for clause in clauses for one in compose(clause) or ())
    return any(_is_another(command, guessed.command) for command in made)


def _is_another(one: Command, other: Command) -> bool:
    """Whether two commands do something else, or the same to devices of other names."""
    names = {slot.value for c in (one, other) for slot in c.slots if slot.name == "name"}
    return one.intent != other.intent or len(names) > 1
