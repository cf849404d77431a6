"""Sentences of every intent are spoken once each, from the plainest on, in the voices' turn."""

from __future__ import annotations

from pathlib import Path

import pytest
import soundfile

from assistant.evaluation.examples import spoken_examples
from tests.support.voices import speech

EXAMPLES = {
    "Stop": ["stop", "Stop!", "please stop it now"],
    "Thanks": ["thanks", "thank you", "thanks a lot", "thank you so much", "many thanks to you"],
}


def test_a_few_sentences_of_each_intent_are_spoken(tmp_path: Path) -> None:
    speech("ready")  # skips where there is no flite
    clips = spoken_examples(EXAMPLES, 2, ["slt", "rms"], tmp_path)
    assert [(clip.path.stem, clip.label.text) for clip in clips] == [
        ("Stop-0", "Stop!"),
        ("Stop-1", "please stop it now"),
        ("Thanks-0", "thanks"),
        ("Thanks-1", "thanks a lot"),
    ]
    assert [clip.label.voice for clip in clips] == ["slt", "rms", "slt", "rms"]
    assert all(soundfile.info(clip.path).duration > 0.3 for clip in clips)


def test_an_intent_with_few_sentences_has_no_more(tmp_path: Path) -> None:
    speech("ready")
    clips = spoken_examples(EXAMPLES, 9, ["slt"], tmp_path)
    assert len(clips) == 7


@pytest.mark.parametrize("each", [1, 3])
def test_the_plainest_is_always_among_them(tmp_path: Path, each: int) -> None:
    speech("ready")
    clips = spoken_examples({"Thanks": EXAMPLES["Thanks"]}, each, ["rms"], tmp_path)
    assert clips[0].label.text == "thanks"
    assert len(clips) == each
