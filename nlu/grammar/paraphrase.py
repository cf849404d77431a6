"""Words what a command would do in a plain sentence, for questions like "Did you mean …?"."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from math import log

from assistant.core.messages import Command, Slot
from assistant.english.commands.hints import KINDS_SWITCHED, SWITCHING
from assistant.english.commands.needs import BY_CHANGE
from assistant.english.spoken import with_article
from assistant.skill.home import Home
from assistant.skill.values import Change
from nlu.grammar.binding import NAMED_KINDS
from nlu.grammar.grammar import Grammar
from nlu.grammar.labelled import Labelled, labelled_of
from nlu.text.canonical import canonical

_TARGETS = frozenset(("name", "area", "domain"))
_DRAWN = 60
_FEWEST_WORDS = 3


def plain_sentence(grammar: Grammar, home: Home, command: Command) -> str:
    """A usual sentence that means the command; "" where there is none."""
    return _switching(home, command) or _changing(command) or _drawn(grammar, command)


def _changing(command: Command) -> str:
    """What changes the brightness, the warmth or the loudness of a room."""
    said = {slot.name: str(slot.value) for slot in command.slots}
    if command.intent != "AdjustDevice" or "name" in said:
        return ""
    change = Change.read(said["change"])
    return BY_CHANGE.get((said["level"], change.direction), "") if change else ""


def _switching(home: Home, command: Command) -> str:
    """What switches a device, or the lights or fans of a room or of everywhere."""
    verbs = SWITCHING.get(command.intent)
    said = {slot.name: str(slot.value) for slot in command.slots}
    if verbs is None or not said or not _TARGETS.issuperset(said):
        return ""
    place = f" in {with_article(said['area']).casefold()}" if "area" in said else ""
    if said.get("name", "all") == "all":
        kind = KINDS_SWITCHED.get(said.get("domain", ""), "")
        every = "all " if "name" in said else ""
        return f"{verbs['']} {every}the {kind}{place}" if kind else ""
    device = next((e for e in home.entities if e.name == said["name"]), None)
    domain = device.domain if device else ""
    return f"{verbs.get(domain, verbs[''])} {with_article(said['name']).casefold()}"


def _drawn(grammar: Grammar, command: Command) -> str:
    """A sentence of the grammar that fills the command's slots; "" where there is none.

    It begins like most of the intent's sentences, and has the words that most of them have.
    Slots that were not said (their `raw` is "") need not be in the sentence.
    """
    said = {slot.name: slot for slot in command.slots if slot.raw}
    unsaid = {(slot.name, slot.value) for slot in command.slots if not slot.raw}
    drawn = labelled_of(grammar, command.intent, _DRAWN)
    usual = Counter(word for one in drawn for word in set(one.text.split()))
    begun = Counter(one.text.split()[0] for one in drawn)
    fitting = [
        one
        for one in drawn
        if {span.slot for span in one.spans} == set(said) and unsaid.issuperset(one.fixed)
    ]
    fullest = max((len(one.fixed) for one in fitting), default=0)
    fitting = [one for one in fitting if len(one.fixed) == fullest]

    def rank(one: Labelled) -> tuple[bool, float, str]:
        words = one.text.split()
        likely = sum(log(usual[word]) for word in words) / len(words) + log(begun[words[0]]) / 2
        return len(words) < _FEWEST_WORDS, -likely, one.text

    chosen = min(fitting, key=rank, default=None)
    return "".join(_filled(chosen, said)) if chosen else ""


def _filled(one: Labelled, said: dict[str, Slot]) -> Iterator[str]:
    """The sentence in pieces, with the command's values in place of its own."""
    at = 0
    for span in one.spans:
        slot = said[span.slot]
        yield one.text[at : span.start]
        words = (str(slot.value) if span.kind in NAMED_KINDS else slot.raw).split()
        unit = canonical(one.text[span.end :]).text.split()[:1]  # "per cent" is "percent"
        yield " ".join(words[:-1] if words[-1:] == unit else words)
        at = span.end
    yield one.text[at:]
