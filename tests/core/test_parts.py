"""What messages are made of: what is left out, and periods as text."""

from __future__ import annotations

import typing
from datetime import UTC, datetime

import msgspec
import pytest

from assistant.core.parts import Command, ListedDocument, Period, Slot, When, WhenKind

PERIOD = Period(
    since=datetime(2026, 3, 1, 8, tzinfo=UTC), until=datetime(2026, 3, 2, 9, 30, tzinfo=UTC)
)
WRITTEN = "2026-03-01T08:00:00+00:00/2026-03-02T09:30:00+00:00"


def test_a_period_is_written_and_read_as_iso_8601() -> None:
    assert str(PERIOD) == WRITTEN
    assert Period.read(WRITTEN) == PERIOD


@pytest.mark.parametrize(
    "text",
    [
        "",
        "2026-03-01T08:00:00+00:00",
        "2026-03-01T08:00:00/2026-03-02T09:30:00+00:00",
        "2026-03-01T08:00:00+00:00/2026-03-02T09:30:00",
        "today/tomorrow",
        f"{WRITTEN}/{WRITTEN}",
    ],
)
def test_what_is_no_period_with_offsets_is_none(text: str) -> None:
    with pytest.raises(ValueError, match=r".*"):
        Period.read(text)


def test_what_is_not_told_is_certain_whole_and_without_another_reading() -> None:
    slot = Slot(name="area", value="kitchen", raw="the kitchen")
    assert (slot.confidence, slot.others) == (1.0, ())
    command = Command(intent="HassTurnOn")
    assert (command.slots, command.confidence, command.text) == ((), 1.0, "")
    listed = ListedDocument(title="a", kind="document", path="/a", passages=2, unencoded=0)
    assert listed.fault == ""


def test_a_part_is_a_value() -> None:
    with pytest.raises(AttributeError):
        PERIOD.since = PERIOD.until  # type: ignore[misc]
    assert msgspec.structs.replace(PERIOD, until=PERIOD.since) != PERIOD


def test_some_times_tell_when_something_begins_and_some_how_long_it_lasts() -> None:
    times = [When(kind=kind, said="") for kind in typing.get_args(WhenKind)]
    assert {time.kind for time in times if time.begins} == {"at", "in", "every"}
    assert {time.kind for time in times if time.lasts} == {"for", "until"}
