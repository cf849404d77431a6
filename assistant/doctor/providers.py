"""A finding about what the models of onnxruntime run on, and what would be quicker."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from assistant.bench.providers import ProviderFigures, measure
from assistant.core.models.manifest import Library
from assistant.core.models.providers import CPU, short, why_not
from assistant.core.models.session import there
from assistant.doctor.checks import Finding

NVIDIA = (Path("/proc/driver/nvidia/version"), Path("/etc/nv_tegra_release"))
"""Files that are there where the driver of an NVIDIA card, or the system of a Jetson, is."""
WORTH = 0.9
"""Share of the time on what is used now that another provider may take to be advised."""
RUNS = 3
PAGE = "docs/boards.md"


def providers(wanted: Sequence[str], library: Library) -> Finding:
    """What runs the models, by the setting `models.providers`, timed where there is a choice."""
    found = there()
    figures = measure(library, RUNS) if len(found) > 1 else None
    return judged(wanted, found, figures, any(file.exists() for file in NVIDIA))


def judged(
    wanted: Sequence[str], found: Sequence[str], figures: ProviderFigures | None, nvidia: bool
) -> Finding:
    """The finding, from the providers that are `found` and what was measured of them."""
    took = _took(figures) if figures else {}
    faults = {row.provider: row.fault for row in figures.rows if row.fault} if figures else {}
    names = [*map(short, wanted), CPU]
    names = names[: names.index(CPU) + 1]
    lost = {name: why_not(name, found) or faults.get(name, "") for name in names}
    used = next(name for name in names if not lost[name])
    detail = f"{used} is used{_beside(took)}"
    detail += "".join(f"; {name} is not: {why}" for name, why in (lost | faults).items() if why)
    best = min(took, key=lambda name: took[name], default=used)
    if best != used and took[best] < WORTH * took.get(used, 0.0):
        return _finding(detail, f"set {_setting(best)}")
    if any(lost.values()):
        return _finding(detail, f"see {PAGE}, or set {_setting(used)}")
    if nvidia and not {"cuda", "tensorrt"} & set(found):
        detail += "; there is an NVIDIA GPU, which this onnxruntime cannot use"
        return _finding(detail, f"see {PAGE}", ok=True)
    return _finding(detail, "")


def _took(figures: ProviderFigures) -> dict[str, float]:
    """Provider → milliseconds of all models that run on it, of those that run on every model."""
    failed = {row.provider for row in figures.rows if row.fault}
    sums: dict[str, float] = {}
    for row in figures.rows:
        if row.provider not in failed and row.p50_ms is not None:
            sums[row.provider] = sums.get(row.provider, 0.0) + row.p50_ms
    return sums


def _beside(took: Mapping[str, float]) -> str:
    told = ", ".join(f"{name} {ms:.1f} ms" for name, ms in took.items())
    return f"; each model once: {told}" if told else "; this onnxruntime has nothing else"


def _setting(name: str) -> str:
    return f'models.providers = ["{name}"]'


def _finding(detail: str, remedy: str, ok: bool = False) -> Finding:
    ok = ok or not remedy
    return Finding(name="providers", ok=ok, detail=detail, remedy=remedy, necessary=False)
