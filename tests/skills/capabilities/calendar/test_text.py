"""The text of a calendar, changed event by event: every other byte stays."""

from __future__ import annotations

import pytest

from skills.capabilities.calendar.text import EMPTY, blocks_of, events_in, with_events, zones_in

OTHERS = (
    'BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Others//EN\r\nX-OWN;X-P="a;b":keep  this\r\n'
    "BEGIN:VTIMEZONE\r\nTZID:Somewhere\r\nBEGIN:STANDARD\r\nDTSTART:19700101T000000\r\n"
    "TZOFFSETFROM:+0100\r\nTZOFFSETTO:+0100\r\nEND:STANDARD\r\nEND:VTIMEZONE\r\n"
    "BEGIN:VEVENT\r\nsummary:Small\r\n  letters\r\nX-ODD;:\\q\r\nUID:one@others\r\n"
    "BEGIN:VALARM\r\nUID:alarm\r\nTRIGGER:-PT5M\r\nEND:VALARM\r\nEND:VEVENT\r\n"
    "BEGIN:VTODO\r\nUID:todo\r\nSUMMARY:Milk\r\nEND:VTODO\r\n"
    "BEGIN:VEVENT\r\nSUMMARY:Nobody's\r\nEND:VEVENT\r\n"
    "END:VCALENDAR\r\n"
)
NEW = "BEGIN:VEVENT\r\nUID:new\r\nSUMMARY:New\r\nEND:VEVENT\r\n"


def test_an_event_is_known_by_its_own_uid() -> None:
    assert list(events_in(OTHERS)) == ["one@others"]
    assert events_in(EMPTY) == {}


def test_a_new_event_leaves_every_other_byte() -> None:
    made = with_events(OTHERS, {"new": NEW})
    assert made == OTHERS.replace("END:VCALENDAR\r\n", NEW + "END:VCALENDAR\r\n")
    assert with_events(made, {"new": ""}) == OTHERS
    assert with_events(made, {"new": NEW}) == made


def test_an_event_is_replaced_where_it_stands() -> None:
    made = with_events(OTHERS, {"one@others": NEW.replace("UID:new", "UID:one@others")})
    before, after = OTHERS.split("BEGIN:VEVENT\r\nsummary")[0], "BEGIN:VTODO"
    assert made.startswith(before)
    assert made[made.index(after) :] == OTHERS[OTHERS.index(after) :]
    assert "Small" not in made


def test_line_breaks_are_those_of_the_file() -> None:
    plain = OTHERS.replace("\r\n", "\n")
    assert with_events(plain, {"new": NEW}) == with_events(OTHERS, {"new": NEW}).replace(
        "\r\n", "\n"
    )


def test_a_zone_is_defined_once() -> None:
    zoned = NEW.replace("SUMMARY", "DTSTART;TZID=Europe/Zurich:20260109T150000\r\nSUMMARY")
    made = with_events(OTHERS, {"new": zoned})
    again = with_events(made, {"two": zoned.replace("UID:new", "UID:two")})
    assert made.count("TZID:Europe/Zurich") == again.count("TZID:Europe/Zurich") == 1
    unknown = with_events(OTHERS, {"new": zoned.replace("Europe/Zurich", "Nowhere/Else")})
    assert "TZID:Nowhere" not in unknown


def test_moved_times_belong_to_their_series() -> None:
    both = NEW + NEW.replace("SUMMARY", "RECURRENCE-ID:20260109T150000\r\nSUMMARY")
    made = with_events(OTHERS, {"new": both})
    assert events_in(made)["new"] == both
    assert len(blocks_of(both)) == 2
    assert with_events(made, {"new": ""}) == OTHERS


@pytest.mark.parametrize(
    "text",
    [
        "nothing of the kind",
        "BEGIN:VCALENDAR\r\n",
        OTHERS.removesuffix("END:VCALENDAR\r\n"),
        OTHERS.replace("END:VEVENT\r\n", "", 1),
        OTHERS + "more",
        "END:VCALENDAR\r\n",
    ],
)
def test_what_is_no_calendar_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"calendar|beginning"):
        with_events(text, {"new": NEW})


def test_zones_whose_ends_look_otherwise_are_found_once() -> None:
    begin, end = "BEGIN:VTIMEZONE\r\n", "END:VTIMEZONE\r\n"
    zone = f"{begin}TZID:Here  \r\n{end}"
    odd = begin * 20_000 + f"\ufeff{end}" * 20_000
    assert zones_in(f"{EMPTY[:17]}{zone}{zone.replace('Here', 'There')}{EMPTY[-15:]}") == {
        "Here": zone,
        "There": zone.replace("Here", "There"),
    }
    assert zones_in(odd) == {}
    assert zones_in(f"{begin}TZID:{' ' * 200_000}x\r\n{end}").keys() == {"x"}


def test_an_event_of_many_parts_is_one() -> None:
    part = "BEGIN:VEVENT\r\nUID:one\r\nEND:VEVENT\r\n"
    (text,) = events_in(f"{EMPTY[:-15]}{part * 50_000}{EMPTY[-15:]}").values()
    assert text == part * 50_000
