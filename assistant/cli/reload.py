"""`assistant reload`: new settings and skills for a running daemon, without a restart."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from assistant.cli.shared.output import console
from assistant.control.client import ControlClient
from assistant.core.config import Config, config_files, load_config
from assistant.core.errors import ControlError

SILENCE_S = 180.0
"""Seconds without news of a stage to wait for. Each reloads between two utterances, and speech
recognition makes its language model before that; meanwhile they say that they will."""


def reload(
    config: Annotated[Path | None, typer.Option(help="Settings, in place of the usual.")] = None,
) -> None:
    """Make a running daemon reload its settings and skills; ends when every stage has done so."""
    # Wrong settings are reported here, where the user sees it, not in the daemon's log.
    settings, _ = load_config(config_files(config))
    raise typer.Exit(0 if tell_daemon(settings) else 1)


def tell_daemon(settings: Config) -> bool:
    """Have the running daemon reload, and show what each stage says; False where one refuses.

    Raises `ControlError` where none runs, or it does not answer.
    """
    answers = ControlClient(settings.control_socket).follow("reload", SILENCE_S)
    first = next(answers, None)
    if first is None:
        raise ControlError("control.silent", "the daemon ended before it answered; reload again")
    waiting = set(first["stages"]) - {"control"}
    refused = False
    while waiting:
        answer = _next(answers, waiting)
        if answer["type"] == "ReloadProgress":
            continue
        waiting.discard(answer["stage"])
        refused |= bool(answer["error"])
        console.print(f"{answer['stage']}: {answer['error'] or 'reloaded'}", markup=False)
    return not refused


def _next(answers: Iterator[dict[str, Any]], waiting: set[str]) -> dict[str, Any]:
    try:
        return next(answers)
    except (ControlError, StopIteration) as error:
        stages = ", ".join(sorted(waiting))
        message = f"no answer from {stages}, which may run on old settings; reload again"
        raise ControlError("control.silent", message) from error
