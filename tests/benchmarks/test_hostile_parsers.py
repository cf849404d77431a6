"""What the attack on parsers notices of planted faults, and some inputs for each real parser."""

from __future__ import annotations

import itertools
import os
import resource
import signal
from pathlib import Path

import msgspec
import pytest

from benchmarks.hostile.parsers import __main__ as command
from benchmarks.hostile.parsers import measuring
from benchmarks.hostile.parsers.figures import MOST_LEFT_MB, Figures, added
from benchmarks.hostile.parsers.inputs import made
from benchmarks.hostile.parsers.measuring import measure, measure_all
from benchmarks.hostile.parsers.parser import PARSERS, Parser, load

INPUTS = 300
HERE = "tests.benchmarks.test_hostile_parsers"


class RefusedError(Exception):
    """The planted parser's own."""


steps = 0
"""Work that the planted parser has done, which is its clock."""
leaked: list[bytes] = []


def clock() -> float:
    return steps / 100_000


def planted(fault: str = "") -> Parser:
    """A parser of lines with numbers, with a fault."""

    def read(content: bytes) -> bool:
        global steps
        steps += len(content)
        if fault == "quadratic":
            steps += content.count(b"(") ** 2
        if fault == "leak":
            leaked.append(bytes(200_000))
        if fault == "kill" and set(b"(x") & set(content):
            os.kill(os.getpid(), signal.SIGKILL)
        while fault == "endless" and b"(" in content:
            steps += 1
        if fault == "memory":
            bytearray(1_000_000_000)
        if fault == "bare" and content.count(b"\0"):
            raise KeyError("a bare one")
        if fault == "lines" and b"\0" in content:
            raise RefusedError("no\nnumber")
        if not content.startswith(b"1"):
            raise RefusedError("it begins with no 1")
        return True

    return Parser(
        read=read,
        refusals=(RefusedError,),
        samples=(b"1 2 3\n4 5\n",),
        honest=lambda size: b"1 " * (size // 2),
        nests=((b"(", b")"),),
        largest=4_000,
    )


KILLED, HUNGRY, ENDLESS = planted("kill"), planted("memory"), planted("endless")


def found(fault: str) -> Figures:
    return measure("planted", planted(fault), 1, range(INPUTS), clock)


def test_a_parser_without_a_fault_holds() -> None:
    figures = found("")
    assert figures.held, figures
    assert figures.inputs == INPUTS == figures.taken + figures.refused
    assert min(figures.taken, figures.refused) > INPUTS / 10
    assert figures.slowest.ms > 0


def test_a_bare_exception_is_a_fault() -> None:
    figures = found("bare")
    assert not figures.held
    assert "KeyError: 'a bare one'" in figures.told[0]


def test_an_error_of_several_lines_is_a_fault() -> None:
    assert "told ill" in found("lines").told[0]


def test_quadratic_work_is_noticed() -> None:
    figures = found("quadratic")
    assert figures.faults == 0
    assert not figures.held
    assert figures.dearest.ms > 2 * figures.dearest.honest_ms
    worst = made(planted(), 1, figures.dearest.number)
    assert worst.count(b"(") > 100


def test_a_leak_is_noticed() -> None:
    figures = found("leak")
    leaked.clear()
    assert figures.faults == 0
    assert figures.left_mb > MOST_LEFT_MB
    assert not figures.held


def test_an_input_that_ends_the_process_is_named_and_the_others_follow() -> None:
    parts: list[Figures] = []
    measure_all("planted", f"{HERE}:KILLED", 1, 37, 40, parts.append)
    deadly = [n for n in range(37, 40) if set(b"(x") & set(made(planted(), 1, n))]
    (part,) = parts
    assert (part.inputs, part.taken + part.refused) == (3, 3 - len(deadly))
    assert len(deadly) > 1
    assert part.told == [f"input {number} ended the process: -9" for number in deadly]


def test_an_input_without_end_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measuring, "PATIENCE_S", 0.2)
    monkeypatch.setattr(measuring, "LOOKS_EVERY_S", 0.1)
    parts: list[Figures] = []
    measure_all("planted", f"{HERE}:ENDLESS", 1, 24, 26, parts.append)
    assert (parts[0].inputs, parts[0].faults) == (2, 1)
    assert "took more than 0 s of CPU time" in parts[0].told[0]


def test_more_memory_than_the_unit_has_is_a_fault() -> None:
    parts: list[Figures] = []
    measure_all("planted", f"{HERE}:HUNGRY", 1, 0, 3, parts.append)
    assert any("MemoryError" in line for line in parts[0].told)
    assert resource.getrlimit(resource.RLIMIT_AS)[0] == resource.RLIM_INFINITY


def test_inputs_are_the_same_for_the_same_seed_and_number() -> None:
    one, other = ([made(planted(), seed, n) for n in range(50)] for seed in (1, 2))
    assert one == [made(planted(), 1, n) for n in range(50)]
    assert one != other


def test_a_run_goes_on_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "PARSERS", {"planted": f"{HERE}:KILLED"})
    ranges: list[tuple[int, int]] = []

    def part(name: str, _: str, seed: int, begin: int, end: int, keep: object) -> None:
        ranges.append((begin, end))
        keep(Figures(parser=name, seed=seed, inputs=end - begin))  # type: ignore[operator]

    monkeypatch.setattr(command, "measure_all", part)
    state = tmp_path / "state.json"
    for count, more in ((10, ()), (30, ("--resume",)), (20, ())):
        arguments = ["x", "--json", "--count", str(count), "--state", str(state), *more]
        monkeypatch.setattr("sys.argv", arguments)
        with pytest.raises(SystemExit) as ended:
            command.main()
        assert not ended.value.code
    assert ranges == [(0, 10), (10, 30), (0, 20)]
    kept = msgspec.json.decode(state.read_bytes(), type=dict[str, Figures])
    assert kept["planted"].inputs == 20


def test_parts_are_added() -> None:
    parts = [Figures(parser="x", inputs=1, taken=1, grown_mb=n, told=["a"]) for n in (1, 2)]
    whole = added(*parts)
    assert (whole.inputs, whole.taken, whole.grown_mb, whole.told) == (2, 2, 2, ["a", "a"])


@pytest.mark.parametrize("name", PARSERS)
def test_a_real_parser_takes_honest_inputs_and_refuses_some_others(name: str) -> None:
    ticks = itertools.count()
    figures = measure(name, load(PARSERS[name]), 1, range(60), lambda: next(ticks) * 1e-6)
    assert figures.told == []
    assert figures.taken > 0
