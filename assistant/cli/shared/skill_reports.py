"""Shows what `assistant skills check` and `assistant skills test` find."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from assistant.cli.shared.output import console
from assistant.evaluation.skills import Conflict, Confusion, Rank, SkillReport
from assistant.skill_development.check import SkillsCheck
from assistant.skill_development.testing import Failure, TestFigures

_SHOWN = 8
"""Most warnings of one kind that are shown for one skill."""

_OUTCOMES = {
    Rank.BETTER: "which fits better and has it",
    Rank.EQUAL: "which fits as well: whichever is loaded first has it",
    Rank.WORSE: "and is taken from it",
}


def show_failures(failures: Sequence[Failure], figures: TestFigures) -> None:
    """Show a table of what failed, and how much was tested."""
    if failures:
        show_failed(failures)
    held = f"{figures.conversations} conversations of {figures.turns} turns"
    style = "red" if failures else "green"
    console.print(f"{figures.skill}: {held}, failed: {figures.failures}", style=style)


def show_failed(failures: Sequence[Failure], console: Console = console) -> None:
    """Show a table of what failed."""
    table = Table("line", "said", "expected", "came", title=Text(failures[0].file))
    for one in failures:
        heard = f"\nheard: {one.heard}" if one.heard != one.say else ""
        key = f"{one.key}: " if one.key != "say" else ""
        cells = (str(one.line), one.say + heard, f"{key}{one.expected}", one.actual)
        table.add_row(*map(Text, cells))
    console.print(table)


def show_check(found: SkillsCheck, console: Console = console) -> None:
    """Show what each skill claims, its faults and its warnings."""
    for report in found.skills:
        console.print(f"[bold]{escape(report.skill)}[/]")
        for intent, sentences in report.claims.items():
            said = ", ".join(f"“{sentence}”" for sentence in sentences)
            console.print(f"  {intent}: {said}", style="dim", markup=False, soft_wrap=True)
        for line in _faults(report):
            console.print(f"  fault: {line}", style="red", markup=False, soft_wrap=True)
        for line in _warnings(report):
            console.print(f"  warning: {line}", style="yellow", markup=False, soft_wrap=True)
    for fault in found.refused:
        text = f"fault: {fault.skill} does not run: {fault.message}"
        console.print(text, style="red", markup=False, soft_wrap=True)
    if not found.fitted:
        console.print("The intent model is not here: what it would confuse is not looked for.")
    console.print(f"faults: {found.faults}, warnings: {found.warnings}")


def _faults(report: SkillReport) -> Iterator[str]:
    for conflict in report.conflicts:
        other = f"{conflict.other_intent} of {conflict.other_skill}"
        yield f"{_spoken(conflict)} is a sentence of {other} too, {_OUTCOMES[conflict.rank]}"
    for slot in report.unfilled:
        yield f"{slot.intent}: no sentence fills {{{slot.slot}}}; name it in one, or drop it"


def _warnings(report: SkillReport) -> Iterator[str]:
    yield from _few(
        f"{_spoken(c)} takes over {c.other_intent} of {c.other_skill}" for c in report.overrides
    )
    yield from _few(
        f"{u.intent}: “{u.template}” is never taken for it, but for {', '.join(u.instead)}"
        if u.instead
        else f"{u.intent}: “{u.template}” names nothing that this home has"
        for u in report.unreachable
    )
    yield from _few(
        f"{c.intent}: “{c.sentence}”, were it no sentence of its own, would be taken for "
        f"{_other(c)} ({c.belief:.2f})"
        for c in report.confused
    )


def _other(confusion: Confusion) -> str:
    if not confusion.other_intent:
        return "talk not meant for the assistant"
    of = f" of {confusion.other_skill}" if confusion.other_skill else ""
    return f"{confusion.other_intent}{of}"


def _spoken(conflict: Conflict) -> str:
    return f"{conflict.intent}: “{conflict.sentence}” (of “{conflict.template}”)"


def _few(lines: Iterator[str]) -> Iterator[str]:
    every = list(lines)
    yield from every[:_SHOWN]
    if len(every) > _SHOWN:
        yield f"… and {len(every) - _SHOWN} more such; --json has all"
