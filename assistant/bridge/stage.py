"""The bridge as a stage: it sends commands to the broker and reports states and its presence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import ClassVar

from assistant.bridge.mqtt import Broker
from assistant.core.messages import (
    DeviceChanged,
    HomeCommand,
    HomeReceipt,
    HomeStates,
    Message,
    Tick,
)

ANNOUNCE_EVERY_S = 30.0
JOINED_AFTER_S = 1.0
"""Seconds after which all listeners of this process have connected, which takes up to 0.2 s."""
AGAIN_S = 1.0
"""Seconds after which a receipt that the bus did not take is reported again."""
STATES_EVERY_S = 0.2
"""Fewest seconds between two reports of states, each of which the skills commit to disk. In between
a device's newer state replaces the older; the first state after a pause is reported at once."""


class BridgeStage:
    """Carries the skills' commands to the broker, and the broker's reports to the skills."""

    consumes: ClassVar[tuple[type[Message], ...]] = (HomeCommand, Tick)

    def __init__(self, broker: Broker) -> None:
        self._broker = broker
        self._announced: DeviceChanged | None = None
        self._announce_at_s = self._receipts_at_s = self._states_at_s = 0.0

    def feed(self, message: Message) -> Iterable[Message]:
        """Publish a command, or give the broker's news on a `Tick`."""
        if isinstance(message, HomeCommand):
            self._broker.publish(message)
            return
        # Before the states, which may report what a command that was acknowledged has changed.
        yield from self._receipts(message.at_s)
        yield from self._presence(message.at_s)
        yield from self._states(message.at_s)

    def deadline_s(self) -> float | None:
        """When receipts or states may be reported, or the broker's presence is to be, again."""
        moments = [self._announce_at_s]
        if self._broker.receipt():
            moments.append(self._receipts_at_s)
        if self._broker.states():
            moments.append(self._states_at_s)
        return min(moments)

    def follow(self, entity_ids: Iterable[str]) -> None:
        """Report the states of these devices from now on."""
        self._broker.follow(entity_ids)

    def _receipts(self, at_s: float) -> Iterator[HomeReceipt]:
        if at_s >= self._receipts_at_s and (receipt := self._broker.receipt()):
            self._receipts_at_s = at_s + AGAIN_S
            yield receipt
            # Only now, so that what the bus did not take is reported again.
            self._broker.received(receipt)
            self._receipts_at_s = 0.0

    def _presence(self, at_s: float) -> Iterator[DeviceChanged]:
        presence = self._broker.presence
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
        states = self._broker.states()
        if states:
            self._states_at_s = at_s + STATES_EVERY_S
            yield HomeStates(states=states)
            # Only now, so that states that the bus did not take are reported again.
            self._broker.told(states)
