"""Words that negate, report or condition what sounds like a command.

The patterns are for canonical words, which have no contractions and no "the".
"""

from __future__ import annotations

import re

from assistant.english.lists import word_set

NEGATIONS = word_set(
    "not no never none nobody nothing neither nor without cannot nowhere hardly unless"
)
"""Words that negate a sentence, as "n't" does."""

_WHO = r"(?:i|you|he|she|we|they|it|somebody|someone|everybody|everyone|nobody|who)"
_SOMEBODY = rf"(?:(?:(?:my|our|your|his|her|their) )?(?:{_WHO}|\w+))"
_SAYS = (
    r"(?:told|said|says|asked|asks|tells|suggested|thought|thinks|mentioned|claims|claimed"
    r"|heard(?! (?:this|it|enough))"
    r"|insists|insisted|reckons|reckoned|wanted|hoped|hopes|forgot|remembered|shouted|yelled"
    r"|whispered|texted|wrote|read|promised|agreed|decided|refused|managed|tried|believes|believed"
    r"|keeps|kept)"
)
_DONE = (
    r"(?:turned|switched|put|set|opened|closed|shut|locked|unlocked|dimmed|started|stopped"
    r"|cancelled|canceled|paused|resumed|played|added|removed|deleted|took|made|changed|left"
    r"|went|was|were|did|had|used|bought|called|ran|came|broke|fixed)"
)

TURNED_ROUND = re.compile(
    r"(?:(?:no|but|and|so|well|please|oh|just|also) )*"
    r"(?:do not|never|not(?! (?:so|as|that|quite so) \w+$)|no need to|there is no need to"
    r"|you should not|should not|must not"
    r"|(?:i|we) do not (?:want|need|think|like)(?: \w+)? to|i would not|would not|if|unless"
    r"|suppose|supposing|imagine|what if|what happens|what would|what will happen|i wish|i wonder"
    r"|let us not|avoid|refrain|whoever|remember when|do you remember"
    r"|(?:leave|keep)\b.*\b(?:alone|as (?:it|they)|be"
    r"|(?<!halfway )(?<!half )(?<!third )(?<!quarter )(?<!bit )(?<!crack )(?<!little )open"
    r"|closed|shut|way they are))\b"
)
"""A beginning that negates a command or only supposes it."""
REPORTED = re.compile(
    rf"{_SOMEBODY} (?:just |already |never |also |always |only |really |has |have |had |was |is )*"
    rf"{_SAYS}\b"
)
"""A beginning that reports what somebody said or thought."""
PAST = re.compile(
    rf"(?:{_WHO}|(?:my|our|your|his|her|their) \w+) (?:just |already |never |have |has |had |also "
    rf"|all )*{_DONE}\b|\b(?:was|were) (?:just )?\w+ing\b|^(?:did|why|how come|who)\b"
    r"|\b(?:yesterday|last (?:night|week|year|time|month|summer|winter)|ago|used to"
    r"|earlier today)\b"
)
"""Something that has happened."""
EMBEDDED = re.compile(
    rf"\b(?:told|asked|asks|reminded|wants|wanted) (?:me|you|him|her|us|them|\w+) to\b"
    rf"|\b(?:unless|until|whenever) {_WHO}\b|\bshould have\b|\bwould have\b|\bcould have\b"
    r"|\b(?:about to|supposed to|going to have to|forgot to|meant to|tried to|trying to)\b"
)
"""A command inside a report, a plan or a regret."""
DESCRIBED = re.compile(
    r"\byour (?!volume|voice|sound)|(?<!make sure )(?<!see that )\b(?:light|lamp|fan|door|blind"
    r"|curtain|heating|radio|tv)s? (?:is|are) (?:all )?(?:still )?(?:on|off|open|closed|shut)\b"
)
"""Something of the listener's own ("turn your radio down"), or how things are."""
CONDITION = re.compile(
    r"\b(?:if|unless|whenever|as soon as|once|when|until|till|in case)\b"
    r"(?! (?:possible|i may|we may|at all"
    r"|you (?:can|could|would|will|do not mind|please|like|get a|have|wish|fancy)"
    r"|(?:it|that) is (?:not|no|ok|fine|all right|alright)))"
)
"""A condition, except one that is only polite: "if you can"."""
