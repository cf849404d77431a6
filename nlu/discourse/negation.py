"""What sounds like a wish and is none: turned round, told of, long done, or only supposed.

"don't turn on the light", "she told me to turn off the oven", "I already locked the door", "what
happens if I open the gate". Words alone decide, so that no model can talk its way past them.
"""

from __future__ import annotations

import re

from nlu.text.canonical import Canonical, wish

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

_OPENING = re.compile(
    r"(?:(?:no|but|and|so|well|please|oh|just|also) )*"
    r"(?:do not|never|not|no need to|there is no need to|you should not|should not|must not"
    r"|(?:i|we) do not (?:want|need|think|like)(?: \w+)? to|i would not|would not|if|unless"
    r"|suppose|supposing|imagine|what if|what happens|what would|what will happen|i wish|i wonder"
    r"|let us not|avoid|refrain|whoever|remember when|do you remember"
    r"|(?:leave|keep)\b.*\b(?:alone|as (?:it|they)|be|on|off|open|closed|shut|way they are))\b"
)
_REPORTED = re.compile(
    rf"{_SOMEBODY} (?:just |already |never |also |always |only |really |has |have |had |was |is )*"
    rf"{_SAYS}\b"
)
_PAST = re.compile(
    rf"(?:{_WHO}|(?:my|our|your|his|her|their) \w+) (?:just |already |never |have |has |had |also "
    rf"|all )*{_DONE}\b|\b(?:was|were) (?:just )?\w+ing\b|^(?:did|why|how come|who)\b"
    r"|\b(?:yesterday|last (?:night|week|year|time|month|summer|winter)|ago|used to"
    r"|earlier today)\b"
)
_INSIDE = re.compile(
    rf"\b(?:told|asked|asks|reminded|wants|wanted) (?:me|you|him|her|us|them|\w+) to\b"
    rf"|\b(?:unless|until|whenever) {_WHO}\b|\bshould have\b|\bwould have\b|\bcould have\b"
    r"|\b(?:about to|supposed to|going to have to|forgot to|meant to|tried to|trying to)\b"
)
_TOLD = re.compile(
    r"\byour (?!volume|voice|sound)|(?<!make sure )(?<!see that )\b(?:light|lamp|fan|door|blind"
    r"|curtain|heating|radio|tv)s? (?:is|are) (?:all )?(?:still )?(?:on|off|open|closed|shut)\b"
)
"""Of what is the listener's own, "turn your radio down", and of how things are."""
_KIN = re.compile(
    r"(?:(?:hey|oh|ok|please|come on|listen|sorry|thanks|yes|no|well|right) )*(?:(?:my|dear) )?"
    r"(?:mum|mom|mummy|mommy|mam|dad|daddy|papa|gran|granny|grandma|grandpa|nan|nana|grandad"
    r"|auntie|uncle|kids|children|boys|girls|guys|folks|everyone|everybody|class|sir|madam|miss"
    r"|doctor|love|honey|sweetheart|babe|son|lads|ladies|gentlemen|officer|teacher|baby|sweetie"
    r"|(?:mr|mrs|ms|miss|mister|doctor|dr|aunt|auntie|uncle|professor|captain) \w+)"
)
_CALLED = re.compile(
    r"^(?:hey |oh )?(?:mum|mom|mummy|mommy|dad|daddy|granny|grandma|grandpa|grandad|kids"
    r"|children)\b"
    r"|^(?:mr|mrs|ms|mister) \w+\b|\b(?:mum|mom|mummy|mommy|daddy|granny|grandma|kids)$"
)
_ARTICLES = frozenset(("the", "a", "an"))
_CONDITION = re.compile(
    r"\b(?:if|unless|whenever|as soon as|once|when|until|in case)\b"
    r"(?! (?:possible|i may|we may|at all"
    r"|you (?:can|could|would|will|do not mind|please|like|get a|have|wish|fancy)"
    r"|(?:it|that) is (?:not|no|ok|fine|all right|alright)))"
)


def withheld(said: Canonical) -> bool:
    """Whether the words turn a wish round, tell of one, or put it under a condition."""
    text = wish(said).text
    return _OPENING.match(text) is not None or _REPORTED.match(text) is not None


def reported(said: Canonical) -> bool:
    """Whether the words begin by telling what somebody said or thought."""
    return _REPORTED.match(wish(said).text) is not None


def addressed(said: Canonical) -> bool:
    """Whether somebody else is called by name: "mum, can you …", "… please, Miss Jones"."""
    # Not "the kids", who are spoken of: articles are gone from the canonical text.
    if _CALLED.search(said.text) and said.source[0] not in _ARTICLES:
        return True
    ends = [at for at in range(1, len(said.tokens)) if said.paused(at)]
    parts = [said.part(0, ends[0]), said.part(ends[-1], len(said.tokens))] if ends else []
    return any(_KIN.fullmatch(part.text) for part in parts)


def doubtful(said: Canonical) -> bool:
    """Whether words anywhere in a text speak against taking it for a wish at all.

    For readings that no template stands behind; a template of its own may hold such words.
    """
    text = wish(said).text
    patterns = (_PAST, _INSIDE, _CONDITION, _TOLD)
    return withheld(said) or any(pattern.search(text) for pattern in patterns)
