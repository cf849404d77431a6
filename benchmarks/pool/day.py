"""A day's requests of many rooms, drawn from the weeks of households in `tests/data`.

A conversation of those weeks begins at a minute of a day. Each room is as talkative as one of these
households on one of its days: its conversations begin within a quarter of an hour of when they
did, and each utterance comes some seconds after the one before. At seven and at six in the evening,
as when news begins, a share of the rooms asks within ten seconds; that is not in the weeks.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from random import Random
from typing import NamedTuple

from assistant.evaluation.week import load_week

WEEKS = Path(__file__).resolve().parents[2] / "tests" / "data"
DAY_S = 86_400.0
SHIFT_S = 900.0
PAUSE_S = (4.0, 12.0)
"""Between two utterances of a conversation, the reply to the first included."""
RUSHES_S, RUSH_S = (7 * 3600.0, 18 * 3600.0), 10.0
TOKENS = (5, 60)
"""The fewest and the most tokens of a reply; four in five take up to 12, the others 40 or more."""


class Asked(NamedTuple):
    """One request: its time of the day in seconds, and the tokens that it takes."""

    at_s: float
    tokens: int


@cache
def recorded_days() -> Sequence[Sequence[tuple[float, int]]]:
    """The days of all weeks: for each conversation its second of the day, and its utterances."""
    days: dict[tuple[str, str], list[tuple[float, int]]] = {}
    for file in sorted(WEEKS.glob("week*.yaml")):
        for one in load_week(file).conversations:
            begins = one.begins
            at_s = 3600.0 * begins.hour + 60.0 * begins.minute
            day = days.setdefault((file.stem, begins.date().isoformat()), [])
            day.append((at_s, len(one.utterances)))
    return list(days.values())


def day_of(rooms: int, seed: int, rush: float) -> list[Asked]:
    """All requests of a day, in their order; `rush` is the share of the rooms in each rush."""
    random, days = Random(seed), recorded_days()
    asked_s = []
    for _ in range(rooms):
        for begin_s, utterances in random.choice(days):
            at_s = begin_s + random.uniform(-SHIFT_S, SHIFT_S)
            for _ in range(utterances):
                asked_s.append(at_s % DAY_S)
                at_s += random.uniform(*PAUSE_S)
    for rush_s in RUSHES_S:
        asked_s += (rush_s + random.uniform(0, RUSH_S) for _ in range(round(rooms * rush)))
    return [Asked(at_s, _tokens(random)) for at_s in sorted(asked_s)]


def _tokens(random: Random) -> int:
    least, most = TOKENS
    return random.randint(least, 12) if random.random() < 0.8 else random.randint(40, most)
