"""The closed list of words that a reply may add to those of its sources: they state no fact."""

from __future__ import annotations

from assistant.answer.words import COMMON


def _row(words: str) -> frozenset[str]:
    return frozenset(words.split())


_VERBS = _row("""
    add allow allowed answer apply arrive arrived ask begin began begins belong belongs break broke
    bring brought build built buy call carry cause caused chose chosen close closed come comes
    consist consists contain contains cost costs cover covered covers cut die died does end ended
    ends fall falls fell find found gave get gets give gives goes grow grew had happen happened
    happens has have held help helps hold holds is keep keeps kept last lasted lasts lead leads
    leave leaves led left lie lies live lived lives look looks lose loses lost made make makes mean
    means meet met must need needed needs open opened opens own owned owns paid pay pays play played
    put ran reach reached reaches read remain remained remains rise rose run runs said sat say says
    see seen sell sold send sends sent serve served serves set show showed shown shows sit sits
    speak spoke spoken stand stands start started starts stay stayed stays stood stop stopped stops
    take taken takes taught tell tells think thought told took try turn turned turns use used uses
    want wanted was went were will win won work worked works write wrote written
""")
_OTHERS = _row("""
    apart case cost day done enough fact first good kind length long name named number one ones part
    people place point possible reason second sort thing things time true way
    i'd i'll i'm i've you'd you'll you're you've it's that's there's they're what's he's she's
    don't doesn't didn't isn't aren't wasn't weren't can't couldn't won't wouldn't
""")

ALLOWED = COMMON | _VERBS | _OTHERS
"""Lower case; a reply may begin with any of them, then with a capital."""


def forms(word: str) -> set[str]:
    """The word and what English makes of it by its endings: "last" → "lasts", "lasted" …"""
    made = {word, f"{word}s", f"{word}es", f"{word}ed", f"{word}d", f"{word}ing"}
    for ending, others in _ENDINGS.items():
        if word.endswith(ending) and len(word) > len(ending) + 2:
            made |= {word.removesuffix(ending) + other for other in others}
    return made


_ENDINGS = {
    "s": ("", "ed", "ing"),
    "es": ("", "e", "ed", "ing"),
    "ed": ("", "e", "ing", "s", "es"),
    "ing": ("", "e", "ed", "s", "es"),
    "e": ("ing", "ed"),
    "y": ("ies", "ied"),
    "ies": ("y",),
    "ied": ("y",),
}
