"""Words in, typed values out; `values.yaml` holds the phrases."""

from __future__ import annotations

import random
import re
from datetime import UTC, date, datetime, time, timedelta
from functools import partial
from importlib import resources
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from assistant.core.messages import SlotValue
from assistant.english.dates import WEEKDAYS
from assistant.english.numbers import spell
from assistant.english.spoken import spoken
from assistant.skill.values import Recurrence
from nlu.text.canonical import canonical
from nlu.values import resolve
from nlu.values.clocks import clock
from nlu.values.dates import day
from nlu.values.moments import moment
from tests.support.effort import cpu_s

BERLIN = ZoneInfo("Europe/Berlin")
NOWS = st.datetimes(datetime(2020, 1, 1), datetime(2060, 1, 1)).map(lambda d: d.replace(tzinfo=UTC))
PHRASES = yaml.safe_load((Path(__file__).parent / "values.yaml").read_text("utf-8"))
CASES = [(str(p), kind, v) for kind, phrases in PHRASES.items() for p, v in phrases.items()]


def said(text: str, kind: str, now: datetime) -> SlotValue:
    return resolve.resolve(text, kind, now).value


@pytest.mark.parametrize(("phrase", "kind", "value"), CASES)
def test_phrases(now: datetime, phrase: str, kind: str, value: SlotValue) -> None:
    found = said(phrase, kind, now)
    assert found == (pytest.approx(value) if isinstance(value, float) else value)


def test_canonical_words_mean_the_same_as_spoken_ones(now: datetime) -> None:
    for phrase, kind, value in CASES:
        if isinstance(value, str) and phrase.replace(" ", "").isalpha():
            assert said(canonical(phrase).text, kind, now) == value


def test_another_now_gives_another_value(now: datetime) -> None:
    """The phrases are really read, not known by heart."""
    kept = [said(p, "date", now + timedelta(days=40)) == v for p, v in PHRASES["date"].items()]
    assert sum(kept) < len(kept) / 2


# ── what stays ambiguous ────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("phrase", "kind", "values"),
    [
        ("six", "time", ["06:00:00+01:00", "18:00:00+01:00"]),
        ("six pm", "time", ["18:00:00+01:00"]),
        ("eighteen thirty", "time", ["18:30:00+01:00"]),
        ("half past six", "time", ["06:30:00+01:00", "18:30:00+01:00"]),
        ("friday", "date", ["2026-11-27", "2026-11-20"]),
        ("next friday", "date", ["2026-11-27"]),
        ("next wednesday", "date", ["2026-11-25"]),
        ("next weekend", "date", ["2026-11-28", "2026-11-21"]),
        ("3/4", "date", ["2027-04-03", "2027-03-04"]),
        ("24/12", "date", ["2026-12-24"]),
        ("next week", "date", ["2026-11-23", "2026-11-27"]),
        (
            "tomorrow at midnight",
            "datetime",
            ["2026-11-21T00:00:00+01:00", "2026-11-22T00:00:00+01:00"],
        ),
        ("fifty cents", "currency", ["0.50 USD", "0.50 EUR"]),
        ("five to ten minutes", "duration", [300, 600]),
        ("between 20 and 22 degrees", "temperature", ["20 °", "22 °"]),
    ],
)
def test_readings(now: datetime, phrase: str, kind: str, values: list[SlotValue]) -> None:
    found = resolve.resolve(phrase, kind, now)
    assert [reading.value for reading in found.readings] == values
    assert 0 < sum(reading.likelihood for reading in found.readings) <= 1.0001


@pytest.mark.parametrize(
    ("hour", "phrase", "others"),
    [
        (19, "six", 1),  # an hour ago, or eleven hours ahead
        (19, "eight", 0),
        (8, "six", 0),
        (23, "three", 1),  # in the middle of the night, really?
        (22, "seven", 0),
        (19, "seven in the morning", 0),
    ],
)
def test_only_near_readings_are_worth_a_question(hour: int, phrase: str, others: int) -> None:
    at_the_hour = datetime(2026, 11, 20, hour, 0, tzinfo=BERLIN)
    assert len(resolve.resolve(phrase, "time", at_the_hour).rivals) == others


def test_a_range_keeps_both_ends(now: datetime) -> None:
    assert resolve.resolve("5-10 minutes", "duration", now).bounds == (300, 600)
    assert resolve.resolve("between 20 and 22", "number", now).bounds == (20, 22)
    assert resolve.resolve("five", "number", now).bounds is None


# ── clocks that change ──────────────────────────────────────────────────────────────────────


def test_a_time_has_the_offset_of_its_day() -> None:
    eve_of_summer_time = datetime(2026, 3, 28, 23, 0, tzinfo=BERLIN)
    assert said("6 am", "time", eve_of_summer_time) == "06:00:00+02:00"


def test_a_time_that_is_skipped_moves_on_with_the_clocks() -> None:
    eve = datetime(2026, 3, 28, 12, 0, tzinfo=BERLIN)
    found = said("tomorrow at 2:30 am", "datetime", eve)
    assert found == "2026-03-29T03:30:00+02:00"
    assert datetime.fromisoformat(str(found)).astimezone(BERLIN).isoformat() == found


def test_a_time_that_comes_twice_has_two_readings() -> None:
    eve = datetime(2026, 10, 24, 12, 0, tzinfo=BERLIN)
    found = resolve.resolve("tomorrow at 2:30 am", "datetime", eve)
    values = [reading.value for reading in found.readings]
    assert values == ["2026-10-25T02:30:00+02:00", "2026-10-25T02:30:00+01:00"]
    assert found.readings[0].likelihood > found.readings[1].likelihood


def test_an_hour_from_now_is_an_hour_also_when_clocks_change() -> None:
    before = datetime(2026, 10, 25, 2, 30, tzinfo=BERLIN)
    after = moment("in 1 hour", before)
    assert after is not None
    assert after.astimezone(UTC) - before.astimezone(UTC) == timedelta(hours=1)


def test_a_day_from_now_keeps_the_time_of_day_also_when_clocks_change() -> None:
    assert (
        said("in two days", "datetime", datetime(2026, 10, 24, 9, 0, tzinfo=BERLIN))
        == "2026-10-26T09:00:00+01:00"
    )


def test_a_recurrence_in_utc_has_no_zone() -> None:
    now = datetime(2026, 11, 20, 19, 0, tzinfo=UTC)
    assert said("daily at noon", "recurrence", now) == "DTSTART:20261121T120000Z\nRRULE:FREQ=DAILY"


# ── every value that can be said ────────────────────────────────────────────────────────────


@given(st.integers(0, 99), st.integers(0, 59), st.integers(1, 59))
def test_every_duration_in_words(hours: int, minutes: int, seconds: int) -> None:
    words = f"{spell(hours)} hours {spell(minutes)} minutes and {spell(seconds)} seconds"
    total = hours * 3600 + minutes * 60 + seconds
    assert resolve.duration(canonical(words).text) == total


@given(NOWS, st.integers(1, 30 * 86400))
def test_a_duration_that_we_say_comes_back(now: datetime, seconds: int) -> None:
    words = spoken(timedelta(seconds=seconds), now)
    assert said(words, "duration", now) == seconds


@given(NOWS, st.times())
def test_a_time_that_we_say_comes_back(now: datetime, at: time) -> None:
    found = resolve.resolve(spoken(at, now), "time", now)
    assert time.fromisoformat(str(found.value)) == at.replace(second=0, microsecond=0, tzinfo=UTC)
    assert len(found.readings) == 1


@given(NOWS, st.integers(-1, 3000))
def test_a_date_that_we_say_comes_back(now: datetime, ahead: int) -> None:
    then = now.date() + timedelta(days=ahead)
    assert said(spoken(then, now), "date", now) == then.isoformat()


@given(NOWS, st.integers(60, 3000 * 86400), st.sampled_from(["UTC", "Europe/Berlin"]))
def test_a_moment_that_we_say_comes_back(now: datetime, ahead: int, zone: str) -> None:
    local = now.astimezone(ZoneInfo(zone))
    then = (now + timedelta(seconds=ahead)).astimezone(local.tzinfo)
    then = then.replace(second=0, microsecond=0)
    found = resolve.resolve(spoken(then, local), "datetime", local)
    assert then.isoformat() in [reading.value for reading in found.readings]


@given(NOWS, st.integers(1, 12), st.integers(0, 59))
def test_a_time_without_its_half_of_the_day_comes_next(
    now: datetime, hour: int, minute: int
) -> None:
    found = moment(f"{hour} {minute:02}", now)
    assert found is not None
    assert timedelta(0) < found - now <= timedelta(hours=12)
    assert (found.hour % 12, found.minute) == (hour % 12, minute)


@given(NOWS, st.sampled_from([0, 1]), st.integers(1, 12), st.integers(0, 59))
def test_a_time_with_its_half_is_taken_by_its_word(
    now: datetime, half: int, hour: int, minute: int
) -> None:
    found = clock(f"{hour} {minute:02} {('am', 'pm')[half]}", now)
    assert found == time(hour % 12 + 12 * half, minute, tzinfo=UTC)


@given(NOWS, st.integers(0, 6))
def test_a_weekday_is_within_a_week(now: datetime, weekday: int) -> None:
    found = day(WEEKDAYS[weekday], now)
    assert found is not None
    assert found.weekday() == weekday
    assert 1 <= (found - now.date()).days <= 7


@given(NOWS, st.dates(date(2024, 1, 1), date(2024, 12, 31)))
def test_a_day_of_a_month_is_the_next(now: datetime, then: date) -> None:
    found = day(f"{then.day} of {then:%B}".lower(), now)
    assert found is not None
    assert (found.month, found.day) == (then.month, then.day)
    assert found >= now.date()


@given(NOWS, st.sampled_from([p for p, v in PHRASES["recurrence"].items() if v]))
def test_a_recurrence_begins_after_now(now: datetime, phrase: str) -> None:
    found = Recurrence.read(str(said(phrase, "recurrence", now)))
    if isinstance(found.start, datetime):
        assert found.start > now
    else:
        assert found.start > now.date()
    if codes := re.findall(r"\b(MO|TU|WE|TH|FR|SA|SU)\b", found.rule):
        assert found.start.strftime("%a").upper()[:2] in codes


# ── any text ────────────────────────────────────────────────────────────────────────────────

_WORDS = sorted({word for phrase, _, _ in CASES for word in phrase.split()})
_HOSTILE = [
    "9" * 40,
    "-",
    "/",
    "\x00",
    "½",
    "⅞",
    "٣",
    "💣",
    "A" * 200,
    "1" * 9,
    "0",
    "'",
    "..",
    "$",
]


def _hostile(dice: random.Random) -> str:
    words = dice.choices((*_WORDS, *_HOSTILE), k=dice.randint(0, 14))
    return dice.choice((" ", " ", "", "-", "/", ":")).join(words)


@pytest.mark.parametrize("texts", [2_000, pytest.param(20_000, marks=pytest.mark.depth)])
def test_hostile_texts_have_a_value_or_none_in_bounded_time(now: datetime, texts: int) -> None:
    dice, slowest = random.Random(1), 0.0
    kinds = tuple(PHRASES)
    for _ in range(texts):
        text, kind = _hostile(dice), dice.choice(kinds)
        slowest = max(slowest, cpu_s(partial(said, text, kind, now)))
    assert slowest < 2.0  # where a search doubled with each word, it would be minutes


@given(st.text(), st.sampled_from([*PHRASES, "area", "nonsense"]), st.datetimes())
def test_any_text_has_a_value_or_none(text: str, kind: str, now: datetime) -> None:
    resolve.resolve(text, kind, now.replace(tzinfo=UTC))
    resolve.value(canonical(text).text, kind, now.replace(tzinfo=UTC))


def test_a_recurrence_in_a_zone_without_a_name_begins_at_a_time_of_utc() -> None:
    with (resources.files("tzdata.zoneinfo.Europe") / "Berlin").open("rb") as file:
        nameless = ZoneInfo.from_file(file)
    found = resolve.value(
        "every sunday at 3", "recurrence", datetime(2027, 2, 21, 14, tzinfo=nameless)
    )
    assert found == "DTSTART:20270221T140000Z\nRRULE:FREQ=WEEKLY;BYDAY=SU"
