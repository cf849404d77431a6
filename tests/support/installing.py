"""Skills put in their place without their tests and checks, which take seconds."""

from __future__ import annotations

from pathlib import Path

from assistant.skill_installation.source import gather
from assistant.skill_installation.store import opened


def put(state: Path, source: Path, *granted: str) -> Path:
    """The folder of a skill that was installed from a folder or a wheel."""
    contents = gather(str(source))
    with opened(state) as store, store.draft(contents) as draft:
        store.grant(draft, contents, granted)
        store.put(draft)
        return store.folder_of(contents.name)
