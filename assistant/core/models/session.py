"""Sessions of onnxruntime for the models of the manifest, with their interfaces checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnxruntime.capi import onnxruntime_pybind11_state as faults
from onnxruntime.capi.onnxruntime_inference_collection import InferenceSession, OrtValue
from onnxruntime.capi.onnxruntime_pybind11_state import SessionOptions

from assistant.core.errors import ModelError
from assistant.core.files import in_memory
from assistant.core.models.manifest import Library
from assistant.core.models.onnx import external_tensors
from assistant.core.models.shared import shared


class Session(InferenceSession):
    """A model that is ready to run; its shared `tables` must live as long as it does."""

    tables: tuple[OrtValue, ...] = ()


FAULTS = (
    faults.EPFail,
    faults.Fail,
    faults.InvalidArgument,
    faults.InvalidGraph,
    faults.InvalidProtobuf,
    faults.NotImplemented,
    faults.RuntimeException,
    RuntimeError,
    ValueError,
)
"""Exceptions of onnxruntime for a model that it cannot load or run; they share no base class."""
_ELEMENTS = {"float32": "float", "float64": "double"}
"""Element type in the manifest → onnxruntime's name, where they differ."""


def open_session(library: Library, name: str, file: str, threads: int = 1) -> Session:
    """A session of the ONNX `file` of the artefact `name`, on the CPU.

    The bytes are read once: those that are checked are those that run. Raises `ModelError` when the
    file is corrupt, refers to data outside itself, cannot be loaded, or has other inputs or outputs
    than the manifest says.
    """
    return session_of(library, name, file, library.read(name), threads)


def session_of(
    library: Library, name: str, file: str, content: Mapping[str, bytes], threads: int = 1
) -> Session:
    """A session like `open_session`'s, from `content` that `Library.read` has returned."""
    where = str(library.folder(name) / file)
    session = session_of_bytes(content[file], where, threads)
    artefact = library.artefact(name)
    _compare(where, "input", artefact.inputs, session.get_inputs())
    _compare(where, "output", artefact.outputs, session.get_outputs())
    return session


def session_of_bytes(model: bytes, where: str = "the model", threads: int = 1) -> Session:
    """A session of a model that no manifest knows, such as a bench's; `where` is for errors."""
    outside = next(external_tensors(model, where), None)
    if outside is not None:
        message = f'{where}: tensor "{outside}" lies in another file, which is refused'
        raise ModelError("model.external_data", message)
    options = _options(threads)
    tables = {name: OrtValue.ortvalue_from_numpy(table) for name, table in shared(model)}
    for name, table in tables.items():
        options.add_initializer(name, table)
    # A session made from bytes keeps them, which doubles the memory; one made from a path does not.
    with in_memory(model) as path:
        try:
            session = Session(path, options, providers=["CPUExecutionProvider"])
        except FAULTS as error:
            reason = str(error).splitlines()[0].replace(path, "the file")
            raise ModelError("model.unusable", f"{where}: {reason}") from error
    session.tables = tuple(tables.values())
    return session


def check_interface(library: Library, name: str, content: Mapping[str, bytes]) -> None:
    """Raise `ModelError` when the artefact's only ONNX file is not usable as that artefact."""
    models = [file for file in content if file.endswith(".onnx")]
    if len(models) == 1:
        session_of(library, name, models[0], content)


def run(
    session: Session, inputs: Mapping[str, NDArray[Any]], output: str = ""
) -> NDArray[np.float32]:
    """The model's `output`, or its first; raises `ModelError` when the model fails."""
    return run_all(session, inputs, [output] if output else None)[0]


def run_all(
    session: Session, inputs: Mapping[str, NDArray[Any]], outputs: Sequence[str] | None = None
) -> list[NDArray[np.float32]]:
    """The model's `outputs` in that order, or all; raises `ModelError` when the model fails."""
    try:
        made: list[NDArray[np.float32]] = session.run(outputs, dict(inputs))  # type: ignore[assignment]
    except FAULTS as error:
        message = f"the model fails: {str(error).splitlines()[0]}"
        raise ModelError("model.unusable", message) from error
    return made


def _options(threads: int) -> SessionOptions:
    options = SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    # Idle threads otherwise spin for work and cost a core each.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.add_session_config_entry("session.inter_op.allow_spinning", "0")
    # An arena never shrinks: after one long batch it holds as much as the model.
    options.enable_cpu_mem_arena = False
    options.log_severity_level = 3
    return options


def _compare(where: str, what: str, expected: Mapping[str, str], found: Sequence[Any]) -> None:
    names = {argument.name for argument in found}
    if names != expected.keys():
        message = f"{where}: its {what}s are {sorted(names)}, not {sorted(expected)}"
        raise ModelError("model.interface", message)
    for argument in found:
        element, _, shape = expected[argument.name].rstrip("]").partition("[")
        wanted = shape.split(", ") if shape else []
        type_ = f"tensor({_ELEMENTS.get(element, element)})"
        if type_ != argument.type or not _alike(wanted, argument.shape):
            is_a = f"{argument.type} of shape {argument.shape}"
            message = f'{where}: its {what} "{argument.name}" is {is_a}, not {element}[{shape}]'
            raise ModelError("model.interface", message)


def _alike(wanted: Sequence[str], found: Sequence[int | str | None]) -> bool:
    """Whether a shape matches the manifest's; a size that is not a number matches any size."""
    if not found:  # the model does not state the shape
        return True
    return len(wanted) == len(found) and all(map(_fits, wanted, found))


def _fits(wanted: str, found: int | str | None) -> bool:
    return int(wanted) == found if wanted.isdigit() and isinstance(found, int) else True
