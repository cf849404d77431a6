"""Words by which clauses and sentences hang together.

Four places ask for the joints of a sentence, each for others: where a clause may be cut out, where
one may end, what takes it back, and what goes on behind a whole statement.
"""

from __future__ import annotations

import re

from assistant.english.lists import word_list, word_set

CLAUSE_OPENINGS = word_list(
    "and but because since so although though while whereas which who whom whose where when "
    "if unless until before after as"
)
"""Words that a clause begins with, so that it may be said without the one before."""
GOES_ON = word_set("and but so because which who while where whereas although though")
"""Words before which a clause is whole …"""
TAKES_BACK = word_set(
    "unless except if until till when whenever provided only without before after or than"
)
"""… and those, behind a comma, that say when it does not hold."""
HOLDS_ON = word_set(
    "not no never nor neither without before after until till by under over above below about "
    "around almost nearly roughly some up least most than less more except unless if only "
    "between to a an the of and or every each per half both either for from within beyond "
    "against like as minus plus"
)
"""Words that belong to what follows, which without them says something else."""

STATEMENT_ENDS = re.compile(r"[;:] |, (?:and|so|because|since|for) ")
"""What follows a whole statement."""
TAKEN_BACK = re.compile(
    r"\b(?:not?|nor|never|but|unless|except|only|if|until|although|however|without|\w+n['’]t)\b"
)
"""Takes back, in what follows, something of a statement."""

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
"""Begins with a word that means something said before."""
STANDING = re.compile(
    r"""(?:this|these)\ (?:guide|report|manual|letter|document|handbook|chapter|survey|leaflet)\b
    | it\ (?:is|was|has\ been)\ (?:agreed|resolved|decided|proposed|recommended|planned|noted
        |normal|important|necessary|forbidden)\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""Begins with such a word, and means something all the same."""
LABEL = re.compile(
    r"(?!(?:note|warning|caution|danger|important):)(?:[\w.,]+ ){0,2}[\w.]+: ", re.IGNORECASE
)
"""As in "Present: five members."; a warning is one all the same."""
