"""How people are called, and what is asked of them."""

from __future__ import annotations

import re

from assistant.english.lists import word_set

HONORIFICS = word_set(
    "mr mrs ms miss mister dr doctor prof professor sir lady lord madam aunt uncle king queen "
    "prince princess president general saint st pope"
)
"""Words before a name by which nobody is known."""

ADDRESSEE = re.compile(
    r"(?:(?:hey|oh|ok|please|come on|listen|sorry|thanks|yes|no|well|right) )*(?:(?:my|dear) )?"
    r"(?:mum|mom|mummy|mommy|mam|dad|daddy|papa|gran|granny|grandma|grandpa|nan|nana|grandad"
    r"|auntie|uncle|kids|children|boys|girls|guys|folks|everyone|everybody|class|sir|madam|miss"
    r"|doctor|love|honey|sweetheart|babe|son|lads|ladies|gentlemen|officer|teacher|baby|sweetie"
    r"|(?:mr|mrs|ms|miss|mister|doctor|dr|aunt|auntie|uncle|professor|captain) \w+)"
)
"""All that stands before the first pause, or behind the last, when it is said to somebody else."""
CALLED = re.compile(
    r"^(?:hey |oh )?(?:mum|mom|mummy|mommy|dad|daddy|granny|grandma|grandpa|grandad|kids"
    r"|children)\b"
    r"|^(?:mr|mrs|ms|mister) \w+\b|\b(?:mum|mom|mummy|mommy|daddy|granny|grandma|kids)$"
)
"""Called by name at the begin or the end of what is said, without a pause."""

OWNER = re.compile(
    r"\b(?!(?:what|who|where|when|how|that|there|here|it|he|she|let|today|tomorrow)\b)"
    r"([^\W\d_]{2,})['’]s\b"
)
"""Of whom something is asked: "Anna's"."""
OWNED = re.compile(
    r"\b(?:number|address|e-?mail|birthday|phone|website)s? (?:of|for) (?:the |my |our )?"
    r"([^\W\d_]{2,})\b"
)
"""The same, behind what is asked: "number of Anna"."""
ROLE = re.compile(
    r"\b(?:number|address|e-?mail|phone|website) (?:of|for|has|does) "
    r"(?:the|my|our) ((?:[^\W\d_]{3,} ?){1,2})"
    r"|\b(?:the|my|our) ([^\W\d_]{3,})'s (?:[^\W\d_]+ )?(?:number|address|e-?mail|website)\b"
)
"""Who is meant by what they do: "number of the dentist", "our plumber's address"."""
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
"""What is asked of a person, and what a passage that tells it holds; a dinner is no birthday."""
