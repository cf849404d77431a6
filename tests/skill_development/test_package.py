"""A new skill's package runs, is tested, and keeps the rules; what cannot be written is refused."""

from __future__ import annotations

import importlib.metadata
import os
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

from assistant.core.errors import InputError, SkillError
from assistant.skill_development.package import LONGEST_NAME, write_package
from skills.isolation.host import Host
from skills.isolation.package import GROUP
from tests.cli.test_bad_input import assistant, refused

REPOSITORY = Path(__file__).resolve().parents[2]
LONGEST = "a_skill_of_much_patience"


def run(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "MYPYPATH": str(REPOSITORY)}
    return subprocess.run(
        [sys.executable, "-m", *command],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
    )


@pytest.mark.parametrize("name", ["tide", LONGEST])
def test_a_new_package_keeps_the_rules(tmp_path: Path, name: str) -> None:
    assert len(LONGEST) == LONGEST_NAME
    folder = write_package(name, tmp_path)
    assert folder == tmp_path / name
    module = folder / "__init__.py"
    assert len(module.read_text().splitlines()) <= 15
    checks = (
        ("ruff", "check", name),
        ("ruff", "format", "--check", name),
        ("mypy", "--strict", "--config-file", f"{name}/pyproject.toml", name),
    )
    for check in checks:
        done = run(tmp_path, *check)
        assert done.returncode == 0, done.stdout + done.stderr
    # The control: mypy sees the types of what a skill imports.
    module.write_text(module.read_text().replace("-> Reply", "-> int"))
    assert (
        "incompatible type" in run(tmp_path, *checks[2]).stdout
        or "return" in run(tmp_path, *checks[2]).stdout
    )


def test_it_holds_the_facts_that_are_known_before_it_runs(tmp_path: Path) -> None:
    folder = write_package("high_tide", tmp_path)
    document = tomllib.loads((folder / "pyproject.toml").read_text())
    assert document["project"]["entry-points"][GROUP] == {"high_tide": "high_tide:skill"}
    assert document["tool"]["assistant"] == {"api": 1, "permissions": [], "settings": {}}
    assert Host().load(folder).name == "high_tide"


def test_its_wheel_holds_all_that_the_folder_does(tmp_path: Path) -> None:
    folder = write_package("tide", tmp_path)
    (folder / "locale").mkdir()
    (folder / "locale" / "en.toml").write_text('TryTide = ["have a go at the tide"]')
    wheel = (
        "pip",
        "wheel",
        "--no-build-isolation",
        "--no-deps",
        "--no-index",
        "-w",
        "out",
        "./tide",
    )
    done = run(tmp_path, *wheel)
    assert done.returncode == 0, done.stderr
    (built,) = (tmp_path / "out").glob("*.whl")
    unpacked = tmp_path / "unpacked"
    zipfile.ZipFile(built).extractall(unpacked)
    for file in ("__init__.py", "pyproject.toml", "tests.yaml", "locale/en.toml"):
        assert (unpacked / "tide" / file).read_bytes() == (folder / file).read_bytes()
    (found,) = importlib.metadata.distributions(path=[str(unpacked)])
    (point,) = found.entry_points
    assert (point.group, point.value) == (GROUP, "tide:skill")
    assert Host().load(unpacked / "tide").name == "tide"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("High Tide", "such as high_tide"),
        ("2fast", "such as fast"),
        ("../tide", "no name for a skill"),
        ("", "no name for a skill"),
        ("class", "Python's own"),
        ("random", "Python's own"),
        ("timer", "the assistant's own"),
        ("nlu", "the assistant's own"),
        ("x" * (LONGEST_NAME + 1), "longer than"),
    ],
)
def test_a_name_that_cannot_be_a_skills_is_refused(tmp_path: Path, name: str, words: str) -> None:
    with pytest.raises(SkillError, match=words):
        write_package(name, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_overwritten_or_left_half_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "tide").mkdir()
    refused(assistant(tmp_path, "skills", "new", "tide", "--into", tmp_path), "is there already")
    with pytest.raises(InputError, match="No such file"):
        write_package("tide", tmp_path / "nowhere")

    def full(self: Path, text: str, encoding: str) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(InputError, match="No space left"):
        write_package("snow", tmp_path)
    assert [folder.name for folder in tmp_path.iterdir()] == ["tide"]
