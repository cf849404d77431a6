"""The test files with depth whose feature has changed since a commit: what CI adds to the gate.

`python -m scripts.changed_depth [COMMIT]` prints their paths. Without a commit it is the last one
of the day before the newest; where that is missing, as in a shallow clone, all are printed.
A file's feature is what it imports and the folder that it mirrors, and what the modules there
import; that of a file in no folder is the whole program. A change of the requirements changes every
feature.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
PROGRAM = ("assistant", "audio", "nlu", "skills")
ROOTS = (*PROGRAM, "benchmarks", "models", "scripts", "tests")
FOR_ALL = ("pyproject.toml", "requirements/", "models/manifest.toml", "tests/conftest.py")
"""Starts of the paths on which every test depends."""


def chosen(root: Path, changed: Iterable[str] | None) -> list[str]:
    """The files with depth, below `root`, of what has `changed` (paths); all where that is None."""
    files = [file for file in sorted((root / "tests").rglob("test_*.py")) if _has_depth(file)]
    changes = None if changed is None else set(changed)
    if changes is not None and not any(change.startswith(FOR_ALL) for change in changes):
        files = [file for file in files if changes & _depends_on(root, file)]
    return [str(file.relative_to(root)) for file in files]


def _has_depth(file: Path) -> bool:
    """Whether its code, and not just a text in it, names the mark."""
    return any(
        isinstance(node, ast.Attribute) and ast.unparse(node).endswith("mark.depth")
        for node in ast.walk(_tree(file))
    )


@cache
def _tree(file: Path) -> ast.Module:
    return ast.parse(file.read_text("utf-8"))


def _depends_on(root: Path, test: Path) -> set[str]:
    """Paths of a test, of its feature, and of what that imports."""
    near = {test, *_imported(root, test), *_mirrored(root, test)}
    further = {file for one in near for file in _imported(root, one)}
    return {str(file.relative_to(root)) for file in near | further}


def _mirrored(root: Path, test: Path) -> Iterator[Path]:
    """The modules of the folder that a test's folder mirrors; the program's for a test in none."""
    inside = test.parent.relative_to(root / "tests")
    mirrored = [root / inside, root / "assistant" / inside]
    for folder in mirrored if inside.parts else [root / name for name in PROGRAM]:
        if folder.is_dir():
            yield from folder.rglob("*.py")


@cache
def _imported(root: Path, file: Path) -> frozenset[Path]:
    """The files of this repository that a file imports itself."""
    names = set[str]()
    for node in ast.walk(_tree(file)):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module)
            names.update(f"{node.module}.{alias.name}" for alias in node.names)
    paths = (root / name.replace(".", "/") for name in names if name.split(".")[0] in ROOTS)
    return frozenset(path.with_suffix(".py") for path in paths if path.with_suffix(".py").is_file())


def changed_since(root: Path, commit: str = "") -> list[str] | None:
    """Paths that differ from `commit`, or from the day before; None where history is missing."""
    base = commit or _day_before(root)
    if not base:
        return None
    differing = _git(root, "diff", "--name-only", base, "--")
    return None if differing is None else differing.splitlines()


def _day_before(root: Path) -> str:
    """The last commit of an earlier day than the newest; "" where there is none."""
    day = _git(root, "log", "-1", "--format=%cd", "--date=format:%Y-%m-%d")
    earlier = _git(root, "rev-list", "-1", f"--before={day.strip()} 00:00", "HEAD") if day else ""
    return (earlier or "").strip()


def _git(root: Path, *arguments: str) -> str | None:
    ran = subprocess.run(("git", "-C", root, *arguments), capture_output=True, text=True)
    return None if ran.returncode else ran.stdout


if __name__ == "__main__":
    sys.stdout.writelines(
        f"{file}\n" for file in chosen(REPOSITORY, changed_since(REPOSITORY, *sys.argv[1:2]))
    )
