"""Words to ARPAbet phones: by the dictionary first, then by a program or spelling rules."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import lru_cache
from pathlib import Path

import pocketsphinx

Phones = tuple[str, ...]

VOWELS = ("AA", "AE", "AH", "AO", "AW", "AY", "EH", "ER", "EY", "IH", "IY", "OW", "OY", "UH", "UW")
_CONSONANTS = (
    *("B", "CH", "D", "DH", "F", "G", "HH", "JH", "K", "L", "M", "N", "NG"),
    *("P", "R", "S", "SH", "T", "TH", "V", "W", "Y", "Z", "ZH"),
)
PHONES = frozenset(VOWELS + _CONSONANTS)
"""The phones of the CMU dictionary, without stress: those of the en-us acoustic model."""

_TIMEOUT_S = 30.0

# flite writes the CMU set in lower case with two phones of its own.
_FLITE = {"AX": ("AH",), "PAU": ()}

# espeak-ng's phoneme mnemonics for en-us (`espeak-ng -x`), stress and length marks removed.
_ESPEAK = {
    name: tuple(phones.split())
    for name, phones in {
        "a": "AE", "a2": "AH", "a#": "AH", "aa": "AE", "aI": "AY", "aU": "AW", "A": "AA",
        "A@": "AA R", "e": "EH", "E": "EH", "eI": "EY", "e@": "EH R", "@": "AH", "@2": "AH",
        "@5": "UH", "@L": "AH L", "3": "ER", "I": "IH", "I2": "IH", "I#": "IH", "i": "IY",
        "i@": "IY AH", "i@3": "IH R", "aI@": "AY AH", "aI3": "AY ER", "aU@": "AW ER", "0": "AA",
        "0#": "AA", "O": "AO", "O2": "AO", "o@": "AO R", "O@": "AO R", "oU": "OW", "oU#": "OW",
        "OI": "OY", "u": "UW", "U": "UH", "U@": "UH R", "V": "AH", "VR": "AH R", "b": "B",
        "d": "D", "D": "DH", "dZ": "JH", "f": "F", "g": "G", "h": "HH", "j": "Y", "k": "K",
        "l": "L", "m": "M", "n": "N", "N": "NG", "p": "P", "r": "R", "s": "S", "S": "SH",
        "t": "T", "t#": "T", "t2": "T", "T": "TH", "tS": "CH", "v": "V", "w": "W", "x": "K",
        "z": "Z", "Z": "ZH", "?": "T",
    }.items()
}  # fmt: skip

# A rough reading of English spelling, longest match first, for machines without either program.
_RULES = {
    letters: tuple(phones.split())
    for letters, phones in {
        "tion": "SH AH N", "sion": "ZH AH N", "ough": "AO", "augh": "AO", "eigh": "EY",
        "igh": "AY", "tch": "CH", "dge": "JH", "sch": "SH", "air": "EH R", "ear": "IH R",
        "eer": "IH R", "our": "AO R", "oor": "AO R", "ch": "CH", "sh": "SH", "th": "TH",
        "ph": "F", "gh": "G", "wh": "W", "ck": "K", "ng": "NG", "qu": "K W", "kn": "N",
        "wr": "R", "ee": "IY", "ea": "IY", "ai": "EY", "ay": "EY", "oa": "OW", "ow": "OW",
        "ou": "AW", "oo": "UW", "oi": "OY", "oy": "OY", "au": "AO", "aw": "AO", "ie": "IY",
        "ei": "EY", "ue": "UW", "ew": "UW", "ar": "AA R", "er": "ER", "ir": "ER", "or": "AO R",
        "ur": "ER", "ce": "S EH", "ci": "S IH", "cy": "S IY", "ge": "JH EH", "gi": "JH IH",
        "a": "AE", "b": "B", "c": "K", "d": "D", "e": "EH", "f": "F", "g": "G", "h": "HH",
        "i": "IH", "j": "JH", "k": "K", "l": "L", "m": "M", "n": "N", "o": "AA", "p": "P",
        "q": "K", "r": "R", "s": "S", "t": "T", "u": "AH", "v": "V", "w": "W", "x": "K S",
        "y": "IY", "z": "Z",
    }.items()
}  # fmt: skip
_LONGEST_RULE = max(map(len, _RULES))


def dictionary_path() -> Path:
    """The path of the CMU dictionary in the pocketsphinx wheel."""
    return Path(pocketsphinx.get_model_path("en-us")) / "cmudict-en-us.dict"


def dictionary_lines(words: Collection[str]) -> list[str]:
    """The CMU dictionary's lines for `words` (lower case), variants after their word.

    The whole dictionary would take 60 MB as tuples of phones.
    """
    wanted = frozenset(words)
    with dictionary_path().open(encoding="utf-8") as lines:
        return [line for line in lines if line.partition(" ")[0].partition("(")[0] in wanted]


def pronounce(words: Iterable[str]) -> dict[str, tuple[Phones, ...]]:
    """Give each word one or more pronunciations in the CMU phone set; it never fails.

    Sources, in order: the CMU dictionary with its variants, flite, espeak-ng (both, when both are
    installed: two guesses are better than one), and a table of spelling rules.
    """
    lower = {word: word.lower() for word in words}
    known: defaultdict[str, tuple[Phones, ...]] = defaultdict(tuple)
    for line in dictionary_lines(lower.values()):
        name, *phones = line.split()
        known[name.partition("(")[0]] += (tuple(phones),)
    return {word: known[text] if text in known else _guess(text) for word, text in lower.items()}


def dictionary_entries(words: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Each word, and its variants as "word(2)", with its phones, as PocketSphinx takes them."""
    for word, pronunciations in sorted(pronounce(words).items()):
        for number, phones in enumerate(pronunciations, start=1):
            yield word if number == 1 else f"{word}({number})", " ".join(phones)


def by_rules(word: str) -> Phones:
    """Read a word by a small table of English spelling rules; unknown characters are silent."""
    letters = re.sub(r"([^aeiou])\1", r"\1", re.sub(r"[^a-z]", "", word.lower()))
    if len(letters) > 3 and letters.endswith("e") and letters[-2] not in "aeiou":
        letters = letters[:-1]
    phones: list[str] = []
    while letters:
        size = next(n for n in range(_LONGEST_RULE, 0, -1) if letters[:n] in _RULES)
        phones += _RULES[letters[:size]]
        letters = letters[size:]
    return tuple(phones) or ("AH",)


@lru_cache(maxsize=4096)
def _guess(word: str) -> tuple[Phones, ...]:
    guesses = (source(word) for source in (_by_flite, _by_espeak))
    heard = tuple(dict.fromkeys(phones for phones in guesses if phones))
    return heard or (by_rules(word),)


def _by_flite(word: str) -> Phones:
    names = _ask("flite", "-ps", "-t", word, "none").upper().split()
    return _translate(names, lambda name: _FLITE.get(name, (name,)))


def _by_espeak(word: str) -> Phones:
    spoken = _ask("espeak-ng", "-q", "-x", "--sep=_", "-v", "en-us", word)
    names = re.sub(r"[',%=:|;]", "", spoken).replace(" ", "_").strip().split("_")
    return _translate(names, lambda name: _ESPEAK.get(name, (name,)))


def _translate(names: Iterable[str], reading: Callable[[str], Phones]) -> Phones:
    """Map a program's phones to ours; () when one is unknown, as half a word is useless."""
    phones = tuple(_flatten(reading(name) for name in names if name))
    return phones if PHONES.issuperset(phones) else ()


def _flatten(groups: Iterable[Phones]) -> Iterator[str]:
    for group in groups:
        yield from group


def _ask(*command: str) -> str:
    # A word that begins with a dash would be read as an option.
    if shutil.which(command[0]) is None or any(not part for part in command):
        return ""
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=_TIMEOUT_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout if done.returncode == 0 else ""
