"""Tells whether a guess leaves out what its text names, so that it is not what was meant."""

from __future__ import annotations

from assistant.english.asking.mentions import named
from assistant.english.commands.directions import DIRECTIONS
from assistant.english.commands.words import NORMS, QUESTIONS
from assistant.english.stems import singular
from assistant.english.stop_words import COMMON
from nlu.discourse.reading import ReadPart
from nlu.grammar.templates import Templates
from nlu.text.canonical import without_politeness


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
        return words[0] in QUESTIONS and (wanted or any(strange) or any(other))
    return any((verb,) in DIRECTIONS and s for verb, s in zip(words, strange[1:], strict=False))
