"""Which mutants a file has, and that a test which notices one is told from one that does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import mutants
from benchmarks.mutants import (
    KILLED,
    OWN_TESTS,
    REPOSITORY,
    SURVIVED,
    Mutant,
    Tree,
    UnsoundError,
    drawn,
)
from benchmarks.mutations import Mutation, compiles, mutations

PLANTED = (
    "def older(years: int) -> int:\n    while years < 7:\n        years += 1\n    return years\n"
)
LOOSE = "def test_it_is_a_number() -> None:\n    assert older(3) != 3\n"
BROKEN = "def test_it_fails() -> None:\n    assert older(3) == 0\n"
TIGHT = "def test_it_ends_at_seven() -> None:\n    assert older(3) == 7\n"


def changed(source: str) -> list[str]:
    """The file after each mutation of it."""
    return [m.applied(source.encode()).decode() for m in mutations(source.encode())]


@pytest.mark.parametrize(
    ("source", "changes"),
    [
        ("x = a < b\n", ["x = a <= b\n"]),
        ("x = a  is not   b\n", ["x = a  is   b\n"]),
        ("x = a and not b\n", ["x = a and b\n", "x = a or not b\n"]),
        ("x = a or b or c\n", ["x = a and b or c\n", "x = a or b and c\n"]),
        ("x = (a) // -b\n", ["x = (a) * -b\n", "x = (a) // b\n"]),
        ("x = 'ä' + b\n", ["x = ('äX') + b\n", "x = 'ä' - b\n"]),
        (
            "x = [7, True, 0.5]\n",
            ["x = [7, False, 0.5]\n", "x = [7, True, 1.5]\n", "x = [8, True, 0.5]\n"],
        ),
        ("x = f(a, b)\n", ["x = f(a)\n"]),
        ("x = f(a, key=b)\n", ["x = f(a)\n"]),
        ("x = f(key=b)\n", ["x = f()\n"]),
        ("x = [a for a in b if c(a)]\n", ["x = [a for a in b if not (c(a))]\n"]),
        ("x: int | None = y\n", []),
        ("T = A | None\n", []),
        ("if a:\n    b()\n", ["if a:\n    pass\n", "if not (a):\n    b()\n"]),
        ("def f():\n    return a\n", ["def f():\n    return None\n"]),
        ("def f():\n    return\n", ["def f():\n    pass\n"]),
        ("@g\ndef f(a: 'int' = b): ...\n", ["\ndef f(a: 'int' = b): ...\n"]),
        ("self.a = b\n", ["pass\n"]),
        (
            "with suppress(A, B):\n    a = b\n",
            ["with suppress(A):\n    a = b\n", "with suppress(B):\n    a = b\n"],
        ),
        ("try:\n    a = b\nexcept A:\n    a = c\n", ["try:\n    a = b\nexcept ():\n    a = c\n"]),
        (
            "raise AError('a.code', 'what is wrong') from b\n",
            ["pass\n", "raise AError(('a.codeX'), 'what is wrong') from b\n"],
        ),
        ("C = {A: ('a.code', 'what is wrong')}\n", ["C = {A: (('a.codeX'), 'what is wrong')}\n"]),
        ("message = f'{a} is wrong'\n", []),
        ("log.info('said %s', a + 1)\n", []),
        ("log.error('said %s', a + 1)\n", ["pass\n"]),
        ('"""What it is."""\n__all__ = ["a"]\n', []),
    ],
)
def test_what_is_mutated_and_what_is_left_alone(source: str, changes: list[str]) -> None:
    assert sorted(changed(source)) == sorted(changes)


@pytest.mark.parametrize("file", sorted(OWN_TESTS))
def test_every_file_and_its_tests_are_there(file: str) -> None:
    assert all((REPOSITORY / name).is_file() for name in (file, *OWN_TESTS[file]))


def test_a_seed_draws_the_same_and_no_place_twice(tmp_path: Path) -> None:
    (tmp_path / "planted.py").write_text(PLANTED)
    first, again, other = (list(drawn(tmp_path, ["planted.py"], seed, 5)) for seed in (1, 1, 2))
    assert first == again != other
    assert len(set(first)) == 5
    assert all(compiles(m.mutation.applied(PLANTED.encode())) for m in first)


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    """A function of three names; its own tests are tight, loose, or fail in any case."""
    own_tests = {}
    for name, test in (("tight", TIGHT), ("loose", LOOSE), ("broken", BROKEN)):
        (tmp_path / f"{name}.py").write_text(PLANTED)
        (tmp_path / f"test_{name}.py").write_text(f"from {name} import older\n\n{test}")
        own_tests[f"{name}.py"] = (f"test_{name}.py",)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    return Tree(tmp_path, own_tests)


def mutant(file: str, old: str, new: str) -> Mutant:
    start = PLANTED.index(old)
    return Mutant(file, Mutation(start, start + len(old), new.encode(), "changed"))


@pytest.mark.depth
def test_a_test_that_notices_kills_and_one_that_does_not_lets_live(
    tree: Tree, tmp_path: Path
) -> None:
    killed = tree.judge(mutant("tight.py", "7", "8"))
    assert (killed.outcome, killed.by) == (KILLED, "test_tight.py::test_it_ends_at_seven")
    assert tree.judge(mutant("tight.py", "7", "7")).outcome == SURVIVED
    assert tree.judge(mutant("loose.py", "7", "8")).outcome == SURVIVED
    assert (tmp_path / "tight.py").read_text() == PLANTED


@pytest.mark.depth
def test_a_mutant_without_end_is_killed_with_all_that_it_started(
    tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mutants, "LATE_S", 0.5)
    endless = tree.judge(mutant("loose.py", "years += 1", "years -= 1"))
    assert (endless.outcome, endless.by) == (KILLED, "took too long")


@pytest.mark.depth
def test_tests_that_fail_without_a_mutant_judge_nothing(tree: Tree) -> None:
    with pytest.raises(UnsoundError, match="fails without a mutant"):
        tree.judge(mutant("broken.py", "7", "8"))
