"""What the topics of an announced device mean: the states told there, and the commands taken."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import msgspec

from assistant.bridge.discovery.options import LONGEST_NAME, OptionReader
from assistant.bridge.discovery.templates import VALUE, Template, Variables
from assistant.bridge.payloads import Publication
from assistant.core.messages import HomeCommand, SlotValue

STATE = ""
"""Name of a device's state among what it tells, beside its attributes."""
UNKNOWN = "None"
"""What a device tells of a state that it does not know."""

Telling = dict[str, SlotValue | list[float]]
"""The state and the attributes that a device tells; None for what it no longer has."""
Meaning = Callable[[str, Telling], Telling]
"""What a value tells, given all that was told before; raises `ValueError` for nonsense."""


class StateTopic(msgspec.Struct, frozen=True):
    """A topic on which a device tells something; without a template it is the whole payload."""

    topic: str
    template: Template | None
    meaning: Meaning

    def tells(self, variables: Variables, before: Telling) -> Telling:
        """What a payload tells; raises `ValueError`."""
        whole: str = variables["value"]
        value = whole if self.template is None else self.template.render(variables)
        return self.meaning(value, before) if value else {}


class Behaviour(msgspec.Struct, frozen=True):
    """What a device tells and takes, and the attributes that stay."""

    state_topics: tuple[StateTopic, ...]
    publications: Callable[[HomeCommand], Iterator[Publication]]
    attributes: Mapping[str, Any]


class Sender:
    """A topic that takes a value in its own form; without topic or template it takes none."""

    def __init__(self, options: OptionReader, topic: str, template: str = "") -> None:
        self._topic = options.topic(topic)
        self._template = options.template(template) if template else VALUE
        self._retain = options.flag("retain")

    def __bool__(self) -> bool:
        return bool(self._topic) and self._template is not None

    def sends(
        self, value: object, variables: Mapping[str, object] | None = None, keeps: bool = True
    ) -> Iterator[Publication]:
        """The publication of a value; none that is kept, where `keeps` is false."""
        if self._topic and self._template is not None:
            payload = self._template.render({"value": value, **(variables or {})})
            yield Publication(self._topic, payload.encode(), self._retain and keeps)


def state_topics(
    options: OptionReader, topic: str, template: str, meaning: Meaning
) -> Iterator[StateTopic]:
    """A topic on which something is told, where there is one whose template is understood."""
    if (named := options.topic(topic)) and (read := options.template(template)) is not None:
        yield StateTopic(named, read, meaning)


def state_of(words: Mapping[str, str]) -> Meaning:
    """The meaning of words that each stand for a state."""

    def meaning(value: str, _: Telling) -> Telling:
        if value == UNKNOWN:
            return {STATE: "unknown"}
        if value not in words:
            raise ValueError("it is none of the states that were announced")
        return {STATE: words[value]}

    return meaning


def level_of(name: str, scaled: Callable[[float], float] = lambda value: value) -> Meaning:
    """The meaning of numbers: the attribute `name`."""

    def meaning(value: str, _: Telling) -> Telling:
        return {name: None if value == UNKNOWN else tidy(scaled(float(value)))}

    return meaning


def word_of(name: str) -> Meaning:
    """The meaning of words: the attribute `name`, or the state."""

    def meaning(value: str, _: Telling) -> Telling:
        if not value.isprintable():
            raise ValueError("it is not printable")
        return {name: "unknown" if value == UNKNOWN and name == STATE else value}

    return meaning


def tidy(value: float) -> float | int:
    """A finite number with two decimal places at most; raises `ValueError` for another."""
    if not abs(value) < 1e15:
        raise ValueError("a value is no number, or too large")
    return int(value) if value == int(value) else round(value, 2)


def classes(options: OptionReader, *names: str) -> dict[str, Any]:
    """Options that are attributes of the same name: words, such as the device class."""
    return {
        name: value for name in names if (value := options.name(name)) and len(value) < LONGEST_NAME
    }
