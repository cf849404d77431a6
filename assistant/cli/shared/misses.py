"""Prints what an evaluation got wrong, as it goes: as JSON, or a line for people."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from assistant.cli.shared.output import console, emit
from assistant.evaluation.answering.questions import QuestionMiss
from assistant.evaluation.home_tests import WantedCommand
from assistant.evaluation.rejects import Offence
from assistant.evaluation.sentences import Miss
from assistant.evaluation.spoken import Misheard
from assistant.evaluation.week import WeekOutcome


def tell_outcome(json: bool) -> Callable[[WeekOutcome], None]:
    """A function that prints every outcome as JSON, or for people those that have changed."""

    def tell(outcome: WeekOutcome) -> None:
        if json:
            emit(outcome)
        elif outcome.changed:
            done = "; ".join((outcome.did.reply, *outcome.did.effects))
            text = f"{outcome.id}: {outcome.say!r} ({outcome.judged}): {done}"
            console.print(text, style="dim", markup=False, soft_wrap=True)

    return tell


def tell_unanswered(json: bool) -> Callable[[QuestionMiss], None]:
    """A function that prints a question that was not answered as accepted."""

    def tell(miss: QuestionMiss) -> None:
        if json:
            emit(miss)
        else:
            wanted = next(iter(miss.answers), "nothing")
            text = f"{miss.answered}: {miss.ask!r}: {miss.reply!r}, not {wanted!r}"
            console.print(text, style="dim", markup=False, soft_wrap=True)

    return tell


def tell_miss(json: bool) -> Callable[[Miss], None]:
    """A function that prints a sentence that was not understood; nothing with `--json`."""

    def tell(miss: Miss) -> None:
        if not json:
            kind = f" ({miss.wanted.kind})" if miss.wanted.kind else ""
            understood, wanted = _listed(miss.understood), _listed(miss.wanted.commands)
            text = f"{miss.file}{kind}: {miss.sentence!r}: {understood}, not {wanted}"
            console.print(text, style="dim", markup=False, soft_wrap=True)

    return tell


def tell_misheard(json: bool) -> Callable[[Misheard], None]:
    """A function that prints a recording that was not understood as its label."""

    def tell(miss: Misheard) -> None:
        if json:
            emit(miss)
        else:
            understood, wanted = (", ".join(c) or "nothing" for c in (miss.understood, miss.wanted))
            text = f"{miss.clip}: {miss.label!r}: {miss.transcript!r}: {understood}, not {wanted}"
            console.print(text, style="dim", markup=False, soft_wrap=True)

    return tell


def _listed(commands: Sequence[WantedCommand]) -> str:
    return ", ".join(f"{c.intent} {dict(c.slots)}" for c in commands) or "nothing"


def tell_offence(json: bool) -> Callable[[Offence], None]:
    """A function that prints a line that should have been ignored; nothing with `--json`."""

    def tell(offence: Offence) -> None:
        if not json:
            done = "acted" if offence.acted else "answered"
            text = f"{done}: {offence.line!r}: {', '.join(offence.intents)}: {offence.reply}"
            style = "red" if offence.acted else "dim"
            console.print(text, style=style, markup=False, soft_wrap=True)

    return tell
