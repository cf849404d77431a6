"""Verbs of what is done: a report of it, "I turned it on", and the promise of it."""

from __future__ import annotations

import re

PAST = {
    "activated": "activate",
    "added": "add",
    "announced": "announce",
    "brought": "bring",
    "changed": "change",
    "checked": "check",
    "cleared": "clear",
    "closed": "close",
    "deleted": "delete",
    "dimmed": "dim",
    "let": "let",
    "locked": "lock",
    "made": "make",
    "moved": "move",
    "muted": "mute",
    "noted": "note",
    "opened": "open",
    "paused": "pause",
    "played": "play",
    "pressed": "press",
    "put": "put",
    "ran": "run",
    "resumed": "resume",
    "sent": "send",
    "set": "set",
    "skipped": "skip",
    "started": "start",
    "stopped": "stop",
    "switched": "switch",
    "took": "take",
    "turned": "turn",
    "unlocked": "unlock",
    "unmuted": "unmute",
    "went": "go",
}
"""Past of a verb, as replies have it → the verb."""

_VERBS = frozenset((*PAST.values(), "shut", "dim", "say", "tell", "warm", "heat", "cool", "raise"))
_REPORT = re.compile(rf"I (?P<done>(?:{'|'.join(PAST)}) [^.:?!]+)\.")
_DONE = re.compile(rf"(?:^|(?<= and ))(?:{'|'.join(PAST)})\b")


def promised(report: str) -> str:
    """What a report says was done, as a phrase that fits "I will …"; "" for another text."""
    found = _REPORT.fullmatch(report)
    return _DONE.sub(lambda verb: PAST[verb[0]], found["done"]) if found else ""


def third_person(phrase: str) -> str:
    """A phrase that fits "I will …" as one that fits "it …": "dim it and close it" → "dims …"."""
    words = phrase.split()
    for at, word in enumerate(words):
        if at == 0 or (words[at - 1] == "and" and word in _VERBS):
            words[at] = _inflected(word)
    return " ".join(words)


def _inflected(verb: str) -> str:
    """The third person singular of a verb."""
    if verb.endswith(("s", "sh", "ch", "x", "o")):
        return f"{verb}es"
    return f"{verb}s" if verb[-2:-1] in "aeiou" or not verb.endswith("y") else f"{verb[:-1]}ies"


def orders(words: str) -> bool:
    """Whether words begin with a verb, so that they fit "I will …" as they are."""
    return words.casefold().partition(" ")[0] in _VERBS
