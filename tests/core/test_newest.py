"""Of what outsiders name without end, the newest is kept."""

from __future__ import annotations

from assistant.core.rooms.newest import Newest


def test_what_was_set_longest_ago_goes_first() -> None:
    kept = Newest[str, int](2)
    kept["a"], kept["b"] = 1, 2
    kept["a"] = 3
    kept["c"] = 4
    assert dict(kept) == {"a": 3, "c": 4}


def test_looking_keeps_nothing() -> None:
    kept = Newest[str, int](2)
    kept["a"], kept["b"] = 1, 2
    assert kept.get("a") == 1
    assert kept.get("z") is None
    kept["c"] = 3
    assert list(kept) == ["b", "c"]
