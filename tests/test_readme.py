"""The README names everything there is, and what it shows runs."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from assistant.cli.main import COMMANDS, GROUPS
from assistant.core.config import Config
from assistant.core.messages import Message, concrete
from skills.registry import BUILT_IN

REPOSITORY = Path(__file__).resolve().parent.parent
README = (REPOSITORY / "README.md").read_text("utf-8")
EXAMPLE = REPOSITORY / "examples" / "skills" / "dice" / "dice.py"


def shown_commands() -> list[str]:
    """The lines that the README shows after a prompt and that end by themselves."""
    lines = re.findall(r"^\$ \.venv/bin/(assistant (?:say|hear|config).*)$", README, re.MULTILINE)
    assert lines
    return lines


@pytest.mark.parametrize("section", msgspec.to_builtins(Config()))
def test_every_setting_is_explained(section: str) -> None:
    for key in msgspec.to_builtins(Config())[section]:
        assert f"| `{section}.{key}` |" in README


@pytest.mark.parametrize("name", [*COMMANDS, *GROUPS])
def test_every_command_is_named(name: str) -> None:
    assert f"assistant {name}" in README


def test_every_message_is_named() -> None:
    words = set(re.findall(r"\w+", README))
    assert {kind.__name__ for kind in concrete(Message)} <= words


def test_every_built_in_skill_is_described_with_its_intents() -> None:
    for skill in BUILT_IN:
        row = next(line for line in README.splitlines() if line.startswith(f"| {skill.name} |"))
        for schema in skill.manifest().intents:
            assert schema.intent in row


def test_the_example_skill_is_shown_whole() -> None:
    code = EXAMPLE.read_text("utf-8").partition('"""\n\n')[2]
    assert code in README


@pytest.mark.parametrize("command", shown_commands())
def test_what_is_shown_runs(command: str) -> None:
    words = [sys.executable, "-m", *shlex.split(command)]
    subprocess.run(words, cwd=REPOSITORY, check=True, capture_output=True)


def test_what_does_not_exist_is_noticed() -> None:
    # The control of the checks above.
    assert "assistant teleport" not in README
    assert "| `audio.telepathy` |" not in README
