"""Words that join clauses and sentences.

There are several lists because it depends on the use: where a clause may be cut out, where a
quotation may end, what would change its meaning, and what may follow a whole statement.
"""

from __future__ import annotations

import re

from assistant.english.lists import word_list, word_set

CLAUSE_OPENINGS = word_list(
    "and but because since so although though while whereas which who whom whose where when "
    "if unless until before after as"
)
"""Words that begin a clause, which may then be said without the one before it."""
GOES_ON = word_set("and but so because which who while where whereas although though")
"""Words before which a quotation may end, as before punctuation."""
TAKES_BACK = word_set(
    "unless except if until till when whenever provided only without before after or than"
)
"""Words before which a quotation may not end: they say when it does not hold."""
HOLDS_ON = word_set(
    "not no never nor neither without before after until till by under over above below about "
    "around almost nearly roughly some up least most than less more except unless if only "
    "between to a an the of and or every each per half both either for from within beyond "
    "against like as minus plus"
)
"""Words after which a quotation may not begin: they belong to what follows."""

STATEMENT_ENDS = re.compile(r"[;:] |, (?:and|so|because|since|for) ")
"""What may follow a whole statement."""
TAKEN_BACK = re.compile(
    r"\b(?:not?|nor|never|but|unless|except|only|if|until|although|however|without|\w+n['’]t)\b"
)
"""Words after a statement that limit it."""

_PRONOUNS = "|".join(
    word_list("it its they their them he his him she her these those this that such there then")
)
_OPENERS = "|".join(
    word_list(
        "however but and so or nor yet also otherwise instead therefore thus hence still moreover "
        "here furthermore besides meanwhile nevertheless both neither either another others too "
        "again afterwards"
    )
)
_CONJUNCTIONS = "|".join(
    word_list(
        "if when as because although while after before until since once where for in at by on of "
        "from to with without under over behind beside below above through near even only"
    )
)
LEANING = re.compile(
    rf"""["“'‘(]*(?:
    (?:{_OPENERS})\b
    | (?!there\b)(?:{_PRONOUNS})\b
    | (?:the\ )?(?:former|latter|others?|same|rest|second|third)\b
    | (?:{_CONJUNCTIONS}|(?:some|most|all|each|one|none)\ of)\ (?:{_PRONOUNS})\b
    | \w+\ (?:it|them|him)\b                                                     # "Wipe it dry."
    )""",
    re.IGNORECASE | re.VERBOSE,
)
"""A beginning that refers to something said before."""
STANDING = re.compile(
    r"""(?:this|these)\ (?:guide|report|manual|letter|document|handbook|chapter|survey|leaflet)\b
    | it\ (?:is|was|has\ been)\ (?:agreed|resolved|decided|proposed|recommended|planned|noted
        |normal|important|necessary|forbidden)\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""A beginning with one of the words of `LEANING` that refers to nothing said before."""
LABEL = re.compile(
    r"(?!(?:note|warning|caution|danger|important):)(?:[\w.,]+ ){0,2}[\w.]+: ", re.IGNORECASE
)
"""A label at the beginning of a sentence, such as "Present: five members."; "Warning:" is none."""
