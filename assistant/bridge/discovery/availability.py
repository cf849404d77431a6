"""Whether an announced device is there, as its availability topics say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec

from assistant.bridge.discovery.options import OptionReader
from assistant.bridge.discovery.templates import Template, Variables

_ALL, _ANY, _LATEST = "all", "any", "latest"


class AvailabilityTopic(msgspec.Struct, frozen=True):
    """A topic that says whether a device is there, or what it hangs on."""

    topic: str
    template: Template
    words: tuple[str, str]
    """What it says of a device that is there, and of one that is not."""

    def says(self, variables: Variables) -> bool | None:
        """Whether the device is there; None for other words."""
        value = self.template.render(variables)
        return (value == self.words[0]) if value in self.words else None


class Availability(msgspec.Struct, frozen=True):
    """The topics, and how they are taken together.

    A topic that has said nothing keeps no device away: some are not retained.
    """

    topics: tuple[AvailabilityTopic, ...] = ()
    mode: str = _LATEST

    def holds(self, said: Mapping[str, bool]) -> bool:
        """Whether the device is there, by what each topic said last, the latest at the end."""
        if not said:
            return True
        if self.mode == _ALL:
            return all(said.values())
        if self.mode == _ANY:
            return any(said.values()) or len(said) < len(self.topics)
        return list(said.values())[-1]


def availability(options: OptionReader) -> Availability:
    """The availability in an announcement; raises `ValueError`."""
    mode = options.payload("availability_mode", _LATEST)
    if mode not in (_ALL, _ANY, _LATEST):
        raise ValueError("availability_mode is none of all, any and latest")
    return Availability(tuple(_topics(options)), mode)


def _topics(options: OptionReader) -> Iterator[AvailabilityTopic]:
    found = [(one, "topic", "value_template") for one in options.readers("availability")]
    if options.topic("availability_topic"):
        found.append((options, "availability_topic", "availability_template"))
    for one, topic, template in found:
        words = (
            one.payload("payload_available", "online"),
            one.payload("payload_not_available", "offline"),
        )
        if (read := one.template(template)) is not None:
            yield AvailabilityTopic(one.needed_topic(topic), read, words)
