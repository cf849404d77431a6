"""The float32 network of a shipped int8 file: the same graph, with its weights written out.

No float32 weights are kept. These are the int8 weights times their scales, so the two networks
differ by the arithmetic alone: int8 rounds the activations too.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assistant.core.models.manifest import Artefact, Library
from assistant.core.models.onnx import Node, nodes, opset, tensors
from assistant.core.models.onnx_writer import ModelFile
from assistant.model_files.pull import import_version

FLOAT = "float32"
"""The version that a float32 network becomes."""
Constants = Mapping[str, NDArray[Any]]
_TYPES = {1: np.float32, 2: np.uint8, 3: np.int8, 7: np.int64}
"""ONNX's numbers of the element types in our files."""
_ZERO = 128
"""Code of MatMulNBits that stands for 0."""
_BIAS = {"DynamicQuantizeMatMul": 4, "MatMulNBits": 5}
"""Operator → place of its bias among its inputs, if it has one."""


def with_float(library: Library, name: str, file: str) -> Library:
    """The library with the model's float32 version in use."""
    folder = library.pulled / f"{name}-made"
    shutil.copytree(library.folder(name), folder)
    made = widened(library.read_file(name, file), library.artefact(name))
    (folder / file).write_bytes(made)
    import_version(library, name, folder, FLOAT, lambda *_: None)
    shutil.rmtree(folder)
    return library.choosing(name, FLOAT)


def widened(model: bytes, artefact: Artefact) -> bytes:
    """`model` with float32 products; tables of embeddings are looked up from int8 as before."""
    constants = {
        name: np.frombuffer(data, _TYPES[element]).reshape(shape)
        for name, element, shape, data, _ in tensors(model)
    }
    made = ModelFile(opset=opset(model))
    used: set[str] = set()
    for node in nodes(model):
        if node.operator in _WIDENED:
            _WIDENED[node.operator](made, node, constants)
            used.update(node.inputs[_BIAS.get(node.operator, len(node.inputs)) :])
        else:
            made.nodes.append(bytes(node.message))
            used.update(node.inputs)
    made.constants += [bytes(t.message) for t in tensors(model) if t.name in used]
    return made.serialized(artefact.inputs, artefact.outputs)


def _bias(node: Node) -> str:
    return next(iter(node.inputs[_BIAS[node.operator] :]), "")


def _product(made: ModelFile, node: Node, weight: NDArray[np.float32], bias: str) -> None:
    (out,) = node.outputs
    table = made.constant(f"{out}.float", weight)
    product = made.node("MatMul", [node.inputs[0], table], f"{out}.product" if bias else out)
    if bias:
        made.node("Add", [product, bias], out)


def _dynamic(made: ModelFile, node: Node, constants: Constants) -> None:
    """DynamicQuantizeMatMul: x, int8[in, out], scales[out], no zero points, and maybe a bias."""
    weight = constants[node.inputs[1]] * constants[node.inputs[2]]
    _product(made, node, weight.astype(np.float32), _bias(node))


def _blocks(made: ModelFile, node: Node, constants: Constants) -> None:
    """MatMulNBits: x, codes uint8[out, blocks, block], scales[out · blocks], and maybe a bias."""
    codes = constants[node.inputs[1]]
    scales = constants[node.inputs[2]].reshape(*codes.shape[:2], 1)
    weight = ((codes.astype(np.float32) - _ZERO) * scales).reshape(len(codes), -1).T
    _product(made, node, weight, _bias(node))


def _dequantized(made: ModelFile, node: Node, constants: Constants) -> None:
    """DequantizeLinear of a convolution's weights int8[out, …] with steps[out]."""
    whole, steps = constants[node.inputs[0]], constants[node.inputs[1]]
    made.constant(node.outputs[0], whole * steps.reshape(-1, *[1] * (whole.ndim - 1)))


_WIDENED: dict[str, Callable[[ModelFile, Node, Constants], None]] = {
    "DynamicQuantizeMatMul": _dynamic,
    "MatMulNBits": _blocks,
    "DequantizeLinear": _dequantized,
}
"""Operator on int8 weights → how it is written with float32 ones."""
