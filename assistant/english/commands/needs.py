"""Statements that tell a need, such as "it's dark in here", and what would meet it."""

from __future__ import annotations

from assistant.english.lists import phrase_list, word_set

NEEDS: dict[tuple[str, ...], tuple[str, int]] = {
    tuple(phrase.split()): change
    for change, phrases in {
        ("brightness", 1): (
            "it is dark, it is gloomy, it is dim, it is pitch black, it is murky, i can not see,"
            " i can not see thing, i can not see anything, i can hardly see, i can hardly see thing"
        ),
        ("brightness", -1): "it is bright, it is dazzling, light is blinding, it is glaring",
        ("temperature", 1): (
            "it is cold, it is freezing, it is chilly, it is nippy, it is draughty, i am cold,"
            " i am freezing, i am chilly, i am frozen, we are cold, we are freezing, it is icy"
        ),
        ("temperature", -1): (
            "it is hot, it is boiling, it is sweltering, it is like oven, i am hot, i am boiling,"
            " i am sweating, i am roasting, we are hot, it is roasting"
        ),
        ("volume", 1): "i can not hear, i can not hear it, i can not hear thing, i can hardly hear",
        ("volume", -1): "it is loud, it is noisy, it is deafening",
    }.items()
    for phrase in phrase_list(phrases)
}
"""Canonical words → the property that is to change, and whether up or down."""
SOFTENING = word_set(
    "a bit so very rather really quite pretty awfully terribly little getting bloody far"
    " much absolutely somewhat kind of sort just now again still"
)
"""Words that may stand anywhere in such a statement."""
TAGS = phrase_list("is not it, is it not, do not you think, right, you know, though, hey")
"""Ends of such a statement, which ask for assent."""

BY_CHANGE = {
    ("brightness", 1): "make it brighter",
    ("brightness", -1): "make it dimmer",
    ("volume", 1): "make it louder",
    ("volume", -1): "make it quieter",
    ("temperature", 1): "make it warmer",
    ("temperature", -1): "make it cooler",
    ("humidity", 1): "make it more humid",
    ("humidity", -1): "make it less humid",
    ("speed", 1): "make it faster",
    ("speed", -1): "make it slower",
}
"""A change of a property → a plain sentence that asks for it."""
