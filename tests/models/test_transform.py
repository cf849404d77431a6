"""The acoustic model's Gaussians, the states of a sentence, and maps that are fitted to speech."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
import soxr

from assistant.core.messages import SAMPLE_RATE_HZ
from assistant.core.models.manifest import Library
from audio.asr.acoustic import transform_file
from models.training.alignment import Aligned, Aligner
from models.training.gaussians import CODEBOOKS, Gaussians
from models.training.transform import Statistics, Transform, fit
from tests.support.voices import speech

SENTENCES = (
    "turn on the kitchen light",
    "what is the weather like today",
    "set a timer for ten minutes",
    "close the garage door please",
    "add apples to the shopping list",
)
PRIOR_FRAMES = 500.0


@pytest.fixture(scope="module")
def model() -> Gaussians:
    return Gaussians.load()


@pytest.fixture(scope="module")
def aligner() -> Iterator[Aligner]:
    with closing(Aligner()) as aligner:
        yield aligner


def recorded(text: str) -> bytes:
    return b"".join(speech(text))


def longer_headed(text: str) -> bytes:
    """The same voice with a vocal tract that is a quarter longer."""
    sound = np.frombuffer(recorded(text), np.int16)
    return soxr.resample(sound, SAMPLE_RATE_HZ, SAMPLE_RATE_HZ * 1.25).astype(np.int16).tobytes()


def adapted(spoken: list[Aligned], model: Gaussians) -> Transform:
    statistics = Statistics()
    for one in spoken:
        statistics.add(one, model, Transform.identity())
    return statistics.solve(Transform.identity(), PRIOR_FRAMES)


def test_weights_of_a_state_add_up_and_every_phone_has_its_codebook(model: Gaussians) -> None:
    assert model.means.shape == model.variances.shape == (len(CODEBOOKS), 3, 128, 13)
    assert model.weights.sum(axis=1) == pytest.approx(0.95, abs=0.06)  # small ones are cut off


def test_a_sentence_is_aligned_with_the_states_of_its_phones(aligner: Aligner) -> None:
    spoken = aligner("turn on the kitchen light", recorded("turn on the kitchen light"))
    assert spoken is not None
    books = [
        book
        for at, book in enumerate(spoken.codebooks)
        if at == 0 or book != spoken.codebooks[at - 1]
    ]
    names = {book: phone for phone, book in CODEBOOKS.items()}
    assert [names[book] for book in books[:3]] == ["T", "ER", "N"]
    assert spoken.features.shape == (len(spoken.senones), 3, 13)


def test_its_frames_fit_its_own_states_better_than_others(
    aligner: Aligner, model: Gaussians
) -> None:
    spoken = aligner("turn on the kitchen light", recorded("turn on the kitchen light"))
    assert spoken is not None
    mixed = np.random.default_rng(1).permutation(len(spoken.senones))
    other = Aligned(spoken.features, spoken.codebooks[mixed], spoken.senones[mixed])
    assert fit(spoken, model, Transform.identity()) > fit(other, model, Transform.identity()) + 5


@pytest.mark.parametrize("text", ["", "turn on the xyzzyx"])
def test_words_that_nobody_knows_are_not_aligned(aligner: Aligner, text: str) -> None:
    assert aligner(text, recorded("turn on the light")) is None


def test_silence_is_not_aligned(aligner: Aligner) -> None:
    assert aligner("turn on the light", bytes(2 * SAMPLE_RATE_HZ // 100)) is None


def test_a_map_fitted_to_a_voice_fits_what_else_it_says(aligner: Aligner, model: Gaussians) -> None:
    *texts, asked = SENTENCES

    def gain(voice: Callable[[str], bytes]) -> float:
        """What a map that was fitted to a voice gains for a sentence of the longer head."""
        learnt = [one for text in texts if (one := aligner(text, voice(text))) is not None]
        heard = aligner(asked, longer_headed(asked))
        assert heard is not None
        plain = fit(heard, model, Transform.identity())
        return fit(heard, model, adapted(learnt, model)) - plain

    assert gain(longer_headed) > 0.3 + max(gain(recorded), 0.0)


def test_a_map_that_was_fitted_to_nothing_changes_nothing() -> None:
    statistics = Statistics()
    statistics.squares += np.eye(14)  # no frame, and yet not singular
    before = Transform.identity()
    assert statistics.solve(before, 1e12).matrices == pytest.approx(before.matrices, abs=1e-6)


def test_a_map_is_read_as_it_was_written() -> None:
    dice = np.random.default_rng(1)
    made = Transform(dice.normal(size=(3, 13, 13)), dice.normal(size=(3, 13)))
    read = Transform.read(made.text())
    assert read.matrices == pytest.approx(made.matrices, abs=1e-5)
    assert read.offsets == pytest.approx(made.offsets, abs=1e-5)


@pytest.mark.parametrize("text", ["", "1\n3\n13\n0.5", "no numbers"])
def test_another_file_is_no_map(text: str) -> None:
    with pytest.raises(ValueError, match=r"transform|float"):
        Transform.read(text)


def test_the_map_that_ships_changes_what_is_heard(tmp_path: Path) -> None:
    library = Library(tmp_path)
    shipped = Transform.read(transform_file(library).read_text("utf-8"))
    assert np.linalg.det(shipped.matrices) == pytest.approx(np.ones(3), abs=0.999)
    assert not np.allclose(shipped.matrices, Transform.identity().matrices, atol=0.01)
