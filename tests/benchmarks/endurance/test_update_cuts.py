"""A model's update survives a power cut at each step; one made carelessly is found out."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.endurance.update_cuts import CARELESS, Attack

pytestmark = pytest.mark.long


def test_after_every_cut_there_is_the_old_model_or_the_new_one(tmp_path: Path) -> None:
    found = Attack(tmp_path).run_late()
    assert (found.neither, found.stuck) == ([], [])
    assert found.old + found.new == found.cuts > 20
    assert min(found.old, found.new, found.unsynced) > 0


@pytest.mark.parametrize("careless", CARELESS)
def test_a_careless_update_is_found_out(tmp_path: Path, careless: str) -> None:
    assert Attack(tmp_path, careless=careless).run_late().neither
