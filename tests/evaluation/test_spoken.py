"""Spoken sentences beside the same typed: what is right, and that silence is not."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import soundfile

from assistant.composition import Composition
from assistant.core.config import AsrSettings, Config, HomeSettings, StorageSettings
from assistant.core.messages import SAMPLE_RATE_HZ
from assistant.evaluation.clips import Clip, SentenceLabel
from assistant.evaluation.spoken import Misheard, SpokenFigures, evaluate_spoken
from tests.support.scenario import HOME
from tests.support.voices import silence, speech

SENTENCES = ("turn on the kitchen light", "set a timer for five minutes", "what time is it")


@pytest.fixture(scope="module")
def composition(tmp_path_factory: pytest.TempPathFactory) -> Composition:
    folder = tmp_path_factory.mktemp("spoken")
    return Composition(
        Config(
            asr=AsrSettings(engine="pocketsphinx"),
            home=HomeSettings(file=str(HOME)),
            storage=StorageSettings(state=str(folder / "state")),
        )
    )


def evaluated(
    composition: Composition, folder: Path, labels: list[str | None], silent: bool = False
) -> tuple[SpokenFigures, list[Misheard]]:
    """The figures of recordings of `SENTENCES`, or of silence, with these labels."""
    clips = []
    for number, (said, label) in enumerate(zip(SENTENCES, labels, strict=True)):
        samples = np.frombuffer(b"".join((*silence(0.3), *speech(said), *silence(0.3))), np.int16)
        path = folder / f"{number}.wav"
        soundfile.write(path, np.zeros_like(samples) if silent else samples, SAMPLE_RATE_HZ)
        clips.append(Clip(path, SentenceLabel(label, "synthetic")))
    missed: list[Misheard] = []
    stages = composition.asr(), composition.nlu(), composition.skills
    return evaluate_spoken(clips, *stages, missed.append), missed


def test_what_is_heard_as_it_is_typed_is_right(composition: Composition, tmp_path: Path) -> None:
    figures, missed = evaluated(composition, tmp_path, list(SENTENCES))
    assert missed == []
    assert figures.right_interpretations == figures.exact_transcripts == 1.0
    assert figures.right_by_voice == {"synthetic": 1.0}
    assert (figures.wer, figures.engine) == (0.0, "pocketsphinx")
    assert set(figures.right_by_confidence.values()) == {1.0}
    assert sum(figures.clips_by_confidence.values()) == len(SENTENCES)


def test_other_labels_are_not_met(composition: Composition, tmp_path: Path) -> None:
    figures, missed = evaluated(composition, tmp_path, [*SENTENCES[1:], SENTENCES[0]])
    assert figures.right_interpretations == 0.0
    assert figures.wer > 0.5
    assert set(figures.right_by_confidence.values()) == {0.0}
    assert [one.label for one in missed] == [*SENTENCES[1:], SENTENCES[0]]


def test_silence_is_not_understood(composition: Composition, tmp_path: Path) -> None:
    figures, _ = evaluated(composition, tmp_path, list(SENTENCES), silent=True)
    assert (figures.right_interpretations, figures.wer) == (0.0, 1.0)


def test_an_act_where_there_is_no_command_is_counted(
    composition: Composition, tmp_path: Path
) -> None:
    figures, missed = evaluated(composition, tmp_path, [None, None, None])
    assert figures.actions_on_rejects == 2  # the time alone changes nothing
    assert {one.transcript for one in missed} == set(SENTENCES[:2])
