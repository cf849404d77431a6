"""`assistant backup`: settings, home and state in one file."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

from assistant.backup.make import make_backup
from assistant.cli.shared.output import console, emit
from assistant.core.config import config_files, load_config


def backup(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Such as hark.tar.gz.")],
    recordings: Annotated[
        bool, typer.Option("--recordings", help="Also the recordings of what was said.")
    ] = False,
    secrets: Annotated[bool, typer.Option("--secrets", help="Also passwords.")] = False,
    config: Annotated[Path | None, typer.Option(help="Settings, in place of the usual.")] = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")] = False,
) -> None:
    """Keep settings, home and state in FILE, also while the assistant runs."""
    files = config_files(config)
    settings, _ = load_config(files)
    manifest, left_out = make_backup(
        *(settings, files, file, datetime.now().astimezone()),
        recordings=recordings,
        secrets=secrets,
    )
    size_bytes = file.stat().st_size
    if json:
        count = len(manifest.files)
        emit({"file": str(file), "bytes": size_bytes, "files": count, "left_out": left_out})
        return
    console.print(
        f"{file}: {len(manifest.files)} files, {size_bytes / 1e6:.1f} MB, for you alone.",
        markup=False,
        soft_wrap=True,
    )
    for line in left_out:
        console.print(f"left out: {line}", markup=False, soft_wrap=True)
