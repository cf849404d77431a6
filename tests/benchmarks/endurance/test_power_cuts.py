"""What was committed outlives a power cut, and a database that synced less would be found out."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from assistant.core.database import Database
from benchmarks.endurance.power_cuts import Attack
from benchmarks.endurance.recorded_disk import Entry, Promise, RecordedDisk, Write

CUTS = 20


def create_notes(database: Database) -> None:
    database.execute("CREATE TABLE notes (text TEXT)")


def noted(disk: RecordedDisk) -> int:
    """Write one note, and return the number of the steps until then."""
    with closing(Database(disk.folder / "state.db", [create_notes], connect=disk.connect)) as notes:
        notes.execute("INSERT INTO notes VALUES (?)", "milk" * 2000)
        return len(disk.steps)


def test_what_was_committed_is_there_after_every_cut(tmp_path: Path) -> None:
    found = Attack(tmp_path).run(CUTS)
    assert (found.lost, found.corrupt) == ([], [])
    assert found.commits > CUTS / 2
    assert found.under_way > 0
    assert found.checkpoints > 0


@pytest.mark.parametrize("synchronous", ["NORMAL", "OFF"])
def test_a_database_that_syncs_less_is_found_out(tmp_path: Path, synchronous: str) -> None:
    assert Attack(tmp_path, synchronous=synchronous).run(CUTS).lost


def test_a_damaged_file_is_found_out(tmp_path: Path) -> None:
    class Scratched(RecordedDisk):
        def cut(self, after: int, chance: Random) -> dict[str, bytes]:
            content = super().cut(after, chance).get("state.db", b"")
            return {"state.db": content[:50] + chance.randbytes(len(content[50:]))}

    assert len(Attack(tmp_path, disk=Scratched).run(CUTS).corrupt) > CUTS / 2


def test_a_cut_tears_what_was_not_synced_and_nothing_else(tmp_path: Path) -> None:
    disk = RecordedDisk(tmp_path / "disk")
    after = noted(disk)
    written = max(n for n, step in enumerate(disk.steps[:after], 1) if isinstance(step, Write))
    unsynced, synced = (
        {disk.cut(steps, Random(seed))["state.db-wal"] for seed in range(30)}
        for steps in (written, after)
    )
    assert len(synced) == 1
    assert len(unsynced) > 10
    assert any(len(log) % 4096 and log < max(synced) for log in unsynced)


def test_a_file_whose_folder_was_not_synced_may_be_missing(tmp_path: Path) -> None:
    disk = RecordedDisk(tmp_path / "disk")
    noted(disk)
    made = next(n for n, s in enumerate(disk.steps, 1) if isinstance(s, Entry))
    assert {"state.db" in disk.cut(made, Random(seed)) for seed in range(30)} == {True, False}
    synced = next(n for n, s in enumerate(disk.steps, 1) if isinstance(s, Promise))
    assert all("state.db" in disk.cut(synced, Random(seed)) for seed in range(30))
