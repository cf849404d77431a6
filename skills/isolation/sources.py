"""The modules and files that a skill may read: those of its own folder and the standard library."""

from __future__ import annotations

import sysconfig
from pathlib import Path

from skills.isolation.package import Package
from skills.isolation.wire import Source, Wants

LARGEST_FILE_BYTES = 2_000_000
STANDARD_LIBRARY = Path(sysconfig.get_path("stdlib"))


def source(package: Package, wanted: Wants) -> Source:
    """What a skill asks for; a link out of its folder leads nowhere."""
    folder = package.folder
    if wanted.data:
        return _read(folder, Path(wanted.data))
    parts = wanted.module.split(".")
    if not all(part.isidentifier() for part in parts):
        return Source()
    places = [(folder, parts), (STANDARD_LIBRARY, parts)]
    if parts[0] == package.module:
        places.append((folder, parts[1:]))  # the folder is itself the package
    for root, inner in places:
        whole = _read(root, root.joinpath(*inner, "__init__.py"))
        if whole.code is not None:
            return Source(file=whole.file, code=whole.code, package=True)
        module = _read(root, root.joinpath(*inner[:-1], f"{inner[-1]}.py")) if inner else Source()
        if module.code is not None:
            return module
    return Source()


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
