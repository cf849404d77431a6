"""What moves: covers, locks and fans."""

from __future__ import annotations

import math
from collections.abc import Iterator

from assistant.bridge.discovery.behaviour import (
    STATE,
    Behaviour,
    Meaning,
    Sender,
    Telling,
    classes,
    level_of,
    state_of,
    state_topics,
    tidy,
    word_of,
)
from assistant.bridge.discovery.kinds.switches import Power
from assistant.bridge.discovery.options import OptionReader
from assistant.bridge.payloads import Publication
from assistant.core.messages import HomeCommand

_STOPPED = "stopped"


# ── covers ──────────────────────────────────────────────────────────────────────────────────


def cover(options: OptionReader) -> Behaviour:
    """Blinds, a curtain, a garage door."""
    opened, closed = (
        options.number("position_open", 100),
        options.number("position_closed", 0),
    )
    if opened == closed:
        raise ValueError("position_open and position_closed are the same")
    payloads = {
        "open": options.optional_payload("payload_open", "OPEN"),
        "closed": options.optional_payload("payload_close", "CLOSE"),
        "stop": options.optional_payload("payload_stop", "STOP"),
    }
    moves = Sender(options, "command_topic")
    goes = Sender(options, "set_position_topic", "set_position_template")
    if not (moves or goes):
        raise ValueError("there is no command_topic")

    def moved(state: str, keeps: bool = True) -> Iterator[Publication]:
        payload = payloads.get(state)
        if moves and payload is not None:
            yield from moves.sends(payload, keeps=keeps)
        elif state in ("open", "closed"):
            yield from gone(100 if state == "open" else 0)

    def gone(percent: float) -> Iterator[Publication]:
        position = tidy(round(closed + percent * (opened - closed) / 100))
        yield from goes.sends(position, {"position": position})

    def publications(command: HomeCommand) -> Iterator[Publication]:
        percent = command.attributes.get("position")
        if command.command:
            yield from moved(command.command, keeps=False)
        elif percent is not None and goes:
            yield from gone(float(percent))
        else:
            yield from moved(command.state)

    tells_state = bool(options.topic("state_topic"))
    placed = _placed(opened, closed, tells_state)
    return Behaviour(
        (
            *state_topics(options, "position_topic", "position_template", placed),
            *state_topics(options, "state_topic", "value_template", _moving(options)),
        ),
        publications,
        classes(options, "device_class"),
    )


def _moving(options: OptionReader) -> Meaning:
    """The meaning of what a cover tells; where it has stopped, its position says the rest."""
    states = ("open", "closed", "opening", "closing", _STOPPED)
    read = state_of({options.payload(f"state_{state}", state): state for state in states})

    def meaning(value: str, before: Telling) -> Telling:
        telling = read(value, before)
        if telling[STATE] == _STOPPED:
            at = before.get("position")
            closed = before.get(STATE) == "closing" if at is None else at == 0
            telling[STATE] = "closed" if closed else "open"
        return telling

    return meaning


def _placed(opened: float, closed: float, tells_state: bool) -> Meaning:
    """The meaning of a position, which is the state of a cover that does not tell it."""

    def meaning(value: str, _: Telling) -> Telling:
        share = (float(value) - closed) / (opened - closed)
        percent = tidy(round(100 * min(max(share, 0.0), 1.0)))
        told: Telling = {"position": percent}
        return told if tells_state else {**told, STATE: "open" if percent else "closed"}

    return meaning


# ── locks ───────────────────────────────────────────────────────────────────────────────────


def lock(options: OptionReader) -> Behaviour:
    """A lock that needs no code."""
    options.needed_topic("command_topic")
    if options.has("code_format"):
        raise ValueError("a lock that needs a code is not understood")
    sender = Sender(options, "command_topic", "command_template")
    payloads = {
        "locked": options.payload("payload_lock", "LOCK"),
        "unlocked": options.payload("payload_unlock", "UNLOCK"),
    }
    states = ("locked", "unlocked", "locking", "unlocking", "jammed")
    words = {options.payload(f"state_{state}", state.upper()): state for state in states}

    def publications(command: HomeCommand) -> Iterator[Publication]:
        if command.state in payloads:
            yield from sender.sends(payloads[command.state])

    return Behaviour(
        tuple(state_topics(options, "state_topic", "value_template", state_of(words))),
        publications,
        {},
    )


# ── fans ────────────────────────────────────────────────────────────────────────────────────


def fan(options: OptionReader) -> Behaviour:
    """A fan, perhaps with speeds of its own range and with presets."""
    power = Power(options)
    least, most = options.number("speed_range_min", 1), options.number("speed_range_max", 100)
    if not 1 <= least < most:
        raise ValueError("speed_range_min and speed_range_max are no range")
    steps = most - least + 1
    turns = Sender(options, "percentage_command_topic", "percentage_command_template")

    def publications(command: HomeCommand) -> Iterator[Publication]:
        yield from power.sends(command.state)
        if command.state == "off":  # a speed would turn it on
            return
        if (percent := command.attributes.get("percentage")) is not None:
            speed = math.ceil(min(max(float(percent), 0.0), 100.0) * steps / 100)
            yield from turns.sends(tidy(speed + least - 1 if speed else 0))

    def share(speed: float) -> float:
        return max(0, min(100, round((speed - least + 1) * 100 / steps)))

    words = {payload: state for state, payload in power.payloads.items()}
    percentages = ("percentage_state_topic", "percentage_value_template")
    presets = ("preset_mode_state_topic", "preset_mode_value_template")
    return Behaviour(
        (
            *state_topics(options, "state_topic", "state_value_template", state_of(words)),
            *state_topics(options, *percentages, level_of("percentage", share)),
            *state_topics(options, *presets, word_of("preset_mode")),
        ),
        publications,
        {"percentage_step": round(100 / steps, 2)} if turns else {},
    )
