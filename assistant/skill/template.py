"""Parses sentence templates, each once: a skill's are checked, and then compiled."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hassil.expression import Expression


@cache
def parsed(template: str) -> Expression:
    """The expression of a template; raises hassil's `ParseError` or `AssertionError`."""
    # Not at the top: the supervisor imports this module to read the home, but parses no sentence.
    from hassil.parse_expression import parse_sentence

    return parse_sentence(template).expression
