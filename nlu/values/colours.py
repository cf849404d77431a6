"""Colours: the CSS names, some that CSS lacks, and whites by colour temperature."""

from __future__ import annotations

import re

import webcolors

_CSS = frozenset(webcolors.names("css3"))
_FURTHER = {
    "amber": "#ffbf00",
    "apricot": "#fbceb1",
    "burgundy": "#800020",
    "cream": "#fffdd0",
    "emerald": "#50c878",
    "lilac": "#c8a2c8",
    "mauve": "#e0b0ff",
    "mint": "#98ff98",
    "mintgreen": "#98ff98",
    "peach": "#ffe5b4",
    "rose": "#ff007f",
    "ruby": "#e0115f",
    "scarlet": "#ff2400",
    "brightgreen": "lime",
    "lightpurple": "mediumpurple",
    "darkpurple": "indigo",
    "lightorange": "sandybrown",
    "darkyellow": "darkgoldenrod",
    "darkpink": "deeppink",
    "lightbrown": "peru",
    "darkbrown": "saddlebrown",
    "lightred": "lightcoral",
}
_WHITES_K = {
    "candle light": 1900,
    "candlelight": 1900,
    "warm white": 2700,
    "soft white": 3000,
    "neutral white": 4000,
    "natural white": 4000,
    "cool white": 5000,
    "cold white": 6500,
    "daylight": 6500,
}
_KELVIN = re.compile(r"(\d{4,5}) (?:k|kelvin)")
_HEX = re.compile(r"#[0-9a-f]{6}")


def colour(text: str) -> str | None:
    """A CSS name, "#rrggbb" or "2700 K" for the words of a colour; None for other words."""
    words = re.sub(r"^(?:colour|color) | (?:colour|color)$", "", text).replace("grey", "gray")
    if words in _WHITES_K:
        return f"{_WHITES_K[words]} K"
    if found := _KELVIN.fullmatch(words):
        return f"{int(found[1])} K" if 1000 <= int(found[1]) <= 12_000 else None
    if _HEX.fullmatch(words):
        return words
    name = words.replace(" ", "")
    known = name if name in _CSS else _FURTHER.get(name)
    return known or (colour(words[7:]) if words.startswith("bright ") else None)
