"""Stop words: those that say little by themselves.

There are several lists because it depends on the use. A question may be about "people" or "the
last", so a search keeps them; in an answer they state nothing that a source would have to prove.
"""

from __future__ import annotations

from assistant.english.lists import word_set
from assistant.english.negation import NEGATIONS

ARTICLES = word_set("the a an")

NO_CONTENT = word_set(
    "a an my our your this that these those them him her of to for in on at and it is again"
    " plus minus times"
)
"""Words that are no free text by themselves: nothing is put on a list that is called "it"."""

COMMON = NEGATIONS | word_set(
    """
        a about above according across after afterwards again against all almost along already
        also although always am among an and another any are around as at away back be became
        because become been before began behind being below beneath besides between beyond both
        but by called came can come comes could did do does doing done down due during each
        either else enough even ever every everything few for former from further gave get gets
        give given go goes got had has have having he hence her here hers herself him himself
        his how however i if in indeed inside instead into is it its itself just kept know known
        last later least less like made mainly make makes many may me might mine more most
        mostly much must my myself near nearly next now of off often on once only onto or other
        others our ours out over own people per perhaps please put quite rather said same saw
        say says see seen several shall she should since so some someone something sometimes
        soon still such take taken takes than that the their theirs them themselves then there
        therefore these they this those though through throughout thus to together too took
        toward towards under unlike until up upon us used uses using usually very was we well
        went were what when where whether which while who whole whom whose why will with within
        would yes yet you your yours yourself
    """
)
"""Words of an answer that need no source, whether they begin a sentence or stand inside it."""

POLITE = word_set(
    "sure okay one anything sorry great unfortunately thank thanks enjoy confirm confirming "
    "let want need found try kindly"
)
"""Further words that a reply may begin with."""

SEARCH_STOP_WORDS = word_set(
    "a about after all also am an and any are aren as at be because been before being but by "
    "can could couldn d did didn do does doesn doing don during each for from further had has "
    "hasn have having he her here hers him his how i if in into is isn it its ll m many me "
    "more most much my near of off on once or our ours out over own please re s same say says "
    "shall she should so some such t tell than that the their them then there these they this "
    "those through to too under until up us ve very was wasn we were what when where which "
    "while who whom whose why will with won would you your yours must mustn needn shouldn wouldn "
    "haven hadn weren"
)
"""Words of a question that are not searched for, with the pieces of contractions."""

OF_AMOUNTS = word_set(
    "long longer far later left got get gets still yet again now just time need take takes go "
    "thing things stuff"
)
"""Further words of a question that say nothing of what it is about: "how long have I got"."""

BINDING = word_set(
    "a about an and are at be by for from had has have in is it its of on or s so the their "
    "there they this to was were will with you your yours i my we our"
)
"""Words that only connect the facts of a skill's reply: fewer than `COMMON`, as facts are short."""
