"""What the doctor says of providers: what is used, what would be quicker, what is missing."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.bench.providers import ProviderFigures, ProviderRow
from assistant.core.models.manifest import Library
from assistant.doctor import providers as doctor
from assistant.doctor.providers import judged, providers
from tests.core.models.test_session import library_with
from tests.support.handmade_onnx import adding_model

CPU = ("cpu",)
BOTH = ("cuda", "cpu")
ALONE = "cpu is used; this onnxruntime has nothing else"
TIMES = "each model once: cpu 4.0 ms, cuda"


def figures(cuda_ms: float | None, fault: str = "") -> ProviderFigures:
    """Two models of 2 ms each on the CPU; on cuda the second takes `cuda_ms`, or fails."""
    times = {"cpu": (2.0, 2.0), "cuda": (1.0, cuda_ms)}
    rows = tuple(
        ProviderRow(
            model=str(number),
            provider=provider,
            p50_ms=ms,
            p95_ms=ms,
            fault="" if ms is not None else fault,
        )
        for provider, both in times.items()
        for number, ms in enumerate(both)
    )
    return ProviderFigures(providers=BOTH, rows=rows)


@pytest.mark.parametrize(
    ("wanted", "found", "measured", "nvidia", "detail", "remedy"),
    [
        (CPU, CPU, None, False, ALONE, ""),
        ((), CPU, None, False, ALONE, ""),
        (
            BOTH,
            CPU,
            None,
            False,
            f"{ALONE}; cuda is not: the installed onnxruntime has only cpu",
            'see docs/boards.md, or set models.providers = ["cpu"]',
        ),
        (
            ("azure",),
            CPU,
            None,
            False,
            f"{ALONE}; azure is not: it computes on somebody's servers",
            'see docs/boards.md, or set models.providers = ["cpu"]',
        ),
        (
            CPU,
            BOTH,
            figures(1.0),
            True,
            f"cpu is used; {TIMES} 2.0 ms",
            'set models.providers = ["cuda"]',
        ),
        (
            CPU,
            BOTH,
            figures(2.9),
            True,
            "cpu is used; each model once: cpu 4.0 ms, cuda 3.9 ms",
            "",
        ),
        (
            ("CUDAExecutionProvider", "cpu"),
            BOTH,
            figures(9.0),
            True,
            f"cuda is used; {TIMES} 10.0 ms",
            'set models.providers = ["cpu"]',
        ),
        (
            BOTH,
            BOTH,
            figures(1.0),
            True,
            "cuda is used; each model once: cpu 4.0 ms, cuda 2.0 ms",
            "",
        ),
        (
            ("tensorrt", "cuda"),
            BOTH,
            figures(1.0),
            True,
            f"cuda is used; {TIMES} 2.0 ms; tensorrt is not: the"
            " installed onnxruntime has only cuda, cpu",
            'see docs/boards.md, or set models.providers = ["cuda"]',
        ),
        (
            BOTH,
            BOTH,
            figures(None, "no libcudnn"),
            True,
            "cpu is used; each model once: cpu 4.0 ms; cuda is not: no libcudnn",
            'see docs/boards.md, or set models.providers = ["cpu"]',
        ),
        (
            CPU,
            BOTH,
            figures(None, "no libcudnn"),
            True,
            "cpu is used; each model once: cpu 4.0 ms; cuda is not: no libcudnn",
            "",
        ),
        (
            CPU,
            CPU,
            None,
            True,
            f"{ALONE}; there is an NVIDIA GPU, which this onnxruntime cannot use",
            "see docs/boards.md",
        ),
    ],
)
def test_findings(
    wanted: tuple[str, ...],
    found: tuple[str, ...],
    measured: ProviderFigures | None,
    nvidia: bool,
    detail: str,
    remedy: str,
) -> None:
    finding = judged(wanted, found, measured, nvidia)
    assert (finding.detail, finding.remedy) == (detail, remedy)
    assert not finding.necessary
    assert finding.ok is (not remedy or (nvidia and found == CPU))


def test_this_machine_is_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    driver = tmp_path / "version"
    monkeypatch.setattr(doctor, "NVIDIA", (driver,))
    finding = providers(CPU, Library(tmp_path))
    assert (finding.ok, finding.detail) == (
        True,
        ALONE,
    )
    driver.write_text("NVRM version: 555")
    assert "NVIDIA GPU" in providers(CPU, Library(tmp_path)).detail


@pytest.mark.filterwarnings("ignore:Specified provider")
def test_where_there_is_a_choice_it_is_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("assistant.doctor.providers", "assistant.bench.providers"):
        monkeypatch.setattr(f"{module}.there", lambda: BOTH)
    finding = providers(BOTH, library_with(tmp_path, adding_model()))
    assert "cpu is used; each model once: cpu 0.0 ms; cuda is not" in finding.detail
    assert not finding.ok
