"""What connections to a home have in common: the news that wait until the daemon has taken them."""

from __future__ import annotations

import contextlib
import logging
import os
import threading
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Literal

from assistant.bridge.sensors.waiting import WaitingValues
from assistant.core.clock import boottime_s
from assistant.core.messages import (
    Anomaly,
    CalendarCommand,
    DeviceChanged,
    HomeCommand,
    HomeReceipt,
    HomeStates,
    Message,
    ReportedAttributes,
    Tick,
)
from assistant.core.sensors.described import Sensors

FRESH_S = 5.0
"""Seconds after its turn from which a command that is no state, such as "next", is too old."""

Outcome = Literal["sent", "unsent", "unsure", "failed"]
"""What became of a command, as in a `HomeReceipt`."""


class Link(ABC):
    """The other end that has the devices; a `Source` whose `Tick` means news.

    `device` is what its presence is told of, as in `DeviceChanged`.

    A thread of its own keeps the connection. Only the latest report of each device waits for the
    worker's thread, so a flood of reports cannot build a queue. Values of sensors all wait, up to a
    limit.
    """

    def __init__(self, log: logging.Logger, name: str, device: str = "broker") -> None:
        self._log, self._name, self._device = log, name, device
        self._outcomes: dict[int, Outcome] = {}
        self._signal = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        self._lock = threading.Lock()
        self._states: dict[str, str] = {}
        self._attributes: dict[str, ReportedAttributes] = {}
        self._closed = False
        self.alive = True
        """Whether the thread of the connection lives; it survives the other end's absence."""
        self.presence: DeviceChanged | None = None
        """The other end's last known presence; None before the first attempt to connect."""
        self.facts: dict[type[Message], Message] = {}
        """What the other end has, and the daemon was not told yet: of each kind the latest."""
        self.values = WaitingValues(self._wake)

    @abstractmethod
    def follow(self, entity_ids: Iterable[str]) -> None:
        """Report the states of these devices, and of no others."""

    def follow_sensors(self, described: Sensors) -> None:  # noqa: B027 - most links have none
        """Pass on the values of these sensors, and of no others."""

    def serves(self, entity_id: str) -> bool:
        """Whether a device is reached by it: any, unless it has devices of its own."""
        return True

    def due_s(self) -> float | None:
        """When `tend` must be called at the latest; None for not at all."""
        return None

    def tend(self, at_s: float) -> None:  # noqa: B027 - most links have nothing that waits
        """Do what has waited until now, by the worker's thread."""

    def muted(self, on: bool) -> None:  # noqa: B027 - most links tell nobody
        """Note whether the assistant is muted."""

    def alarm(self, anomaly: Anomaly) -> None:  # noqa: B027 - most links tell nobody
        """Tell that something is wrong with a sensor, or is over."""

    def still_wrong(self, anomalies: Iterable[Anomaly]) -> None:  # noqa: B027 - as `alarm`
        """Tell those of all that is wrong now that were never told, as after a crash."""

    @abstractmethod
    def publish(self, command: HomeCommand) -> None:
        """Command a device; raises `BridgeError` where that cannot be."""

    def share(self, command: CalendarCommand) -> bool:
        """Keep the calendar in step; whether it is a calendar's link, which alone can."""
        return False

    @abstractmethod
    def close(self) -> None:
        """End the connection."""

    def fileno(self) -> int:
        """A descriptor that is readable when there is news."""
        return self._signal

    def read(self) -> Iterable[Message]:
        """A `Tick`, on which the stage asks for the news."""
        with contextlib.suppress(BlockingIOError):
            os.eventfd_read(self._signal)
        return (Tick(at_s=boottime_s()),)

    def states(self) -> HomeStates | None:
        """The latest report of each device that the daemon does not have; None for nothing."""
        with self._lock:
            if not self._states:
                return None
            return HomeStates(states=dict(self._states), attributes=dict(self._attributes))

    def told(self, report: HomeStates) -> None:
        """Note that the daemon has these reports; newer ones still wait."""
        with self._lock:
            for entity_id, state in report.states.items():
                attributes = report.attributes.get(entity_id)
                now = (self._states.get(entity_id), self._attributes.get(entity_id))
                if now == (state, attributes):
                    del self._states[entity_id]
                    self._attributes.pop(entity_id, None)

    def delivered(self, fact: Message) -> None:
        """Note that the daemon has this fact; a newer one still waits."""
        with self._lock:
            if self.facts.get(type(fact)) is fact:
                del self.facts[type(fact)]

    def receipt(self) -> HomeReceipt | None:
        """What became of commands and has not been reported to the daemon; None for nothing."""
        if not self._outcomes:
            return None
        return HomeReceipt(
            sent=self._concluded("sent"),
            unsent=self._concluded("unsent"),
            unsure=self._concluded("unsure"),
            failed=self._concluded("failed"),
        )

    def received(self, receipt: HomeReceipt) -> None:
        """Note that the daemon has this receipt."""
        for number in (*receipt.sent, *receipt.unsent, *receipt.unsure, *receipt.failed):
            self._outcomes.pop(number, None)

    @property
    def _present(self) -> bool:
        return self.presence is not None and self.presence.present

    def _concluded(self, outcome: Outcome) -> tuple[int, ...]:
        return tuple(number for number, what in list(self._outcomes.items()) if what == outcome)

    def _conclude(self, ids: Iterable[int], outcome: Outcome) -> None:
        self._outcomes |= dict.fromkeys(ids, outcome)

    def _report(
        self,
        states: Mapping[str, str],
        attributes: Mapping[str, ReportedAttributes] = MappingProxyType({}),
    ) -> None:
        """Let reports of devices wait for the daemon, each in place of the device's last one."""
        with self._lock:
            news = bool(states) and not self._states
            self._states |= states
            self._attributes |= attributes
        if news:
            self._wake()

    def _offer(self, fact: Message) -> None:
        """Let what the other end has wait for the daemon, in place of what it had before."""
        with self._lock:
            self.facts[type(fact)] = fact
        self._wake()

    def _changed(self, present: bool, detail: str) -> None:
        changed = DeviceChanged(device=self._device, present=present, detail=detail)
        if self._closed or changed == self.presence:
            return
        if present:
            self._log.info("%s: connected", self._name)
        else:
            self._log.warning("%s: %s (bridge.away)", self._name, detail)
        self.presence = changed
        self._wake()

    def _ended(self, error: BaseException | None) -> None:
        self.alive = False
        if not self._closed:
            self._log.critical("the thread of the connection has ended: %r (bridge.ended)", error)
            self._wake()

    def _wake(self) -> None:
        with self._lock:
            if not self._closed:
                os.eventfd_write(self._signal, 1)

    def _hush(self) -> None:
        """Give no more news."""
        with self._lock:
            self._closed = True
            os.close(self._signal)
