"""Wheels from PyPI, fetched by the assistant's own pip in a process of its own.

Only wheels of pure Python are taken, so that nothing of a package is run to fetch or to build it.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from packaging.markers import UndefinedEnvironmentName
from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from assistant.core.errors import InputError
from assistant.skill_installation.contents import MOST_BYTES, PROVIDED, refused

FETCH_S = 300.0
"""Most seconds that a download may take."""
_PIP = (
    *(sys.executable, "-I", "-m", "pip", "--no-input", "--disable-pip-version-check"),
    *("download", "--quiet", "--no-cache-dir", "--only-binary=:all:"),
    *("--platform=any", "--implementation=py", "--abi=none", "--python-version=3.11"),
)
_SHOWN = 300


def fetch(wanted: Sequence[Requirement], into: Path, *, alone: bool = False) -> list[Path]:
    """The wheels of these packages and, unless `alone`, of what they depend on, in `into`.

    Raises `InputError`, with what pip says.
    """
    texts = [str(one) for one in wanted]
    command = (*_PIP, *(("--no-deps",) if alone else ()), "--dest", str(into), "--", *texts)
    environment = {**os.environ, "TMPDIR": str(into)}
    with subprocess.Popen(
        command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True, errors="replace",
    ) as pip:  # fmt: skip
        resource.prlimit(pip.pid, resource.RLIMIT_FSIZE, (MOST_BYTES, MOST_BYTES))
        try:
            said, _ = pip.communicate(timeout=FETCH_S)
        except subprocess.TimeoutExpired as error:
            pip.kill()
            raise InputError("skill.fetch", f"{', '.join(texts)}: the download hangs") from error
    if pip.returncode:
        lines = [line for line in said.splitlines() if "ERROR" in line] or said.splitlines()[-1:]
        told = " ".join(lines).replace("ERROR: ", "")[:_SHOWN]
        message = f"{', '.join(texts)}: there is no wheel of pure Python to be had: {told}"
        raise InputError("skill.fetch", message)
    return sorted(into.glob("*.whl"))


def package_named(text: str) -> Requirement | None:
    """A PyPI name, perhaps with a version (`tides==1.2`); None for what is none."""
    try:
        found = Requirement(text)
    except InvalidRequirement:
        return None
    return found if found.url is None and found.marker is None else None


def dependencies(where: str, requires: Sequence[str]) -> list[Requirement]:
    """What of a package's requirements must be fetched: what no skill finds there already.

    Raises `SkillError` for one that cannot be read, or names an address.
    """
    found = []
    for text in requires:
        try:
            one = Requirement(text)
            needed = one.marker is None or one.marker.evaluate({"extra": ""})
        except (InvalidRequirement, UndefinedEnvironmentName) as error:
            raise refused(where, f"it depends on {text[:100]!r}, which cannot be read") from error
        if one.url is not None:
            raise refused(
                where, f"it depends on an address, {one.url[:100]}; only names are fetched"
            )
        if needed and canonicalize_name(one.name) not in PROVIDED:
            one.marker = None
            found.append(one)
    return found
