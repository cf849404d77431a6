"""What a running daemon keeps is backed up meanwhile, and another daemon has it after a restore."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.scenario import Daemon, Expect, Rows, Say, Spoken, command_line, quiet, tell

pytestmark = pytest.mark.e2e

KEPT = (
    "SELECT name, duration_s FROM timers",
    "SELECT list_id, text FROM list_items",
    "SELECT count(*) FROM plans",
    "SELECT entity_id, state FROM devices ORDER BY entity_id",
    "SELECT * FROM acted",
)


def test_timers_lists_plans_and_states_come_back(tmp_path: Path) -> None:
    archive = tmp_path / "hark.tar.gz"
    with quiet(tmp_path) as daemon:
        for said, reply in (
            ("set a pasta timer for ninety minutes", "pasta timer"),
            ("turn on the kitchen light", "kitchen light"),
            ("turn off the kitchen light in ten minutes", "in ten minutes"),
            ("put milk on the shopping list", "milk"),
        ):
            told = Expect("Reply", {"text": reply, "acted": True})
            tell(daemon, [Say(f"computer, {said}"), told, Spoken()])
        kept = [daemon.rows(query) for query in KEPT]
        assert all(kept)
        assert daemon.ask("backup", str(archive), "--json")["files"] >= 4
        assert "stop it" in _restore(daemon, archive, status=2)
    shutil.rmtree(daemon.state_dir)
    assert str(daemon.state_dir) in _restore(daemon, archive)
    with quiet(tmp_path) as again:
        assert [again.rows(query) for query in KEPT] == kept
        tell(
            again,
            [
                Say("computer, cancel the pasta timer"),
                Expect("Reply", {"text": "pasta", "acted": True}),
                Rows("SELECT * FROM timers", []),
            ],
        )


def _restore(daemon: Daemon, archive: Path, status: int = 0) -> str:
    command = command_line("restore", str(archive), "--yes", "--config", str(daemon.config))
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == status, done.stderr
    return done.stdout + done.stderr
