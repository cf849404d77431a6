"""What is said unasked of the sensors: at once, once, and urgent things until somebody knows."""

from __future__ import annotations

from collections.abc import Callable
from datetime import time, timedelta

import pytest

from assistant.core.messages import (
    PlaybackEnded,
    SatelliteChanged,
    Tick,
    Woke,
)
from assistant.core.sensors.described import Sensor, Sensors
from skills.announcements.waiting import PAUSES_S
from skills.capabilities.sensors.store import MOST_KEPT
from skills.capabilities.sensors.telling import MOST_AT_A_TIME, REPEAT_S
from tests.support.sensing import (
    CURRENT,
    FREEZER,
    HEAT,
    SHAKES,
    THAWS,
    VIBRATION,
    announcements,
    anomaly,
    at,
    begins,
    over,
    played,
    said,
    thaw,
)
from tests.support.talking import EVENING, Talk

Begin = Callable[..., Talk]
QUIET = (time(18), time(7))


def shown(talk: Talk) -> Talk:
    """The anomaly of the motor has begun, and was told to its end."""
    played(talk, *talk.feed(begins(anomaly(began=talk.now))))
    return talk


def test_an_anomaly_is_told_at_once(watching: Begin) -> None:
    talk = watching()
    assert said(talk.feed(begins(anomaly(began=talk.now)))) == [SHAKES]


def test_it_waits_until_nobody_speaks(watching: Begin) -> None:
    talk = watching()
    talk.feed(Woke(utterance_id="u", wake_word="computer"))
    assert said(talk.feed(begins(anomaly(began=talk.now)))) == []
    talk.feed(PlaybackEnded(utterance_id="u"))
    assert said(talk.wait(PAUSES_S["normal"] + 0.1)) == [SHAKES]


def test_one_that_comes_twice_is_told_once(watching: Begin) -> None:
    talk = shown(watching())
    assert said(talk.feed(begins(anomaly(began=talk.now)))) == []
    talk.restart()
    assert said([*talk.wait(60.0), *talk.feed(begins(anomaly(began=talk.now)))]) == []
    assert said(talk.wait(60.0)) == []
    another = anomaly(id="another", began=talk.now)
    assert said(talk.feed(begins(another))) == [SHAKES]


def test_one_that_was_not_heard_is_told_after_a_restart(watching: Begin) -> None:
    talk = watching()
    talk.feed(begins(anomaly(began=talk.now)))
    talk.restart()
    assert set(said(talk.wait(60.0))) == {SHAKES}


def test_one_that_has_gone_on_says_for_how_long(watching: Begin) -> None:
    talk = watching()
    (told,) = said(talk.feed(begins(anomaly(began=talk.now - timedelta(minutes=10)))))
    assert told == f"{SHAKES} This has gone on for ten minutes."


def test_the_cause_of_the_file_is_told_with_the_last_of_its_sensors(watching: Begin) -> None:
    talk = shown(watching())
    talk.wait(60.0)
    hot = anomaly(HEAT, value=80.0, usual=20.0, began=talk.now)
    (told,) = said(talk.feed(begins(hot)))
    assert told.endswith(" usual is 20. According to your rules the bearing may be worn.")


def test_only_what_is_urgent_is_told_in_quiet_hours(watching: Begin) -> None:
    talk = watching(quiet=QUIET)
    assert said(talk.feed(begins(anomaly(began=talk.now)))) == []
    told = said(talk.feed(begins(thaw(began=talk.now))))
    assert told == [THAWS]


def test_what_waits_says_when_it_began(watching: Begin) -> None:
    talk = watching(quiet=QUIET)
    talk.feed(begins(anomaly(began=talk.now)))
    talk.now = at(7, 30, day=6)
    assert said(talk.feed(Tick())) == [f"{SHAKES} It began on Monday at 6:31 pm."]


def test_what_is_over_before_it_could_be_told_is_told_as_past(watching: Begin) -> None:
    talk = watching(quiet=QUIET)
    one = anomaly(began=talk.now)
    talk.feed(begins(one))
    assert said(talk.feed(over(one))) == []
    talk.now = at(7, 30, day=6)
    (told,) = said(talk.feed(Tick()))
    assert told.startswith("On Monday at 6:31 pm vibration of motor three was four times")
    assert told.endswith("It was over after eight minutes.")


def test_one_that_is_over_when_it_is_first_known_is_told_as_past(watching: Begin) -> None:
    talk = watching()
    one = anomaly(began=talk.now)
    (told,) = said(talk.feed(over(one)))
    assert told.endswith("It was over after eight minutes.")
    assert said(talk.feed(begins(one))) == []


def test_the_end_of_what_is_not_urgent_is_not_told(watching: Begin) -> None:
    talk = shown(watching())
    assert said([*talk.feed(over(anomaly(began=talk.now))), *talk.wait(60.0)]) == []


def test_what_is_urgent_is_told_again_until_it_is_over(watching: Begin) -> None:
    talk = watching()
    one = thaw(began=talk.now)
    played(talk, *talk.feed(begins(one)))
    for minutes in ("three", "six"):
        given = talk.wait(REPEAT_S)
        played(talk, *given)
        assert said(given) == [f"{THAWS} This has gone on for {minutes} minutes."]
    talk.wait(10.0)
    given = talk.feed(over(one))
    assert said(given) == ["Temperature of the freezer is as usual again."]
    played(talk, *given)
    assert said([*talk.feed(over(one)), *talk.wait(3 * REPEAT_S)]) == []


def test_what_is_over_is_told_no_more_where_that_waited(watching: Begin) -> None:
    talk = watching()
    one = thaw(began=talk.now)
    played(talk, *talk.feed(begins(one)))
    assert said(talk.wait(REPEAT_S + 1.0))[0].startswith(THAWS)
    talk.wait(30.0)  # nothing of it was heard
    given = [*talk.feed(over(one)), *talk.wait(600.0)]
    assert set(said(given)) == {"Temperature of the freezer is as usual again."}


def test_what_is_urgent_is_told_again_after_a_restart(watching: Begin) -> None:
    talk = watching()
    played(talk, *talk.feed(begins(thaw(began=talk.now))))
    talk.restart()
    assert said(talk.wait(REPEAT_S / 2)) == []
    assert said(talk.wait(REPEAT_S))[0].startswith(THAWS)


def test_it_is_told_again_in_other_rooms_too(watching: Begin) -> None:
    talk = watching()
    played(talk, *talk.feed(begins(thaw(began=talk.now))))
    talk.wait(REPEAT_S - 10.0)
    talk.feed(SatelliteChanged(satellite="desk", area="office", present=True))
    given = announcements(talk.wait(20.0))
    assert {one.area: one.peer for one in given} == {"": "", "office": "desk"}


def test_an_acknowledged_one_is_not_told_again_until_it_is_over(watching: Begin) -> None:
    talk = watching()
    one = thaw(began=talk.now)
    played(talk, *talk.feed(begins(one)))
    talk.stage._sensors.acknowledge([one.id])
    assert said(talk.wait(3 * REPEAT_S)) == []
    talk.restart()
    assert said(talk.wait(3 * REPEAT_S)) == []
    assert said(talk.feed(over(one))) == ["Temperature of the freezer is as usual again."]


def test_a_muted_sensor_is_silent_and_another_is_not(watching: Begin) -> None:
    talk = watching()
    talk.stage._sensors.mute([FREEZER], timedelta(hours=1))
    assert said(talk.feed(begins(thaw(began=talk.now)))) == []
    assert said(talk.wait(REPEAT_S)) == []
    talk.restart()
    assert said(talk.wait(2 * REPEAT_S)) == []
    assert said(talk.feed(begins(anomaly(began=talk.now)))) == [SHAKES]
    told = said(talk.wait(3600.0))
    assert any(words.startswith(THAWS) for words in told)  # it still goes on


def test_what_waits_is_silent_once_it_is_muted(watching: Begin) -> None:
    talk = watching(quiet=QUIET)
    talk.feed(begins(anomaly(began=talk.now)))
    talk.stage._sensors.mute([VIBRATION], timedelta(hours=20))
    talk.now = at(7, 30, day=6)
    assert said([*talk.feed(Tick()), *talk.wait(60.0)]) == []


MANY = Sensors(
    sensors=tuple(Sensor(id=f"s{n}", name=f"level {n}", topic=f"{n}") for n in range(30))
)


def test_of_many_at_once_it_is_told_how_many(talks: Begin) -> None:
    talk = talks(sensors=MANY, quiet=QUIET)
    talk.wait(60.0)
    for sensor in MANY.by_id:
        talk.feed(begins(anomaly(sensor, "silent", began=talk.now)))
    talk.now = at(7, 30, day=6)
    told = list[str]()
    for _ in range(2 * MOST_AT_A_TIME):
        given = talk.feed(Tick())
        told += said(given)
        played(talk, *given)
        talk.at_s += 10.0
    assert len(told) == MOST_AT_A_TIME + 1
    assert told[-1] == f"{30 - MOST_AT_A_TIME} more sensors are not as usual."


def test_only_the_newest_are_kept(watching: Begin) -> None:
    talk = watching()
    for number in range(MOST_KEPT + 5):
        done = anomaly(CURRENT, id=f"{number}", began=EVENING, over=EVENING)
        talk.stage._sensors._store.put(done)
    kept = talk.stage._sensors.noticed()
    assert (len(kept), kept[0].anomaly.id) == (MOST_KEPT, "5")


def test_a_sensor_that_is_not_listed_is_passed_over(
    watching: Begin, caplog: pytest.LogCaptureFixture
) -> None:
    talk = watching()
    assert said(talk.feed(begins(anomaly("strange", began=talk.now)))) == []
    assert "(sensors.unknown)" in caplog.text


def test_without_sensors_nothing_is_waited_for(talks: Begin) -> None:
    talk = talks()
    talk.feed(Tick())
    assert talk.stage.deadline_s() is None
