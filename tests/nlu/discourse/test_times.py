"""Two times in one sentence: when something begins, and how long it then holds."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from assistant.core.messages import When
from nlu.discourse.modifiers import timed
from nlu.discourse.times import retimed, together, when
from nlu.text.canonical import canonical

NOW = datetime(2026, 11, 23, 18, 0, tzinfo=ZoneInfo("Europe/Zurich"))


def said(text: str, now: datetime = NOW) -> When:
    found = when(canonical(text), now)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("text", "begin", "last"),
    [
        ("at seven for an hour", ("at", "2026-11-23T19:00:00+01:00"), ("for", 3600)),
        ("for an hour at seven", ("at", "2026-11-23T19:00:00+01:00"), ("for", 3600)),
        ("in ten minutes for half an hour", ("in", 600), ("for", 1800)),
        (
            "at ten until two",
            ("at", "2026-11-23T22:00:00+01:00"),
            ("until", "2026-11-24T02:00:00+01:00"),
        ),
        (
            "from seven to nine",
            ("at", "2026-11-23T19:00:00+01:00"),
            ("until", "2026-11-23T21:00:00+01:00"),
        ),
        (
            "from seven to nine tomorrow morning",
            ("at", "2026-11-24T07:00:00+01:00"),
            ("until", "2026-11-24T09:00:00+01:00"),
        ),
        (
            "from seven to nine every weekday",
            (
                "every",
                "DTSTART;TZID=Europe/Zurich:20261124T070000\nRRULE:FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR",
            ),
            ("until", "2026-11-24T09:00:00+01:00"),
        ),
        (
            "every weekday from seven to nine",
            (
                "every",
                "DTSTART;TZID=Europe/Zurich:20261124T070000\nRRULE:FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR",
            ),
            ("until", "2026-11-24T09:00:00+01:00"),
        ),
        (
            "from ten to six in the morning",
            ("at", "2026-11-23T22:00:00+01:00"),
            ("until", "2026-11-24T06:00:00+01:00"),
        ),
        (
            "between half past six and seven",
            ("at", "2026-11-23T18:30:00+01:00"),
            ("until", "2026-11-23T19:00:00+01:00"),
        ),
    ],
)
def test_a_beginning_and_how_long_it_holds(
    text: str, begin: tuple[str, object], last: tuple[str, object]
) -> None:
    plain, found = next(timed(canonical(f"turn on the heater {text}"), NOW))
    assert plain.text == "turn on heater"
    assert (found.kind, found.value) == begin
    assert found.lasting is not None
    assert (found.lasting.kind, found.lasting.value) == last


def test_an_end_is_told_from_the_beginning() -> None:
    # At six in the evening "until five" alone is tomorrow's; from four in the morning it is five.
    found = together(said("at four in the morning"), said("until five"), NOW)
    assert found is not None
    assert found.lasting is not None
    assert found.lasting.value == "2026-11-24T05:00:00+01:00"


@pytest.mark.parametrize(
    ("one", "other"),
    [("at seven", "at nine"), ("for an hour", "until nine"), ("at seven", "when i get home")],
)
def test_what_does_not_go_together(one: str, other: str) -> None:
    assert together(said(one), said(other), NOW) is None


@pytest.mark.parametrize(
    "text",
    ["from 19 to 21", "from 80 to 20", "from the kitchen to the hall", "between us and them"],
)
def test_what_is_no_range_of_times(text: str) -> None:
    assert when(canonical(text), NOW) is None


@pytest.mark.parametrize(
    ("before", "now_said", "kind", "last"),
    [
        ("at seven for an hour", "at eight", "at", "for"),
        ("at seven for an hour", "for two hours", "at", "for"),
        ("at seven", "for an hour", "at", "for"),
        ("for an hour", "at eight", "at", "for"),
        ("at seven", "at eight", "at", None),
        ("for an hour", "until nine", "until", None),
    ],
)
def test_what_is_said_anew_takes_the_place_of_as_much(
    before: str, now_said: str, kind: str, last: str | None
) -> None:
    _, first = next(timed(canonical(f"turn on the heater {before}"), NOW))
    anew = said(now_said)
    found = retimed(first, anew, NOW)
    assert found.kind == kind
    assert (found.lasting.kind if found.lasting else None) == last
    assert anew.value in (found.value, found.lasting.value if found.lasting else None)
