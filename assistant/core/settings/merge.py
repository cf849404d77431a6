"""Tables of settings, merged key by key, and listed under their full names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

_OPEN = "skills.settings"
"""The table whose tables' keys are settings too; any other table in a section is one value."""
Sources = dict[str, str]
"""Full name of a setting → the file it comes from."""


def merge(into: dict[str, Any], given: Mapping[str, Any], prefix: str, source: str) -> Sources:
    """Put the settings of a file over those before it; return where each comes from."""
    sources: Sources = {}
    for key, value in given.items():
        name = f"{prefix}{key}"
        if _is_open(name) and isinstance(value, dict):
            sources |= merge(into.setdefault(key, {}), value, f"{name}.", source)
        else:
            into[key] = value
            sources[name] = source
    return sources


def flat(values: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Every setting under its full name; a section, or an open table, is told by its keys."""
    for key, value in values.items():
        name = f"{prefix}{key}"
        if isinstance(value, dict) and value and (not prefix or _is_open(name)):
            yield from flat(value, f"{name}.")
        else:
            yield name, value


def _is_open(name: str) -> bool:
    return _OPEN in (name, name.rpartition(".")[0])
