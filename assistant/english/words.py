"""Words that say little by themselves."""

from __future__ import annotations

from assistant.english.lists import word_set

NEGATIONS = word_set(
    "not no never none nobody nothing neither nor without cannot nowhere hardly unless"
)

NO_CONTENT = word_set(
    "a an my our your this that these those them him her of to for in on at and it is again"
)
"""Words of which no free text can be made: nothing is put on a list that is called "it"."""

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
"""Words that state nothing by themselves, so that they may begin a sentence or be added to it."""
