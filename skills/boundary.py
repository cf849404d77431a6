"""The boundary between the assistant and a skill's own code, which may raise anything."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType

from assistant.core.database import QUOTA
from assistant.core.errors import AssistantError, SkillError
from assistant.skill import Cancelled
from skills.deadline import Overdue

OURS = tuple(
    str(path)
    for path in (
        Path(traceback.__file__).parent,
        Path(__file__).parents[1] / "assistant",
        *(
            Path(__file__).with_name(name)
            for name in (
                "boundary.py",
                "deadline.py",
                "registry.py",
                "capabilities",
                "isolation",
                "locale",
            )
        ),
        Path(__file__).parent / "announcements" / "waiting.py",
    )
)
"""Beginnings of the names of files that belong to no skill: the standard library's and our own."""
MOST_CHARACTERS = 300
MISUSES = ("skill.storage", "skill.announcement", "skill.handler", QUOTA)
"""Codes of errors that only a skill's own code leads to, so that its place is told."""


class Boundary:
    """Turns whatever a skill raises into a `SkillError` that names the skill, and where it failed.

    With `tells` the error includes the exception's own text. It must be false while the skill
    serves a request, as the text may hold the user's words.
    """

    def __init__(self, what: str, skill: str = "", tells: bool = False) -> None:
        self._what, self._skill, self._tells = what, skill, tells

    def __enter__(self) -> None:
        pass

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        _: TracebackType | None,
    ) -> None:
        if error is None or isinstance(error, Cancelled | GeneratorExit | KeyboardInterrupt):
            return
        if isinstance(error, AssistantError):
            place = place_of(error)
            if place and (self._tells or error.code in MISUSES):
                message = f"{error.message}{place}"
                raise SkillError(error.code, message, self._skill or error.part) from error
            return
        if isinstance(error, Overdue):
            message = f"{self._what}: does not come to an end{place_of(error)}"
            raise SkillError("skill.slow", message, self._skill) from error
        told = self._told(error)
        message = f"{self._what}: {told}{place_of(error)}"
        raise SkillError("skill.raised", message, self._skill) from error

    def _told(self, error: BaseException) -> str:
        if not self._tells:
            return type(error).__name__
        # The skill makes this text too: formatted so, it cannot raise or take several lines.
        return " ".join(traceback.format_exception_only(error)[-1].split())[:MOST_CHARACTERS]


def place_of(error: BaseException) -> str:
    """Where in the skill's own files it happened: " (FILE, line N)", "" for none of them."""
    if isinstance(error, SyntaxError) and error.filename:
        return f" ({error.filename}, line {error.lineno})"
    places = list(_foreign(error.__traceback__))
    if not places:
        return ""
    home = Path(places[0][0]).parent
    file, line = [place for place in places if Path(place[0]).is_relative_to(home)][-1]
    return f" ({file}, line {line})"


def _foreign(trace: TracebackType | None) -> Iterator[tuple[str, int]]:
    for frame, line in traceback.walk_tb(trace):
        file = frame.f_code.co_filename
        if not file.startswith(("<frozen ", *OURS)):
            yield file, line
