"""What is kept, attacked: a file damaged or lost, more than fits, a backup that points away.

Each blow is dealt in another process, by what the daemon and `assistant restore` call.
"""

from __future__ import annotations

import logging
import random
import shutil
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import ClassVar

from assistant.backup.archive import OWN, Manifest, StoredFile
from assistant.backup.places import settled
from assistant.core.config import load_config
from assistant.core.database import Database
from assistant.core.errors import InputError, StorageError
from benchmarks.hostile.attack import changed
from benchmarks.hostile.child import Child
from benchmarks.hostile.target import Effects, Target
from skills.state import has_acted, open_state, remember_acted

MOST_KEPT_BYTES = 32 << 20
ACTED = "acted"


class StateAttack:
    """One of three kinds a blow, in turn."""

    name: ClassVar[str] = "state"
    blows: ClassVar[int] = 3_000

    def __init__(self, folder: Path, seed: int) -> None:
        self.settings = ""
        self._folder, self._seed = folder / "state", seed
        self._child = Child(judge)

    def open(self, target: Target) -> None:
        """Do nothing: the blows meet files of their own."""

    def blow(self, number: int) -> str:
        """Deal the blow of this number in an empty folder."""
        shutil.rmtree(self._folder, ignore_errors=True)
        self._folder.mkdir()
        return self._child.ask(f"{self._folder}|{self._seed << 40 | number}|{number % len(_KINDS)}")

    def wrong(self, before: Effects, after: Effects) -> list[str]:
        """Every change: nothing was requested of the daemon."""
        return changed(before, after)

    def close(self) -> None:
        """End the process."""
        self._child.close()


def judge(blow: str) -> str:
    """Deal a blow, "FOLDER|SEED|KIND"; gives "" or the forbidden effect."""
    folder, seed, kind = blow.split("|")
    return _KINDS[int(kind)](Path(folder), random.Random(int(seed)))


def lost(folder: Path, rng: random.Random) -> str:
    """Damage a state's file: what was in it is there, or its loss is said and logged."""
    file = folder / "state.db"
    with closing(open_state(file)) as state:
        remember_acted(state, ACTED)
    content = file.read_bytes()
    match rng.randrange(4):
        case 0:
            file.unlink()
        case 1:
            file.write_bytes(content[: rng.choice((0, 0, 1, 16, 100, 4_096, len(content) // 2))])
        case 2:
            begin = rng.randrange(len(content))
            file.write_bytes(content[:begin] + rng.randbytes(4_096) + content[begin + 4_096 :])
        case _:
            file.write_bytes(rng.randbytes(rng.choice((1, 4_096, 100_000))))
    told: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: told.append(record.getMessage())  # type: ignore[method-assign]
    logging.getLogger().addHandler(handler)
    try:
        with closing(open_state(file)) as state:
            kept, aside = has_acted(state, ACTED), state.set_aside
    except StorageError:
        return ""  # it is named, and the user's to mend
    finally:
        logging.getLogger().removeHandler(handler)
    if kept:
        return ""
    if aside is None or not aside.exists():
        return "what was kept is lost, and nobody is told"
    return "" if any(str(file) in line for line in told) else "a loss is not logged with its path"


def filled(folder: Path, rng: random.Random) -> str:
    """Have as much kept as possible: it stays within bounds, and the excess has its own code."""
    file = folder / "state.db"
    with closing(open_state(file)) as state:
        code = _filled(state, rng)
    if code not in ("", "storage.quota"):
        return f"too much is refused as {code}"
    kept = file.stat().st_size
    return f"{kept} bytes are kept" if kept > MOST_KEPT_BYTES else ""


def _filled(state: Database, rng: random.Random) -> str:
    sql = "INSERT INTO list_items (id, list_id, text) VALUES (?, 'shopping', ?)"
    size = rng.choice((10, 1_000, 60_000, 1_000_000))
    try:
        with state.transaction():
            for number in range(1_000):
                state.execute(sql, str(number), rng.choice("xä\N{FIRE}") * size)
    except StorageError as error:
        return error.code
    return ""


def pointing(folder: Path, rng: random.Random) -> str:
    """Have a backup's settings point somewhere: it is refused unless that is an own folder."""
    own, elsewhere, scratch = folder / "own", folder / "elsewhere", folder / "scratch"
    for made in (own, elsewhere, scratch / OWN):
        made.parent.mkdir(parents=True, exist_ok=True)
    ways = (elsewhere, own / ".." / "elsewhere", own, own / "state", Path("/etc/cron.d/x"))
    there, name = rng.choice(ways), rng.choice(("state", "cache", "runtime", "models"))
    text = f'[storage]\n{name} = "{there}"\n'
    (scratch / OWN).write_text(text, "utf-8")
    own.mkdir()
    (own / "config.toml").write_text("", "utf-8")
    stored = StoredFile(name=OWN, size_bytes=len(text), sha256="")
    made_at = datetime(2026, 1, 1, tzinfo=UTC)
    manifest = Manifest(format=1, program="", made_at=made_at, files=(stored,))
    try:
        settled(manifest, scratch, own / "config.toml", keep_settings=False)
    except InputError:
        return f"{there} is refused" if there.resolve().is_relative_to(own) else ""
    config, _ = load_config((scratch / OWN,))
    is_own = Path(getattr(config.storage, name)).resolve().is_relative_to(own)
    return "" if is_own else f"storage.{name} = {there} is taken"


_KINDS = (lost, filled, pointing)
