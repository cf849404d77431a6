"""Decoders token by token with a cache, beside plain NumPy that reads everything anew."""

from __future__ import annotations

import numpy as np
import pytest

from assistant.answer.generation.decoder_graph import Form
from assistant.core.models.int8 import blocks
from tests.support.tiny_decoder import NEO, OWN, by_numpy, decoder, weights

WORDS = 96
IDS = [int(i) for i in np.random.default_rng(1).integers(0, WORDS, 14)]


@pytest.mark.parametrize(("form", "learned"), [(NEO, True), (OWN, False)])
def test_each_token_is_scored_as_numpy_scores_it(form: Form, learned: bool) -> None:
    made = weights(WORDS, learned)
    model, expected = decoder(made, form), by_numpy(made, form, IDS)
    scores, memory = model.read(IDS[:9], model.nothing())
    np.testing.assert_allclose(scores, expected[8], atol=1e-4)
    for place, token in enumerate(IDS[9:], 9):
        scores, memory = model.read([token], memory)
        np.testing.assert_allclose(scores, expected[place], atol=1e-4)
    assert memory.tokens == len(IDS)


def test_neo_without_its_window_or_its_lack_of_scaling_says_something_else() -> None:
    made = weights(WORDS, learned=True)
    right = by_numpy(made, NEO, IDS)[-1]
    seeing_all = Form(heads=NEO.heads, positions=NEO.positions, scaled=False, int8=False)
    scaled = Form(heads=NEO.heads, positions=NEO.positions, windows=NEO.windows, int8=False)
    for wrong in (seeing_all, scaled):
        scores, _ = (model := decoder(made, wrong)).read(IDS, model.nothing())
        assert np.abs(scores - right).max() > 1e-2


def test_what_was_read_is_shared_and_never_changed() -> None:
    made = weights(WORDS, learned=False)
    model = decoder(made, OWN)
    _, shared = model.read(IDS[:5], model.nothing())
    one, _ = model.read(IDS[5:8], shared)
    other, _ = model.read(IDS[8:11], shared)
    np.testing.assert_allclose(one, by_numpy(made, OWN, IDS[:8])[-1], atol=1e-4)
    np.testing.assert_allclose(other, by_numpy(made, OWN, IDS[:5] + IDS[8:11])[-1], atol=1e-4)


def test_int8_says_nearly_what_float_says() -> None:
    made = weights(WORDS, learned=False)
    form = Form(heads=OWN.heads, positions=OWN.positions)
    scores, _ = (model := decoder(made, form)).read(IDS, model.nothing())
    expected = by_numpy(made, OWN, IDS)[-1]
    assert np.corrcoef(scores, expected)[0, 1] > 0.995


def test_codes_are_within_half_a_step_of_the_weights() -> None:
    matrix = np.random.default_rng(0).normal(size=(3, 64)).astype(np.float32)
    codes, scales = blocks(matrix)
    assert codes.shape == (3, 2, 32)
    back = (codes.astype(np.float32) - 128) * scales[..., None]
    assert np.all(np.abs(back.reshape(3, 64) - matrix) <= scales.repeat(32, axis=1) / 2 + 1e-6)
