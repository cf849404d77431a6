"""All devices that have announced themselves, with what they have told of themselves."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from hashlib import blake2b

import msgspec

from assistant.bridge.discovery.announcements import (
    Announcement,
    is_announcement,
    read_announcement,
)
from assistant.bridge.discovery.behaviour import STATE, Telling
from assistant.bridge.discovery.devices import AnnouncedDevice, identified, read_device
from assistant.bridge.discovery.templates import Variables, variables
from assistant.bridge.payloads import LARGEST_PAYLOAD_BYTES
from assistant.core.messages import ReportedAttributes

MOST_DEVICES = 2000
"""Most devices that are taken into the home."""
UNAVAILABLE = "unavailable"

Report = tuple[str, ReportedAttributes]


class Settled(msgspec.Struct, frozen=True):
    """The devices of the home, and the topics to subscribe to and no longer to."""

    devices: Mapping[str, AnnouncedDevice]
    new: Mapping[str, AnnouncedDevice]
    """Those that are new or have changed: what is retained on their topics is wanted again."""
    gone: list[str]


class Followed:
    """A device of the home, and what it has told."""

    def __init__(self, device: AnnouncedDevice) -> None:
        self.device = device
        self._telling: Telling = {}
        self._said: dict[str, bool] = {}
        self._was_away = False

    def takes(self, topic: str, given: Variables) -> bool:
        """Whether a payload tells anything new; raises `ValueError` for nonsense."""
        before = self.report
        for way in self.device.availability.topics:
            if way.topic == topic and (said := way.says(given)) is not None:
                others = {name: there for name, there in self._said.items() if name != topic}
                self._said = {**others, topic: said}
        for told in self.device.behaviour.state_topics:
            if told.topic == topic:
                self._telling = {**self._telling, **told.tells(given, self._telling)}
        self._was_away = self._was_away or not self._is_there
        return self.report != before

    @property
    def _is_there(self) -> bool:
        return self.device.availability.holds(self._said)

    @property
    def report(self) -> Report | None:
        """The state and the attributes; None while it has told nothing."""
        if not self._is_there:
            return UNAVAILABLE, {}
        if not self._telling and not self._was_away:
            return None
        told: ReportedAttributes = {
            name: value for name, value in self._telling.items() if name and value is not None
        }
        return str(self._telling.get(STATE, "unknown")), told


class Registry:
    """What is announced, and the devices of the home that were made of it by `settle`.

    Announcements and states come by one thread, and `settle` is called by another.
    """

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self._lock = threading.Lock()
        self._announced: dict[str, tuple[bytes, tuple[AnnouncedDevice, ...]]] = {}
        """Topic → the digest of its payload, and the devices that this announces."""
        self._followed: Mapping[str, Followed] = {}
        self._by_topic: Mapping[str, tuple[tuple[str, Followed], ...]] = {}

    @property
    def topics(self) -> set[str]:
        """The topics of the devices of the home."""
        return set(self._by_topic)

    def device(self, entity_id: str) -> AnnouncedDevice | None:
        """A device of the home; None for one that has not announced itself."""
        followed = self._followed.get(entity_id)
        return followed.device if followed is not None else None

    def is_announcement(self, topic: str) -> bool:
        """Whether a topic is for announcements."""
        return is_announcement(self._prefix, topic)

    def announces(self, topic: str, payload: bytes | bytearray) -> bool:
        """Take an announcement; whether it changes anything.

        Raises `ValueError` for one that cannot be taken: what was announced there before stays.
        """
        digest = blake2b(payload, digest_size=16).digest()
        before = self._announced.get(topic)
        if before is not None and before[0] == digest:
            return False
        devices = tuple(_devices(read_announcement(self._prefix, topic, payload)))
        with self._lock:
            others = sum(
                len(found) for name, (_, found) in self._announced.items() if name != topic
            )
            if others + len(devices) > MOST_DEVICES:
                raise ValueError(f"more than {MOST_DEVICES} devices announce themselves")
            if devices:
                self._announced[topic] = (digest, devices)
            else:
                self._announced.pop(topic, None)
        return bool(devices or before)

    def settle(self) -> Settled:
        """Make what is announced the devices of the home."""
        with self._lock:
            announced = [one for _, found in self._announced.values() for one in found]
        before, devices = self._followed, identified(announced)
        followed = {
            entity_id: kept
            if (kept := before.get(entity_id)) is not None and kept.device is device
            else Followed(device)
            for entity_id, device in devices.items()
        }
        by_topic = dict[str, list[tuple[str, Followed]]]()
        for entity_id, one in followed.items():
            for topic in set(one.device.topics):
                by_topic.setdefault(topic, []).append((entity_id, one))
        gone = self._by_topic.keys() - by_topic.keys()
        self._followed = followed
        self._by_topic = {topic: tuple(found) for topic, found in by_topic.items()}
        new = {i: one.device for i, one in followed.items() if before.get(i) is not one}
        return Settled(devices=devices, new=new, gone=sorted(gone))

    def tells(self, topic: str, payload: bytes | bytearray) -> Iterator[tuple[str, Report | None]]:
        """The devices of which a payload tells something new; None for one that tells nonsense."""
        concerned = self._by_topic.get(topic, ())
        given = _read(payload) if concerned else None
        for entity_id, followed in concerned:
            if given is None:
                yield entity_id, None
                continue
            try:
                if followed.takes(topic, given):
                    yield entity_id, followed.report
            except (ValueError, OverflowError):
                yield entity_id, None

    def reports(self) -> dict[str, Report]:
        """What each device of the home has told, of those that have told anything."""
        found = {entity_id: one.report for entity_id, one in self._followed.items()}
        return {entity_id: report for entity_id, report in found.items() if report is not None}


def _read(payload: bytes | bytearray) -> Variables | None:
    """What templates may name of a payload; None for one that no device may tell."""
    if len(payload) > LARGEST_PAYLOAD_BYTES:
        return None
    try:
        return variables(payload)
    except ValueError:
        return None


def _devices(found: tuple[Announcement, ...]) -> Iterator[AnnouncedDevice]:
    for announcement in found:
        device = read_device(announcement)
        if device is not None:
            yield device
