"""Tells statements, which ask for nothing: "I've already locked it", "it's only the cat"."""

from __future__ import annotations

import re

from assistant.english.lists import word_set
from assistant.english.questions import asks, commands

_BEFORE = (
    r"(?:(?:oh|ah|ok|okay|well|no|yes|yeah|so|and|but|sorry|wait|right|actually|hm+|um+|uh"
    r"|never mind|it's okay|that's okay|it's fine|that's fine)\b ?)*"
)
_OFTEN = r"(?:just|already|only|also|never|all|both|finally|now|probably|really|still)"
_DONE = (
    r"(?:\w+ed|did|done|put|set|shut|took|taken|left|went|gone|made|got|found|bought|brought"
    r"|came|come|ran|run|ate|eaten|had|was|were|been|saw|seen|heard|told|said|forgot|forgotten"
    r"|lost|broke|broken|fell|fallen|gave|given|met|paid|sent|slept|spoke|thought|woke|wrote|read)"
)
_PAST = re.compile(
    rf"{_BEFORE}(?:i|we|he|she|they|you|(?:my|our|the|his|her) \w+|(?!it\b)\w+)(?:'ve|'s| have| has"
    rf"| had)? (?:{_OFTEN} )*{_DONE}\b"
)
"""A beginning that tells what somebody has done."""
_PLANNED = re.compile(
    rf"{_BEFORE}(?:i'll|we'll|i will|we will|i'm going to|we're going to|i'm|we're|i am|we are) "
    rf"(?:{_OFTEN} )*(?:do(?:ing)?|use|using|get(?:ting)?|go(?:ing)?|ask(?:ing)?|be|coming|leaving"
    r"|look(?:ing)?|check(?:ing)?|wait(?:ing)?|manage|managing|think(?:ing)?|see|tell(?:ing)?)\b"
)
"""A beginning that tells what the speaker does or will do without help."""
_OF_OTHERS = re.compile(rf"{_BEFORE}(?:he|she|they|it|that)(?:'ll| will) (?:{_OFTEN} )*\w+")
"""A beginning that tells what others will do."""
_SEEMS = re.compile(
    rf"{_BEFORE}(?:(?:it|that|this|he|she|they|(?:my|our|the|his|her) \w+) )?(?:{_OFTEN} )*"
    r"(?:smells?|tastes?|looks?|sounds?|feels?|seems?) (?!at\b|up\b|for\b|after\b)\w+"
)
"""A beginning that tells how something seems."""
_IS = re.compile(
    rf"{_BEFORE}(?:(?:it|that|this|he|she|they|there|we|you)(?:'s|'re| is| are| was| were)"
    rf"|(?:the|my|our|his|her) \w+ (?:is|are|was|were)) (?:{_OFTEN} )*"
    r"(?:the|a|an|my|our|your|his|her|asleep|in bed|at (?:school|work)|out|away|home|not|nothing"
    r"|nobody|somebody|someone|fine now|gone|done|me|us|them|him|only)\b"
)
"""A beginning that tells who or what something is, or where somebody is."""
_ASKED_FOR = word_set(
    "please need needs want wants wish hope should must could would can can't cannot let'll too"
    " enough dark darker bright brighter cold colder freezing warm warmer hot hotter loud louder"
    " quiet quieter noisy stuffy gloomy chilly boiling dim dimmer humid draughty lamp lamps light"
    " lights heating heater radiator thermostat blind blinds curtain curtains door doors window"
    " windows fan fans tv telly radio music volume on off up down open closed"
)
"""Words in a sentence about the present that may ask for something after all."""
_FORBIDDEN = word_set("please can could would should need needs want wants wish let's")
"""Words that ask for something in any sentence."""
_NOT_SEEN_TO = re.compile(
    r"\b(?:left|forgot|forgotten|was|were|been)\b.*\b(?:on|off|open|unlocked|unlock|running|close|shut"
    r"|lock|turn|switch)\b"
)
"""What somebody has left as it should not be: who says so may want it seen to."""
_CLAUSES = re.compile(r"[,.;:!?]| and | so | but | then ")


def states(text: str) -> bool:
    """Whether a text is surely a statement, so that nobody waits for more than a nod.

    What is told of the past may name devices; what is told of now may not, as "the light is still
    on" may be a request.
    """
    said = " ".join(re.sub(r"[^\w' ,.;:!?]", " ", text.casefold().replace("’", "'")).split())
    plain = " ".join(re.sub(r"[,.;:!?]", " ", said).split())
    words = set(plain.split())
    if asks(text) or not words.isdisjoint(_FORBIDDEN):
        return False
    if _NOT_SEEN_TO.search(plain) or any(commands(clause) for clause in _CLAUSES.split(said)):
        return False
    if _PAST.match(plain):
        return True
    now = (_PLANNED, _OF_OTHERS, _SEEMS, _IS)
    return any(told.match(plain) for told in now) and words.isdisjoint(_ASKED_FOR)
