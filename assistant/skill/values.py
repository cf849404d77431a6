"""Values with a unit or a rule, as a skill receives them."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime
from typing import NewType
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import msgspec
import webcolors

Percent = NewType("Percent", float)
"""A share of a hundred: "half" is 50, "a third" 33, "twelve and a half percent" 12.5."""

_ZERO_CELSIUS_K = 273.15
_TEMPERATURE = re.compile(r"(-?\d+(?:\.\d+)?)(?: ?(°[CF]?|K))?")
_CHANGE = re.compile(
    r"(?P<sign>[+-])(?P<amount>\d+(?:\.\d+)?)?(?: (?P<unit>[%°x/]))?(?: (?P<size>little|much))?"
)
_RECURRENCE = re.compile(
    r"DTSTART(?:;TZID=(?P<zone>[^:;]+)|;VALUE=DATE)?:(?P<day>\d{8})"
    r"(?:T(?P<time>\d{6})(?P<utc>Z?))?\nRRULE:(?P<rule>[A-Z0-9=;,+-]+)"
)


class Temperature(msgspec.Struct, frozen=True):
    """Degrees as said; `unit` is "C", "F", "K", or "" when none was said."""

    degrees: float
    unit: str = ""

    @classmethod
    def read(cls, text: str) -> Temperature:
        """Read "21.5 °C", "70 °F", "294 K" or "21 °"; raises ValueError for anything else."""
        found = _TEMPERATURE.fullmatch(text)
        if found is None:
            raise ValueError(text)
        return cls(float(found[1]), (found[2] or "").removeprefix("°"))

    def celsius(self, unit: str = "C") -> float:
        """Degrees Celsius; `unit` is the home's, for a temperature that was said without one."""
        match self.unit or unit:
            case "F":
                return (self.degrees - 32) / 1.8
            case "K":
                return self.degrees - _ZERO_CELSIUS_K
        return self.degrees


class Colour(msgspec.Struct, frozen=True):
    """A colour by its CSS name ("lightblue"; "" when it has none) and RGB, or a white by kelvin."""

    name: str = ""
    rgb: tuple[int, int, int] | None = None
    kelvin: int | None = None

    @classmethod
    def read(cls, text: str) -> Colour:
        """Read a CSS name, "#rrggbb" or "2700 K"; raises ValueError for anything else."""
        if found := re.fullmatch(r"(\d{3,5}) K", text):
            return cls(kelvin=int(found[1]))
        has_name = not text.startswith("#")
        light = webcolors.name_to_rgb(text) if has_name else webcolors.hex_to_rgb(text)
        rgb = (light.red, light.green, light.blue)
        return cls(name=text if has_name else "", rgb=rgb)


class Change(msgspec.Struct, frozen=True):
    """A relative change, up (1) or down (-1), in as much detail as was said.

    `amount` is in `unit`: "%" for points of a hundred, "°" for degrees, "x" for a factor, "/" for a
    share of what there is, "" where neither was said; without an amount, `size` says how much.
    """

    direction: int
    amount: float | None = None
    unit: str = ""
    size: str = ""
    """"little", "much", or "" for neither."""

    @classmethod
    def read(cls, text: str) -> Change:
        """Read "+20 %", "-2 °", "+2 x", "-0.33 /", "+3", "- little", "+"; or raise ValueError."""
        found = _CHANGE.fullmatch(text)
        if found is None:
            raise ValueError(text)
        amount = float(found["amount"]) if found["amount"] else None
        direction = 1 if found["sign"] == "+" else -1
        return cls(direction, amount, found["unit"] or "", found["size"] or "")

    def __str__(self) -> str:
        amount = "" if self.amount is None else f"{self.amount:g}"
        parts = ("+" if self.direction > 0 else "-") + amount, self.unit, self.size
        return " ".join(part for part in parts if part)

    def applied(self, present: float, step: float, least: float, most: float) -> float:
        """The value that `present` becomes, in limits; `step` is a change without an amount."""
        match self.unit:
            case "x":
                factor = self.amount or 1.0
                new = present * factor if self.direction > 0 else present / factor
            case "/":
                new = present * (1 + self.direction * (self.amount or 0.0))
            case _:
                size = {"little": 0.5, "much": 2.0}.get(self.size, 1.0)
                amount = step * size if self.amount is None else self.amount
                new = present + self.direction * amount
                if self.amount is None and new < least:  # never quite off
                    new = present / 2
        return max(least, min(most, new))


class Recurrence(msgspec.Struct, frozen=True):
    """A recurrence: `rule` is the value of an RFC 5545 RRULE ("FREQ=WEEKLY;BYDAY=MO,TH").

    `start` is the first occurrence, an aware datetime, or a date when no time was said.
    """

    start: datetime | date
    rule: str

    @classmethod
    def read(cls, text: str) -> Recurrence:
        """Read RFC 5545's `DTSTART` and `RRULE` lines; raises ValueError for anything else."""
        found = _RECURRENCE.fullmatch(text)
        if found is None or bool(found["time"]) != bool(found["zone"] or found["utc"]):
            raise ValueError(text)
        if not found["time"]:
            return cls(datetime.strptime(found["day"], "%Y%m%d").date(), found["rule"])
        try:
            zone = ZoneInfo(found["zone"] or "UTC")
        except (ZoneInfoNotFoundError, OSError) as error:
            raise ValueError(text) from error
        start = datetime.strptime(found["day"] + found["time"], "%Y%m%d%H%M%S")
        return cls(start.replace(tzinfo=zone), found["rule"])

    def __str__(self) -> str:
        if isinstance(self.start, datetime):
            return f"DTSTART:{self.start.astimezone(UTC):%Y%m%dT%H%M%SZ}\nRRULE:{self.rule}"
        return f"DTSTART;VALUE=DATE:{self.start:%Y%m%d}\nRRULE:{self.rule}"
