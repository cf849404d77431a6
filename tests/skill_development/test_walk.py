"""A newcomer's walk to a first skill: the commands and files of the documentation, in order."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from skills.registry import load_registry
from tests.support.commands import run_assistant
from tests.support.voices import speech

REPOSITORY = Path(__file__).resolve().parents[2]
PAGE = (REPOSITORY / "docs" / "skills.md").read_text("utf-8")
MOST_LINES = 15
_STEP = re.compile(
    r"`([\w/.]+)`:\n\n```(?:python|yaml)\n(.*?)```|^\$ \.venv/bin/([^\n]*)$",
    re.DOTALL | re.MULTILINE,
)
"""A file's name with its text, or a command."""


def steps() -> Iterator[tuple[str, str]]:
    """Each file with its text, and each command with "", as the page tells them."""
    walk = PAGE.partition("## Your first skill")[2].partition("\n## ")[0]
    for found in _STEP.finditer(walk):
        file, text, command = found.groups()
        yield (file, text) if file else (command, "")


def run(folder: Path, command: str) -> subprocess.CompletedProcess[str]:
    program, *words = shlex.split(command)
    assert program == "assistant"
    environment = {**os.environ, "HOME": str(folder)}
    said = "water the plants with two cups\n"
    return run_assistant(*words, env=environment, cwd=folder, given=said)


@pytest.mark.depth  # the check of all skills fits heads for most of a minute
@pytest.mark.usefixtures("sentences_alone")
def test_a_newcomer_comes_from_nothing_to_a_skill_that_is_spoken_to(tmp_path: Path) -> None:
    speech("ready")  # skips where there is no flite
    told = {}
    config = tmp_path / "config.toml"
    others = [manifest.name for manifest in load_registry().manifests]
    config.write_text(f"[skills]\ndisabled = {others}\n")
    for name, text in steps():
        if text:
            (tmp_path / name).write_text(text)
            continue
        # Alone, what recognition needs of its sentences is made in a moment.
        alone = f" --config {config}" if "--spoken" in name else ""
        done = run(tmp_path, name + alone)
        assert done.returncode == 0, f"{name}\n{done.stdout}{done.stderr}"
        told[name] = done.stdout
    files = [text for name, text in steps() if name.endswith(".py")]
    assert [len(text.splitlines()) <= MOST_LINES for text in files] == [True]
    assert "I water the plants with two cups." in told["assistant skills dev plants"]
    for tested in ("assistant skills test plants", "assistant skills test plants --spoken"):
        assert "plants: 2 conversations of 3 turns, failed: 0" in told[tested]
    assert "faults: 0" in told["assistant skills check plants"]
    # The control: one wrong line of its tests.
    tests = tmp_path / "plants" / "tests.yaml"
    tests.write_text(tests.read_text().replace("reply: five", "reply: six"))
    assert run(tmp_path, "assistant skills test plants").returncode == 1


def test_the_walk_is_read_whole() -> None:
    names = [name for name, _ in steps()]
    assert names == [
        "assistant skills new plants",
        "assistant skills test plants",
        "plants/__init__.py",
        "plants/tests.yaml",
        "assistant skills dev plants",
        "assistant skills test plants",
        "assistant skills test plants --spoken",
        "assistant skills check plants",
    ]
