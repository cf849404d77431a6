"""The intent head on made-up embeddings: what it knows, what it refuses, how it follows changes."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from nlu.classifier.head import Head
from nlu.classifier.logistic import Linear, fit_binary, fit_softmax

WIDTH = 24
Array = NDArray[np.float32]


def around(centres: Array, each: int, seed: int, noise: float = 0.12) -> Array:
    """`each` embeddings of length 1 about each centre."""
    draw = np.random.default_rng(seed)
    points = np.repeat(centres, each, axis=0)
    points = points + draw.normal(0, noise, points.shape).astype(np.float32)
    return (points / np.linalg.norm(points, axis=1, keepdims=True)).astype(np.float32)


def directions(count: int, seed: int) -> Array:
    points = np.random.default_rng(seed).normal(size=(count, WIDTH)).astype(np.float32)
    return points / np.linalg.norm(points, axis=1, keepdims=True)


CENTRES = directions(12, seed=1)
STRANGE = directions(30, seed=2)
NAMES = [f"intent{index:02}" for index in range(12)]
TRAIN, LABELS = around(CENTRES, 20, seed=3), [name for name in NAMES for _ in range(20)]
NEGATIVES = around(STRANGE[:15], 8, seed=4)
FRESH, STRANGERS = around(CENTRES, 40, seed=5), around(STRANGE[15:], 20, seed=6)
FRESH_LABELS = np.repeat(NAMES, 40)


@pytest.fixture(scope="module")
def head() -> Head:
    return Head.fit(TRAIN, LABELS, NEGATIVES)


def accuracy(head: Head, embeddings: Array, labels: NDArray[np.str_]) -> float:
    probabilities, _ = head.score_all(embeddings)
    return float((np.array(head.labels)[probabilities.argmax(axis=1)] == labels).mean())


def test_it_knows_its_intents_and_its_probabilities_are_honest(head: Head) -> None:
    assert accuracy(head, FRESH, FRESH_LABELS) > 0.97
    probabilities, _ = head.score_all(FRESH)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1, atol=1e-5)
    sure = probabilities.max(axis=1).mean()
    assert abs(sure - accuracy(head, FRESH, FRESH_LABELS)) < 0.05


def test_shuffled_labels_bring_it_to_chance() -> None:
    shuffled = list(np.random.default_rng(0).permutation(LABELS))
    assert accuracy(Head.fit(TRAIN, shuffled, NEGATIVES), FRESH, FRESH_LABELS) < 0.3


def test_strangers_fall_below_a_threshold_that_few_kin_fall_below(head: Head) -> None:
    threshold = head.threshold(0.04, FRESH)
    _, kin = head.score_all(FRESH)
    _, strange = head.score_all(STRANGERS)
    assert (kin < threshold).mean() <= 0.045
    assert (strange < threshold).mean() > 0.8


def test_without_held_out_embeddings_the_rehearsal_gives_the_threshold(head: Head) -> None:
    _, kin = head.score_all(FRESH)
    assert (kin < head.threshold(0.05)).mean() < 0.2
    assert head.threshold(0.01) <= head.threshold(0.2)


def test_what_is_out_of_scope_is_recognised_without_negatives_too() -> None:
    head = Head.fit(TRAIN, LABELS, NEGATIVES[:0])
    threshold = head.threshold(0.04, FRESH)
    assert (head.score_all(STRANGERS)[1] < threshold).mean() > 0.6


def test_one_sentence_is_scored_as_in_a_batch(head: Head) -> None:
    probabilities, in_scope = head.score_all(FRESH[:5])
    one = head.scores(FRESH[3])
    np.testing.assert_allclose(one.probabilities, probabilities[3], atol=1e-5)
    assert one.in_scope == pytest.approx(float(in_scope[3]), abs=1e-5)


@pytest.mark.parametrize("label", ["intent03", "intent07", "intent11"])
def test_an_intent_less_hardly_moves_what_is_in_scope(head: Head, label: str) -> None:
    kept = [one != label for one in LABELS]
    without = Head.fit(TRAIN[kept], [one for one in LABELS if one != label], NEGATIVES)
    others = np.concatenate([FRESH[[one != label for one in FRESH_LABELS]], STRANGERS])
    gone = FRESH[[one == label for one in FRESH_LABELS]]
    moved, lost = (
        np.abs(without.score_all(some)[1] - head.score_all(some)[1]).mean()
        for some in (others, gone)
    )
    assert moved < 0.03
    assert lost > 0.3  # the control: what it was about is out of scope


def test_a_refit_takes_up_a_new_intent_and_keeps_the_others(head: Head) -> None:
    new = around(STRANGE[20:21], 20, seed=7)
    more = np.concatenate([TRAIN, new])
    refitted = head.refit(more, [*LABELS, *["a new one"] * 20], NEGATIVES)
    fresh = around(STRANGE[20:21], 40, seed=8)
    assert accuracy(refitted, fresh, np.repeat(["a new one"], 40)) > 0.9
    assert accuracy(refitted, FRESH, FRESH_LABELS) > 0.97
    assert refitted.scores(fresh[0]).in_scope > head.scores(fresh[0]).in_scope


def test_a_refit_comes_to_what_a_fit_comes_to(head: Head) -> None:
    kept = [label != "intent03" for label in LABELS]
    labels = [label for label in LABELS if label != "intent03"]
    refitted = head.refit(TRAIN[kept], labels, NEGATIVES)
    fitted = Head.fit(TRAIN[kept], labels, NEGATIVES)
    assert refitted.labels == fitted.labels
    some = FRESH[:100]
    np.testing.assert_array_equal(
        refitted.score_all(some)[0].argmax(axis=1), fitted.score_all(some)[0].argmax(axis=1)
    )


def test_a_cold_refit_takes_over_the_calibration_alone(head: Head) -> None:
    kept = [label != "intent03" for label in LABELS]
    rest = (TRAIN[kept], [label for label in LABELS if label != "intent03"], NEGATIVES)
    after_all, after_rest = (one.refit(*rest, warm=False) for one in (head, Head.fit(*rest)))
    np.testing.assert_array_equal(after_all.classes.weight, after_rest.classes.weight)
    assert after_all.temperature == head.temperature
    np.testing.assert_array_equal(after_all.spread, head.spread)
    assert (head.refit(*rest).classes.weight != after_all.classes.weight).any()  # the control


def test_a_head_survives_being_saved(head: Head) -> None:
    again = Head.from_npz(head.to_npz())
    assert again.labels == head.labels
    np.testing.assert_array_equal(again.score_all(FRESH)[0], head.score_all(FRESH)[0])
    np.testing.assert_array_equal(again.score_all(FRESH)[1], head.score_all(FRESH)[1])
    assert again.threshold(0.04) == head.threshold(0.04)


def test_a_fit_is_the_same_every_time(head: Head) -> None:
    again = Head.fit(TRAIN, LABELS, NEGATIVES)
    np.testing.assert_array_equal(again.score_all(FRESH)[0], head.score_all(FRESH)[0])


@pytest.mark.parametrize(("labels", "negatives"), [(1, 100), (3, 0)])
def test_too_little_to_fit_is_refused(labels: int, negatives: int) -> None:
    with pytest.raises(ValueError, match="too few to fit"):
        Head.fit(TRAIN[: 20 * labels], LABELS[: 20 * labels], NEGATIVES[:negatives])


def test_intents_of_one_sentence_each_can_be_fitted() -> None:
    head = Head.fit(around(CENTRES, 1, seed=9), NAMES, NEGATIVES)
    assert accuracy(head, FRESH, FRESH_LABELS) > 0.7


def test_softmax_regression_comes_to_where_the_slope_is_flat() -> None:
    numbers = np.repeat(np.arange(12), 20)
    found = fit_softmax(TRAIN, numbers)
    probabilities = np.exp(found(TRAIN) - found(TRAIN).max(axis=1, keepdims=True))
    probabilities /= probabilities.sum(axis=1, keepdims=True)
    probabilities[np.arange(len(numbers)), numbers] -= 1
    slope = probabilities.T @ TRAIN + 0.05 * found.weight
    assert np.abs(slope).max() < 0.05
    again = fit_softmax(TRAIN, numbers, found)
    np.testing.assert_allclose(again.weight, found.weight, atol=0.1)


def test_two_sides_are_parted() -> None:
    x = np.array([[0.0], [0.2], [0.8], [1.0]], np.float32)
    found = fit_binary(x, np.array([False, False, True, True]))
    assert list(found(x)[:, 0] > 0) == [False, False, True, True]


def test_weight_and_bias_survive_stacking() -> None:
    linear = Linear(np.eye(2, 3, dtype=np.float32), np.array([1, 2], np.float32))
    again = Linear.unstacked(linear.stacked())
    np.testing.assert_array_equal(again.weight, linear.weight)
    np.testing.assert_array_equal(again.bias, linear.bias)
