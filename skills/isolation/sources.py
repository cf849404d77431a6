"""The modules and files that a skill may read: those of its own folder and the standard library.

Of an installed skill these are also the packages that it depends on, and each file must have the
hash that was recorded for it.
"""

from __future__ import annotations

import os
import sysconfig
from collections.abc import Sequence
from pathlib import Path

from skills.isolation.installed import check_content
from skills.isolation.package import Package
from skills.isolation.wire import Source, Wants

LARGEST_FILE_BYTES = 2_000_000
STANDARD_LIBRARY = Path(sysconfig.get_path("stdlib"))


def source(package: Package, wanted: Wants) -> Source:
    """What a skill asks for; a link out of its folder leads nowhere.

    Raises `SkillError` for a file of an installed skill that is not what was installed.
    """
    folder, site = package.folder, package.site or package.folder
    if wanted.data:
        return _checked(package, _read(site, Path(wanted.data)))
    parts = wanted.module.split(".")
    if not all(part.isidentifier() for part in parts):
        return Source()
    if (found := _module(folder, parts)).code is not None:
        return _checked(package, found)
    if (found := _module(STANDARD_LIBRARY, parts)).code is not None:
        return found
    if parts[0] == package.module:  # the folder is itself the package
        return _checked(package, _module(folder, parts[1:]))
    return _checked(package, _module(site, parts)) if package.site is not None else Source()


def _module(root: Path, inner: Sequence[str]) -> Source:
    """The module of this name below a folder, which is a package's `__init__.py` or a file."""
    whole = _read(root, root.joinpath(*inner, "__init__.py"))
    if whole.code is not None:
        return Source(file=whole.file, code=whole.code, package=True)
    return _read(root, root.joinpath(*inner[:-1], f"{inner[-1]}.py")) if inner else Source()


def _checked(package: Package, found: Source) -> Source:
    if package.hashes is None or package.site is None or found.code is None:
        return found
    name = os.path.relpath(found.file, package.site)
    check_content(package.name, name, found.code, package.hashes)
    return found


def _read(root: Path, file: Path) -> Source:
    try:
        real = file.resolve(strict=True)
        if not real.is_relative_to(root.resolve()) or not real.is_file():
            return Source()
        if real.stat().st_size > LARGEST_FILE_BYTES:
            return Source()
        return Source(file=str(file), code=real.read_bytes())
    except (OSError, ValueError):
        return Source()
