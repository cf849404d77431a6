"""What was lost of the state is told with the way back, until that is done."""

from __future__ import annotations

import os
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from assistant.backup.make import make_backup
from assistant.core.config import Config, StorageSettings
from assistant.doctor.losses import losses
from skills.state import LOST, lost, open_state

LATER = datetime(2100, 1, 1, tzinfo=UTC)


@pytest.fixture
def config(tmp_path: Path) -> Config:
    made = Config(storage=StorageSettings(state=str(tmp_path / "state")))
    with closing(open_state(made.state_dir / "state.db")):
        pass
    (made.state_dir / "backups").mkdir()
    return made


def back_up(config: Config, name: str, at: datetime) -> Path:
    file = config.state_dir / "backups" / f"hark-{name}.tar.gz"
    make_backup(config, (), file, at)
    return file


def lose(config: Config, why: str) -> str:
    """Lose the state, and give what is said at the next start."""
    file = config.state_dir / "state.db"
    file.write_bytes(b"rubbish " * 999 if why == "damaged" else b"")
    if why == "missing":
        file.unlink()
    with closing(open_state(file)) as state:
        (told,) = lost(state)
        assert lost(state) == []
    return told


def test_a_sound_state_needs_no_word(config: Config) -> None:
    assert list(losses(config.state_dir)) == []
    assert list(losses(config.state_dir / "none")) == []


@pytest.mark.parametrize("why", ["damaged", "empty", "missing"])
def test_it_is_said_and_told_with_the_newest_good_backup_from_before(
    config: Config, why: str
) -> None:
    back_up(config, "2026-01-01", datetime(2026, 1, 1, tzinfo=UTC))
    newest = back_up(config, "2026-02-01", datetime(2026, 2, 1, tzinfo=UTC))
    bad = back_up(config, "2026-03-01", datetime(2026, 3, 1, tzinfo=UTC))
    os.truncate(bad, bad.stat().st_size // 2)
    back_up(config, "2100-01-01", LATER)  # it holds what was begun anew
    assert lose(config, why) == LOST.format(why=why)
    (finding,) = losses(config.state_dir)
    assert (finding.name, finding.ok) == ("state.db", False)
    assert f"{config.state_dir}/state.db was {why}" in finding.detail
    aside = config.state_dir / f"state.db.{why}-1"
    assert finding.remedy == f"run: assistant restore {newest}; or remove {aside}"
    aside.unlink()
    assert list(losses(config.state_dir)) == []


def test_without_a_backup_it_is_told_all_the_same(config: Config) -> None:
    lose(config, "damaged")
    (finding,) = losses(config.state_dir)
    assert finding.remedy.startswith("restore a backup, if you have one; or remove ")
