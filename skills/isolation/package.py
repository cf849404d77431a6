"""A skill's folder: what its pyproject.toml says, read without running anything of it."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from assistant.core.errors import SkillError
from assistant.core.files import read_text
from skills.isolation.installed import FILES, check_files, is_installed, read_record

GROUP = "assistant.skills"
SHOWN_CHARACTERS = 40


class Package(msgspec.Struct, frozen=True, kw_only=True):
    """Where a skill lies: its folder, its module, the attribute of that, and what it asks for.

    The folder holds the module, or is itself the package of that name. That of an installed skill
    lies in `site`, beside what it depends on, and `hashes` are those that its files must have.
    """

    name: str
    folder: Path
    module: str
    attribute: str
    permissions: tuple[str, ...] = ()
    site: Path | None = None
    hashes: Mapping[str, str] | None = None
    """Path within `site` → SHA-256."""


def read_package(folder: Path) -> Package:
    """The skill in a folder, as its pyproject.toml names it; raises `SkillError`.

    Where the folder is that of an installed skill, its files must be what was installed.
    """
    if not is_installed(folder):
        return _package(folder)
    record, site = read_record(folder), folder / FILES
    check_files(folder, record)
    package = _package(site / record.module)
    return msgspec.structs.replace(package, site=site, hashes=record.files)


def _package(folder: Path) -> Package:
    pyproject = folder / "pyproject.toml"
    document = _read(pyproject)
    points = _table(document, "project", "entry-points", GROUP)
    if len(points) != 1:
        example = f'[project.entry-points."{GROUP}"] with one line such as coffee = "coffee:skill"'
        raise SkillError("skill.entry_point", f"{pyproject}: needs {example}")
    ((name, target),) = points.items()
    module, _, attribute = str(target).partition(":")
    if not module.isidentifier():
        where = f"{pyproject}: {module[:SHOWN_CHARACTERS]!r}"
        raise SkillError("skill.entry_point", f"{where} is no module's name")
    places = (folder / f"{module}.py", folder / module / "__init__.py", folder / "__init__.py")
    if not any(place.is_file() for place in places):
        raise SkillError("skill.module", f"{folder}: there is no {module}.py and no __init__.py")
    asked = _table(document, "tool", "assistant").get("permissions", [])
    if not (isinstance(asked, list) and all(isinstance(one, str) for one in asked)):
        message = f'{pyproject}: permissions is no list such as ["timers", "home:light"]'
        raise SkillError("skill.permission", message)
    return Package(
        name=name,
        folder=folder,
        module=module,
        attribute=attribute or "skill",
        permissions=tuple(asked),
    )


def _read(pyproject: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(read_text(pyproject))
    except OSError as error:
        raise SkillError("skill.unreadable", f"{pyproject}: {error.strerror}") from error
    except ValueError as error:  # no TOML, no UTF-8, or a number of too many digits
        raise SkillError("skill.malformed", f"{pyproject}: {error}") from error
    except RecursionError as error:
        raise SkillError("skill.malformed", f"{pyproject}: it is nested too deeply") from error


def _table(document: Any, *names: str) -> dict[str, Any]:
    """The table of these names; an empty one where there is none."""
    for name in names:
        document = document.get(name) if isinstance(document, dict) else None
    return document if isinstance(document, dict) else {}
