"""States on their way to the skills: the latest of each device, at a measured pace, none lost."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from contextlib import ExitStack, closing
from datetime import UTC, datetime
from typing import cast

import pytest

from assistant.bridge.complaints import EVERY_S, Complaints
from assistant.bridge.link import Link
from assistant.bridge.mqtt import Broker
from assistant.bridge.sensors.waiting import WaitingValues
from assistant.bridge.stage import STATES_EVERY_S, BridgeStage
from assistant.core.errors import BridgeError
from assistant.core.messages import (
    Anomaly,
    CalendarCommand,
    DeviceChanged,
    HomeCommand,
    HomeReceipt,
    HomeStates,
    Message,
    MusicLibrary,
    MuteChanged,
    SensorAlarm,
    SensorsReport,
    Tick,
    TraceMade,
)
from assistant.core.sensors.described import Sensors
from assistant.core.settings.mqtt import MqttSettings


class Heard(Broker):
    """A broker that is never there; what it reports is put in by hand."""

    def __init__(self) -> None:
        super().__init__(MqttSettings(host="127.0.0.1", port=1))

    def hear(self, **states: str) -> None:
        self._states.update(states)


@pytest.fixture
def broker(things: ExitStack) -> Heard:
    return things.enter_context(closing(Heard()))


def reported(stage: BridgeStage, at_s: float) -> list[dict[str, str]]:
    return [m.states for m in stage.feed(Tick(at_s=at_s)) if isinstance(m, HomeStates)]


def test_the_first_state_goes_at_once_and_a_flood_at_a_measured_pace(broker: Heard) -> None:
    stage = BridgeStage(broker)
    broker.hear(lamp="on")
    assert reported(stage, 10.0) == [{"lamp": "on"}]
    for _ in range(1000):
        broker.hear(lamp="off")
        broker.hear(lamp="on", fan="on")
        assert reported(stage, 10.0 + STATES_EVERY_S / 2) == []
    assert stage.deadline_s() == 10.0 + STATES_EVERY_S
    assert reported(stage, 10.0 + STATES_EVERY_S) == [{"lamp": "on", "fan": "on"}]
    assert reported(stage, 20.0) == []


def test_states_that_the_bus_does_not_take_are_reported_again(broker: Heard) -> None:
    stage = BridgeStage(broker)
    broker.hear(lamp="on", fan="on")
    untaken = iter(stage.feed(Tick(at_s=10.0)))
    assert any(isinstance(message, HomeStates) for message in untaken)
    broker.hear(fan="off")
    assert reported(stage, 11.0) == [{"lamp": "on", "fan": "off"}]


def test_what_changes_while_a_report_is_sent_waits_for_the_next(broker: Heard) -> None:
    stage = BridgeStage(broker)
    broker.hear(lamp="on", fan="on")
    for message in stage.feed(Tick(at_s=10.0)):
        if isinstance(message, HomeStates):
            broker.hear(fan="off")
    assert reported(stage, 11.0) == [{"fan": "off"}]


def test_of_each_culprit_one_complaint_a_minute(caplog: pytest.LogCaptureFixture) -> None:
    now_s = [0.0]
    complaints = Complaints(logging.getLogger("bridge"), lambda: now_s[0])
    for _ in range(50_000):
        complaints.of("lamp", "nonsense")
    complaints.of("fan", "nonsense")
    now_s[0] = EVERY_S
    complaints.of("lamp", "nonsense")
    told = [record.message for record in caplog.records]
    assert told == ["lamp: nonsense", "fan: nonsense", "lamp: nonsense; 49999 more before it"]


def test_a_few_a_minute_may_be_told(caplog: pytest.LogCaptureFixture) -> None:
    now_s = [0.0]
    complaints = Complaints(logging.getLogger("bridge"), lambda: now_s[0], most=2)
    for at_s in (0.0, 10.0, 20.0, 30.0, EVERY_S):
        now_s[0] = at_s
        complaints.of("lamp", "nonsense")
    told = [record.message for record in caplog.records]
    assert told == ["lamp: nonsense", "lamp: nonsense", "lamp: nonsense; 2 more before it"]


class Told:
    """A broker of the tests that says what it is told to say."""

    def __init__(self) -> None:
        self.presence: DeviceChanged | None = None
        self.reported: dict[str, str] = {}
        self.published: list[str] = []
        self.followed: list[str] = []
        self.became: HomeReceipt | None = None
        self.facts: dict[type[Message], Message] = {}
        self.devices: tuple[str, ...] | None = None
        self.values = WaitingValues(lambda: None)
        self.due_at_s: float | None = None
        self.heard: list[object] = []
        self.has_calendar = False

    def due_s(self) -> float | None:
        return self.due_at_s

    def tend(self, at_s: float) -> None:
        self.due_at_s = None

    def alarm(self, anomaly: Anomaly) -> None:
        self.heard.append(anomaly)

    def still_wrong(self, anomalies: Iterable[Anomaly]) -> None:
        self.heard.append(list(anomalies))

    def muted(self, on: bool) -> None:
        self.heard.append(on)

    def share(self, command: CalendarCommand) -> bool:
        if self.has_calendar:
            self.heard.append(command)
        return self.has_calendar

    def follow_sensors(self, described: Sensors) -> None:
        self.heard.append(described)

    def serves(self, entity_id: str) -> bool:
        return self.devices is None or entity_id in self.devices

    def publish(self, command: HomeCommand) -> None:
        self.published.append(command.entity_id)

    def receipt(self) -> HomeReceipt | None:
        return self.became

    def received(self, receipt: HomeReceipt) -> None:
        self.became = None

    def delivered(self, fact: Message) -> None:
        del self.facts[type(fact)]

    def follow(self, entity_ids: Iterable[str]) -> None:
        self.followed = list(entity_ids)

    def states(self) -> HomeStates | None:
        return HomeStates(states=dict(self.reported)) if self.reported else None

    def told(self, report: HomeStates) -> None:
        self.reported = {k: v for k, v in self.reported.items() if report.states.get(k) != v}


def present(present: bool = True) -> DeviceChanged:
    return DeviceChanged(device="broker", present=present, detail="")


def told_at(stage: BridgeStage, *times_s: float) -> list[tuple[float, bool]]:
    """When the broker's presence was told, and which."""
    return [
        (at_s, message.present)
        for at_s in times_s
        for message in stage.feed(Tick(at_s=at_s))
        if isinstance(message, DeviceChanged)
    ]


def test_presence_is_told_at_once_a_second_later_and_then_twice_a_minute() -> None:
    broker = Told()
    stage = BridgeStage(cast(Link, broker))
    assert stage.deadline_s() == 0.0
    assert told_at(stage, 5.0) == []
    assert stage.deadline_s() == 35.0
    broker.presence = present()
    assert told_at(stage, 6.0, 6.5, 7.0, 7.5, 36.9, 37.0, 66.9, 67.0) == [
        *((6.0, True), (7.0, True)),
        *((37.0, True), (67.0, True)),
    ]
    broker.presence = present(False)
    assert told_at(stage, 68.0, 68.9, 69.0) == [(68.0, False), (69.0, False)]
    assert stage.deadline_s() == 99.0


def test_a_command_goes_on_and_gives_nothing() -> None:
    broker = Told()
    broker.presence, broker.reported = present(), {"lamp": "on"}
    stage = BridgeStage(cast(Link, broker))
    assert list(stage.feed(HomeCommand(utterance_id="u", entity_id="light.a", state="on"))) == []
    assert broker.published == ["light.a"]


def test_of_two_links_a_command_goes_by_the_one_that_serves_its_device() -> None:
    player, home = Told(), Told()
    player.devices = ("media_player.mpd",)
    stage = BridgeStage(cast(Link, player), cast(Link, home))
    for entity_id in ("light.a", "media_player.mpd"):
        list(stage.feed(HomeCommand(utterance_id="u", entity_id=entity_id, state="on")))
    assert (player.published, home.published) == (["media_player.mpd"], ["light.a"])
    library = MusicLibrary(names={"genre": ("Jazz",)})
    player.facts, home.reported = {MusicLibrary: library}, {"lamp": "on"}
    given = list(stage.feed(Tick(at_s=10.0)))
    assert given == [library, HomeStates(states={"lamp": "on"})]
    assert list(stage.feed(Tick(at_s=10.1))) == []


def test_a_device_that_no_link_serves_is_named() -> None:
    player = Told()
    player.devices = ()
    stage = BridgeStage(cast(Link, player))
    with pytest.raises(BridgeError, match=r"nothing reaches light\.a"):
        list(stage.feed(HomeCommand(utterance_id="u", entity_id="light.a", state="on")))


def test_every_link_is_told_of_mutes_alarms_and_sensors() -> None:
    one, other = Told(), Told()
    one.presence = present()  # of which only a tick tells
    stage = BridgeStage(cast(Link, one), cast(Link, other))
    began = datetime(2026, 1, 5, tzinfo=UTC)
    anomaly = Anomaly(id="1", sensor="a", fault="low", began=began, score=2.0)
    sensors = Sensors()
    for message in (
        MuteChanged(muted=True),
        SensorAlarm(anomaly=anomaly),
        SensorsReport(readings=(), wrong=(anomaly,)),
    ):
        assert list(stage.feed(message)) == []
    stage.follow_sensors(sensors)
    assert one.heard == other.heard == [True, anomaly, [anomaly], sensors]


def test_what_is_for_the_calendar_goes_to_its_link_alone() -> None:
    home, calendar = Told(), Told()
    home.presence = present()
    stage = BridgeStage(cast(Link, home), cast(Link, calendar))
    command = CalendarCommand(id="1")
    with pytest.raises(BridgeError, match="nothing reaches the calendar") as fault:
        list(stage.feed(command))
    assert fault.value.code == "bridge.nobody"
    calendar.has_calendar = True
    assert list(stage.feed(command)) == []
    assert (home.heard, calendar.heard) == ([], [command])


def test_a_trace_is_forwarded_where_a_collector_is() -> None:
    exports: list[str] = []
    home = Told()
    home.presence = present()
    for forward in (None, exports.append):
        stage = BridgeStage(cast(Link, home), forward=forward)
        assert list(stage.feed(TraceMade(export="{}"))) == []
    assert exports == ["{}"]


def test_a_link_is_tended_when_it_is_due() -> None:
    broker = Told()
    stage = BridgeStage(cast(Link, broker))
    told_at(stage, 10.0)
    broker.due_at_s = 12.0
    assert stage.deadline_s() == 12.0
    told_at(stage, 11.9)
    assert broker.due_at_s == 12.0
    told_at(stage, 12.0)
    assert broker.due_at_s is None
    assert stage.deadline_s() == 40.0


def test_the_broker_is_asked_for_the_devices_that_are_followed() -> None:
    broker = Told()
    BridgeStage(cast(Link, broker)).follow(["light.a", "fan.b"])
    assert broker.followed == ["light.a", "fan.b"]


def test_states_make_it_due_when_the_next_report_may_go() -> None:
    broker = Told()
    broker.presence = present()
    stage = BridgeStage(cast(Link, broker))
    told_at(stage, 10.0, 11.0)
    assert stage.deadline_s() == 41.0
    broker.reported = {"lamp": "on"}
    assert stage.deadline_s() == 0.0
    assert reported(stage, 12.0) == [{"lamp": "on"}]
    assert stage.deadline_s() == 41.0
    broker.reported = {"lamp": "off"}
    assert stage.deadline_s() == 12.2
    assert reported(stage, 12.19) == []
    assert reported(stage, 12.2) == [{"lamp": "off"}]


def test_a_receipt_goes_before_the_states_that_it_may_explain() -> None:
    broker = Told()
    broker.became, broker.reported = HomeReceipt(sent=(1,)), {"lamp": "on"}
    given = list(BridgeStage(cast(Link, broker)).feed(Tick(at_s=10.0)))
    assert given == [HomeReceipt(sent=(1,)), HomeStates(states={"lamp": "on"})]


def test_a_receipt_that_the_bus_does_not_take_is_reported_again_a_second_later() -> None:
    broker = Told()
    broker.presence, broker.became = present(), HomeReceipt(unsure=(7,))
    stage = BridgeStage(cast(Link, broker))
    told_at(stage, 8.0, 9.0)
    broker.became = HomeReceipt(unsure=(7,))
    assert stage.deadline_s() == 0.0
    untaken = iter(stage.feed(Tick(at_s=10.0)))
    assert next(untaken) == HomeReceipt(unsure=(7,))
    assert stage.deadline_s() == 11.0
    assert list(stage.feed(Tick(at_s=10.9))) == []
    assert list(stage.feed(Tick(at_s=11.0))) == [HomeReceipt(unsure=(7,))]
    assert stage.deadline_s() == 39.0


def test_complaints_come_a_minute_apart_and_count_from_nothing(
    caplog: pytest.LogCaptureFixture,
) -> None:
    now_s = [5.0]
    complaints = Complaints(logging.getLogger("bridge"), lambda: now_s[0])
    for at_s in (5.0, 64.9, 65.0, 124.9, 125.0, 185.0):
        now_s[0] = at_s
        complaints.of("lamp", "nonsense")
    told = [record.message for record in caplog.records]
    assert told == [
        "lamp: nonsense",
        *["lamp: nonsense; 1 more before it"] * 2,
        "lamp: nonsense",
    ]
