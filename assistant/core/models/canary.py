"""Canaries: a few inputs with the outputs that the model gave when it was delivered.

They are stored beside the manifest, in the model's folder, and test every version that is to
replace the model. They compare what the assistant acts on, such as the intent, and not the numbers
behind it, which differ between processors and between good models.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import msgspec

from assistant.core.errors import ModelError
from assistant.core.models.manifest import Library
from assistant.core.models.versions import MALFORMED

FILE = "canary.json"

Answer = Callable[[Any], Any]
"""Takes a canary's input and returns the model's output; both are plain JSON values."""


class CanaryCase(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One input with its recorded output."""

    input: Any
    output: Any


class Canaries(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All canaries of a model."""

    share: float
    """Share of the cases, from 0 to 1, whose output must be as recorded."""
    cases: Annotated[tuple[CanaryCase, ...], msgspec.Meta(min_length=1)]


def load_canaries(library: Library, name: str) -> Canaries | None:
    """The model's canaries; None for a model without any. Raises `ModelError`."""
    file, artefact = library.shipped / name / FILE, library.artefact(name)
    if not artefact.shipped and not file.exists():
        return None
    try:
        return msgspec.json.decode(file.read_bytes(), type=Canaries)
    except (OSError, *MALFORMED) as error:
        remedy = library.choosing(name, artefact.version).remedy(name)
        raise ModelError("model.canary", f"{file}: {error}; {remedy}") from error


def judge(canaries: Canaries, answer: Answer, what: str) -> None:
    """Raise `ModelError` when too few outputs are as recorded; it names `what` and one example."""
    wrong = [case for case in canaries.cases if answer(case.input) != case.output]
    right, total = len(canaries.cases) - len(wrong), len(canaries.cases)
    if right < canaries.share * total:
        message = f"{what}: {right} of {total} canaries come out as recorded, and"
        wanted = f"{canaries.share:.0%} must; the first that does not: {wrong[0].input!r}"
        raise ModelError("model.canary", f"{message} {wanted}")
