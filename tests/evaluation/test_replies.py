"""Answers after a question are heard, and without the question, the control, fewer of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.core.messages import Slot
from assistant.core.speakable import always
from assistant.evaluation.examples import evaluate_replies
from assistant.evaluation.spoken import Misheard
from assistant.skill.manifest import SlotSchema
from audio.asr.pocketsphinx import PocketSphinxRecognizer
from audio.asr.stage import AsrStage
from tests.support.voices import speech


@pytest.fixture
def asr(tmp_path: Path) -> AsrStage:
    speech("ready")  # skips where there is no flite
    sentences = ["turn on the light", "what do you know"]
    return AsrStage(PocketSphinxRecognizer(always(sentences), cache_dir=tmp_path / "asr"))


def read(text: str, schema: SlotSchema) -> Slot | None:
    """Reads "no" and its like as no, and so the rest, but for nothing at all."""
    word = text.partition(" ")[0]
    yes = word not in ("no", "nope", "nah", "don't", "please", "not")
    return Slot(name=schema.name, value=yes, raw=text) if word else None


def test_an_answer_is_heard_where_one_is_expected(asr: AsrStage, tmp_path: Path) -> None:
    misheard: list[Misheard] = []
    asked = evaluate_replies(asr, read, ["slt"], tmp_path, misheard.append)
    assert (asked.replies, asked.engine) == (22, "pocketsphinx")
    assert asked.right + asked.reversed + asked.lost == pytest.approx(1.0)
    assert len(misheard) == round(22 * (asked.reversed + asked.lost))
    assert asked.right > 0.7


def test_without_the_question_hardly_any_is(asr: AsrStage, tmp_path: Path) -> None:
    unasked = evaluate_replies(asr, read, ["slt"], tmp_path, asks=False)
    assert unasked.right < 0.3
