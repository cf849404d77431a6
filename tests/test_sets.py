"""The sets of tests: what a run leaves out is said, and CI adds the depth of what has changed."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from scripts.changed_depth import changed_since, chosen
from tests.support.real_model import NAME, NEEDS

pytest_plugins = ["pytester"]

TESTS = """
import pytest

def test_of_the_gate():
    pass

@pytest.mark.depth
def test_deeper():
    pass

@pytest.mark.long
@pytest.mark.parametrize("number", range(2))
def test_longer(number):
    pass
"""
DEEP = "import pytest\nfrom assistant.rooms import wire\npytestmark = pytest.mark.depth\n"
FILES = {
    "assistant/rooms/wire.py": "from assistant.core import codec\n",
    "assistant/rooms/base/room.py": "",
    "assistant/core/codec.py": "",
    "assistant/music/player.py": "",
    "tests/rooms/test_wire.py": DEEP,
    "tests/music/test_player.py": DEEP.replace("rooms import wire", "music import player"),
    "tests/music/test_gate.py": "from assistant.music import player\n",
}


@pytest.mark.parametrize("workers", [(), ("-n", "2")])
def test_what_a_run_leaves_out_is_said(pytester: pytest.Pytester, workers: tuple[str, ...]) -> None:
    pytester.makeini("[pytest]\nmarkers =\n    depth\n    long\n")
    pytester.makepyfile(TESTS)
    ran = pytester.runpytest_inprocess(
        "-p", "tests.support.sets", "-m", "not depth and not long", *workers
    )
    ran.stdout.fnmatch_lines(
        [
            "not run: 1 tests marked depth (make test-all)",
            "not run: 2 tests marked long (make test-long)",
        ]
    )


def test_a_run_of_everything_says_nothing(pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\nmarkers =\n    depth\n    long\n")
    pytester.makepyfile(TESTS)
    ran = pytester.runpytest_inprocess("-p", "tests.support.sets")
    ran.stdout.no_fnmatch_line("not run*")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return tmp_path


@pytest.mark.parametrize(
    ("changed", "files"),
    [
        ("assistant/rooms/base/room.py", ["tests/rooms/test_wire.py"]),
        ("assistant/core/codec.py", ["tests/rooms/test_wire.py"]),
        ("assistant/music/player.py", ["tests/music/test_player.py"]),
        ("tests/music/test_player.py", ["tests/music/test_player.py"]),
        ("tests/music/test_gate.py", []),
        ("README.md", []),
        ("requirements/run.txt", ["tests/music/test_player.py", "tests/rooms/test_wire.py"]),
    ],
)
def test_the_depth_of_what_has_changed_is_chosen(
    tree: Path, changed: str, files: list[str]
) -> None:
    assert chosen(tree, [changed]) == files


def test_a_test_of_no_folder_is_of_the_whole_program(tree: Path) -> None:
    (tree / "tests/test_whole.py").write_text("pytestmark = pytest.mark.depth\n")
    assert chosen(tree, ["assistant/rooms/base/room.py"])[-1] == "tests/test_whole.py"
    assert chosen(tree, ["README.md"]) == []


def test_a_text_that_names_the_mark_has_no_depth(tree: Path) -> None:
    (tree / "tests/test_texts.py").write_text('TEXT = "@pytest.mark.depth"\n')
    assert "tests/test_texts.py" not in chosen(tree, None)


def test_where_history_is_missing_all_is_chosen(tree: Path) -> None:
    assert changed_since(tree) is None
    assert chosen(tree, None) == ["tests/music/test_player.py", "tests/rooms/test_wire.py"]


def test_changes_count_since_the_day_before(tree: Path) -> None:
    def git(*arguments: str, date: str = "2026-01-02T09:00:00") -> None:
        identity = ("-c", "user.name=a", "-c", "user.email=a@b")
        environment = {"GIT_COMMITTER_DATE": date, "GIT_AUTHOR_DATE": date, "HOME": str(tree)}
        subprocess.run(
            ("git", *identity, *arguments),
            cwd=tree,
            env=environment,
            check=True,
            capture_output=True,
        )

    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "first", date="2026-01-01T23:00:00")
    (tree / "assistant/core/codec.py").write_text("CHANGED = True\n")
    git("commit", "-qam", "second")
    (tree / "README.md").write_text("new\n")
    git("add", ".")
    git("commit", "-qm", "third")
    assert changed_since(tree) == ["README.md", "assistant/core/codec.py"]
    assert changed_since(tree, "HEAD^") == ["README.md"]
    assert changed_since(tree, "no such commit") is None


@pytest.mark.parametrize("workers", [(), ("-n", "2")])
def test_what_a_run_had_no_model_for_is_named(
    pytester: pytest.Pytester, workers: tuple[str, ...]
) -> None:
    pytester.makepyfile(
        f"""
        import pytest

        def test_of_hearing():
            pytest.skip({NEEDS!r} + ": it is not here")

        def test_of_another_thing():
            pytest.skip("no flite here")
        """
    )
    ran = pytester.runpytest_inprocess("-p", "tests.support.sets", *workers)
    ran.stdout.fnmatch_lines(
        [f"not run: 1 tests need {NAME} (assistant models pull {NAME}): test_of_hearing"]
    )
