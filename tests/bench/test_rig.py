"""The benches start the real daemon, and say why when it does not come up."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from assistant.bench import idle, stages
from assistant.bench.rig import running_daemon
from assistant.control.metrics import STAGES
from assistant.core.errors import ControlError

pytestmark = pytest.mark.e2e


@pytest.fixture(autouse=True)
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """How fast this machine is decides nothing here."""
    monkeypatch.setattr(stages, "REPLY_S", 120.0)


@pytest.mark.depth
def test_every_process_of_the_idle_daemon_is_weighed(cache: Path) -> None:
    figures = idle.measure(seconds=1.0, cache=cache)
    names = {row.process for row in figures.processes}
    assert {"supervisor", "zygote", "control", "audio", "asr", "nlu", "skills", "voice"} <= names
    assert all(row.pss_mb > 1 for row in figures.processes)
    assert figures.pss_mb == pytest.approx(sum(row.pss_mb for row in figures.processes), abs=0.1)
    assert figures.cpu_silence > 0


@pytest.mark.depth
@pytest.mark.skipif(shutil.which("flite") is None, reason="flite is not installed")
def test_a_spoken_command_is_timed_through_every_stage(cache: Path) -> None:
    figures = stages.measure(runs=1, utterances=1, cache=cache)
    assert (figures.utterances, figures.understood, figures.replies) == (1, 1, 1)
    timed = {figure.stage: figure.p50_ms for figure in figures.stages}
    assert timed.keys() == set(STAGES) - {"answer"}
    assert figures.understanding.match_ms > 0
    assert sum(timed.values()) - timed["total"] == pytest.approx(timed["total"], abs=1)


@pytest.mark.depth
def test_silence_is_no_utterance(monkeypatch: pytest.MonkeyPatch, cache: Path) -> None:
    """Control: what is not said is not timed."""
    monkeypatch.setattr(stages, "REPLY_S", 3.0)
    monkeypatch.setattr(stages, "_spoken", lambda text, voice: idle.pink(16_000) // 100)
    figures = stages.measure(runs=1, utterances=1, cache=cache)
    assert (figures.stages, figures.understood, figures.replies) == ((), 0, 0)


def test_a_daemon_that_does_not_start_says_why() -> None:
    with pytest.raises(ControlError, match=r"home\.yaml"), running_daemon(home="[no yaml"):
        pass
