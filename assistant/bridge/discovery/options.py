"""The options of an announcement, each read as what it must be."""

from __future__ import annotations

import contextlib

from assistant.bridge.discovery.announcements import LONGEST_TOPIC, Options
from assistant.bridge.discovery.templates import VALUE, Template

LONGEST_NAME = 100
LONGEST_PAYLOAD = 255
LARGEST_NUMBER = 1e9
MOST_TEXTS = 50
"""Most texts of a list, such as of modes."""


class OptionReader:
    """Reads options by name; raises `ValueError` that names the option, and quotes nothing of it.

    A template that is not understood is kept in `unread`, and what it belongs to is left out.
    """

    def __init__(self, options: Options) -> None:
        self._options = options
        self.unread: list[str] = []
        """The options whose templates are not understood."""

    def has(self, name: str) -> bool:
        """Whether the option is there, and is not null."""
        return self._options.get(name) is not None

    def is_null(self, name: str) -> bool:
        """Whether the option is there, and null."""
        return name in self._options and self._options[name] is None

    def payload(self, name: str, default: str) -> str:
        """A payload or a state's word, as a template renders it: true is "True"."""
        value = self._options.get(name, default)
        if isinstance(value, bool | int | float):
            return str(value)
        if not isinstance(value, str) or len(value) > LONGEST_PAYLOAD:
            raise ValueError(f"{name} is no text, or too long")
        return value

    def optional_payload(self, name: str, default: str) -> str | None:
        """A payload; None where it is null, as of what the device cannot do."""
        if self.is_null(name):
            return None
        return self.payload(name, default)

    def name(self, name: str) -> str:
        """What something is called; "" for nothing that can be said."""
        value = self._options.get(name)
        if not isinstance(value, str) or len(value) > LONGEST_NAME or not value.isprintable():
            return ""
        return " ".join(value.split())

    def number(self, name: str, default: float) -> float:
        """A number, not too large."""
        value = self._options.get(name)
        if value is None:
            return default
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise ValueError(f"{name} is no number")
        if not abs(value) <= LARGEST_NUMBER:
            raise ValueError(f"{name} is too large")
        return value

    def flag(self, name: str, default: bool = False) -> bool:
        """True or false."""
        value = self._options.get(name)
        if value is None:
            return default
        if not isinstance(value, bool):
            raise ValueError(f"{name} is neither true nor false")
        return value

    def texts(self, name: str) -> list[str] | None:
        """A list of texts; None where there is none."""
        value = self._options.get(name)
        if value is None:
            return None
        if not isinstance(value, list) or len(value) > MOST_TEXTS:
            raise ValueError(f"{name} is no list, or too long")
        if not all(isinstance(one, str) and len(one) <= LONGEST_NAME for one in value):
            raise ValueError(f"{name} is no list of texts")
        return value

    def topic(self, name: str) -> str:
        """A topic without wildcards; "" where there is none."""
        value = self._options.get(name)
        if value is None:
            return ""
        if not isinstance(value, str) or not 0 < len(value) <= LONGEST_TOPIC:
            raise ValueError(f"{name} is no topic")
        if set(value) & set("+#\0") or value.startswith("$") or not value.isprintable():
            raise ValueError(f"{name} is no topic of a device")
        return value

    def needed_topic(self, name: str) -> str:
        """A topic that there must be."""
        topic = self.topic(name)
        if not topic:
            raise ValueError(f"there is no {name}")
        return topic

    def template(self, name: str) -> Template | None:
        """A template; None where it is not understood."""
        value = self._options.get(name)
        if value is None:
            return VALUE
        if isinstance(value, str):
            with contextlib.suppress(ValueError):
                return Template.read(value)
        self.unread.append(name)
        return None

    def reader(self, name: str) -> OptionReader:
        """The options of an object, such as those of the device; none where there is no object."""
        value = self._options.get(name)
        return OptionReader(value if isinstance(value, dict) else {})

    def readers(self, name: str) -> list[OptionReader]:
        """The options of each object of a list."""
        value = self._options.get(name)
        found = value if isinstance(value, list) else []
        return [OptionReader(one) for one in found[:MOST_TEXTS] if isinstance(one, dict)]
