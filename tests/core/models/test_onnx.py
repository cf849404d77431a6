"""What is read of an ONNX file without loading it: its nodes, tensors and operators' version."""

from __future__ import annotations

from assistant.core.models.onnx import nodes, opset, tensors
from tests.support.handmade_onnx import FLOAT, INT64, adding_model, argument, field, model, node
from tests.support.handmade_onnx import tensor as of_numbers


def test_the_nodes_come_in_their_order_and_what_is_left_out_is_nothing() -> None:
    added, clipped = node("Add", ["x", "w"], "sum"), node("Clip", ["sum", "", "w"], "y")
    content = model([added, clipped], [], [argument("x", FLOAT, 2)], argument("y", FLOAT, 2))
    first, second = nodes(content)
    assert (first.operator, first.inputs, first.outputs) == ("Add", ("x", "w"), ("sum",))
    assert (second.operator, second.inputs, second.outputs) == ("Clip", ("sum", "", "w"), ("y",))
    assert (bytes(first.message), bytes(second.message)) == (added, clipped)


def test_the_version_is_that_of_onnx_own_operators() -> None:
    others = field(8, field(1, "ai.onnx.ml") + field(2, 3))
    assert opset(adding_model()) == opset(others + adding_model()) == 13


def test_a_tensor_has_its_name_type_shape_and_numbers() -> None:
    raw = bytes(range(24))
    table = field(1, 2) + field(1, 3) + field(2, FLOAT) + field(8, "table") + field(9, raw)
    content = bytearray(model([], [table, of_numbers("w", INT64, [7])], [], b""))
    first, second = tensors(content)
    assert (first.name, first.element, first.shape) == ("table", FLOAT, (2, 3))
    assert (bytes(first.data), bytes(first.message)) == (raw, table)
    assert (second.name, second.element, second.shape) == ("w", INT64, (1,))
    first.data[:3] = b"abc"
    assert raw not in content
    assert b"abc" + raw[3:] in content


def test_tensors_that_are_not_raw_bytes_are_passed_over() -> None:
    of_floats = field(1, 1) + field(2, FLOAT) + field(4, bytes(4)) + field(8, "floats")
    without_type = field(1, 1) + field(8, "of what") + field(9, bytes(4))
    content = model([], [of_floats, without_type, of_numbers("w", FLOAT, [1])], [], b"")
    assert [tensor.name for tensor in tensors(content)] == ["w"]
