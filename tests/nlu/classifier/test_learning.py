"""What is put right is learnt where nothing else is understood worse, and is left out elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from nlu.classifier.corrections import Lesson, Use, read_uses
from nlu.classifier.examples import Examples, IntentLabel, write_shipped
from nlu.classifier.fitting import OwnSentences, fitted
from tests.support.calibrations import INTENT
from tests.support.fake_encoder import FakeEncoder

LIGHTS, TIMERS, MUSIC, DOORS, NEWS = map(
    IntentLabel, ("Lights", "Timers", "Music", "Doors", "News")
)
SAID = {
    LIGHTS: "lamp light lights bulb brighter ceiling",
    TIMERS: "timer minutes alarm countdown egg oven",
    MUSIC: "music song play album louder artist",
    DOORS: "door lock shut gate close window",
    NEWS: "news headlines today papers politics world",
}
FILLERS = ("please", "now", "the", "my", "some", "that", "again", "here")


class Encoder(FakeEncoder):
    """Embeds texts that share words near each other."""

    name = "fake"
    calibration = INTENT  # type: ignore[assignment]


def texts(words: str) -> list[str]:
    """Twelve sentences of two of these words, and one that means nothing."""
    said = words.split()
    pairs = [(a, b) for a in said for b in said if a < b][:12]
    return [f"{a} {b} {FILLERS[n % len(FILLERS)]}" for n, (a, b) in enumerate(pairs)]


@pytest.fixture
def shipped(tmp_path: Path) -> bytes:
    inside = [(label, text) for label, words in SAID.items() for text in texts(words)]
    outside = texts("yesterday mother school holiday weekend kitchen") * 2
    labels: list[IntentLabel | None] = [label for label, _ in inside]
    embeddings = Encoder().encode([*(text for _, text in inside), *outside])
    write_shipped(tmp_path / "e.npz", Examples([*labels, *[None] * len(outside)], embeddings))
    return (tmp_path / "e.npz").read_bytes()


def model(shipped: bytes, folder: Path, lessons: Sequence[Lesson], encoder: Encoder | None = None):  # type: ignore[no-untyped-def]
    own = [(label, f"{text} then") for label, words in SAID.items() for text in texts(words)[:6]]
    return fitted(encoder or Encoder(), shipped, OwnSentences(own, (), lessons), folder)  # type: ignore[arg-type]


GOOD = Lesson("good", "gloomy in here", MUSIC)
HARMFUL = [
    Lesson(f"bad {n}", f"{text} then", NEWS) for n, text in enumerate(texts(SAID[LIGHTS])[:6])
]
"""Sentences of a skill for lights, told to be news."""


def test_words_that_meant_nothing_are_understood_once_they_are_put_right(
    tmp_path: Path, shipped: bytes
) -> None:
    before = model(shipped, tmp_path, ()).rank(GOOD.text)
    after = model(shipped, tmp_path, (GOOD,)).rank(GOOD.text)
    assert before.intents()[0][0] != "Music"
    assert after.intents()[0][0] == "Music"
    assert after.in_scope > before.in_scope
    assert read_uses(tmp_path) == {"good": Use.USED}


def test_what_makes_others_misunderstood_is_left_out_and_told(
    tmp_path: Path, shipped: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    taught = model(shipped, tmp_path, (*HARMFUL, GOOD))
    assert taught.rank(HARMFUL[0].text).intents()[0][0] == "Lights"
    uses = read_uses(tmp_path)
    assert uses["good"] is Use.USED
    assert Use.HARMFUL in uses.values()
    assert "nlu.corrections" in caplog.text


def test_what_did_harm_is_not_tried_again_and_what_is_removed_is_not_learnt_from(
    tmp_path: Path, shipped: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    untaught = model(shipped, tmp_path, ()).rank(GOOD.text)
    model(shipped, tmp_path, (*HARMFUL, GOOD))
    known = dict(read_uses(tmp_path))
    encoder = Encoder()
    monkeypatch.delattr("nlu.classifier.learning.Trial.harmless")  # nothing is tried
    model(shipped, tmp_path, (*HARMFUL, GOOD), encoder)
    assert encoder.encoded == []
    assert read_uses(tmp_path) == known
    assert model(shipped, tmp_path, ()).rank(GOOD.text) == untaught
    assert read_uses(tmp_path) == {}


def test_what_may_not_be_learnt_is_only_told(tmp_path: Path, shipped: bytes) -> None:
    untaught = model(shipped, tmp_path, ()).rank(GOOD.text)
    guarded = Lesson("guarded", GOOD.text, Use.GUARDED)
    assert model(shipped, tmp_path, (guarded,)).rank(GOOD.text) == untaught
    assert read_uses(tmp_path) == {"guarded": Use.GUARDED}
