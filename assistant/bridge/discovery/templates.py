"""Templates in announcements: the small part of Jinja that devices use to name a value.

A template is text with expressions in it, such as `{"position": {{ position }}}`. An expression is
a variable, a path into it and filters: `{{ value_json.rooms[0]["hall"] | float(0) | round(1) }}`.
Nothing else is read: whoever may publish on the broker writes these, and Jinja itself, sandboxed
or not, can be made to run for ever.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from assistant.core.errors import UNDECODABLE

LONGEST = 1000
"""Most characters of a template."""
LONGEST_TEXT = 255
"""Most characters of what a template gives, as of a state in Home Assistant."""
DEEPEST_ROUND = 12
"""Most decimal places of `round`."""

_NAME = r"[A-Za-z_]\w*"
_STRING = r"'[^'\\]*'|\"[^\"\\]*\""
_ARGUMENT = rf"{_STRING}|-?\d{{1,9}}(?:\.\d{{1,9}})?|true|false|none"
_STEP = re.compile(rf"\s*(?:\.({_NAME}|\d{{1,4}})|\[\s*({_STRING}|\d{{1,4}})\s*\])")
_FILTER = re.compile(rf"\s*\|\s*({_NAME})\s*(?:\(\s*({_ARGUMENT})?\s*\))?", re.IGNORECASE)
_VARIABLE = re.compile(rf"\s*({_NAME})")
_PARTS = re.compile(r"\{\{-?(.*?)-?\}\}|(\{%|\{#)", re.DOTALL)

Variables = Mapping[str, Any]


class _Missing:
    """What a path leads to where there is nothing; it is written as ""."""

    def __str__(self) -> str:
        return ""


_MISSING = _Missing()


class Expression(msgspec.Struct, frozen=True):
    """A variable, the keys of a path into it, and filters with their arguments."""

    variable: str
    path: tuple[str | int, ...]
    filters: tuple[tuple[str, tuple[Any, ...]], ...]

    def value(self, variables: Variables) -> Any:
        """What it stands for; raises `ValueError` where a filter cannot be applied."""
        found: Any = variables.get(self.variable, _MISSING)
        for key in self.path:
            found = _child(found, key)
        try:
            for name, arguments in self.filters:
                found = _FILTERS[name](found, *arguments)
        except TypeError as error:
            raise ValueError("a filter takes other arguments") from error
        return found


class Template(msgspec.Struct, frozen=True):
    """Text and expressions in turn."""

    parts: tuple[str | Expression, ...]

    @classmethod
    def read(cls, text: str) -> Template:
        """Read a template; raises `ValueError` for what is beyond this part of the language."""
        if len(text) > LONGEST:
            raise ValueError("a template is too long")
        parts = list[str | Expression]()
        end = 0
        for found in _PARTS.finditer(text):
            if found[2]:
                raise ValueError("a template with statements is not understood")
            parts += [text[end : found.start()], _expression(found[1])]
            end = found.end()
        return cls(tuple(part for part in (*parts, text[end:]) if part != ""))

    def render(self, variables: Variables) -> str:
        """The text with the values in it; raises `ValueError` where there is no such text."""
        texts = (
            part if isinstance(part, str) else str(part.value(variables)) for part in self.parts
        )
        text = "".join(texts).strip()
        if len(text) > LONGEST_TEXT:
            raise ValueError("a value is too long")
        return text


VALUE = Template((Expression("value", (), ()),))
"""The template that is meant where none is given."""


def variables(payload: bytes | bytearray) -> Variables:
    """What a template may name of a payload; raises `ValueError` for one that is no text."""
    text = payload.decode("utf-8")
    try:
        return {"value": text, "value_json": msgspec.json.decode(text)}
    except UNDECODABLE:
        return {"value": text}


def _expression(text: str) -> Expression:
    variable = _VARIABLE.match(text)
    if variable is None:
        raise ValueError("a template's expression names no variable")
    end, path, filters = variable.end(), list[str | int](), list[tuple[str, tuple[Any, ...]]]()
    while step := _STEP.match(text, end):
        path.append(_key(step[1] or step[2]))
        end = step.end()
    while applied := _FILTER.match(text, end):
        if applied[1] not in _FILTERS:
            raise ValueError("a template's filter is not understood")
        filters.append((applied[1], (_argument(applied[2]),) if applied[2] else ()))
        end = applied.end()
    if text[end:].strip():
        raise ValueError("a template's expression is not understood")
    return Expression(variable[1], tuple(path), tuple(filters))


def _key(text: str) -> str | int:
    return int(text) if text.isdecimal() else text.strip("'\"")


def _argument(text: str) -> Any:
    if text[0] in "'\"":
        return text[1:-1]
    words = {"true": True, "false": False, "none": None}
    if text.lower() in words:
        return words[text.lower()]
    return float(text) if "." in text else int(text)


def _child(value: Any, key: str | int) -> Any:
    if isinstance(value, dict):
        return value.get(str(key), _MISSING)
    if isinstance(value, list) and isinstance(key, int) and key < len(value):
        return value[key]
    return _MISSING


def _number(value: Any, default: Any = _MISSING) -> Any:
    """A finite number, or the default as it is."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if math.isfinite(number):
        return number
    if default is _MISSING:
        raise ValueError("a value is no number")
    return default


def _whole(value: Any, default: Any = _MISSING) -> Any:
    number = _number(value, default)
    return int(number) if isinstance(number, float) else number


def _rounded(value: Any, places: float = 0) -> Any:
    rounded = round(_number(value), max(0, min(int(places), DEEPEST_ROUND)))
    return rounded if places else int(rounded)


def _default(value: Any, other: Any = "") -> Any:
    return other if value is _MISSING else value


_FILTERS: Mapping[str, Callable[..., Any]] = {
    "int": _whole,
    "float": _number,
    "round": _rounded,
    "default": _default,
    "is_defined": lambda value: value,
    "string": str,
    "lower": lambda value: str(value).lower(),
    "upper": lambda value: str(value).upper(),
    "trim": lambda value: str(value).strip(),
}
