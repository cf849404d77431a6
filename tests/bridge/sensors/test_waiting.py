"""Values wait in their order, never more than allowed, and nothing goes uncounted."""

from __future__ import annotations

import pytest

from assistant.bridge.sensors.waiting import MOST_A_MESSAGE, WaitingValues
from assistant.core.messages import SensorValue, SensorValues


class Woken(WaitingValues):
    """Counts how often the worker is woken."""

    def __init__(self, most: int = 1000) -> None:
        self.times = 0
        super().__init__(self._count, most)

    def _count(self) -> None:
        self.times += 1

    def told(self) -> SensorValues:
        """The next message, which is delivered."""
        message = self.next()
        assert message is not None
        self.delivered()
        return message


def test_values_go_in_their_order_with_what_was_unusable() -> None:
    waiting = Woken()
    waiting.add("a", 1.0, 10.0)
    waiting.add("b", None, 10.1)
    waiting.add("b", None, 10.2)
    waiting.add("a", 2.0, 10.3)
    values = (SensorValue("a", 1.0, 10.0), SensorValue("a", 2.0, 10.3))
    assert waiting.told() == SensorValues(values=values, unusable={"b": 2})
    assert waiting.next() is None


def test_what_was_not_delivered_comes_again_and_what_came_since_after_it() -> None:
    waiting = Woken()
    waiting.add("a", 1.0, 10.0)
    first = waiting.next()
    waiting.add("a", 2.0, 11.0)
    assert waiting.next() is first
    waiting.delivered()
    assert waiting.told().values == (SensorValue("a", 2.0, 11.0),)


def test_a_message_has_not_more_than_it_may() -> None:
    waiting = Woken(2 * MOST_A_MESSAGE)
    for number in range(MOST_A_MESSAGE + 1):
        waiting.add("a", float(number), 0.0)
    assert [value.value for value in waiting.told().values] == list(map(float, range(500)))
    assert [value.value for value in waiting.told().values] == [500.0]


def test_the_oldest_go_where_none_are_taken_and_are_counted(
    caplog: pytest.LogCaptureFixture,
) -> None:
    waiting = Woken(most=3)
    for number in range(10):
        waiting.add("a", float(number), 0.0)
    assert [value.value for value in waiting.told().values] == [7.0, 8.0, 9.0]
    assert waiting.lost == 7
    assert [record.message for record in caplog.records] == [
        "sensors: values are lost, as none are taken (sensors.behind)"
    ]


def test_it_wakes_once_until_nothing_was_found() -> None:
    waiting = Woken()
    assert not waiting.asked
    for _ in range(3):
        waiting.add("a", 1.0, 0.0)
    assert (waiting.times, waiting.asked) == (1, True)
    waiting.told()
    waiting.add("a", None, 0.0)
    assert (waiting.times, waiting.asked) == (1, True)
    assert waiting.told().unusable == {"a": 1}
    assert waiting.next() is None
    assert not waiting.asked
    waiting.add("a", 1.0, 0.0)
    assert waiting.times == 2
