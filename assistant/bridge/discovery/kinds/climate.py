"""Thermostats and air conditioners."""

from __future__ import annotations

from collections.abc import Iterator

from assistant.bridge.discovery.behaviour import (
    STATE,
    Behaviour,
    Sender,
    StateTopic,
    level_of,
    state_topics,
    word_of,
)
from assistant.bridge.discovery.options import OptionReader
from assistant.bridge.payloads import Publication
from assistant.core.messages import HomeCommand

MODES = ("auto", "off", "cool", "heat", "dry", "fan_only", "heat_cool")
"""Home Assistant's modes of what heats or cools, which are its states."""


def climate(options: OptionReader) -> Behaviour:
    """What heats or cools, in its own scale of temperature."""
    mode = Sender(options, "mode_command_topic", "mode_command_template")
    target = Sender(options, "temperature_command_topic", "temperature_command_template")
    known = options.texts("modes")
    modes = [one for one in MODES if known is None or one in known]

    def publications(command: HomeCommand) -> Iterator[Publication]:
        if command.state in modes:
            yield from mode.sends(command.state)
        temperature = command.attributes.get("temperature")
        if temperature is not None and command.state != "off":
            yield from target.sends(temperature)

    limits = {name: options.number(name, 0) for name in ("min_temp", "max_temp")}
    return Behaviour(
        tuple(_state_topics(options)),
        publications,
        {name: limit for name, limit in limits.items() if options.has(name)},
    )


def _state_topics(options: OptionReader) -> Iterator[StateTopic]:
    current = ("current_temperature_topic", "current_temperature_template")
    presets = ("preset_mode_state_topic", "preset_mode_value_template")
    yield from state_topics(options, "mode_state_topic", "mode_state_template", word_of(STATE))
    for name, topic, template in (
        ("temperature", "temperature_state_topic", "temperature_state_template"),
        ("current_temperature", *current),
    ):
        yield from state_topics(options, topic, template, level_of(name))
    for name, topic, template in (
        ("preset_mode", *presets),
        ("hvac_action", "action_topic", "action_template"),
    ):
        yield from state_topics(options, topic, template, word_of(name))
