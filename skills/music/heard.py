"""The names of music that recognition expects in the skill's sentences."""

from __future__ import annotations

from assistant.core.home.music import KINDS
from assistant.skill import Context
from skills.music.stations import all_music

MOST_NAMES = 1000
"""Most names that are expected, which take some 20 MB and 4 s more for a language model."""


def names(context: Context) -> list[str]:
    """The names of the library, each once: those of stations first, those of songs last."""
    music = sorted(all_music(context), key=lambda one: KINDS.index(one.kind))
    return list(dict.fromkeys(one.name for one in music))[:MOST_NAMES]
