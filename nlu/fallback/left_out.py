"""Tells whether a guess leaves out what its text names, so that it is not what was meant."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

from assistant.core.messages import Command
from assistant.english.asking.mentions import named
from assistant.english.commands.directions import DIRECTIONS
from assistant.english.commands.modifiers import ALL
from assistant.english.commands.words import NORMS, QUESTIONS, SPEAKING
from assistant.english.stems import singular
from assistant.english.stop_words import COMMON
from nlu.discourse.reading import ReadPart
from nlu.grammar.templates import Templates
from nlu.parts.composer import Composed, Composer
from nlu.text.canonical import Canonical, without_politeness

_ONE = frozenset(("it", "that"))
"""Words for one thing."""
Compose = Callable[[Canonical], list[Composed] | None]
"""Gives the commands of a text that is read by its parts."""


def leaves_out(guessed: ReadPart, templates: Templates) -> bool:
    """Whether a guess that names nothing leaves out what is named: "pause the spuds".

    It is a word of no sentence, after a verb; in a question, of no sentence of that intent; or a
    pronoun for one thing, where all of a room would be meant.
    """
    if any(slot.raw for slot in guessed.command.slots):
        return False
    said = without_politeness(guessed.said)
    words = [token.text for token in said.tokens]
    traits = templates.traits(guessed.command.intent)
    if traits.of_all and not _ONE.isdisjoint(words) and ALL.isdisjoint(words):
        return True  # nobody knows what "it" is
    strange = [word not in COMMON and not templates.spelt(word) for word in words]
    if traits.asks:
        own = templates.words_of(guessed.command.intent)
        asking = [at for at, word in enumerate(words) if word in QUESTIONS]
        if not asking:
            return False
        # Before a pause there may be a story: "hi, it's Bella, what time is her bedtime".
        begins = next((at for at in reversed(asking) if said.paused(at)), asking[0])
        other = (own.isdisjoint((w, singular(w))) for w in named(guessed.said.text))
        return _asks_for_another(words[begins:], own) or any(strange) or any(other)
    return any((verb,) in DIRECTIONS and s for verb, s in zip(words, strange[1:], strict=False))


def _asks_for_another(words: Sequence[str], own: frozenset[str]) -> bool:
    """Whether a question is for what ought to be, another measure or somebody else than its intent.

    "How hot should the oven be", "when do I have to be there", "how many days is that".
    """
    pairs = list(pairwise(words))
    norms = not NORMS.isdisjoint(words) or ("have", "to") in pairs
    measures = {after for word, after in pairs if word == "how"}
    return norms or not (measures | (SPEAKING & set(words))) <= own


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


def leaves_out_kind(guessed: ReadPart, devices: Composer) -> bool:
    """Whether a guess acts on devices, and a text names others of a kind that it does not touch.

    "Curtains, fairy lights, both lamps at thirty" is more than two lamps.
    """
    own = set(devices.domains_of(guessed.command))
    if not own or not devices.is_for_devices(guessed.command):
        return False
    words = tuple(token.text for token in guessed.said.tokens)
    return any(own.isdisjoint(domains) for domains in devices.named_domains(words))


def _is_another(one: Command, other: Command) -> bool:
    """Whether two commands do something else, or the same to devices of other names."""
    names = {slot.value for c in (one, other) for slot in c.slots if slot.name == "name"}
    return one.intent != other.intent or len(names) > 1
