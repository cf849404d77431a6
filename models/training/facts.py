"""Makes examples of a skill's facts and their replies, from our patterns with invented values."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from assistant.answer.generation.prompt import Act, Mark, Prompt, about_facts
from models.training.config import TRAINING
from models.training.names import ITEMS, ROOMS, THINGS
from models.training.renaming import MONTHS, WEEKDAYS, invented

FILE = TRAINING / "facts.txt"
Example = tuple[Prompt, str]
Draw = random.Random


@dataclass(frozen=True)
class Pattern:
    """A kind of result: its slots (name → sort of value), questions for it, and replies with it."""

    kind: str
    slots: dict[str, str]
    questions: tuple[str, ...]
    sayings: tuple[str, ...]


@cache
def patterns() -> tuple[Pattern, ...]:
    """The patterns of `facts.txt`: a block for each kind, with its slots, questions and replies."""
    made = []
    for block in FILE.read_text("utf-8").strip().split("\n\n"):
        kind, slots, asked, said = block.split("\n")
        named = dict(slot.split("=") for slot in slots.split(", "))
        questions = tuple(asked.removeprefix("Q: ").split(" | "))
        made.append(Pattern(kind[2:], named, questions, tuple(said[3:].split(" | "))))
    return tuple(made)


def example(draw: Draw) -> Example:
    """An example: one pattern, filled with values."""
    pattern = draw.choice(patterns())
    values = {name: SORTS[sort](draw) for name, sort in pattern.slots.items()}
    acts = [Act(Mark.INFORM, name, value) for name, value in values.items()]
    draw.shuffle(acts)
    question = draw.choice(pattern.questions) if draw.random() < 0.6 else ""
    kind = pattern.kind if draw.random() < 0.85 else ""
    said = _filled(draw.choice(pattern.sayings), values)
    return about_facts(acts, kind, _filled(question, values)), said[0].upper() + said[1:]


def _filled(text: str, values: dict[str, str]) -> str:
    for name, value in values.items():
        text = text.replace("{" + name + "}", value)
    return text


def _name(draw: Draw) -> str:
    return " ".join(invented(draw) for _ in range(draw.choice((1, 1, 2))))


def _time(draw: Draw) -> str:
    hour, minute = draw.randrange(1, 13), draw.randrange(60)
    return draw.choice(
        (
            f"{hour}:{minute:02} {draw.choice(('am', 'pm'))}",
            f"{hour + 11}:{minute:02}",
            f"{hour} pm",
        )
    )


def _duration(draw: Draw) -> str:
    first, second = draw.randrange(2, 60), draw.randrange(2, 60)
    return draw.choice(
        (
            f"{first} minutes",
            f"{first} minutes and {second} seconds",
            f"{draw.randrange(2, 20)} hours",
            f"1 hour and {first} minutes",
            f"{first} seconds",
            f"{draw.randrange(2, 9)} days",
        )
    )


def _tenths(draw: Draw, unit: str, most: int) -> str:
    whole = draw.randrange(2, most)
    return f"{whole}.{draw.randrange(1, 10)} {unit}" if draw.random() < 0.4 else f"{whole} {unit}"


SORTS: dict[str, Callable[[Draw], str]] = {
    "code": lambda d: f"{d.choice('ABCELMNSTX')}{d.randrange(1, 100)}",
    "date": lambda d: d.choice(
        (f"{d.choice(MONTHS)} {d.randrange(1, 29)}", f"{d.randrange(1, 29)} {d.choice(MONTHS)}")
    ),
    "day": lambda d: d.choice(WEEKDAYS),
    "degrees": lambda d: f"{d.randrange(2, 40)} degrees",
    "direction": lambda d: d.choice(("north", "south", "east", "west", "north-west")),
    "distance": lambda d: _tenths(d, d.choice(("kilometres", "miles", "metres")), 500),
    "dose": lambda d: _tenths(d, d.choice(("milligrams", "tablets", "drops")), 50),
    "duration": _duration,
    "energy": lambda d: _tenths(d, "kilowatt-hours", 40),
    "euros": lambda d: _tenths(d, "euros", 900),
    "event": lambda d: d.choice(
        ("dentist", "meeting", "yoga class", "parents' evening", "haircut", "choir", "interview")
    ),
    "money": lambda d: d.choice((f"${d.randrange(2, 900)}", _tenths(d, "dollars", 900))),
    "name": _name,
    "number": lambda d: str(d.randrange(2, 120)),
    "percent": lambda d: d.choice((f"{d.randrange(2, 100)} percent", f"{d.randrange(2, 100)}%")),
    "place": _name,
    "power": lambda d: _tenths(d, "kilowatts", 20),
    "rating": lambda d: f"{d.randrange(1, 5)}.{d.randrange(10)}",
    "room": lambda d: d.choice(ROOMS),
    "score": lambda d: f"{d.randrange(7)}-{d.randrange(7)}",
    "sky": lambda d: d.choice(("sunny", "cloudy", "low", "foggy", "clear", "rainy", "moderate")),
    "speed": lambda d: _tenths(d, d.choice(("kilometres an hour", "knots")), 90),
    "state": lambda d: d.choice(("on", "off", "open", "closed", "locked", "at 40 percent")),
    "steps": lambda d: f"{d.randrange(2, 20)},{d.randrange(100, 1000)} steps",
    "thing": lambda d: d.choice((*THINGS, *ITEMS)),
    "time": _time,
    "title": lambda d: " ".join(invented(d) for _ in range(d.choice((1, 2, 3)))),
}
"""Sort of value → the function that makes a value."""
