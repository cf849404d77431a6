"""Turns a function's typed signature into the schema of an intent's slots, and fills its values.

| annotation                | kind     | on the bus          |
|---------------------------|----------|---------------------|
| timedelta                 | duration | seconds             |
| datetime, date, time      | the same | ISO 8601            |
| Period                    | period   | ISO 8601: START/END |
| Recurrence                | recurrence  | RFC 5545's DTSTART and RRULE lines |
| int · float, Decimal      | integer · number | a number    |
| Percent                   | percentage  | a number from 0 to 100 |
| Temperature               | temperature | "21.5 °C", "70 °F", "294 K", "21 °" |
| Colour                    | colour   | a CSS name, "#rrggbb", "2700 K" |
| Change                    | change   | "+20 %", "-2 °", "+ little" |
| bool · str                | boolean · text   | the same    |
| Enum, choices(…)          | choice   | the member's value  |
| Area, Floor               | area, floor | its name or id   |
| Entity, domains(…)        | entity   | its name or id      |
| str with domains(…)       | entity   | its name, unresolved: several may have it, or none |

With `unambiguous()` the user is asked about a time or date that may be one of two: "6 am or 6 pm?"
A dataclass stands for the slots that are its fields, so that several functions can share them.
"""

from __future__ import annotations

import types
import typing
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import is_dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from functools import lru_cache
from inspect import Parameter, signature
from typing import Annotated, Any, TypeGuard, TypeVar

import msgspec

from assistant.core.errors import SkillError
from assistant.core.messages import Period, SlotValue
from assistant.skill.home import Area, Entity, Floor
from assistant.skill.manifest import SlotSchema
from assistant.skill.values import Change, Colour, Percent, Recurrence, Temperature

INJECTED = ("request", "context")
_KINDS: dict[Any, str] = {
    timedelta: "duration",
    datetime: "datetime",
    date: "date",
    time: "time",
    int: "integer",
    float: "number",
    Decimal: "number",
    Percent: "percentage",
    Temperature: "temperature",
    Colour: "colour",
    Change: "change",
    Period: "period",
    Recurrence: "recurrence",
    bool: "boolean",
    str: "text",
    Area: "area",
    Floor: "floor",
    Entity: "entity",
}
_Named = TypeVar("_Named", bound=Floor | Area | Entity)
_MOST_SIGNATURES = 1024
"""Most functions whose slots are remembered: they are needed at every request."""


class _Domains(msgspec.Struct, frozen=True):
    names: tuple[str, ...]


class _Choices(msgspec.Struct, frozen=True):
    words: tuple[str, ...]


class _Readings(msgspec.Struct, frozen=True):
    values: tuple[str, ...]


class _Unambiguous(msgspec.Struct, frozen=True):
    pass


class _Unless(msgspec.Struct, frozen=True):
    slots: tuple[str, ...]


class _Described(msgspec.Struct, frozen=True):
    schema: SlotSchema


class _Prompt(msgspec.Struct, frozen=True):
    text: str


def domains(*names: str) -> _Domains:
    """Only devices of these domains: `Annotated[Entity, domains("light", "switch")]`."""
    return _Domains(names)


def choices(*words: str) -> _Choices:
    """Only these words: `Annotated[str, choices("pasta", "egg")]`."""
    return _Choices(words)


def unambiguous() -> _Unambiguous:
    """Ask when the words may equally mean another value: `Annotated[time, unambiguous()]`."""
    return _Unambiguous()


def one_of(annotation: Any, values: Sequence[SlotValue]) -> Any:
    """The type `annotation` for the answer to the question which of these bus values was meant."""
    return Annotated[annotation, _Readings(tuple(str(value) for value in values))]


def described(schema: SlotSchema) -> _Described:
    """A type known by its schema alone, whose values stay as they are on the bus:
    `Annotated[Any, described(schema)]`."""
    return _Described(schema)


def is_text(annotation: Any) -> bool:
    """Whether a slot of this type is given to the skill as its text."""
    return _unwrapped(annotation)[0] is str


def prompt(text: str) -> _Prompt:
    """The question when this slot was not said: `Annotated[timedelta, prompt("How long?")]`."""
    return _Prompt(text)


def unless(*slots: str) -> _Unless:
    """Do not ask for this slot, which is None then, where one of `slots` was said."""
    return _Unless(slots)


def spares(annotation: Any, said: Collection[str]) -> bool:
    """Whether a slot of this type need not be asked for when the slots in `said` were said."""
    _, marks = _unwrapped(annotation)
    return any(name in said for m in marks if isinstance(m, _Unless) for name in m.slots)


def schema_of(name: str, annotation: Any, required: bool = True) -> SlotSchema:
    """The schema of one slot; raises `SkillError` when the type cannot be spoken."""
    plain, marks = _unwrapped(annotation)
    for mark in marks:
        if isinstance(mark, _Described):
            return msgspec.structs.replace(mark.schema, name=name, required=required)
    words: tuple[str, ...] = ()
    if isinstance(plain, type) and issubclass(plain, Enum):
        words = tuple(str(member.value) for member in plain)
    words = next((m.words for m in marks if isinstance(m, _Choices)), words)
    if not words and plain not in _KINDS:
        raise SkillError("skill.type", f"{name}: no slot can be a {plain!r}")
    readings = next((m.values for m in marks if isinstance(m, _Readings)), ())
    named = next((m.names for m in marks if isinstance(m, _Domains)), None)
    return SlotSchema(
        name=name,
        kind="choice" if words else _KINDS[Entity if named is not None else plain],
        choices=words or readings,
        domains=named or (),
        required=required,
        unambiguous=any(isinstance(m, _Unambiguous) for m in marks),
        prompt=next(
            (m.text for m in marks if isinstance(m, _Prompt)), f"Which {name.replace('_', ' ')}?"
        ),
    )


@lru_cache(maxsize=_MOST_SIGNATURES)
def slots_of(function: Callable[..., Any]) -> Mapping[str, tuple[Any, SlotSchema]]:
    """Each slot's annotation and schema; a parameter with a default is optional."""
    annotations = _annotations(function)
    slots: dict[str, tuple[Any, SlotSchema]] = {}
    for name, parameter in signature(function).parameters.items():
        if name in INJECTED:
            continue
        if name not in annotations:
            raise SkillError("skill.type", f'parameter "{name}" has no type')
        if _is_group(annotations[name]):
            slots |= slots_of(annotations[name])
            continue
        required = parameter.default is Parameter.empty
        slots[name] = annotations[name], schema_of(name, annotations[name], required)
    return slots


def arguments_of(function: Callable[..., Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """The `values` that the function takes; those of a dataclass are combined into one."""
    annotations = _annotations(function)
    arguments: dict[str, Any] = {}
    for name in signature(function).parameters:
        if name in values:
            arguments[name] = values[name]
        elif _is_group(group := annotations.get(name)):
            arguments[name] = group(**arguments_of(group, values))
    return arguments


def convert(
    value: SlotValue,
    annotation: Any,
    areas: Sequence[Area],
    entities: Sequence[Entity],
    floors: Sequence[Floor] = (),
) -> Any:
    """Convert a bus value to the type that the skill asked for; raises `SkillError` if it fails."""
    plain, marks = _unwrapped(annotation)
    if any(isinstance(mark, _Described) for mark in marks):
        return value
    try:
        if plain is timedelta:
            return timedelta(seconds=float(value or 0))
        if plain in (datetime, date, time):
            return plain.fromisoformat(str(value))
        if plain in (Change, Colour, Period, Recurrence, Temperature):
            return plain.read(str(value))
        if plain is Area:
            return _named(str(value), areas)
        if plain is Floor:
            return _named(str(value), floors)
        if plain is Entity:
            wanted = next((m.names for m in marks if isinstance(m, _Domains)), ())
            return _named(str(value), [e for e in entities if not wanted or e.domain in wanted])
        if isinstance(plain, type) and issubclass(plain, Enum):
            return next(m for m in plain if str(m.value).casefold() == str(value).casefold())
        if plain is Percent:
            return Percent(float(value or 0))
        return Decimal(str(value)) if plain is Decimal else plain(value)
    except (ValueError, TypeError, ArithmeticError, StopIteration) as error:
        kind = getattr(plain, "__name__", plain)
        raise SkillError("skill.value", f"a slot's value is no {kind}") from error


def _is_group(annotation: Any) -> TypeGuard[type]:
    return isinstance(annotation, type) and is_dataclass(annotation)


def _annotations(function: Callable[..., Any]) -> dict[str, Any]:
    try:
        return typing.get_type_hints(function, include_extras=True)
    except (NameError, TypeError) as error:
        raise SkillError("skill.type", f"an annotation cannot be read: {error}") from error


def _unwrapped(annotation: Any) -> tuple[Any, tuple[Any, ...]]:
    """The type itself, without `| None` and `Annotated`, and the annotation's marks."""
    marks: tuple[Any, ...] = ()
    if typing.get_origin(annotation) is Annotated:
        annotation, *found = typing.get_args(annotation)
        marks = tuple(found)
    if typing.get_origin(annotation) in (typing.Union, types.UnionType):
        members = [a for a in typing.get_args(annotation) if a is not type(None)]
        if len(members) == 1:
            inner, more = _unwrapped(members[0])
            return inner, marks + more
    return annotation, marks


def _named(spoken: str, candidates: Sequence[_Named]) -> _Named:
    for candidate in candidates:
        names = (candidate.id, candidate.name, *candidate.aliases)
        if spoken.casefold() in [name.casefold() for name in names]:
            return candidate
    raise ValueError(spoken)
