"""The settings of a skill: a frozen msgspec Struct with defaults, filled from the settings file."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Mapping
from itertools import pairwise
from textwrap import dedent
from typing import Any

import msgspec

from assistant.core.did_you_mean import did_you_mean
from assistant.core.errors import SkillError

SHOWN_CHARACTERS = 40


class SettingSchema(msgspec.Struct, frozen=True, kw_only=True):
    """One setting of a skill; `meaning` is the docstring below it, `default` plain data."""

    name: str
    default: Any
    meaning: str = ""


class BadSetting(msgspec.Struct, frozen=True):
    """Why the setting `name` counts as not given; "" for all of a skill's."""

    name: str
    message: str


def schemas_of(kind: type[msgspec.Struct]) -> tuple[SettingSchema, ...]:
    """The settings that a skill declares; raises `SkillError` for what cannot be settings."""
    if not (isinstance(kind, type) and issubclass(kind, msgspec.Struct)):
        raise SkillError("skill.settings", "its settings are no msgspec.Struct")
    try:
        defaults = kind()
    except TypeError as error:
        raise SkillError("skill.settings", "each of its settings needs a default") from error
    values, meanings = msgspec.to_builtins(defaults), _meanings(kind)
    return tuple(
        SettingSchema(name=name, default=values[name], meaning=meanings.get(name, ""))
        for name in kind.__struct_fields__
    )


def read_settings(
    kind: type[msgspec.Struct], given: Mapping[str, Any]
) -> tuple[msgspec.Struct, tuple[BadSetting, ...]]:
    """The settings that a file gives, and those that count as not given, because they are wrong."""
    bad = tuple(_unknown(kind, name) for name in given if name not in kind.__struct_fields__)
    known = {name: value for name, value in given.items() if name in kind.__struct_fields__}
    if not (why := _fault(kind, known)):
        return msgspec.convert(known, kind), bad
    wrong = {name: told for name in known if (told := _fault(kind, {name: known[name]}))}
    sound = {name: value for name, value in known.items() if name not in wrong}
    bad += tuple(BadSetting(name, told) for name, told in wrong.items())
    if not wrong or _fault(kind, sound):  # each is right, and they do not go together
        return kind(), (*bad, BadSetting("", why))
    return msgspec.convert(sound, kind), bad


def _fault(kind: type[msgspec.Struct], given: Mapping[str, Any]) -> str:
    """Why these are no settings; "" where they are."""
    try:
        msgspec.convert(given, kind)
    except msgspec.ValidationError as error:
        return str(error).partition(" - at ")[0]
    return ""


def _unknown(kind: type[msgspec.Struct], name: str) -> BadSetting:
    known = kind.__struct_fields__
    remedy = did_you_mean(name[:SHOWN_CHARACTERS], known) if known else "it has none"
    return BadSetting(name, f"there is no such setting; {remedy}")


def _meanings(kind: type[msgspec.Struct]) -> dict[str, str]:
    """Field → the docstring that follows it; nothing where the source is not there."""
    try:
        (found,) = ast.parse(dedent(inspect.getsource(kind))).body
    except (OSError, TypeError, SyntaxError):
        return {}
    body = found.body if isinstance(found, ast.ClassDef) else []
    return {
        field.target.id: " ".join(told.value.value.split())
        for field, told in pairwise(body)
        if isinstance(field, ast.AnnAssign)
        and isinstance(field.target, ast.Name)
        and isinstance(told, ast.Expr)
        and isinstance(told.value, ast.Constant)
        and isinstance(told.value.value, str)
    }
