"""The limits for one file."""

from __future__ import annotations

import resource

import pytest

from assistant.answer.ingest import sandbox
from assistant.answer.ingest.sandbox import Limits, confine


def test_a_parser_has_so_much_time_and_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[object] = []
    monkeypatch.setattr(
        sandbox.resource, "setrlimit", lambda what, value: done.append((what, value))
    )
    monkeypatch.setattr(sandbox.rights, "confine", done.append)
    confine(Limits(memory_bytes=50_000_000, cpu_s=7))
    assert done == [(resource.RLIMIT_CPU, (7, 8)), 50_000_000]


def test_one_file_may_cost_so_much() -> None:
    limits = Limits()
    assert (limits.file_bytes, limits.memory_bytes) == (100_000_000, 512_000_000)
    assert (limits.cpu_s, limits.wall_s, limits.result_bytes) == (120, 900.0, 64_000_000)
