"""The record of trials outlives a restart, and no damage to it stops anything."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from assistant.core.models.trial import Outcome, Tally
from assistant.core.models.trial_file import KEPT, Trial, TrialFile


def trial(version: str = "2", began_s: float = 1.0) -> Trial:
    return Trial(
        model="ner", version=version, before="1", share=0.2, utterances=500, began_s=began_s
    )


@pytest.fixture
def file(tmp_path: Path) -> TrialFile:
    return TrialFile(tmp_path / "trials.json")


def test_a_trial_goes_on_where_it_was(file: TrialFile, tmp_path: Path) -> None:
    assert (file.all(), file.running) == ((), None)
    counted = msgspec.structs.replace(trial(), new=Tally(utterances=3, missed=1))
    for state in (trial(), counted):
        file.keep(state)
    assert TrialFile(tmp_path / "trials.json").running == counted
    ended = counted.ended(Outcome.BACK, "worse", 5.0)
    file.keep(ended)
    assert (file.all(), file.running) == ((ended,), None)


def test_only_the_latest_are_kept(file: TrialFile) -> None:
    for number in range(KEPT + 3):
        file.keep(trial(began_s=number))
    assert [one.began_s for one in file.all()] == list(range(3, KEPT + 3))


@pytest.mark.parametrize("content", [b"", b"[", b"\xff", b'[{"model": 1}]'])
def test_a_damaged_record_is_empty_and_written_anew(
    file: TrialFile, tmp_path: Path, content: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "trials.json").write_bytes(content)
    assert file.running is None
    assert "model.trials" in caplog.text
    file.keep(trial())
    assert file.running == trial()


def test_a_record_that_cannot_be_written_stops_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    TrialFile(tmp_path / "missing" / "trials.json").keep(trial())
    assert "model.trials" in caplog.text
