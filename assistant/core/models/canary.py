"""Canaries: a few inputs, and what the model said of them on the day it was delivered.

They lie beside the manifest, in the model's folder, and judge every version that is to take the
model's place. What is compared is what the assistant goes by, such as the intent and not the
numbers behind it: those differ between processors, and between one good model and another.
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
"""What a model makes of a canary's input; both are plain values of JSON."""


class CanaryCase(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One input with the output that was recorded."""

    input: Any
    output: Any


class Canaries(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All of a model, and the share from 0 to 1 of them that must come out as recorded."""

    share: float
    cases: Annotated[tuple[CanaryCase, ...], msgspec.Meta(min_length=1)]


def load_canaries(library: Library, name: str) -> Canaries | None:
    """The model's canaries, None for a model that comes with none; raises `ModelError`."""
    file, artefact = library.shipped / name / FILE, library.artefact(name)
    if not artefact.shipped and not file.exists():
        return None
    try:
        return msgspec.json.decode(file.read_bytes(), type=Canaries)
    except (OSError, *MALFORMED) as error:
        mend = library.choosing(name, artefact.version).mend(name)
        raise ModelError("model.canary", f"{file}: {error}; {mend}") from error


def judge(canaries: Canaries, answer: Answer, what: str) -> None:
    """Raise `ModelError` when too few come out as recorded, naming `what` answered, and one."""
    wrong = [case for case in canaries.cases if answer(case.input) != case.output]
    right, total = len(canaries.cases) - len(wrong), len(canaries.cases)
    if right < canaries.share * total:
        message = f"{what}: {right} of {total} canaries come out as recorded, and"
        wanted = f"{canaries.share:.0%} must; the first that does not: {wrong[0].input!r}"
        raise ModelError("model.canary", f"{message} {wanted}")
