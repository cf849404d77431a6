"""What is switched on and off, is triggered, or only tells."""

from __future__ import annotations

from collections.abc import Iterator

from assistant.bridge.discovery.behaviour import (
    STATE,
    Behaviour,
    Sender,
    classes,
    state_of,
    state_topics,
    word_of,
)
from assistant.bridge.discovery.options import OptionReader
from assistant.bridge.payloads import Publication
from assistant.core.messages import HomeCommand


class Power:
    """The topic that switches a device, with its payloads for "on" and "off"."""

    def __init__(self, options: OptionReader) -> None:
        options.needed_topic("command_topic")
        self.payloads = {
            "on": options.payload("payload_on", "ON"),
            "off": options.payload("payload_off", "OFF"),
        }
        self._sender = Sender(options, "command_topic", "command_template")

    def sends(self, state: str) -> Iterator[Publication]:
        """The publication that brings the device into a state, where it is one of the two."""
        if state in self.payloads:
            yield from self._sender.sends(self.payloads[state])


def switch(options: OptionReader) -> Behaviour:
    """A plug."""
    power = Power(options)
    words = {
        options.payload(f"state_{state}", payload): state
        for state, payload in power.payloads.items()
    }
    return Behaviour(
        tuple(state_topics(options, "state_topic", "value_template", state_of(words))),
        lambda command: power.sends(command.state),
        classes(options, "device_class"),
    )


def binary_sensor(options: OptionReader) -> Behaviour:
    """What notices one of two things, such as a door that is open."""
    options.needed_topic("state_topic")
    words = {
        options.payload(f"payload_{state}", default): state
        for state, default in (("on", "ON"), ("off", "OFF"))
    }
    return Behaviour(
        tuple(state_topics(options, "state_topic", "value_template", state_of(words))),
        _takes_nothing,
        classes(options, "device_class"),
    )


def sensor(options: OptionReader) -> Behaviour:
    """What measures."""
    options.needed_topic("state_topic")
    return Behaviour(
        tuple(state_topics(options, "state_topic", "value_template", word_of(STATE))),
        _takes_nothing,
        classes(options, "device_class", "unit_of_measurement"),
    )


def scene(options: OptionReader) -> Behaviour:
    """What is turned on, and has no state."""
    return _trigger(options, options.payload("payload_on", "ON"), "on")


def button(options: OptionReader) -> Behaviour:
    """What is pressed."""
    return _trigger(options, options.payload("payload_press", "PRESS"), "press")


def _trigger(options: OptionReader, payload: str, command: str) -> Behaviour:
    options.needed_topic("command_topic")
    sender = Sender(options, "command_topic", "command_template")

    def publications(given: HomeCommand) -> Iterator[Publication]:
        if given.command == command:
            yield from sender.sends(payload, keeps=False)

    return Behaviour((), publications, classes(options, "device_class"))


def _takes_nothing(_: HomeCommand) -> Iterator[Publication]:
    yield from ()
