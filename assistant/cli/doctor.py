"""`assistant doctor`: what is wrong on this machine, and what to do about it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from assistant.cli.shared.output import console, emit
from assistant.core.config import Config, config_files, load_config
from assistant.core.models.manifest import Library
from assistant.doctor.checks import Finding, examine
from assistant.doctor.losses import losses
from assistant.doctor.providers import providers
from assistant.doctor.satellites import satellites
from assistant.doctor.servers import servers
from assistant.pairing.trust import Trust


def doctor(
    config: Annotated[Path | None, typer.Option(help="Settings, in place of the usual.")] = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON object a line.")] = False,
) -> None:
    """Find what keeps the assistant from working; exit status 1 when something necessary fails."""
    settings, _ = load_config(config_files(config))
    rooms = satellites(settings.wyoming, Trust.of(settings))
    findings = []
    table = Table("", "", "found", "what to do")
    more = chain(losses(settings.state_dir), _runs_on(settings), servers(settings), rooms)
    for finding in chain(examine(settings), more):
        findings.append(finding)
        if json:
            emit(finding)
        else:
            table.add_row(*_cells(finding))
    if not json:
        console.print(table)
    if any(finding.necessary and not finding.ok for finding in findings):
        raise typer.Exit(1)


def _runs_on(settings: Config) -> Iterator[Finding]:
    yield providers(settings.models.providers, Library(settings.models_dir))


def _cells(finding: Finding) -> tuple[Text, ...]:
    if finding.ok:
        mark = Text("ok", style="green")
    elif finding.necessary:
        mark = Text("fault", style="bold red")
    else:
        mark = Text("hint", style="yellow")
    return mark, Text(finding.name), Text(finding.detail), Text(finding.remedy)
