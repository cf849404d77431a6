"""`assistant say`: the chain on text."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from assistant.cli.conversation import Timings, tell, temporary_config
from assistant.composition import Composition
from assistant.core.clock import boottime_s
from assistant.core.messages import Commit, Message, Transcript
from assistant.pipeline import run
from skills.state import open_state


def say(
    texts: Annotated[list[str], typer.Argument(metavar="TEXT…", help="What is said, in order.")],
    skill: Annotated[list[Path] | None, typer.Option(help="A folder with a further skill.")] = None,
    home: Annotated[Path | None, typer.Option(help="YAML file of areas and devices.")] = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON object a line.")] = False,
) -> None:
    """Say TEXTs to a fresh assistant, as one conversation, and show what comes of each."""
    composition = Composition(temporary_config(skill, home))
    stages = (composition.nlu(), composition.skills(open_state(None)), composition.answer())
    for number, text in enumerate(texts, 1):
        timings = Timings()
        heard: list[Message] = _heard(f"say-{number}", text)
        messages = [*heard, *run(stages, heard, timings.observe)]
        tell(text, messages, timings, json)


def _heard(utterance_id: str, text: str) -> list[Message]:
    at_s = boottime_s()
    return [
        Transcript(utterance_id=utterance_id, revision=0, text=text, engine="text", at_s=at_s),
        Commit(utterance_id=utterance_id, revision=0, at_s=at_s),
    ]
