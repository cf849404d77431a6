"""How people are addressed, and what is asked about them."""

from __future__ import annotations

import re

from assistant.english.lists import word_set

HONORIFICS = word_set(
    "mr mrs ms miss mister dr doctor prof professor sir lady lord madam aunt uncle king queen "
    "prince princess president general saint st pope"
)
"""Titles and forms of address, which are no part of a person's name."""

ADDRESSEE = re.compile(
    r"(?:(?:hey|oh|ok|please|come on|listen|sorry|thanks|yes|no|well|right) )*(?:(?:my|dear) )?"
    r"(?:mum|mom|mummy|mommy|mam|dad|daddy|papa|gran|granny|grandma|grandpa|nan|nana|grandad"
    r"|auntie|uncle|kids|children|boys|girls|guys|folks|everyone|everybody|class|sir|madam|miss"
    r"|doctor|love|honey|sweetheart|babe|son|lads|ladies|gentlemen|officer|teacher|baby|sweetie"
    r"|(?:mr|mrs|ms|miss|mister|doctor|dr|aunt|auntie|uncle|professor|captain) \w+)"
)
"""A part of a text, before its first pause or after its last, that addresses somebody else."""
CALLED = re.compile(
    r"^(?:hey |oh )?(?:mum|mom|mummy|mommy|dad|daddy|granny|grandma|grandpa|grandad|kids"
    r"|children)\b"
    r"|^(?:mr|mrs|ms|mister) \w+\b|\b(?:mum|mom|mummy|mommy|daddy|granny|grandma|kids)$"
)
"""Somebody else addressed at the beginning or the end of a text, without a pause."""

OWNER = re.compile(
    r"\b(?!(?:what|who|where|when|how|that|there|here|it|he|she|let|today|tomorrow)\b)"
    r"([^\W\d_]{2,})['’]s\b"
)
"""The person of whom something is asked: "Anna's number"."""
OWNED = re.compile(
    r"\b(?:number|address|e-?mail|birthday|phone|website)s? (?:of|for) (?:the |my |our )?"
    r"([^\W\d_]{2,})\b"
)
"""The person of whom something is asked, after the thing: "number of Anna"."""
ROLE = re.compile(
    r"\b(?:number|address|e-?mail|phone|website) (?:of|for|has|does) "
    r"(?:the|my|our) ((?:[^\W\d_]{3,} ?){1,2})"
    r"|\b(?:the|my|our) ([^\W\d_]{3,})'s (?:[^\W\d_]+ )?(?:number|address|e-?mail|website)\b"
)
"""A person named by a role: "number of the dentist", "our plumber's address"."""
ASKED = tuple(
    (re.compile(asks), re.compile(tell))
    for asks, tell in (
        (r"\b(?:birth|born\b)", r"\b(?:birth|born\b)|\([^()]*\d{4} ?[–-]"),
        (
            r"\b(?:phone|telephone|mobile)\b|'s number\b|\bnumber (?:for|has|does)\b"
            r"|\bnumber of (?:\w+ ?){1,2}$",
            r"\b(?:phone|telephone|mobile|fax|pager|tel|call)\b|\d[\d ()/-]{5,}\d",
        ),
        (r"\be-?mail\b", r"\be-?mail\b|@"),
        (r"'s address\b|\baddress of\b", r"\b(?:address|live[sd]?|street|road|lane|avenue)\b"),
    )
)
"""Pairs: what is asked about a person, and what a passage with the answer must hold."""

_PERSONS = {
    "i": "you",
    "me": "you",
    "my": "your",
    "mine": "yours",
    "we": "you",
    "us": "you",
    "our": "your",
    "i am": "you are",
    "am i": "are you",
    "i'm": "you're",
    "we're": "you're",
    "i've": "you've",
    "i'll": "you'll",
}
"""Words of the user → how the assistant says them back."""

_PERSON = re.compile(rf"\b(?:{'|'.join(sorted(_PERSONS, key=len, reverse=True))})\b", re.IGNORECASE)


def said_back(words: str) -> str:
    """Words of the user as the assistant says them: "when I get home" → "when you get home"."""
    return _PERSON.sub(lambda found: _PERSONS[found[0].casefold()], words)
