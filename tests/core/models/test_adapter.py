"""Adapters make the file that they name, of the base that they name, or nothing."""

from __future__ import annotations

import hashlib
from fractions import Fraction

import msgspec
import numpy as np
import pytest

from assistant.core.errors import ModelError
from assistant.core.models.adapter import Change, adapter_of, decoded, encoded, merge
from assistant.core.models.onnx import tensors
from assistant.core.models.session import run, session_of_bytes
from tests.support.adapters import MATRIX, SCALES, adapter, change, int8_model, small

BASE = int8_model()


def test_the_merged_model_computes_with_the_sum() -> None:
    session = session_of_bytes(merge(BASE, adapter(7), "it"))
    down, up, steps = [[3], [-2]], [[7, 5]], [0.125, 0.5]
    wanted = MATRIX * SCALES + np.array(down) @ np.array(up) * steps
    for row, x in enumerate(([1, 0], [0, 1])):
        made = run(session, {"x": np.array(x, np.float32)})
        np.testing.assert_allclose(made, wanted[row], atol=np.abs(wanted).max() / 254)
        before = run(session_of_bytes(BASE), {"x": np.array(x, np.float32)})
        assert np.abs(made - before).max() > 1


def test_the_merged_numbers_are_those_of_exact_fractions() -> None:
    """An independent calculation without rounding on the way says the same."""
    draw = np.random.default_rng(5)
    shape, rank = (12, 7), 3
    matrix = draw.integers(-127, 128, shape).astype(np.int8)
    scales = draw.uniform(0.001, 0.01, shape[1]).astype(np.float32)
    down = draw.integers(-127, 128, (shape[0], rank)).astype(np.int8)
    up = draw.integers(-127, 128, (rank, shape[1])).astype(np.int8)
    steps = draw.uniform(1e-6, 1e-5, shape[1]).astype(np.float32)
    base = int8_model(matrix, scales)
    made = merge(base, adapter_of(base, [change(down, up, steps)]), "it")
    whole, sizes = (
        np.frombuffer(t.data, k) for t, k in zip(tensors(made), ("i1", "<f4"), strict=True)
    )
    product = down.astype(int) @ up.astype(int)
    for column in range(shape[1]):
        sums = [
            Fraction(int(matrix[row, column])) * Fraction(float(scales[column]))
            + Fraction(int(product[row, column])) * Fraction(float(steps[column]))
            for row in range(shape[0])
        ]
        size = np.float32(float(max(map(abs, sums)) / 127))
        assert sizes[column] == size
        rounded = [round(value / Fraction(float(size))) for value in sums]
        assert whole.reshape(shape)[:, column].tolist() == rounded


def test_the_file_is_the_same_on_every_machine() -> None:
    """Its hash was recorded on x86-64."""
    numbers = (np.arange(64 * 48 + 8 * (64 + 48)) * 7919 % 255 - 127).astype(np.int8)
    matrix, down, up = np.split(numbers, (64 * 48, 64 * 48 + 8 * 64))
    scales = (1 + np.arange(48, dtype=np.float32)) / 1024
    thin = change(down.reshape(64, 8), up.reshape(8, 48), scales / 3000)
    base = int8_model(matrix.reshape(64, 48), scales)
    assert hashlib.sha256(base).hexdigest()[:16] == "48f94a6e63caa25e"
    assert adapter_of(base, [thin]).merged[:16] == "c2f7c543b163678c"


def test_a_change_by_nothing_leaves_every_byte() -> None:
    nothing = change(np.ones((2, 1), np.int8), np.zeros((1, 2), np.int8), SCALES)
    assert merge(BASE, adapter_of(BASE, [nothing]), "it") == BASE
    made = merge(BASE, adapter(1), "it")
    assert made != BASE
    assert len(made) == len(BASE)


def test_a_column_that_becomes_nothing_is_nothing() -> None:
    base = int8_model(np.array([[127, 1], [0, 1]], np.int8), np.ones(2, np.float32))
    away = change(
        np.array([[127], [0]], np.int8), np.array([[-1, 0]], np.int8), np.ones(2, np.float32)
    )
    made = merge(base, adapter_of(base, [away]), "it")
    assert run(session_of_bytes(made), {"x": np.ones(2, np.float32)}).tolist() == [0, 2]


def test_a_file_holds_the_adapter() -> None:
    assert decoded(encoded(adapter(7)), "it") == adapter(7)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\x80",
        b"[" * 5000,
        encoded(adapter(7))[:-1],
        encoded(adapter(7)) + b"\0",
        encoded(msgspec.structs.replace(adapter(7), base="no hash")),
        encoded(msgspec.structs.replace(adapter(7), changes=())),
        encoded(
            msgspec.structs.replace(
                adapter(7), changes=(msgspec.structs.replace(small(7), rank=0),)
            )
        ),
    ],
)
def test_what_is_no_adapter_is_refused(content: bytes) -> None:
    with pytest.raises(ModelError) as refusal:
        decoded(content, "it")
    assert refusal.value.code == "model.adapter"


def test_an_adapter_for_another_base_is_refused() -> None:
    other = int8_model(scales=SCALES * 2)
    with pytest.raises(ModelError) as refusal:
        merge(other, adapter(7), "it")
    assert refusal.value.code == "model.base"


def test_another_result_than_recorded_is_refused() -> None:
    wrong = msgspec.structs.replace(adapter(7), changes=(small(8),))
    with pytest.raises(ModelError) as refusal:
        merge(BASE, wrong, "it")
    assert refusal.value.code == "model.corrupt"


@pytest.mark.parametrize(
    "changes",
    [
        [msgspec.structs.replace(small(7), name="other")],
        [msgspec.structs.replace(small(7), name="m.int8")],
        [msgspec.structs.replace(small(7), rank=2)],
        [msgspec.structs.replace(small(7), down=b"\1")],
        [msgspec.structs.replace(small(7), up=b"\1\2\3")],
        [msgspec.structs.replace(small(7), steps=b"")],
        [msgspec.structs.replace(small(7), steps=np.array([np.nan, 1], "<f4").tobytes())],
        [small(7), small(8)],
    ],
)
def test_a_change_that_does_not_fit_is_refused(changes: list[Change]) -> None:
    with pytest.raises(ModelError) as refusal:
        adapter_of(BASE, changes)
    assert refusal.value.code == "model.adapter"
    assert "\n" not in refusal.value.message


def test_only_int8_matrices_with_their_scales_are_changed() -> None:
    """A model that holds the names with other types or shapes."""
    column = int8_model(MATRIX, np.ones(1, np.float32))
    with pytest.raises(ModelError) as refusal:
        adapter_of(column, [small(7)])
    assert refusal.value.code == "model.adapter"


def test_a_damaged_byte_is_noticed_or_makes_the_same_file() -> None:
    content, wanted = encoded(adapter(7)), merge(BASE, adapter(7), "it")
    noticed = 0
    for at in range(len(content)):
        damaged = bytearray(content)
        damaged[at] ^= 1 << at % 8
        try:
            assert merge(BASE, decoded(bytes(damaged), "it"), "it") == wanted
        except ModelError:
            noticed += 1
    assert noticed > 0.9 * len(content)
