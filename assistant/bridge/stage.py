"""The bridge as a stage: it passes commands on, and reports what its links tell."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from typing import ClassVar

from assistant.bridge.link import Link
from assistant.bridge.sensors.alarms import summary
from assistant.core.errors import BridgeError
from assistant.core.messages import (
    CalendarCommand,
    DeviceChanged,
    HomeCommand,
    HomeReceipt,
    HomeStates,
    Message,
    MuteChanged,
    SensorAlarm,
    SensorsReport,
    SensorValues,
    Tick,
    TraceMade,
)
from assistant.core.sensors.described import Sensors

ANNOUNCE_EVERY_S = 30.0
JOINED_AFTER_S = 1.0
"""Seconds after which all listeners of this process have connected, which takes up to 0.2 s."""
AGAIN_S = 1.0
"""Seconds after which a receipt that the bus did not take is reported again."""
STATES_EVERY_S = 0.2
"""Fewest seconds between two reports of states, each of which the skills commit to disk. In between
a device's newer state replaces the older; the first state after a pause is reported at once."""
VALUES_EVERY_S = 0.002
"""Fewest seconds between two messages of values, as each costs what a hundred values do."""
VALUES_AGAIN_S = 30.0
"""Seconds after which values that the bus did not take are sent again, unless the process that
judges them tells earlier that it is there: as long as nobody takes them, each attempt holds up
commands for two seconds."""

log = logging.getLogger(__name__)


class BridgeStage:
    """Carries the skills' commands to the other ends, and their reports to the skills.

    Of several links a command goes by the first that serves its device. `forward` takes traces.
    """

    consumes: ClassVar[tuple[type[Message], ...]] = (
        *(HomeCommand, CalendarCommand, SensorAlarm, SensorsReport, MuteChanged, TraceMade, Tick),
    )

    def __init__(
        self,
        *links: Link,
        sensors: Sensors | None = None,
        forward: Callable[[str], None] | None = None,
    ) -> None:
        self._links, self._sensors = links, sensors or Sensors()
        self._forward = forward
        self._news = tuple(_News(link) for link in links)

    def feed(self, message: Message) -> Iterable[Message]:
        """Pass a command, an alarm or a mute on, or give the links' news on a `Tick`."""
        if isinstance(message, HomeCommand):
            for link in self._links:
                if link.serves(message.entity_id):
                    link.publish(message)
                    return
            told = f"nothing reaches {message.entity_id}; see [mqtt] and [home_assistant]"
            raise BridgeError("bridge.nobody", told)
        if isinstance(message, CalendarCommand):
            if not any(link.share(message) for link in self._links):
                raise BridgeError("bridge.nobody", "nothing reaches the calendar; see [calendar]")
            return
        if isinstance(message, SensorAlarm):
            for link in self._links:
                link.alarm(message.anomaly)
            log.warning("%s", summary(message.anomaly, self._sensors))
            return
        if isinstance(message, SensorsReport):
            for news in self._news:
                news.values_are_taken()
            for link in self._links:
                link.still_wrong(message.wrong)
            return
        if isinstance(message, TraceMade):
            if self._forward is not None:
                self._forward(message.export)
            return
        if isinstance(message, MuteChanged):
            for link in self._links:
                link.muted(message.muted)
            return
        for news in self._news:
            yield from news.at(message.at_s)

    def deadline_s(self) -> float | None:
        """When receipts or states may be reported, or a link's presence is to be, again."""
        return min((news.deadline_s() for news in self._news), default=None)

    def follow(self, entity_ids: Iterable[str]) -> None:
        """Report the states of these devices from now on."""
        wanted = list(entity_ids)
        for link in self._links:
            link.follow(wanted)

    def follow_sensors(self, described: Sensors) -> None:
        """Pass on the values of these sensors from now on, and alarms about them."""
        self._sensors = described
        for link in self._links:
            link.follow_sensors(described)


class _News:
    """What one link has to tell, and when it may."""

    def __init__(self, link: Link) -> None:
        self._link = link
        self._announced: DeviceChanged | None = None
        self._announce_at_s = self._receipts_at_s = self._states_at_s = 0.0
        self._values_at_s = 0.0

    def at(self, at_s: float) -> Iterator[Message]:
        """What is to be told now."""
        due_s = self._link.due_s()
        if due_s is not None and at_s >= due_s:
            self._link.tend(at_s)
        facts = list(self._link.facts.values())
        # Before facts and states, which may report what a command that has ended has changed.
        yield from self._receipts(at_s)
        yield from self._presence(at_s)
        for fact in facts:
            yield fact
            self._link.delivered(fact)
        yield from self._states(at_s)
        # At last, as it may wait for who takes them.
        yield from self._values(at_s)

    def values_are_taken(self) -> None:
        """Note that the process that judges values is there."""
        self._values_at_s = 0.0

    def deadline_s(self) -> float:
        """When `at` must be called next."""
        moments = [self._announce_at_s]
        if self._link.receipt():
            moments.append(self._receipts_at_s)
        if self._link.states():
            moments.append(self._states_at_s)
        if self._link.values.asked:
            moments.append(self._values_at_s)
        if (due_s := self._link.due_s()) is not None:
            moments.append(due_s)
        return min(moments)

    def _receipts(self, at_s: float) -> Iterator[HomeReceipt]:
        if at_s >= self._receipts_at_s and (receipt := self._link.receipt()):
            self._receipts_at_s = at_s + AGAIN_S
            yield receipt
            # Only now, so that what the bus did not take is reported again.
            self._link.received(receipt)
            self._receipts_at_s = 0.0

    def _presence(self, at_s: float) -> Iterator[DeviceChanged]:
        presence = self._link.presence
        if presence is not self._announced and presence is not None:
            self._announced = presence
            self._announce_at_s = at_s + JOINED_AFTER_S
            yield presence
        elif at_s >= self._announce_at_s:
            self._announce_at_s = at_s + ANNOUNCE_EVERY_S
            # A broadcast may be lost, most of all while the listeners are starting.
            if presence is not None:
                yield presence

    def _states(self, at_s: float) -> Iterator[HomeStates]:
        if at_s < self._states_at_s:
            return
        report = self._link.states()
        if report is not None:
            self._states_at_s = at_s + STATES_EVERY_S
            yield report
            # Only now, so that states that the bus did not take are reported again.
            self._link.told(report)

    def _values(self, at_s: float) -> Iterator[SensorValues]:
        if at_s < self._values_at_s:
            return
        values = self._link.values.next()
        if values is not None:
            self._values_at_s = at_s + VALUES_AGAIN_S
            yield values
            self._link.values.delivered()
            self._values_at_s = at_s + VALUES_EVERY_S
