"""The timers' own arithmetic: boots, clocks and rings, with both times as data."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta, timezone

import pytest
from msgspec.structs import replace

from assistant.core.database import Database
from assistant.core.errors import SkillError, StorageError
from assistant.core.messages import RoomTimers, SatelliteChanged, SpokenReply
from assistant.skill.context import LONGEST_TIMER, MOST_TIMERS
from skills.announcements.loudspeakers import Loudspeakers
from skills.scheduler import (
    RUNG_S,
    TimerScheduler,
    create_extended,
    create_timer_areas,
    create_timers,
    this_boot,
)

NOON = datetime(2026, 3, 1, 12, tzinfo=timezone(timedelta(hours=1)))


class Board:
    """A machine with a clock since the boot, one on the wall, and a disk that outlives it."""

    def __init__(self) -> None:
        self.wall, self.boot = NOON, "first"
        self.disk = Database(None, [create_timers, create_extended, create_timer_areas])
        self.start_again(at_s=1000.0)

    def start_again(self, at_s: float, boot: str = "") -> None:
        """The process, and with a name of a `boot` the machine."""
        self.boot = boot or self.boot
        self.loudspeakers = Loudspeakers()
        self.timers = TimerScheduler(
            *(self.disk, lambda: self.wall, self.boot),
            rooms={"office": "Office"},
            loudspeakers=self.loudspeakers,
        )
        self.timers.at_s = at_s

    def set(self, seconds: float, name: str = "", area: str = "") -> str:
        return self.timers.start(timedelta(seconds=seconds), name, area).id

    def wait(self, seconds: float) -> list[SpokenReply]:
        """Let the time pass; the rings at its end."""
        self.timers.at_s += seconds
        self.wall += timedelta(seconds=seconds)
        return [one for one in self.timers.rings() if isinstance(one, SpokenReply)]

    def desk(self, present: bool = True) -> None:
        """The satellite in the office comes, or goes."""
        news = SatelliteChanged(satellite="desk", area="office", present=present)
        self.loudspeakers.observe(news, self.timers.at_s)

    def left(self) -> list[float]:
        return [timer.remaining.total_seconds() for timer in self.timers.all()]

    def due_in(self) -> float | None:
        due_s = self.timers.deadline_s()
        return None if due_s is None else due_s - self.timers.at_s


@pytest.fixture
def board() -> Iterator[Board]:
    board = Board()
    yield board
    board.disk.close()


def test_a_timer_is_told_as_it_was_set(board: Board) -> None:
    timer = board.timers.start(timedelta(minutes=5), "egg")
    assert timer.name == "egg"
    assert timer.duration == timer.remaining == timedelta(minutes=5)
    assert (timer.paused, timer.ringing) == (False, False)
    assert board.timers.all() == (timer,)
    assert len(timer.id) == 32
    assert board.timers.start(timedelta(minutes=5)).name == ""


@pytest.mark.parametrize("seconds", [0.0, -1.0])
def test_a_timer_of_no_time_is_none(board: Board, seconds: float) -> None:
    with pytest.raises(SkillError) as fault:
        board.set(seconds)
    assert fault.value.code == "timer.duration"
    assert board.timers.all() == ()
    assert len(board.set(0.001)) == 32


def test_a_timer_runs_for_a_year_and_no_longer(board: Board) -> None:
    longest_s = LONGEST_TIMER.total_seconds()
    year = board.set(longest_s)
    with pytest.raises(SkillError, match="a timer can run for a year at most") as fault:
        board.set(longest_s + 0.001)
    assert fault.value.code == "timer.duration"
    with pytest.raises(SkillError, match="a timer can run for a year at most"):
        board.timers.extend(year, timedelta(seconds=1))
    assert board.left() == [longest_s]
    board.wait(60)
    board.timers.extend(year, timedelta(seconds=60))
    assert board.left() == [longest_s]


def test_so_many_timers_and_no_more(board: Board) -> None:
    first = board.set(60)
    for _ in range(MOST_TIMERS - 1):
        board.set(60)
    with pytest.raises(SkillError, match="there are 100 timers already") as fault:
        board.set(60)
    assert fault.value.code == "timer.too_many"
    board.timers.cancel(first)
    board.set(60)


@pytest.mark.parametrize(("due_unix_s", "rows"), [(1e11 - 1, 1), (1e11, 0), (-1e11, 0)])
def test_a_row_that_cannot_be_meant_is_passed_over_and_reported_once(
    board: Board, caplog: pytest.LogCaptureFixture, due_unix_s: float, rows: int
) -> None:
    board.set(60)
    board.disk.execute("UPDATE timers SET due_unix_s = ?", due_unix_s)
    for _ in range(3):
        assert len(board.timers.all()) == rows
    told = ["a timer's row is damaged and is passed over (timer.damaged)"]
    assert [record.message for record in caplog.records] == told * (1 - rows)


def test_the_next_due_comes_first_and_time_goes_on(board: Board) -> None:
    board.set(300)
    board.set(60)
    assert board.left() == [60, 300]
    assert board.due_in() == 60
    board.wait(20)
    assert board.left() == [40, 280]


def test_it_rings_on_the_very_second_and_then_is_ringing(board: Board) -> None:
    egg = board.set(60)
    end_ms = round((NOON.timestamp() + 60) * 1000)
    assert board.wait(59.999) == []
    assert board.due_in() == pytest.approx(0.001)
    (ring,) = board.wait(0.001)
    assert ring.utterance_id == f"timer-{egg}-{end_ms}"
    assert ring.once
    assert ring.text == "Your timer for one minute is done."
    (timer,) = board.timers.all()
    assert (timer.ringing, timer.remaining) == (True, timedelta())


def test_a_ring_waits_for_its_answer_as_long_as_it_is_spoken_and_ten_seconds(board: Board) -> None:
    board.set(60, "egg")
    (ring,) = board.wait(60)
    patience_s = 10 + len(ring.text) / 12
    assert board.due_in() == pytest.approx(patience_s)
    assert board.wait(patience_s - 0.01) == []
    assert board.wait(0.01) == [ring]
    assert board.due_in() == pytest.approx(2 * patience_s)
    board.wait(2 * patience_s)
    board.wait(4 * patience_s)
    for _ in range(2):
        assert board.due_in() == 60
        assert board.wait(60) == [ring]


def test_what_was_heard_is_over_and_nothing_else(board: Board) -> None:
    board.set(60, "egg")
    board.set(60, "rice")
    egg, rice = sorted(board.wait(60), key=lambda ring: ring.text)
    board.timers.heard("u1")
    board.timers.heard(egg.utterance_id.removeprefix("timer-"))
    assert len(board.left()) == 2
    board.timers.heard(egg.utterance_id)
    assert [timer.name for timer in board.timers.all()] == ["rice"]
    board.timers.heard(rice.utterance_id)
    assert board.timers.all() == ()
    assert board.due_in() is None


class FullDisk:
    """Takes nothing more, until it is freed."""

    def __init__(self, disk: Database) -> None:
        self._disk, self.full = disk, True

    def execute(self, sql: str, *parameters: object) -> list[tuple[object, ...]]:
        return self._disk.execute(sql, *parameters)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        if self.full:
            raise StorageError("storage.full", "the disk is full")
        with self._disk.transaction():
            yield


def test_what_was_heard_does_not_ring_again_though_the_disk_is_full(board: Board) -> None:
    board.set(60, "egg")
    board.set(60, "rice")
    rings = board.wait(60)
    disk = FullDisk(board.disk)
    board.timers._database = disk  # type: ignore[assignment]
    with pytest.raises(StorageError):
        board.timers.heard(rings[0].utterance_id)
    board.timers.heard("u1")  # what is no ring needs no disk
    assert len(board.timers.all()) == 1
    assert len(board.disk.execute("SELECT id FROM timers")) == 2
    assert board.wait(500) == rings[1:]
    disk.full = False
    board.timers.heard(rings[1].utterance_id)
    assert board.disk.execute("SELECT id FROM timers") == []


def test_what_is_cancelled_is_gone_with_its_ring(board: Board) -> None:
    egg = board.set(60, "egg")
    board.wait(60)
    board.timers.cancel(egg)
    assert (board.timers.all(), board.wait(500), board.due_in()) == ((), [], None)
    with pytest.raises(SkillError) as fault:
        board.timers.extend(egg, timedelta(seconds=1))
    assert fault.value.code == "timer.unknown"
    board.timers.cancel(board.set(60))
    board.timers.cancel(egg)
    assert board.timers.all() == ()


def test_the_last_timer_is_the_one_that_was_set_rang_or_was_cancelled_last(board: Board) -> None:
    egg, tea = board.set(60, "egg"), board.set(300, "tea")
    assert board.timers.rung is None
    board.timers.rename(egg, "duck egg")
    assert (board.timers.last and board.timers.last.name) == "tea"
    board.timers.rename(tea, "mint tea")
    assert (board.timers.last and board.timers.last.name) == "mint tea"
    board.wait(60)
    assert (board.timers.rung and board.timers.rung.name) == "duck egg"
    board.timers.cancel(egg)
    assert (board.timers.rung and board.timers.rung.id) == egg
    board.timers.cancel(tea)
    assert (board.timers.last and board.timers.last.id) == tea
    assert board.timers.rung is None


def test_before_any_timer_there_is_no_last_one_to_rename(board: Board) -> None:
    egg = board.set(60, "egg")
    board.start_again(at_s=1010.0)
    board.timers.rename(egg, "duck egg")
    assert board.timers.last is None
    assert [timer.name for timer in board.timers.all()] == ["duck egg"]


def test_an_end_is_moved_from_what_is_left(board: Board) -> None:
    egg = board.set(60)
    board.wait(20)
    assert board.timers.extend(egg, timedelta(seconds=30)).remaining == timedelta(seconds=70)
    assert board.timers.extend(egg, timedelta(seconds=-50)).remaining == timedelta(seconds=20)
    assert board.timers.extend(egg, timedelta(seconds=-50)).remaining == timedelta()
    assert board.timers.all()[0].duration == timedelta(seconds=60)
    assert len(board.wait(0)) == 1


def test_a_moved_timer_that_rang_rings_anew_under_another_name(board: Board) -> None:
    egg = board.set(60)
    (first,) = board.wait(60)
    assert not board.timers.extend(egg, timedelta(seconds=30)).ringing
    assert board.wait(29) == []
    (second,) = board.wait(1)
    assert second.utterance_id != first.utterance_id
    board.timers.heard(first.utterance_id)
    assert len(board.timers.all()) == 1


def test_a_paused_timer_keeps_its_time(board: Board) -> None:
    egg = board.set(60)
    board.wait(20)
    board.timers.pause(egg)
    assert board.wait(1000) == []
    (timer,) = board.timers.all()
    assert (timer.paused, timer.remaining) == (True, timedelta(seconds=40))
    assert board.timers.extend(egg, timedelta(seconds=5)).paused
    assert board.due_in() is None
    board.timers.resume(egg)
    assert (board.timers.all()[0].paused, board.due_in()) == (False, 45)
    assert len(board.wait(45)) == 1
    board.timers.pause(egg)
    assert (board.left(), board.wait(1000)) == ([0], [])


def test_how_long_a_timer_has_run_leaves_out_its_pauses(board: Board) -> None:
    egg = board.set(60)
    board.wait(20)
    board.timers.extend(egg, timedelta(seconds=30))
    board.timers.pause(egg)
    board.wait(1000)
    board.timers.resume(egg)
    board.wait(10)
    (timer,) = board.timers.all()
    assert (timer.elapsed, timer.remaining) == (timedelta(seconds=30), timedelta(seconds=60))
    board.timers.cancel(egg)
    board.timers.restore(timer)
    board.wait(5)
    assert board.timers.all()[0].elapsed == timedelta(seconds=35)


def test_timers_have_places_in_the_order_of_their_starts(board: Board) -> None:
    egg, tea = board.set(60, "egg"), board.set(30, "tea")
    board.set(90, "rice")
    board.timers.extend(egg, timedelta(seconds=5))
    board.timers.pause(egg)
    board.timers.rename(tea, "pot")
    assert {t.name: t.place for t in board.timers.all()} == {"egg": 1, "pot": 2, "rice": 3}
    board.timers.cancel(egg)
    assert {t.name: t.place for t in board.timers.all()} == {"pot": 1, "rice": 2}
    assert board.timers.start(timedelta(seconds=5), "jam").place == 3


def test_a_timer_put_back_in_place_of_itself_keeps_its_place(board: Board) -> None:
    egg = board.timers.start(timedelta(seconds=60), "egg")
    board.set(30, "tea")
    longer = replace(egg, duration=timedelta(seconds=90), remaining=timedelta(seconds=90))
    board.timers.restore(longer)
    assert [(t.name, t.place) for t in board.timers.all()] == [("tea", 2), ("egg", 1)]
    assert board.timers.last is not None
    assert board.timers.last.duration == timedelta(seconds=90)


def test_within_a_boot_only_the_clock_since_the_boot_counts(board: Board) -> None:
    board.set(60)
    board.wall += timedelta(days=400)
    board.start_again(at_s=board.timers.at_s)
    assert (board.left(), board.due_in()) == ([60], 60)
    assert len(board.wait(60)) == 1


def test_a_clock_that_was_set_before_a_reboot_moves_no_end(board: Board) -> None:
    board.set(600)
    board.wall += timedelta(days=1)
    assert board.wait(200) == []
    board.start_again(at_s=5.0, boot="second")
    assert board.left() == [400]


def test_after_a_reboot_the_clock_on_the_wall_counts(board: Board) -> None:
    board.set(600)
    board.wall += timedelta(seconds=200)
    board.start_again(at_s=5.0, boot="second")
    assert board.left() == [400]
    # It may be put right, so it is looked at again within a minute.
    assert board.due_in() == 60
    board.wait(390)
    assert board.due_in() == 10
    assert board.wait(9.9) == []
    assert len(board.wait(0.1)) == 1


def test_with_a_wrong_clock_it_is_never_later_than_what_was_left(board: Board) -> None:
    board.set(600)
    board.wall -= timedelta(days=400)
    board.start_again(at_s=5.0, boot="second")
    assert board.left() == [600]
    board.wait(100)
    assert board.left() == [500]
    board.wall = NOON + timedelta(seconds=590)
    assert board.left() == [10]
    assert board.wait(499.9 - 490) == []
    assert len(board.wait(0.1)) == 1


def test_one_that_is_moved_after_a_reboot_belongs_to_the_new_boot(board: Board) -> None:
    egg = board.set(600)
    board.wall += timedelta(seconds=200)
    board.start_again(at_s=5.0, boot="second")
    assert board.left() == [400]
    board.timers.extend(egg, timedelta(seconds=100))
    board.wall += timedelta(days=400)
    assert (board.left(), board.due_in()) == ([500], 500)


@pytest.mark.parametrize(
    ("late_s", "told"),
    [
        (0, "Your egg timer is done."),
        (59.9, "Your egg timer is done."),
        (60, "Your egg timer was due at 12:05 pm, one minute ago."),
        (7300, "Your egg timer was due at 12:05 pm, two hours and one minute ago."),
    ],
)
@pytest.mark.parametrize("rebooted", [False, True])
def test_a_late_ring_says_since_when(
    board: Board, late_s: float, told: str, rebooted: bool
) -> None:
    board.set(300, "egg")
    board.timers.at_s += 300 + late_s
    board.wall += timedelta(seconds=300 + late_s)
    board.start_again(at_s=5.0 if rebooted else board.timers.at_s, boot="second" * rebooted)
    (ring,) = board.timers.rings()
    assert ring.text == told


def test_one_from_another_day_says_which(board: Board) -> None:
    board.set(300, "egg")
    board.timers.at_s += 86_400
    board.wall += timedelta(days=1)
    (ring,) = board.timers.rings()
    told = "Your egg timer was due yesterday at 12:05 pm, 23 hours and 55 minutes ago."
    assert ring.text == told


def test_a_ring_keeps_its_words(board: Board) -> None:
    board.set(60, "egg")
    (first,) = board.wait(60)
    assert board.wait(3000) == [first]


def test_before_the_time_is_known_the_rings_are_asked_for_at_once(board: Board) -> None:
    board.start_again(at_s=0.0)
    assert board.timers.deadline_s() is None
    egg = board.set(60)
    assert board.timers.deadline_s() == 0.0
    board.timers.pause(egg)
    assert board.timers.deadline_s() is None
    board.timers.resume(egg)
    assert TimerScheduler(board.disk, lambda: NOON, "first").deadline_s() == 0.0


def test_a_boot_has_a_name_of_its_own() -> None:
    assert this_boot() == this_boot()
    assert len(this_boot()) == 36


def test_a_timer_rings_in_its_room_or_says_which_room_that_is(board: Board) -> None:
    board.set(60, "egg", area="office")
    (here,) = board.wait(60)
    assert (here.area, here.peer) == ("office", "")
    assert here.text == "Your egg timer in the office is done."
    board.desk()
    (there,) = board.wait(20)
    assert (there.area, there.peer, there.text) == ("office", "desk", "Your egg timer is done.")
    board.desk(present=False)
    assert board.wait(30) == [here]


def test_a_room_with_a_loudspeaker_is_told_of_its_timers_once(board: Board) -> None:
    board.set(60, "tea")
    egg = board.set(60, "egg", area="office")
    assert list(board.timers.rings()) == []
    board.desk()
    (told,) = board.timers.rings()
    assert isinstance(told, RoomTimers)
    assert (told.area, [timer.id for timer in told.timers]) == ("office", [egg])
    assert list(board.timers.rings()) == []
    board.timers.cancel(egg)
    assert list(board.timers.rings()) == [RoomTimers(area="office", timers=())]


def test_a_timer_is_moved_to_another_room(board: Board) -> None:
    egg, tea = board.set(60, "egg"), board.set(90, "tea")
    board.timers.ring_in(egg, "office")
    assert [(timer.name, timer.area) for timer in board.timers.all()] == [
        *(("egg", "office"), ("tea", "")),
    ]
    assert board.timers.last is not None
    assert (board.timers.last.id, board.timers.last.area) == (tea, "")
    board.timers.ring_in(tea, "office")
    assert board.timers.last.area == "office"
    board.start_again(at_s=board.timers.at_s)
    board.timers.ring_in(tea, "")
    assert board.timers.last is None
    assert board.left() == [60, 90]
    with pytest.raises(SkillError) as fault:
        board.timers.ring_in("none", "office")
    assert fault.value.code == "timer.unknown"


@pytest.mark.parametrize("heard", [False, True])
def test_one_that_rings_or_has_just_rung_rings_anew_in_the_other_room(
    board: Board, heard: bool
) -> None:
    egg = board.set(60, "egg")
    (here,) = board.wait(60)
    if heard:
        board.timers.heard(here.utterance_id)
    board.desk()
    board.wait(1)
    board.timers.ring_in(egg, "office")
    (there,) = board.wait(0)
    assert (there.area, there.peer) == ("office", "desk")
    assert there.utterance_id != here.utterance_id
    board.timers.heard(here.utterance_id)
    assert len(board.timers.all()) == 1


def test_one_that_rang_long_ago_is_moved_nowhere(board: Board) -> None:
    egg = board.set(60)
    (ring,) = board.wait(60)
    board.timers.heard(ring.utterance_id)
    board.wait(RUNG_S)
    with pytest.raises(SkillError, match="that timer is no more"):
        board.timers.ring_in(egg, "office")
