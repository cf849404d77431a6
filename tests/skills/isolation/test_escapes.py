"""A hostile skill gets out by none of the ways that it knows, under the unit or without it."""

from __future__ import annotations

import ctypes.util
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from skills.isolation.isolated import IsolatedSkill
from tests.skills.isolation.probes import PROBES
from tests.support.hostile_skill import functions, hostile_skill, tries

UNIT = "tests.support.under_unit"
REFUSED_TO_ROOT_TOO = ("reads_the_kernels_log", "locks_memory")
"""What a container may refuse whoever asks, so that its guard cannot be seen to be needed."""
REFUSED_BY_THE_UNIT = (
    *("opens_a_network_socket", "makes_a_namespace", "makes_an_io_uring", "locks_memory"),
    "reads_another_process",
)
LEFT_BY_THE_UNIT = (
    *("reads_a_file", "forks", "starts_a_program", "opens_a_unix_socket", "makes_a_pipe"),
    "opens_a_database",
)

needs_systemd = pytest.mark.skipif(
    shutil.which("systemd-analyze") is None or ctypes.util.find_library("seccomp") is None,
    reason="systemd-analyze or libseccomp is not installed",
)


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("user") / "secret.txt"
    path.write_text("the spare key is under the pot")
    return path


@pytest.fixture(
    scope="module", params=[(), pytest.param((UNIT,), marks=needs_systemd)], ids=["bare", "unit"]
)
def hostile(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, file: Path
) -> Iterator[IsolatedSkill]:
    with hostile_skill(tmp_path_factory.mktemp("skills"), file, *request.param) as skill:
        yield skill


@pytest.mark.parametrize("name", PROBES)
def test_a_skill_does_not_get_out(hostile: IsolatedSkill, name: str) -> None:
    assert tries(hostile, name).startswith("refused")
    assert hostile.pid is not None


@pytest.mark.parametrize("name", [n for n in PROBES if n not in REFUSED_TO_ROOT_TOO])
def test_whoever_is_not_confined_gets_out_so(name: str, file: Path) -> None:
    code = f"{functions(file)}\nprint('escaped' if {name}() else 'refused')"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=30)
    assert ran.stdout.strip().endswith("escaped"), ran.stderr


@needs_systemd
def test_the_unit_takes_some_of_that_from_whoever_is_not_confined_and_not_all(
    file: Path, tmp_path: Path
) -> None:
    """Control: its restrictions are in force there, and they alone would hold no skill."""
    code = f"""
{functions(file)}
import json
def tried(probe):
    try:
        return bool(probe())
    except (Exception, SystemExit):
        return False
names = {(*REFUSED_BY_THE_UNIT, *LEFT_BY_THE_UNIT)!r}
print(json.dumps({{name: tried(globals()[name]) for name in names}}))
"""
    (tmp_path / "loose.py").write_text(code)
    ran = subprocess.run(
        [sys.executable, "-m", UNIT, "loose"],
        env={**os.environ, "PYTHONPATH": os.pathsep.join((str(tmp_path), *sys.path))},
        capture_output=True,
        text=True,
        timeout=60,
    )
    found = json.loads(ran.stdout.splitlines()[-1])
    assert {name for name, escaped in found.items() if escaped} == set(LEFT_BY_THE_UNIT)
