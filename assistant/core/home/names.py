"""What a name that people say, and an id, may be: judged once, where it comes in."""

from __future__ import annotations

import re

LONGEST_NAME = 100
LONGEST_ID = 255
"""Most characters of an id: Home Assistant's own limit."""
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_SHOWN = 40


def name_fault(name: str) -> str:
    """Why a name cannot be one; "" where it can."""
    return _fault("name", name, LONGEST_NAME)


def id_fault(given: str) -> str:
    """Why an id cannot be one; "" where it can."""
    return _fault("id", given, LONGEST_ID)


def shown(text: str, longest: int = _SHOWN) -> str:
    """A text from outside as a part of one line: without control characters, and cut."""
    cut = text if len(text) <= longest else f"{text[: longest - 1]}…"
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", cut)


def _fault(what: str, given: str, longest: int) -> str:
    if not given.strip():
        return f"its {what} is empty"
    if len(given) > longest:
        return f"its {what} has {len(given)} characters, and may have {longest}"
    return f"its {what} has control characters" if _CONTROL.search(given) else ""
