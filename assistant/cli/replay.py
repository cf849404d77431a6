"""`assistant replay`: recorded utterances once more, beside what became of them at the time."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from assistant.cli.shared.output import console, emit
from assistant.core.config import config_files, load_config
from assistant.core.errors import InputError
from assistant.recordings.folder import Recordings, recorded
from assistant.recordings.replay import Replayed, ReplayFigures
from assistant.recordings.replay import replay as replay_recorded


def replay(
    folder: Annotated[Path | None, typer.Argument(help="Recordings elsewhere.")] = None,
    wrong: Annotated[bool, typer.Option("--wrong", help="Only those marked as wrong.")] = False,
    config: Annotated[Path | None, typer.Option(help="Settings, in place of the usual.")] = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON object a line.")] = False,
) -> None:
    """Run recordings through the chain again, and tell what is taken otherwise than it was."""
    settings, _ = load_config(config_files(config))
    there = folder or Recordings.of(settings).folder
    found = [one for one in recorded(there) if one.trace.wrong or not wrong]
    if not found:
        raise InputError("recordings.none", f"{there}: holds no such recording")
    figures = replay_recorded(found, settings, emit if json else _print)
    if json:
        emit(figures)
    else:
        console.print(_told(figures), markup=False, soft_wrap=True)


def _print(one: Replayed) -> None:
    if not (one.changed or one.as_expected is False):
        return
    console.print(one.id + (" (marked as wrong)" if one.wrong else ""), style="bold", markup=False)
    for name, then, now in (
        ("heard", one.heard_then, one.heard),
        ("meant", "; ".join(one.meant_then), "; ".join(one.meant)),
        ("reply", one.replied_then, one.replied),
    ):
        for line in _lines(name, then, now):
            console.print(line, markup=False, soft_wrap=True)
    if one.as_expected is False:
        console.print(f"  expected  {one.expect}", markup=False, soft_wrap=True)


def _lines(name: str, then: str, now: str) -> Iterator[str]:
    if then == now:
        yield f"  {name:<8}  {now}"
    else:
        yield f"  {name:<8}- {then}"
        yield f"  {'':<8}+ {now}"


def _told(figures: ReplayFigures) -> str:
    told = (
        f"{figures.utterances} utterances: the same words for {figures.same_text}, the same"
        f" meaning for {figures.same_meaning}."
    )
    if figures.wrong:
        told += f" {figures.wrong_changed} of {figures.wrong} marked as wrong are taken otherwise."
    if figures.expected:
        told += f" {figures.as_expected} of {figures.expected} mean what is expected."
    return told
