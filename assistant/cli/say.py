"""`assistant say`: runs the chain on text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from assistant.cli.shared.conversation import Timings, answering, tell, temporary_config
from assistant.cli.shared.output import console, emit
from assistant.composition import Composition
from assistant.core.clock import boottime_s
from assistant.core.messages import Command, Slot
from assistant.pipeline import run, typed
from nlu.explanation import Explanation, IntentCandidate
from skills.state import open_state


def say(
    texts: Annotated[list[str], typer.Argument(metavar="TEXT…", help="What is said, in order.")],
    skill: Annotated[list[Path] | None, typer.Option(help="A folder with a further skill.")] = None,
    home: Annotated[Path | None, typer.Option(help="YAML file of areas and devices.")] = None,
    documents: Annotated[
        Path | None, typer.Option(help="A file or folder to answer questions from.")
    ] = None,
    config: Annotated[Path | None, typer.Option(help="Settings, in place of the defaults.")] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show what each part believed, and which won.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="One JSON object a line.")] = False,
) -> None:
    """Say TEXTs to a fresh assistant, as one conversation, and show what it does with each."""
    settings = temporary_config(skill, home, config)
    composition = Composition(settings)
    with answering(settings, documents) as answers, closing(open_state(None)) as state:
        answer = composition.answer(answers=answers)
        nlu = composition.nlu()
        stages = (nlu, composition.skills(state), answer)
        for number, text in enumerate(texts, 1):
            timings = Timings()
            heard = typed(f"say-{number}", text, boottime_s())
            if explain:
                _tell_why(nlu.explain(text), json)
            messages = [*heard, *run(stages, heard, timings.observe)]
            tell(text, messages, timings, json)


def _tell_why(explanation: Explanation, as_lines: bool) -> None:
    if as_lines:
        emit(explanation)
        return
    table = Table("", "", title=Text(explanation.text), show_header=False)
    for name, told in _rows(explanation):
        table.add_row(name, Text(told))
    console.print(table)


def _rows(explanation: Explanation) -> Iterator[tuple[str, str]]:
    yield "read as", explanation.words
    for candidate in explanation.sentences or ():
        yield "a sentence fits", _plain(candidate)
    if explanation.in_scope is not None:
        yield "meant for the assistant", f"{explanation.in_scope:.2f}"
    for intent, belief in explanation.intents.items():
        yield "sounds like", f"{intent} {belief:.2f}"
    for label, words, sure in explanation.spans:
        yield "names", f"{label}: {words} ({sure:.2f})"
    for candidate in explanation.guesses:
        yield "may be", f"{_plain(candidate)} {candidate.weight:.2f}"
    for doubt in explanation.doubts:
        yield "speaks against it", doubt
    for candidate in explanation.composed:
        yield "its parts make", f"{_plain(candidate)} {candidate.weight:.2f}"
    yield "decided, because", explanation.decided
    for command in explanation.commands:
        yield f'"{command.text}" means', "\n".join(_value(command))


def _value(command: Command) -> Iterator[str]:
    """A command in words: its intent and slots, then all else that its sentence says."""
    yield f"{command.intent}({_slots(command.slots)}) {command.confidence:.2f}"
    if command.excluded:
        yield f"except {_slots(command.excluded)}"
    if command.when is not None:
        told = f" = {command.when.value}" if command.when.value is not None else ""
        yield f"{command.when.kind}: {command.when.said}{told}"
    if command.instead:
        yield "in place of what was done last"
    if command.directions:
        yield f"said: {', '.join(command.directions)}"


def _slots(slots: Sequence[Slot]) -> str:
    return ", ".join(f"{slot.name} = {slot.value}" for slot in slots)


def _plain(candidate: IntentCandidate) -> str:
    slots = ", ".join(f"{name} = {value}" for name, value in candidate.slots.items())
    return f"{candidate.intent}({slots}) {candidate.against}".strip()
