"""Words without their endings, so that forms of one word count as one."""

from __future__ import annotations

from assistant.english.lists import word_set

_VERBS_IN_E = word_set(
    "clos mak resum continu paus chang mov remov delet increas decreas rais announc "
    "tak giv creat activat mut unmut us schedul"
)
"""Gerunds without "ing" whose verb ends with an e."""


def base_verb(gerund: str) -> str:
    """The verb of a gerund: "turning" → "turn", "closing" → "close"; other words as they are."""
    stem = gerund.removesuffix("ing")
    if stem == gerund or len(stem) < 2:
        return gerund
    if stem in _VERBS_IN_E:
        return f"{stem}e"
    doubled = stem[-1] == stem[-2] and stem[-1] not in "lsz"
    return stem[:-1] if doubled else stem
