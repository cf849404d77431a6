"""The known name nearest to one that is not known, for the error that refuses it."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """The question `did you mean "…"?` with the nearest name; `known` must not be empty."""
    (near,) = difflib.get_close_matches(name, list(known), n=1, cutoff=0.0)
    return f'did you mean "{near}"?'
