"""A version of a model on trial in the real daemon, whose process is killed meanwhile."""

from __future__ import annotations

import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from assistant.core.models.calibration import FILE
from assistant.core.models.manifest import SHIPPED, Library
from assistant.model_files.pull import import_version
from benchmarks.endurance.swaps import sentences
from benchmarks.endurance.traffic import Traffic
from benchmarks.endurance.versions import unchecked
from tests.support.calibrations import INTENT
from tests.support.scenario import Daemon, Expect, Kill, command_line, quiet

pytestmark = pytest.mark.e2e

PATIENCE_S = 90.0
PER_S = 5.0
COUNTED = 6
"""Utterances of both versions after which the process is killed."""


def cautious(folder: Path) -> Path:
    """A version of the intent model that takes nothing for meant for the assistant."""
    shutil.copytree(SHIPPED / "intent", folder)
    worse = msgspec.structs.replace(INTENT, in_scope=1.0)
    (folder / FILE).write_bytes(msgspec.json.encode(worse))
    return folder


def talk_until(daemon: Daemon, done: Callable[[], bool]) -> None:
    traffic = Traffic(daemon.control.parent, sentences(40), PER_S)
    try:
        ends_s = time.monotonic() + PATIENCE_S
        while not done():
            assert time.monotonic() < ends_s, daemon.log.read_text()[-3000:]
            time.sleep(0.5)
    finally:
        traffic.stop()


def test_a_version_that_understands_less_goes_back_by_itself_after_a_kill(tmp_path: Path) -> None:
    library = Library(tmp_path / "state" / "models")
    (tmp_path / "state").mkdir()
    import_version(library, "intent", cautious(tmp_path / "made"), "2", unchecked)
    with quiet(tmp_path) as daemon:
        tried = ("models", "try", "intent", "2", "--share", "0.5", "--utterances", "100")
        command = command_line(*tried, "--config", str(daemon.config))
        subprocess.run(command, check=True, capture_output=True, timeout=PATIENCE_S)

        def counted() -> int:
            (trial,) = daemon.objects("models", "trials", "--json")
            return sum(trial[side].get("utterances", 0) for side in ("old", "new"))

        talk_until(daemon, lambda: counted() >= COUNTED)
        Kill("nlu").run(daemon)
        Expect("StageRestarted", {"stage": "nlu"}, PATIENCE_S).run(daemon)
        before = counted()
        talk_until(daemon, lambda: "intent 2 went back" in daemon.log.read_text())
        (trial,) = daemon.objects("models", "trials", "--json")
        assert (trial["outcome"], trial["version"]) == ("went back", "2")
        assert counted() > before >= COUNTED
        assert "utterances failed, with the other" in trial["reason"]
        assert Library(library.pulled).in_use("intent").version == "1"
