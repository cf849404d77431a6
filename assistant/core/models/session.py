"""Sessions of onnxruntime for the models of the manifest, with their interfaces checked."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnxruntime.capi import onnxruntime_pybind11_state as faults
from onnxruntime.capi.onnxruntime_inference_collection import InferenceSession, OrtValue
from onnxruntime.capi.onnxruntime_pybind11_state import (
    SessionOptions,
    get_available_providers,
)

from assistant.core.errors import ModelError
from assistant.core.files import in_memory
from assistant.core.models.manifest import Library
from assistant.core.models.onnx import external_tensors
from assistant.core.models.providers import CPU, ELSEWHERE, PROVIDERS, short
from assistant.core.models.shared import shared
from assistant.core.models.usage import Meter

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
_CPU_NAME = "CPUExecutionProvider"
_RAISED_AT = re.compile(r"^/\S+:\d+ .*?\) (?=\S)")
"""What onnxruntime writes before a message: the place in its source."""


class Session(InferenceSession):
    """A model that is ready to run; its shared `tables` must live as long as it does.

    A `meter` counts its runs.
    """

    tables: tuple[OrtValue, ...] = ()
    meter: Meter | None = None

    @property
    def runs_on(self) -> str:
        """The provider that comes first in it, by its short name."""
        return short(self.get_providers()[0])

    def run(self, output_names: Any, input_feed: Any, run_options: Any = None) -> Sequence[Any]:
        """The outputs of that name, or all for None, in that order."""
        if self.meter is None:
            return self._computed(output_names, input_feed, run_options)
        with self.meter.run():
            return self._computed(output_names, input_feed, run_options)

    def _computed(self, output_names: Any, input_feed: Any, run_options: Any) -> Sequence[Any]:
        return super().run(output_names, input_feed, run_options)


class AcceleratedSession(Session):
    """A session on more than the CPU, such as a GPU.

    Where that fails and the CPU does not, and in a fork of the process that opened it, the session
    that `on_cpu` opens runs from then on; for that it keeps the model's bytes.
    """

    def __init__(
        self,
        path: str,
        options: SessionOptions,
        providers: Sequence[str],
        on_cpu: Callable[[], Session],
    ) -> None:
        # Its own fallback would print, and would read the file again, which is gone by then.
        super().__init__(path, options, providers=[*providers, _CPU_NAME], enable_fallback=0)
        self._on_cpu = on_cpu
        self._instead: Session | None = None
        self._process = os.getpid()

    @property
    def runs_on(self) -> str:
        """The provider that comes first in it, by its short name."""
        return CPU if self._instead else super().runs_on

    def _computed(self, output_names: Any, input_feed: Any, run_options: Any) -> Sequence[Any]:
        if self._instead is not None:
            return self._instead.run(output_names, input_feed, run_options)
        fault = None
        if self._process == os.getpid():
            try:
                return super()._computed(output_names, input_feed, run_options)
            except FAULTS as error:
                fault = error
        instead = self._on_cpu()
        made = instead.run(output_names, input_feed, run_options)  # fails where the input is wrong
        if fault is not None:
            PROVIDERS.failed(self.runs_on, _reason(fault))
        self._instead = instead
        return made


def there() -> tuple[str, ...]:
    """Providers that the installed onnxruntime has and that compute here, by their short names.

    That it has one does not mean that the device and its libraries are here.
    """
    return tuple(name for name in map(short, get_available_providers()) if name not in ELSEWHERE)


def open_session(library: Library, name: str, file: str, threads: int = 1) -> Session:
    """A session of the ONNX `file` of the artefact `name`, on the providers of this process.

    The bytes are read once: those that are checked are those that run. Raises `ModelError` when the
    file is corrupt, refers to data outside itself, cannot be loaded, or has other inputs or outputs
    than the manifest says.
    """
    return session_of(library, name, file, library.read(name), threads)


def session_of(
    library: Library, name: str, file: str, content: Mapping[str, bytes], threads: int = 1
) -> Session:
    """A session like `open_session`'s, from `content` that `Library.read` has returned.

    Its runs are counted as those of the version that `library` reads.
    """
    where = str(library.folder(name) / file)
    session = session_of_bytes(content[file], where, threads)
    session.meter = Meter(name, library.version(name), threads)
    artefact = library.artefact(name)
    _compare(where, "input", artefact.inputs, session.get_inputs())
    _compare(where, "output", artefact.outputs, session.get_outputs())
    return session


def session_of_bytes(
    model: bytes,
    where: str = "the model",
    threads: int = 1,
    providers: Sequence[str] | None = None,
) -> Session:
    """A session of a model that no manifest knows, such as a bench's; `where` is for errors.

    `providers` are tried before the CPU, in place of those of this process.
    """
    outside = next(external_tensors(model, where), None)
    if outside is not None:
        message = f'{where}: tensor "{outside}" lies in another file, which is refused'
        raise ModelError("model.external_data", message)
    tried = PROVIDERS.usable(there()) if providers is None else providers

    def on_cpu() -> Session:
        return _on_cpu(model, where, threads)

    return _accelerated(model, threads, tried, on_cpu) if tried else on_cpu()


def _on_cpu(model: bytes, where: str, threads: int) -> Session:
    options = _options(threads)
    tables = {name: OrtValue.ortvalue_from_numpy(table) for name, table in shared(model)}
    for name, table in tables.items():
        options.add_initializer(name, table)
    # A session made from bytes keeps them, which doubles the memory; one made from a path does not.
    with in_memory(model) as path:
        try:
            session = Session(path, options, providers=[_CPU_NAME])
        except FAULTS as error:
            reason = str(error).splitlines()[0].replace(path, "the file")
            raise ModelError("model.unusable", f"{where}: {reason}") from error
    session.tables = tuple(tables.values())
    return session


def _accelerated(
    model: bytes, threads: int, wanted: Sequence[str], on_cpu: Callable[[], Session]
) -> Session:
    """A session on those of the `wanted` that load, or on the CPU; what does not load is told."""
    names = [name for name in get_available_providers() if short(name) in wanted]
    names.sort(key=lambda name: list(wanted).index(short(name)))
    with in_memory(model) as path:
        try:
            # Tables are not shared: they lie in the CPU's memory.
            session = AcceleratedSession(path, _options(threads), names, on_cpu)
        except FAULTS as error:
            instead = on_cpu()  # which fails where the model is at fault
            PROVIDERS.failed(wanted[0], _reason(error).replace(path, "the file"))
            return instead
    loaded = set(map(short, session.get_providers()))
    for name in wanted:
        if name not in loaded:
            PROVIDERS.failed(name, "onnxruntime could not load it; see docs/boards.md")
    return on_cpu() if loaded == {CPU} else session


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


def _reason(fault: Exception) -> str:
    return _RAISED_AT.sub("", str(fault).splitlines()[0])


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
