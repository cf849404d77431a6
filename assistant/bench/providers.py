"""`assistant bench providers`: each model of onnxruntime on each execution provider here."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from assistant.bench.figures import median_of_runs
from assistant.core.errors import ModelError
from assistant.core.models.manifest import Artefact, Library
from assistant.core.models.providers import CPU, PROVIDERS
from assistant.core.models.session import Session, run_all, session_of_bytes, there

SIZES = {"batch": 1, "tokens": 14, "past": 50, "total": 64, "frames": 77, "phonemes": 60}
"""What a size is that the manifest gives a name: a command, a text half said, 0.8 s of sound, a
spoken sentence."""
TIMED = 50
"""Runs of a model whose percentiles make one run of the bench."""
_WARM = 5
_LARGEST_ID = 100

Clock = Callable[[], float]
Inputs = dict[str, NDArray[Any]]


class ProviderRow(msgspec.Struct, frozen=True, kw_only=True):
    """Milliseconds of one model on one provider; None, and why, where it does not run there."""

    model: str
    provider: str
    p50_ms: float | None = None
    p95_ms: float | None = None
    fault: str = ""


class ProviderFigures(msgspec.Struct, frozen=True, kw_only=True):
    """Every model on every provider that the installed onnxruntime has."""

    providers: tuple[str, ...]
    rows: tuple[ProviderRow, ...]


def measure(
    library: Library,
    runs: int = 5,
    timed: int = TIMED,
    clock: Clock = time.perf_counter,
    progress: Callable[[int, int], None] = lambda done, of: None,
) -> ProviderFigures:
    """Time the models that are here, one thread each; medians over `runs`.

    The providers take turns, so that what else runs on this machine disturbs all alike.
    """
    providers, models = there(), list(networks(library))
    rows: list[ProviderRow] = []
    for number, (name, file) in enumerate(models):
        model = library.read_file(name, file)
        inputs = inputs_of(library.artefact(name))
        rows += _side_by_side(name, model, inputs, providers, runs, timed, clock)
        progress(number + 1, len(models))
    return ProviderFigures(providers=providers, rows=tuple(rows))


def networks(library: Library) -> Sequence[tuple[str, str]]:
    """Model and file of every ONNX network that is here."""
    return [
        (name, file.name)
        for name, artefact in library.artefacts.items()
        for file in artefact.files
        if file.name.endswith(".onnx") and library.present(name)
    ]


def inputs_of(artefact: Artefact) -> Inputs:
    """Inputs of the model's interface, of the sizes in `SIZES`; the values mean nothing."""
    return {name: _input(name, type_) for name, type_ in artefact.inputs.items()}


def _input(name: str, type_: str) -> NDArray[Any]:
    element, _, sizes = type_.rstrip("]").partition("[")
    shape = [int(size) if size.isdigit() else SIZES[size] for size in sizes.split(", ")]
    if name == "input_lengths":
        return np.full(shape, SIZES["phonemes"], element)
    if name.endswith("_mask") or element.startswith("float"):
        return np.ones(shape, element)
    if name == "token_type_ids":
        return np.zeros(shape, element)
    return (np.arange(np.prod(shape)) % _LARGEST_ID).reshape(shape).astype(element)


def _side_by_side(
    name: str,
    model: bytes,
    inputs: Inputs,
    providers: Sequence[str],
    runs: int,
    timed: int,
    clock: Clock,
) -> list[ProviderRow]:
    # What has failed is not tried with the next model: onnxruntime tells it each time.
    faults = {p: PROVIDERS.faults[p] for p in providers if p in PROVIDERS.faults}
    tried = [p for p in providers if p not in faults]
    sessions = {p: session_of_bytes(model, name, providers=_before_cpu(p)) for p in tried}
    faults |= {p: fault for p, s in sessions.items() if (fault := _tried(p, s, inputs))}
    working = {p: session for p, session in sessions.items() if p not in faults}
    spent = in_turns(working, inputs, runs, timed, clock)
    return [
        ProviderRow(model=name, provider=p, fault=faults[p])
        if p in faults
        else ProviderRow(
            model=name,
            provider=p,
            p50_ms=round(median_of_runs(spent[p], 0.50) * 1000, 2),
            p95_ms=round(median_of_runs(spent[p], 0.95) * 1000, 2),
        )
        for p in providers
    ]


def in_turns(
    sessions: Mapping[str, Session],
    inputs: Inputs,
    runs: int = 5,
    timed: int = TIMED,
    clock: Clock = time.perf_counter,
) -> dict[str, list[list[float]]]:
    """Seconds of each run of each session, by its name; the sessions take turns."""
    spent: dict[str, list[list[float]]] = {name: [] for name in sessions}
    for _ in range(runs):
        for name, session in sessions.items():
            spent[name].append(_timed(session, inputs, timed, clock))
    return spent


def _before_cpu(provider: str) -> tuple[str, ...]:
    return () if provider == CPU else (provider,)


def _tried(provider: str, session: Session, inputs: Inputs) -> str:
    """Warm it up; says what is wrong where it fails, or ends on another provider."""
    try:
        for _ in range(_WARM):
            run_all(session, inputs)
    except ModelError as error:
        return error.message
    on_it = session.runs_on == provider
    return "" if on_it else PROVIDERS.faults.get(provider, f"it ran on {session.runs_on}")


def _timed(session: Session, inputs: Inputs, timed: int, clock: Clock) -> list[float]:
    spent = []
    for _ in range(timed):
        began_s = clock()
        run_all(session, inputs)
        spent.append(clock() - began_s)
    return spent
