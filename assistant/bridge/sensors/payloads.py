"""The number in what a sensor publishes, whoever wrote it: none of it may raise."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import msgspec

from assistant.bridge.payloads import LARGEST_PAYLOAD_BYTES

LARGEST_NUMBER = 1e15
"""Largest number, either way; it leaves room for the bytes of a disk and for times in
milliseconds, and a calculation with its square is finite."""
LONGEST_NUMBER = 64
"""Most characters of a number that comes as a text."""
WORDS = {"on": 1.0, "true": 1.0, "off": 0.0, "false": 0.0}
"""Words that are numbers, in lower case."""
STATE = "state"
"""Key of the state in what a device of the home publishes."""

_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,3})?")


def read(payload: bytes | bytearray) -> Any:
    """What a payload tells: a text, or JSON's value; None for what is neither, or too long."""
    if len(payload) > LARGEST_PAYLOAD_BYTES:
        return None
    try:
        text = payload.decode("utf-8").strip()
        return msgspec.json.decode(text) if text[:1] in ("{", "[", '"') else text
    except (ValueError, msgspec.DecodeError, RecursionError):  # no UTF-8, no JSON, too deep
        return None


def number(told: Any, path: Sequence[str] = ()) -> float | None:
    """The number at the keys of `path`; None for none, and for one that nothing can measure."""
    for key in path:
        if not isinstance(told, dict):
            return None
        told = told.get(key)
    match told:
        case bool():
            return float(told)
        case int() | float():  # NaN is not less than anything
            return float(told) if abs(told) <= LARGEST_NUMBER else None
        case str():
            return _of_text(told)
    return None


def _of_text(text: str) -> float | None:
    text = text.strip()
    if len(text) > LONGEST_NUMBER:
        return None
    if _NUMBER.fullmatch(text):
        found = float(text)
        return found if abs(found) <= LARGEST_NUMBER else None
    return WORDS.get(text.lower())
