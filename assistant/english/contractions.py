"""Contractions, and what they are short for."""

from __future__ import annotations

from assistant.english.lists import word_list, word_set

_IS = word_list(
    "what who where when how that it there here he she which long one whatever nobody somebody"
    " someone everybody everyone everything anything something nothing"
)
_NOT = word_list("do does did is are was were would could should has have had")
CONTRACTIONS = (
    {f"{word}'s": f"{word} is" for word in _IS}
    | {f"{word}s": f"{word} is" for word in ("what", "where", "who")}
    | {f"{word}n't": f"{word} not" for word in _NOT}
    | {f"{word}nt": f"{word} not" for word in ("do", "does", "did", "would", "could")}
    | {f"{word}'re": f"{word} are" for word in ("you", "we", "they", "what")}
    | {f"{word}'d": f"{word} would" for word in ("i", "you", "we", "it", "he", "she", "they")}
    | {f"{word}'ll": f"{word} will" for word in ("i", "you", "we", "it", "he", "she", "they")}
    | {f"{word}'ve": f"{word} have" for word in ("i", "you", "we", "they")}
    | {
        "i'm": "i am",
        "let's": "let us",
        "lets": "let us",
        "can't": "can not",
        "cant": "can not",
        "cannot": "can not",
        "won't": "will not",
        "gonna": "going to",
        "gotta": "got to",
        "u": "you",
        "wanna": "want to",
        "oclock": "o'clock",
        "nevermind": "never mind",
        "okay": "ok",
        "goodnight": "good night",
    }
)

_SUBJECTS = word_set("what who where when how that it there he she here")
CONTRACTED_PAIRS = {
    tuple(long.split()): short
    for short, long in CONTRACTIONS.items()
    if "'" in short
    and not long.endswith(" have")  # "what do i have"
    and (not long.endswith(" is") or long.split()[0] in _SUBJECTS)
}
"""Two words → how people say them, where another word follows."""

ASKED_WITH_A_NOUN = word_set("what which")
"""Question words after which any noun with "'s" is short for "is": "what day's the ninth"."""

CONTRACTED = word_set("'s 't 'd 'll 're 've 'm")
"""Endings of contractions."""
