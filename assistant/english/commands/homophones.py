"""Words that sound the same, or nearly: a recogniser writes one for the other."""

from __future__ import annotations

from assistant.english.lists import phrase_list

_GROUPS = (
    "to, too, two",
    "for, four, fore",
    "of, off",
    "red, read",
    "their, there, they're",
    "one, won",
    "eight, ate",
    "ten, tan",
    "by, buy, bye",
    "close, clothes",
    "pause, paws, pours",
    "stop, shop",
    "lock, look, log",
    "raise, rays",
    "dim, them, dem",
    "lamp, lump, lamb",
    "light, lite",
    "fan, van",
    "blind, blinked",
    "blue, blew",
    "hall, haul",
    "door, daw",
    "tv, teevee",
    "on, an",
    "it, eat",
    "in, inn",
    "but, butt",
)

HOMOPHONES: dict[str, tuple[str, ...]] = {
    word: tuple(other for other in phrase_list(group) if other != word)
    for group in _GROUPS
    for word in phrase_list(group)
}
"""Word → the words that it may be written as."""
