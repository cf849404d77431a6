"""Writes the table of `docs/settings.md` from the classes of the settings.

Run `python -m scripts.settings_page` after a change of `assistant/core/config.py`. A setting's
meaning is the docstring below it there, its bounds are those of its type.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec

from assistant.cli.config import toml
from assistant.core.config import Config

PAGE = Path(__file__).resolve().parents[1] / "docs" / "settings.md"
BETWEEN = re.compile(r"(<!-- settings:begin -->\n).*?(<!-- settings:end -->)", re.DOTALL)


def with_table(page: str) -> str:
    """The page with the table as the classes have it now."""
    table = "".join(f"{line}\n" for line in _lines())
    return BETWEEN.sub(lambda found: found[1] + table + found[2], page)


def _lines() -> Iterator[str]:
    yield "| setting | default | meaning |"
    yield "|---|---|---|"
    defaults = msgspec.to_builtins(Config())
    for section in msgspec.structs.fields(Config):
        meanings = _meanings(section.type)
        bounds = msgspec.json.schema(section.type)["$defs"][section.type.__name__]["properties"]
        for key, default in defaults[section.name].items():
            meaning = meanings[key] + _bounded(bounds[key])
            yield f"| `{section.name}.{key}` | `{toml(default)}` | {meaning} |"


def _meanings(section: type[msgspec.Struct]) -> dict[str, str]:
    """Field → the docstring that follows it."""
    (body,) = (
        one.body
        for one in ast.parse(inspect.getsource(section)).body
        if isinstance(one, ast.ClassDef)
    )
    return {
        field.target.id: " ".join(ast.literal_eval(told.value).split())
        for field, told in pairwise(body)
        if isinstance(field, ast.AnnAssign)
        and isinstance(field.target, ast.Name)
        and isinstance(told, ast.Expr)
    }


def _bounded(schema: dict[str, Any]) -> str:
    if {"minimum", "maximum"} <= schema.keys():
        least, most = (f"{schema[bound]}" for bound in ("minimum", "maximum"))
        return f" From {least} to {most}."
    return ""


if __name__ == "__main__":
    PAGE.write_text(with_table(PAGE.read_text("utf-8")), "utf-8")
