"""What the client of the broker does not take waits, in its order and within bounds."""

from __future__ import annotations

from assistant.bridge.payloads import Publication
from assistant.bridge.sensors.outbox import AGAIN_S, Outbox


class Client:
    """Takes as many as there is room for."""

    def __init__(self, room: int) -> None:
        self.room = room
        self.taken: list[Publication] = []

    def publish(self, one: Publication) -> bool:
        if len(self.taken) >= self.room:
            return False
        self.taken.append(one)
        return True


def facts(sensor: str, payload: bytes) -> Publication:
    return Publication(f"hark/anomaly/{sensor}", payload, retain=True)


STOP_A, STOP_B = Publication("plant/stop", b"a"), Publication("plant/stop", b"b")


def test_what_is_taken_does_not_wait() -> None:
    client = Client(2)
    outbox = Outbox(client.publish)
    outbox.put([STOP_A, facts("a", b"1")], 5.0)
    assert client.taken == [STOP_A, facts("a", b"1")]
    assert outbox.due_s() is None


def test_what_is_not_taken_goes_later_in_its_order_and_the_newest_of_each_topic() -> None:
    client = Client(0)
    outbox = Outbox(client.publish)
    outbox.put([STOP_A, facts("a", b"1")], 5.0)
    assert outbox.due_s() == 5.0 + AGAIN_S
    outbox.put([STOP_B, facts("b", b"1"), facts("a", b"2")], 5.5)
    client.room = 2
    outbox.send(7.0)
    assert client.taken == [STOP_A, STOP_B]
    assert outbox.due_s() == 7.0 + AGAIN_S
    client.room = 9
    outbox.send(8.0)
    assert client.taken[2:] == [facts("b", b"1"), facts("a", b"2")]
    assert outbox.due_s() is None


def test_a_thousand_alarms_of_one_sensor_are_two_publications() -> None:
    client = Client(0)
    outbox = Outbox(client.publish)
    for number in range(1000):
        outbox.put([STOP_A, facts("a", b"%d" % number)], 5.0)
    client.room = 9
    outbox.send(6.0)
    assert client.taken == [STOP_A, facts("a", b"999")]
