"""The documentation names everything there is, what it names is there, and what it shows runs."""

from __future__ import annotations

import ast
import re
import shlex
from pathlib import Path

import msgspec
import pytest

from assistant.cli.main import COMMANDS, GROUPS
from assistant.core.config import Config
from assistant.core.messages import Message, concrete
from skills.registry import BUILT_IN
from tests.support.commands import run_assistant

REPOSITORY = Path(__file__).resolve().parent.parent
README = (REPOSITORY / "README.md").read_text("utf-8")
PAGES = {
    file: file.read_text("utf-8")
    for file in (*REPOSITORY.glob("*.md"), *(REPOSITORY / "docs").glob("*.md"))
}
ALL = "\n".join(PAGES.values())
LONGEST_README_LINES = 200
EXAMPLE = REPOSITORY / "examples" / "skills" / "dice" / "__init__.py"


def shown_commands() -> list[str]:
    """The lines that are shown after a prompt and that end by themselves."""
    lines = re.findall(r"^\$ \.venv/bin/(assistant (?:say|hear|config).*)$", ALL, re.MULTILINE)
    assert lines
    return sorted(set(lines))


@pytest.mark.parametrize("section", msgspec.to_builtins(Config()))
def test_every_setting_is_explained(section: str) -> None:
    for key in msgspec.to_builtins(Config())[section]:
        assert f"| `{section}.{key}` |" in ALL


@pytest.mark.parametrize("name", [*COMMANDS, *GROUPS])
def test_every_command_is_named(name: str) -> None:
    assert f"assistant {name}" in ALL


def test_every_message_is_named() -> None:
    words = set(re.findall(r"\w+", ALL))
    assert {kind.__name__ for kind in concrete(Message)} <= words


def test_every_built_in_skill_is_described_with_its_intents() -> None:
    for skill in BUILT_IN:
        row = next(line for line in README.splitlines() if line.startswith(f"| {skill.name} |"))
        for schema in skill.manifest().intents:
            assert schema.intent in row


def test_the_example_skills_are_shown_whole() -> None:
    code = EXAMPLE.read_text("utf-8").partition('"""\n\n')[2]
    assert code in README
    assert code in PAGES[REPOSITORY / "docs" / "skills.md"]
    larger = EXAMPLE.parents[1] / "watering" / "__init__.py"
    assert (
        larger.read_text("utf-8").partition('"""\n\n')[2]
        in PAGES[REPOSITORY / "docs" / "skills.md"]
    )


@pytest.mark.usefixtures("sentences_alone")
@pytest.mark.parametrize("command", shown_commands())
def test_what_is_shown_runs(command: str) -> None:
    run_assistant(*shlex.split(command)[1:], cwd=REPOSITORY, check=True)


def test_the_readme_is_read_in_five_minutes() -> None:
    assert len(README.splitlines()) <= LONGEST_README_LINES


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_leads_somewhere(page: Path) -> None:
    assert not dead_links(page.parent, PAGES[page])


def dead_links(folder: Path, text: str) -> list[str]:
    targets = re.findall(r"\]\((?!https?:)([^)#]+)(?:#[\w-]+)?\)", text)
    return [target for target in targets if not (folder / target).exists()]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_file_and_name_in_it_is_there(page: Path) -> None:
    assert not strangers(PAGES[page])


def strangers(text: str) -> list[str]:
    """Files that are named and missing, and names "`X` of `file`" that the file does not define."""
    prose = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    paths = re.findall(r"`((?:assistant|audio|nlu|skills|tests|benchmarks)/[\w/]*\w\.py)", prose)
    found = [path for path in paths if not (REPOSITORY / path).is_file()]
    for name, path in re.findall(r"`([\w.]+)`\s+(?:of|in)\s+`([\w/]+\.py)`", prose):
        file = REPOSITORY / path
        if file.is_file() and not set(name.split(".")) <= defined(file):
            found.append(f"{name} of {path}")
    return found


def defined(file: Path) -> set[str]:
    kinds = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    tree = ast.parse(file.read_text("utf-8"))
    constants = {
        target.id
        for node in tree.body
        if isinstance(node, ast.Assign | ast.AnnAssign)
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Name)
    }
    return constants | {node.name for node in ast.walk(tree) if isinstance(node, kinds)}


def test_what_does_not_exist_is_noticed() -> None:
    # The control of the checks above.
    assert "assistant teleport" not in ALL
    assert "| `audio.telepathy` |" not in ALL
    assert dead_links(REPOSITORY, "[one](docs/telepathy.md) [two](README.md#limits)") == [
        "docs/telepathy.md"
    ]
    assert strangers("`audio/telepathy.py`, `Bus.teleport` of\n`assistant/core/bus.py`") == [
        "audio/telepathy.py",
        "Bus.teleport of assistant/core/bus.py",
    ]
