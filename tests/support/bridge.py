"""A bridge without the bus."""

from __future__ import annotations

import select
import threading
from collections import deque
from typing import Any

from paho.mqtt.client import Client, MQTTMessage

from assistant.bridge.mqtt import Broker
from assistant.bridge.stage import BridgeStage
from assistant.core.clock import boottime_s
from assistant.core.messages import HomeCommand, HomeReceipt, Message, Tick
from assistant.core.settings.mqtt import MqttSettings
from tests.support.mosquitto import PATIENCE_S

DEVICES = ("light.kitchen", "light.bad", "switch.fan")


class Bench:
    """A bridge stage with its broker, pumped by hand as the worker would."""

    def __init__(self, port: int, devices: tuple[str, ...] = DEVICES, **settings: Any) -> None:
        self.broker = Broker(
            MqttSettings(**{"host": "127.0.0.1", "port": port, **settings}), devices
        )
        self.stage = BridgeStage(self.broker)
        self._told: deque[Message] = deque()
        self._commands = 0

    def command(
        self, entity_id: str, state: str = "", *, command: str = "", age_s: float = 0.0
    ) -> int:
        """Have a device brought into `state`, or given a `command`; gives the id of that."""
        self._commands += 1
        message = HomeCommand(
            given_at_s=boottime_s() - age_s,
            utterance_id="u1",
            entity_id=entity_id,
            state=state,
            command=command,
            ids=(self._commands,),
        )
        assert list(self.stage.feed(message)) == []
        return self._commands

    def insist(self, entity_id: str, state: str, times: int) -> None:
        """Have a device brought into `state` again and again."""
        for _ in range(times):
            self.command(entity_id, state)

    def subscribe(self, topic: str) -> None:
        """Ask the broker for what the bridge does not ask for."""
        subscribed, client = threading.Event(), self.broker._client
        client.on_subscribe = lambda *_: subscribed.set()
        client.subscribe(topic)
        assert subscribed.wait(PATIENCE_S)

    def overheard(self) -> list[str]:
        """The topics of what the broker sends from now on."""
        topics: list[str] = []
        client = self.broker._client
        hears = client.on_message

        def overhear(client: Client, userdata: Any, message: MQTTMessage) -> None:
            topics.append(message.topic)
            assert hears is not None
            hears(client, userdata, message)

        client.on_message = overhear
        return topics

    def until(self, wanted: type[Message], **values: object) -> list[Message]:
        """Every message up to the first `wanted` one with these values."""
        seen: list[Message] = []
        deadline_s = boottime_s() + PATIENCE_S
        while boottime_s() < deadline_s:
            while self._told:
                seen.append(message := self._told.popleft())
                given = {name: getattr(message, name, None) for name in values}
                if isinstance(message, wanted) and given == values:
                    return seen
            self._pump(deadline_s)
        raise AssertionError(f"no {wanted.__name__} among {seen}")

    def until_reported(self, *ids: int) -> list[HomeReceipt]:
        """Every receipt until each of these commands is reported as sent."""
        receipts: list[HomeReceipt] = []
        while not set(ids) <= {number for receipt in receipts for number in receipt.sent}:
            *_, receipt = self.until(HomeReceipt)
            assert isinstance(receipt, HomeReceipt)
            receipts.append(receipt)
        return receipts

    def _pump(self, deadline_s: float) -> None:
        due_s = self.stage.deadline_s()
        due_s = deadline_s if due_s is None else min(due_s, deadline_s)
        if select.select([self.broker], [], [], max(0.0, due_s - boottime_s()))[0]:
            self.broker.read()
        self._told.extend(self.stage.feed(Tick(at_s=boottime_s())))

    def close(self) -> None:
        """Leave the broker."""
        self.broker.close()
