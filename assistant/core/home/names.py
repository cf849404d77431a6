"""What a name that people say, and an id, may be: judged once, where it comes in."""

from __future__ import annotations

from assistant.core.errors import one_line

LONGEST_NAME = 100
LONGEST_ID = 255
"""Most characters of an id: Home Assistant's own limit."""
_SHOWN = 40


def name_fault(name: str) -> str:
    """Why a name cannot be one; "" where it can."""
    return _fault("name", name, LONGEST_NAME)


def id_fault(given: str) -> str:
    """Why an id cannot be one; "" where it can."""
    return _fault("id", given, LONGEST_ID)


def shown(text: str) -> str:
    """A text from outside as a part of one line."""
    return one_line(text, _SHOWN)


def _fault(what: str, given: str, longest: int) -> str:
    if not given.strip():
        return f"its {what} is empty"
    if len(given) > longest:
        return f"its {what} has {len(given)} characters, and may have {longest}"
    return f"its {what} has control characters" if one_line(given, longest) != given else ""
