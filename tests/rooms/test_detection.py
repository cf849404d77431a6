"""What a satellite of Hark tells of a wake word is read again; other contexts mean nothing."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from wyoming.wake import Detection

from assistant.rooms.detection import (
    KEY,
    LONGEST_NAME,
    LONGEST_S,
    MOST_DB,
    Comparing,
    Ended,
    Noticed,
    name_of,
)
from assistant.rooms.wire import MALFORMED
from audio.clearness import Heard


def test_what_is_told_is_read_again() -> None:
    noticed = Noticed(
        preroll_s=1.5, keyword_ended_s=0.45, heard=Heard(clearness_db=12.5, imprint=b"ab")
    )
    event = Detection(name="computer", context=noticed.context()).event()
    assert Noticed.of(Detection.from_event(event).context) == noticed


@pytest.mark.parametrize("context", [None, {}, {"somebody": {"preroll_s": 9}}, {KEY: {"new": 1}}])
def test_others_tell_nothing(context: dict[str, Any] | None) -> None:
    assert Noticed.of(context) == Noticed()


@pytest.mark.parametrize("told", [7, "loud", [], {"preroll_s": "long"}, {"heard": "loud"}])
def test_another_type_is_malformed(told: object) -> None:
    with pytest.raises(MALFORMED):
        Noticed.of({KEY: told})


@pytest.mark.parametrize(("told_s", "taken_s"), [(-1e308, 0.0), (1e308, LONGEST_S), (2.5, 2.5)])
def test_seconds_are_taken_within_bounds(told_s: float, taken_s: float) -> None:
    noticed = Noticed.of({KEY: {"preroll_s": told_s, "keyword_ended_s": told_s}})
    assert (noticed.preroll_s, noticed.keyword_ended_s) == (taken_s, taken_s)
    assert Comparing.of({KEY: {"ended_s": told_s}}) == Comparing(ended_s=taken_s)


@pytest.mark.parametrize(
    ("told_db", "taken_db"),
    [(1e308, MOST_DB), (-1e308, -MOST_DB), (float("nan"), -MOST_DB), (31.5, 31.5)],
)
def test_clearness_is_taken_within_bounds(told_db: float, taken_db: float) -> None:
    heard = Noticed.of({KEY: {"heard": [told_db, ""]}}).heard
    assert heard == Heard(taken_db, b"")


def test_what_a_base_knows_of_is_read_again() -> None:
    assert Ended.of(Ended(detections=7).context()) == Ended(detections=7)
    assert Ended.of(None) is Ended.of({"somebody": {}}) is None
    with pytest.raises(MALFORMED):
        Ended.of({KEY: {"detections": "many"}})


def test_a_name_is_a_short_text() -> None:
    assert (name_of("computer"), name_of(None)) == ("computer", "")
    for wrong in (["computer"], 7, "a" * (LONGEST_NAME + 1)):
        with pytest.raises(msgspec.ValidationError):
            name_of(wrong)
