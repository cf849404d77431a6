"""Databases that had to be begun anew, and the way back to what was in them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from assistant.backup.archive import STATE, read_archive
from assistant.core.errors import AssistantError
from assistant.core.files import aside_of, why_aside
from assistant.core.layout import BACKUPS_FOLDER, KNOWLEDGE_FILE, SENSORS_FILE, STATE_FILE
from assistant.doctor.checks import Finding

DATABASES = (STATE_FILE, KNOWLEDGE_FILE, SENSORS_FILE)


def losses(state: Path) -> Iterator[Finding]:
    """A finding for each; it is told until the file that was moved aside is removed."""
    for name in DATABASES:
        asides = [
            file
            for file in state.glob(f"{name}.*-*[0-9]")  # without the logs beside them
            if aside_of(file.name, (name,))
        ]
        if not asides:
            continue
        aside = max(asides, key=lambda file: file.stat().st_ctime)
        backup = newest_backup(state, aside)
        way = f"run: assistant restore {backup}" if backup else "restore a backup, if you have one"
        yield Finding(
            name=name,
            ok=False,
            detail=f"{state / name} was {why_aside(aside)}, and was begun anew",
            remedy=f"{way}; or remove {', '.join(map(str, sorted(asides)))}",
            necessary=False,
        )


def newest_backup(state: Path, aside: Path) -> Path | None:
    """The newest whole backup in the state's own folder that is from before a loss."""
    lost_at_s, name = aside.stat().st_ctime, aside_of(aside.name, DATABASES)
    for archive in sorted((state / BACKUPS_FOLDER).glob("*.tar.gz"), reverse=True):
        try:
            manifest = read_archive(archive, lambda _: None)
        except (AssistantError, OSError):
            continue
        held = {file.name for file in manifest.files}
        if f"{STATE}/{name}" in held and manifest.made_at.timestamp() <= lost_at_s:
            return archive
    return None
