"""What is to be installed: a folder, a wheel or a PyPI name, with all that it depends on."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from assistant.core.errors import InputError
from assistant.skill_development.package import name_fault
from assistant.skill_installation.contents import Distribution, merged, refused
from assistant.skill_installation.download import dependencies, fetch, package_named
from assistant.skill_installation.folder import read_folder
from assistant.skill_installation.wheel import read_wheel


class Contents(msgspec.Struct, frozen=True, kw_only=True):
    """A skill as it will be installed: its name, its module, and every file, also of others."""

    name: str
    version: str
    module: str
    source: str
    files: dict[str, bytes]
    wheels: dict[str, str]
    """Name of a wheel → its SHA-256."""


def gather(source: str) -> Contents:
    """What is in a folder, a wheel, or the wheel of a PyPI name, and what it depends on.

    Raises `InputError` for what cannot be found, and `SkillError` for what cannot be installed.
    """
    with TemporaryDirectory() as fetched:
        own = _distribution(source, Path(fetched))
    if len(own.points) != 1:
        raise refused(own.source, "it needs one entry point in the group assistant.skills")
    ((name, target),) = own.points.items()
    if fault := name_fault(name):
        raise refused(own.source, f'its entry point "{name[:40]}" {fault}')
    module = target.partition(":")[0].strip()
    if f"{module}/pyproject.toml" not in own.files:
        why = f"{module}/pyproject.toml is not in it; ship it as package-data, as skills new does"
        raise refused(own.source, why)
    parts = [own, *_others(own)]
    return Contents(
        name=name,
        version=own.version,
        module=module,
        source=own.source,
        files=merged(parts),
        wheels={one.source: one.sha256 for one in parts if one.sha256},
    )


def _distribution(source: str, scratch: Path) -> Distribution:
    path = Path(source).expanduser()
    if path.is_dir():
        return read_folder(path)
    if path.is_file():
        return read_wheel(path)
    named = package_named(source)
    if named is None or "/" in source or source.endswith(".whl"):
        message = f"{source}: there is no such folder or wheel, and no package has such a name"
        raise InputError("skill.missing", message)
    (wheel,) = fetch([named], scratch, alone=True)
    return read_wheel(wheel)


def _others(own: Distribution) -> list[Distribution]:
    """What a skill depends on, and can import there."""
    wanted = dependencies(own.source, own.requires)
    if not wanted:
        return []
    with TemporaryDirectory() as fetched:
        others = [read_wheel(file) for file in fetch(wanted, Path(fetched))]
    for other in others:
        _check_importable(other)
    return others


def _check_importable(other: Distribution) -> None:
    """Refuse a package that a skill's importer does not find."""
    for name in other.files:
        top, _, inner = name.partition("/")
        if inner.endswith(".py") and f"{top}/__init__.py" not in other.files:
            why = f"{top} has no __init__.py, and a confined skill imports no such package"
            raise refused(other.source, why)
