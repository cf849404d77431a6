"""Words for how much: levels, changes and their sizes."""

from __future__ import annotations

from assistant.english.lists import phrase_list, word_set


def _by_phrase(table: dict[str, str]) -> dict[tuple[str, ...], str]:
    rows = ((phrase, value) for value, phrases in table.items() for phrase in phrase_list(phrases))
    return {tuple(phrase.split()): value for phrase, value in rows}


COMPARATIVES: dict[tuple[str, ...], tuple[str, int]] = {
    tuple(phrase.split()): (what, way)
    for (what, way), phrases in {
        ("brightness", 1): (
            "brighter, lighter, more light, brighten, brighten up, less dark, too dark, too dim, "
            "not so dark, not that dark, not so dim"
        ),
        ("brightness", -1): (
            "dimmer, darker, dim, dim down, less bright, less light, darken, too bright, "
            "not so bright, not that bright, not as bright, not quite so bright"
        ),
        ("volume", 1): "louder, noisier, more volume, less quiet, too quiet",
        ("volume", -1): (
            "quieter, less loud, less noisy, less volume, more quiet, too loud, quieten, "
            "quieten down, not so loud, not that loud, not as loud, not quite so loud"
        ),
        ("temperature", 1): (
            "warmer, hotter, more heat, less cold, more warmth, too cold, warm up, heat up, "
            "not so cold, not that cold"
        ),
        ("temperature", -1): (
            "cooler, colder, chillier, less hot, less warm, less heat, too hot, too warm, "
            "cool down, not so hot, not that hot, not so warm"
        ),
        ("humidity", 1): "more humid, damper, less dry, too dry, not so dry",
        ("humidity", -1): "less humid, drier, less damp, too humid, too damp, not so humid",
        ("speed", 1): "faster, quicker, speed up",
        ("speed", -1): "slower, slow down, not so fast",
    }.items()
    for phrase in phrase_list(phrases)
}
"""Canonical words → the property that they change, and whether up or down."""
COMPARATIVE_WORDS = frozenset(phrase[0] for phrase in COMPARATIVES if len(phrase) == 1)

UP_OR_DOWN: dict[tuple[str, ...], int] = {
    tuple(phrase.split()): way
    for way, phrases in {
        1: "up, back up, higher, more, raise, increase, boost, crank, turn up, put up, bump, lift",
        -1: "down, back down, lower, less, decrease, reduce, turn down, drop, knock, take down, "
        "bring down, softer, gentler",
    }.items()
    for phrase in phrase_list(phrases)
}
"""Words for a change whose property the devices, or what was said before, tell."""

SIGNS = {"plus": 1, "minus": -1}
"""Word before a number that is a change → whether up or down."""
MORE = frozenset({("more",), ("further",), ("again",)})
"""Words for more of the same after a change, whichever its direction."""
SIZES = _by_phrase(
    {
        "little": (
            "a bit, a little, a little bit, slightly, a touch, a tad, a smidge, a notch, somewhat, "
            "a fraction, just a bit, just a little, a wee bit, bit, little, tad, touch, notch, "
            "just a touch, just a tad, a teeny bit, teeny bit, a tiny bit, tiny bit, a hair, step, "
            "a crack, crack, a slit, a step, a shade"
        ),
        "much": (
            "much, a lot, lots, way, far, considerably, loads, a good bit, quite a bit, "
            "a whole lot, a good deal, a great deal, heaps, really"
        ),
    }
)
"""Words for the size of a change."""


def _extremes(adjectives: str) -> list[str]:
    """Phrases for as much as a device can: "as dim as it goes", "as low as possible"."""
    limits = phrase_list(
        "it goes, it will go, it can go, it can be, they go, they will go, possible"
    )
    return [f"as {word} as {limit}" for word in adjectives.split() for limit in limits]


LEVELS = {
    "low": 20,
    "lowish": 20,
    "dim": 20,
    "faint": 5,
    "tiny": 5,
    "really low": 5,
    "really dim": 5,
    "very low": 5,
    "very dim": 5,
    "barely on": 5,
    "dimly": 20,
    "lowest": 1,
    "minimum": 1,
    "high": 100,
    "highest": 100,
    **dict.fromkeys(_extremes("dim low quiet soft dimly faint little slow"), 1),
    **dict.fromkeys(_extremes("bright high loud fast brightly far wide"), 100),
    "maximum": 100,
    "max": 100,
    "full": 100,
    "full blast": 100,
    "full power": 100,
    "full speed": 100,
    "full brightness": 100,
    "full volume": 100,
    "bright": 100,
    "half": 50,
    "halfway": 50,
    "medium": 50,
    "quiet": 15,
    "quietly": 15,
    "softly": 15,
    "loud": 60,
}
"""Words for a level in percent."""

FURTHEST = frozenset({"all way", "whole way", "rest of way", "fully"})
"""Words for as far as it goes, in the direction in which something was moved before."""

PARTS = word_set("third thirds quarter quarters fifth fifths tenth tenths eighth sixth")
"""Last words of a share: "to a fifth"."""

BEFORE_NUMBERS = word_set("to at by on volume brightness level position speed temperature number")
"""Words behind which "one" is a number: "volume one"."""

FACTORS: dict[tuple[str, ...], tuple[int, float]] = {
    ("twice", "as"): (1, 2),
    ("twice",): (1, 2),
    ("double",): (1, 2),
    ("half", "as"): (-1, 2),
    ("halve",): (-1, 2),
    ("half", "that"): (-1, 2),
    ("half", "of", "that"): (-1, 2),
    ("half", "as", "much"): (-1, 2),
    ("twice", "as", "much"): (1, 2),
    ("3", "times", "as"): (1, 3),
    ("triple",): (1, 3),
    ("by", "half"): (0, 0.5),
    ("by", "a", "third"): (0, 1 / 3),
    ("by", "1", "third"): (0, 1 / 3),
    ("by", "a", "quarter"): (0, 0.25),
}
"""Words for a factor or a share: its direction (0: another word says it), and how much."""

ADJECTIVES = {
    "bright": "brightness",
    "brightly": "brightness",
    "dim": "brightness",
    "loud": "volume",
    "loudly": "volume",
    "quiet": "volume",
    "warm": "temperature",
    "hot": "temperature",
    "cold": "temperature",
    "open": "position",
    "fast": "speed",
}
"""Adjective after "twice as" or "half as" → the property that it is about."""
