"""Finds which of several options an answer means.

| the answer                            | means                                       |
|---------------------------------------|---------------------------------------------|
| "the first", "number two", "the last" | the one in that place                       |
| "the former", "the latter"            | the first, the last                         |
| "neither", "no", "none of them"       | none of them                                |
| words that only one has ("kitchen")   | that one                                    |
| "yes", where only one was offered     | that one                                    |
| words that fit several, or none       | nothing: the question has to come once more |
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from assistant.english.replies import AROUND_CHOICE, NONE_OF_THEM, PLACES, THAT_ONE
from assistant.english.stems import singular, without_possessive
from assistant.skill import Choose

_WORDS = re.compile(r"[\w'°%.]+")


def did_you_mean(sentences: Sequence[str]) -> Choose:
    """The question which of several sentences was meant, or whether the only one was."""
    offered = [f'"{sentence}"' for sentence in sentences]
    first = f"{', '.join(offered[:-1])} or " if len(offered) > 1 else ""
    return Choose(f"Did you mean {first}{offered[-1]}?", sentences)


def refuses(text: str) -> bool:
    """Whether an answer refuses all options."""
    return NONE_OF_THEM.fullmatch(" ".join(words_of(text))) is not None


def pick(text: str, options: Sequence[str]) -> str | None:
    """The option that an answer means; None when it means none of them, or several."""
    words = words_of(text)
    if len(options) == 1 and THAT_ONE.fullmatch(" ".join(words)):
        return options[0]
    exact = [option for option in options if words_of(option) == words]
    return exact[0] if exact else _by_place(words, options) or _by_words(words, options)


def _by_place(words: Sequence[str], options: Sequence[str]) -> str | None:
    said = [word for word in words if word not in AROUND_CHOICE]
    if not said and words[-1:] == ["one"]:  # "number one", not "the second one"
        said = ["first"]
    if len(said) != 1 or said[0] not in PLACES:
        return None
    place = PLACES[said[0]]
    return options[place] if place < len(options) else None


def _by_words(words: Sequence[str], options: Sequence[str]) -> str | None:
    """The only option that has all words of the answer, if one of them is not in every option.

    A word that the option lacks names another thing: "the bedroom light" is not the kitchen's.
    Singular and plural are one: "the jar" is the jars'. So are somebody and what is theirs.
    """
    held = [{_plain(word) for word in words_of(option)} for option in options]
    said = {_plain(word) for word in words if word not in AROUND_CHOICE}
    fitting = [option for option, own in zip(options, held, strict=True) if said <= own]
    telling = said - set[str].intersection(*held) if held else said
    return fitting[0] if telling and len(fitting) == 1 else None


def _plain(word: str) -> str:
    return singular(without_possessive(word))


def words_of(text: str) -> list[str]:
    """The words of an answer or an option, as they are compared."""
    return _WORDS.findall(text.casefold())
