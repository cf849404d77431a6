"""What a skill's folder holds, checked; nothing of it is run."""

from __future__ import annotations

import os
import stat
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from assistant.core.errors import SkillError
from assistant.skill_installation.contents import (
    Distribution,
    check_amount,
    check_content,
    check_path,
    check_size,
    refused,
)
from skills.isolation.package import read_package

_BUILT = ("build", "dist")
"""Folders that a build leaves beside the sources."""


def read_folder(folder: Path) -> Distribution:
    """What is in the folder of a skill; raises `SkillError` with why it cannot be installed."""
    package = read_package(folder)
    where, files, size_bytes = str(folder), dict[str, bytes](), 0
    for file in _files(folder):
        name = file.relative_to(folder).as_posix()
        check_path(where, name)
        content = _read(where, file)
        check_content(where, name, content)
        files[f"{package.module}/{name}"] = content
        size_bytes += len(content)
        check_amount(where, len(files), size_bytes)
    document: dict[str, Any] = tomllib.loads((folder / "pyproject.toml").read_text("utf-8"))
    project = document["project"]  # it has the entry point
    requires = project.get("dependencies", [])
    if not (isinstance(requires, list) and all(isinstance(one, str) for one in requires)):
        raise refused(where, "its pyproject.toml has dependencies that are no list of texts")
    return Distribution(
        name=package.name,
        version=str(project.get("version", "")),
        source=folder.resolve().name,
        files=files,
        requires=tuple(requires),
        points={package.name: f"{package.module}:{package.attribute}"},
    )


def _files(folder: Path) -> Iterator[Path]:
    """The files of a skill; hidden ones and what tools have built are none."""
    for root, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not _is_built(Path(root, name)))
        # A link to a folder is among the folders, and is not followed: let it be refused.
        links = [name for name in folders if Path(root, name).is_symlink()]
        for name in sorted((*names, *links)):
            if not name.startswith(".") and not name.endswith(".pyc"):
                yield Path(root, name)


def _is_built(folder: Path) -> bool:
    name = folder.name
    built = name in _BUILT and not (folder / "__init__.py").exists()
    return built or name == "__pycache__" or name.startswith(".") or name.endswith(".egg-info")


def _read(where: str, file: Path) -> bytes:
    """The content of a plain file."""
    try:
        how = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC
        with os.fdopen(os.open(file, how), "rb") as opened:
            facts = os.fstat(opened.fileno())
            if not stat.S_ISREG(facts.st_mode):
                raise refused(where, f"{file.name} is no plain file")
            check_size(where, file.name, facts.st_size)
            content = opened.read(facts.st_size + 1)
    except OSError as error:
        if file.is_symlink():
            raise refused(where, f"{file.name} is a link") from error
        raise SkillError("skill.unreadable", f"{file}: {error.strerror}") from error
    check_size(where, file.name, len(content))
    return content
