"""A skill's folder is taken as it stands, without links, native code or what tools have built."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from assistant.core.errors import InputError, SkillError
from assistant.skill_installation.source import gather
from tests.support.wheels import skill_files, written

FILES = skill_files()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return written(FILES, tmp_path)


def test_what_is_in_a_folder(folder: Path) -> None:
    for built in ("__pycache__/a.pyc", ".git/config", "build/lib/x.py", "tides.egg-info/PKG-INFO"):
        (folder / built).parent.mkdir(parents=True)
        (folder / built).write_text("built")
    (folder / "words").mkdir()
    (folder / "words" / "tide.txt").write_text("high")
    found = gather(str(folder))
    assert found.files == FILES | {"tides/words/tide.txt": b"high"}
    assert (found.name, found.version, found.module) == ("tides", "1", "tides")
    assert (found.source, found.wheels) == ("tides", {})


def link(folder: Path) -> None:
    (folder / "words.txt").symlink_to("/etc/passwd")


def linked_folder(folder: Path) -> None:
    (folder / "words").symlink_to("/etc")


def dangling_link(folder: Path) -> None:
    (folder / "words.txt").symlink_to("nowhere")


def pipe(folder: Path) -> None:
    os.mkfifo(folder / "words.txt")


def large(folder: Path) -> None:
    (folder / "words.txt").write_bytes(b"0" * 2_000_001)


def many(folder: Path) -> None:
    (folder / "words").mkdir()
    for number in range(2000):
        (folder / "words" / str(number)).touch()


def pth(folder: Path) -> None:
    (folder / "tides.pth").write_text("import os")


def native(folder: Path) -> None:
    (folder / "fast.abi3.so").touch()


def hidden_native(folder: Path) -> None:
    (folder / "words.txt").write_bytes(b"\x7fELF")


def name(folder: Path) -> None:
    facts = folder / "pyproject.toml"
    facts.write_text(facts.read_text().replace('tides = "tides', 'random = "tides'))


def odd_dependencies(folder: Path) -> None:
    facts = folder / "pyproject.toml"
    facts.write_text(facts.read_text().replace('version = "1"', "dependencies = 7"))


def no_dependency(folder: Path) -> None:
    facts = folder / "pyproject.toml"
    facts.write_text(facts.read_text().replace('version = "1"', 'dependencies = ["a b c"]'))


def address(folder: Path) -> None:
    facts = folder / "pyproject.toml"
    named = 'dependencies = ["six @ https://example.org/six.whl"]'
    facts.write_text(facts.read_text().replace('version = "1"', named))


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        (link, "words.txt is a link"),
        (linked_folder, "words is a link"),
        (dangling_link, "words.txt is a link"),
        (pipe, "no plain file"),
        (large, "more than 2 MB"),
        (many, "more than 2000 files"),
        (pth, "whenever Python starts"),
        (native, "native code"),
        (hidden_native, "native code"),
        (name, "a name of Python's own"),
        (odd_dependencies, "no list of texts"),
        (no_dependency, "cannot be read"),
        (address, "only names are fetched"),
    ],
)
def test_one_that_is_wrong_is_refused_with_the_reason(
    folder: Path, wrong: Callable[[Path], None], why: str
) -> None:
    wrong(folder)
    with pytest.raises(SkillError, match=why):
        gather(str(folder))


@pytest.mark.parametrize(
    "source", ["nowhere/tides", "tides.whl", "a b", "../..x", "six @ file:///x"]
)
def test_a_source_that_there_is_not_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match="no such folder or wheel"):
        gather(source)
