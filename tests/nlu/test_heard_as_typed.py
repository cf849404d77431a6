"""What is heard to the letter is understood as the same typed, however unsure its words are."""

from __future__ import annotations

import msgspec
import pytest

from assistant.composition import Composition
from assistant.core.config import Config, HomeSettings, StorageSettings
from assistant.core.messages import Interpretation, Transcript, Word
from assistant.evaluation.rejects import APART_S, read_lines
from assistant.evaluation.spoken import comparable, meant_by
from assistant.pipeline import typed
from tests.conftest import REPOSITORY
from tests.support.talking import EVENING

DATA = REPOSITORY / "tests" / "data"
SPOKEN = ("free_text", "free_text2", "everyday", "everyday2")
SENTENCES = 500
UNSURE = (0.5, 0.4)
"""Confidences of words: below the first what the models guess is not done."""
GUESSES = 25


@pytest.fixture(scope="module")
def composition(tmp_path_factory: pytest.TempPathFactory) -> Composition:
    folder = str(tmp_path_factory.mktemp("heard"))
    home = HomeSettings(file=str(REPOSITORY / "assistant" / "demo" / "home.yaml"))
    config = Config(storage=StorageSettings(state=folder, cache=folder), home=home)
    return Composition(config, now=lambda: EVENING)


def lines(composition: Composition) -> list[str]:
    """Sentences of people, and of every intent in turn."""
    examples = composition.understanding.templates.examples(vocabulary=True).values()
    said = [line for name in SPOKEN for line in read_lines(DATA / f"{name}.txt")]
    drawn = [some[n] for n in range(2) for some in examples if len(some) > n]
    return [*said, *drawn][:SENTENCES]


@pytest.mark.depth
@pytest.mark.parametrize("engine", ["whisper", "pocketsphinx"])
def test_what_is_heard_to_the_letter_is_understood_as_typed(
    composition: Composition, engine: str
) -> None:
    stage = composition.nlu()
    heard = lines(composition)
    assert len(heard) == SENTENCES
    unlike: dict[float, list[str]] = {confidence: [] for confidence in UNSURE}
    at_s = 0.0
    for line in heard:
        meant = []
        for confidence in (1.0, *UNSURE):
            at_s += APART_S
            said = _heard(line, engine, confidence, at_s)
            (found,) = (m for m in stage.feed(said) if isinstance(m, Interpretation))
            meant.append(comparable(meant_by(found)))
        for confidence, commands in zip(UNSURE, meant[1:], strict=True):
            if commands != meant[0]:
                unlike[confidence].append(line)
    assert unlike[0.5] == []
    assert len(unlike[0.4]) <= GUESSES, unlike[0.4]


def _heard(line: str, engine: str, confidence: float, at_s: float) -> Transcript:
    said, _ = typed(f"{at_s}", line, at_s)
    words = [Word(text=w, start_s=0.0, end_s=1.0, confidence=confidence) for w in line.split()]
    return msgspec.structs.replace(said, engine=engine, confidence=confidence, words=tuple(words))
