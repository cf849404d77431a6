"""Skills in folders of their own, and what one of them replies."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from assistant.core.messages import Slot
from assistant.skill import Context, Reply, Request
from assistant.skill.reply import Query
from skills.isolation.isolated import IsolatedSkill

PYPROJECT = """
[project]
name = "{name}"
version = "1"
[project.entry-points."assistant.skills"]
{name} = "{name}:skill"
[tool.assistant]
permissions = [{permissions}]
"""


def written(parent: Path, name: str, code: str, permissions: Sequence[str] = ()) -> Path:
    """The folder of a new skill with this code."""
    folder = parent / name
    folder.mkdir()
    asked = ", ".join(f'"{one}"' for one in permissions)
    (folder / "pyproject.toml").write_text(PYPROJECT.format(name=name, permissions=asked))
    (folder / f"{name}.py").write_text(code)
    return folder


def call(
    skill: IsolatedSkill,
    intent: str,
    context: Context,
    slots: Sequence[Slot] = (),
    answers: Sequence[Any] = (),
    asked: list[Query] | None = None,
) -> Reply:
    """What a skill replies in the end; its questions are answered in turn, and noted in `asked`."""
    request = Request(utterance_id="u1", text="", intent=intent, slots=tuple(slots))
    dialog = skill.call(request, context)
    left = list(answers)
    try:
        query = next(dialog)
        while True:
            if asked is not None:
                asked.append(query)
            answer = left.pop(0)
            query = dialog.throw(answer) if isinstance(answer, Exception) else dialog.send(answer)
    except StopIteration as end:
        reply: Reply = end.value
        return reply
