"""A backup made from start to end: gathered beside the archive, packed, and nothing left behind."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from assistant.backup.archive import Manifest, write_archive
from assistant.backup.contents import gather
from assistant.core.config import Config
from assistant.core.errors import InputError


def make_backup(
    config: Config,
    files: tuple[Path, ...],
    archive: Path,
    made_at: datetime,
    *,
    recordings: bool = False,
    secrets: bool = False,
) -> tuple[Manifest, list[str]]:
    """Write a backup; return its manifest, and what is left out, a line each.

    `files` are those of the settings `config`. A running daemon may write meanwhile. Raises
    `InputError`, and then there is no archive, or the one of before.
    """
    try:
        # Beside the archive: there must be room for it there, and /tmp may be in memory.
        with TemporaryDirectory(dir=archive.parent, prefix=f".{archive.name[:100]}-") as gathered:
            left_out = gather(
                *(config, files, Path(gathered)), recordings=recordings, secrets=secrets
            )
            return write_archive(Path(gathered), archive, made_at), left_out
    except OSError as error:
        raise InputError("backup.unwritable", f"{archive}: {error.strerror}") from error
