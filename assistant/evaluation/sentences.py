"""How many sentences are understood as Home Assistant's own tests expect."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime

import msgspec

from assistant.control.metrics import percentile
from assistant.core.messages import Command, Slot, SlotValue
from assistant.evaluation.home_tests import HomeTestCase, Suite, Wanted, WantedCommand, sentences
from assistant.skill.home import Home
from nlu.grammar.templates import Templates
from nlu.interpreter import Interpreter
from nlu.text.canonical import canonical
from nlu.values import resolve

Understand = Callable[[str], Sequence[Command]]
"""A function from one sentence to its commands."""

Prepare = Callable[[Home, str], Understand]
"""A function from a home and the name of an area ("" for unknown) to an `Understand` for them."""

_UNITS = {"week": 604800, "day": 86400, "hour": 3600, "minute": 60, "second": 1}
_SHORT = {"hr": "hour", "min": "minute", "sec": "second"}
_SMALLER = {"hour": "minute", "minute": "second"}
_AMOUNT = re.compile(
    rf"(.*?\b({'|'.join([*_UNITS, *_SHORT])})s?"
    r"(?: and (?:(?:a |1 )?(?:half|quarter)|3 quarters)(?! \w))?)(?: and | |$)"
)


class SentenceFigures(msgspec.Struct, frozen=True, kw_only=True):
    """Shares, from 0 to 1, of the sentences; `ms` is the time to understand one sentence.

    Exact means the right intents in their order, each with exactly the labelled slots, text
    stripped and case-folded. A test that names no intent checks only the slots.
    """

    sentences: int
    intent_accuracy: float
    exact_accuracy: float
    ms_p50: float
    ms_p99: float


class Miss(msgspec.Struct, frozen=True):
    """A sentence that was not understood exactly, and what was understood."""

    file: str
    sentence: str
    wanted: HomeTestCase
    understood: tuple[WantedCommand, ...]


def reader(
    templates_of: Callable[[Home], Templates],
    interpreter: Callable[[Templates], Interpreter],
    now: datetime,
) -> Prepare:
    """Understands as an interpreter does, at `now` (aware); compiles for one home at a time."""
    compiled: list[tuple[Home, Templates]] = []

    def prepare(home: Home, area: str) -> Understand:
        if not compiled or compiled[0][0] != home:
            compiled[:] = [(home, templates_of(home))]
        interpret = interpreter(compiled[0][1].in_area(area))
        return lambda sentence: interpret(canonical(sentence), now).commands

    return prepare


def evaluate_sentences(
    suites: list[Suite],
    prepare: Prepare,
    progress: Callable[[int, int], None] = lambda done, total: None,
    missed: Callable[[Miss], None] = lambda miss: None,
    clock: Callable[[], float] = time.perf_counter,
) -> SentenceFigures:
    """Understand every sentence and compare; `missed` receives each one that is not exact."""
    every = list(sentences(suites))
    ready: dict[tuple[int, str], Understand] = {}
    intents = exact = 0
    spent_s: list[float] = []
    for suite, case, sentence in every:
        key = (id(suite), case.area)
        if key not in ready:
            ready[key] = prepare(suite.home, case.area)
        began_s = clock()
        commands = ready[key](sentence)
        spent_s.append(clock() - began_s)
        right, whole = judge(commands, case)
        intents += right
        exact += whole
        if not whole:
            missed(_miss(suite, case, sentence, commands))
        progress(len(spent_s), len(every))
    return SentenceFigures(
        sentences=len(every),
        intent_accuracy=intents / len(every),
        exact_accuracy=exact / len(every),
        ms_p50=round(percentile(spent_s, 0.50) * 1000, 2),
        ms_p99=round(percentile(spent_s, 0.99) * 1000, 2),
    )


def judge(commands: Sequence[Command], case: HomeTestCase) -> tuple[bool, bool]:
    """Whether the intents are the expected ones, in their order, and whether the slots are too."""
    if len(commands) != len(case.commands):
        return False, False
    pairs = list(zip(commands, case.commands, strict=True))
    right = all(wanted.intent in ("", command.intent) for command, wanted in pairs)
    return right, right and all(
        same_slots(home_assistant_slots(command), wanted.slots) for command, wanted in pairs
    )


def same_slots(slots: Mapping[str, SlotValue], wanted: Mapping[str, Wanted]) -> bool:
    """Whether exactly the expected slots have the expected values, or one of those in a list."""
    return slots.keys() == wanted.keys() and all(
        _same(slots[name], value) for name, value in wanted.items()
    )


def _same(value: SlotValue, wanted: Wanted) -> bool:
    if isinstance(wanted, list):
        return any(_same(value, one) for one in wanted)
    return _text(value) == _text(wanted)


def _text(value: SlotValue) -> str:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value).strip().casefold()


def home_assistant_slots(command: Command) -> dict[str, SlotValue]:
    """A command's slots in Home Assistant's form: a time span in hours, minutes and seconds."""
    found: dict[str, SlotValue] = {}
    for slot in command.slots:
        name = slot.name.removesuffix("duration")
        if name == slot.name or not isinstance(slot.value, int | float):
            found[slot.name] = slot.value
        else:
            found |= {f"{name}{unit}": amount for unit, amount in _span(slot)}
    return found


def _span(slot: Slot) -> Iterator[tuple[str, int]]:
    """The units of a time span as they were spoken, with a half moved to the next smaller unit."""
    amounts: dict[str, float] = {}
    rest, unit = canonical(slot.raw).text.removeprefix("for "), ""
    while rest and (found := _AMOUNT.match(rest)):
        unit = _SHORT.get(found[2], found[2])
        amounts[unit] = (resolve.duration(found[1]) or 0) / _UNITS[unit]
        rest = rest[found.end() :].removeprefix("and ")
    if rest.isdecimal() and unit in _SMALLER:  # "an hour twenty"
        amounts[_SMALLER[unit]] = int(rest)
    hours = amounts.get("hour", 0) + 24 * (amounts.get("day", 0) + 7 * amounts.get("week", 0))
    minutes = amounts.get("minute", 0) + hours % 1 * 60
    seconds = amounts.get("second", 0) + minutes % 1 * 60
    spoken = {"hours": int(hours), "minutes": int(minutes), "seconds": round(seconds)}
    yield from ((unit, amount) for unit, amount in spoken.items() if amount)


def _miss(suite: Suite, case: HomeTestCase, sentence: str, commands: Sequence[Command]) -> Miss:
    understood = (WantedCommand(c.intent, home_assistant_slots(c)) for c in commands)
    return Miss(suite.path.name, sentence, case, tuple(understood))
