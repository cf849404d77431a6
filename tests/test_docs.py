"""The tables of faults, situations and stories name tests that there are, and logged codes."""

from __future__ import annotations

import re
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
FAULTS = (REPOSITORY / "docs" / "faults.md").read_text("utf-8")
STORIES = (REPOSITORY / "tests" / "STORIES.md").read_text("utf-8")
SITUATIONS = (REPOSITORY / "docs" / "situations.md").read_text("utf-8")
PROGRAM = "".join(
    file.read_text("utf-8")
    for folder in ("assistant", "audio", "nlu", "skills")
    for file in sorted((REPOSITORY / folder).rglob("*.py"))
)


def rows(table: str = FAULTS) -> list[list[str]]:
    lines = [line for line in table.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines[1:]]


def missing(tests: str) -> list[str]:
    """The tests that a cell names and that there are not."""
    named = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", tests)
    assert named, tests
    return [
        name for file, name in named if f"def {name}(" not in (REPOSITORY / file).read_text("utf-8")
    ]


def test_every_fault_has_a_test_that_exists() -> None:
    assert len(rows()) > 10
    assert not [name for *_, tests in rows() for name in missing(tests)]


def test_every_situation_has_a_test_that_exists() -> None:
    assert len(rows(SITUATIONS)) > 10
    assert not [name for *_, tests in rows(SITUATIONS) for name in missing(tests)]


def gone(stories: str) -> list[str]:
    """The tests that a table of stories names and that there are not."""
    found, code = [], ""
    for file, name in re.findall(r"`([\w/]*(?:\.py)?)(?:::(\w+))?`", stories):
        if file.endswith(".py"):
            code = (REPOSITORY / "tests" / file).read_text("utf-8")
        if name and f"def {name}(" not in code:
            found.append(name)
    return found


def test_every_story_that_is_gone_has_a_test_that_exists() -> None:
    assert STORIES.count(".py::test_") > 20
    assert gone(STORIES) == []


def test_every_code_is_one_of_the_program() -> None:
    codes = [code for row in rows() for code in re.findall(r"`(\w+\.\w*)`", row[2])]
    assert len(codes) > 5
    assert not [code for code in codes if code not in PROGRAM]


def test_what_there_is_not_is_noticed() -> None:
    # The control of the checks above.
    assert missing("`tests/test_docs.py::test_telepathy`") == ["test_telepathy"]
    assert gone("`test_docs.py::test_what_there_is_not_is_noticed`, `::test_telepathy`") == [
        "test_telepathy"
    ]
    assert "storage.telepathy" not in PROGRAM
