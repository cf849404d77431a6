"""Porcupine 1.9: 18 built-in keywords, no access key, one per cent of a core.

The package's own import reads in /proc/cpuinfo which library to load and refuses CPUs after 2021
(Raspberry Pi 5, Jetson Orin), so its parts are found by path, without importing it.
"""

from __future__ import annotations

import ctypes
import importlib.util
import os
import platform
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from assistant.core.errors import WakeWordError
from audio.frames import FRAME_SAMPLES
from audio.wake.engine import spoken, unknown

# The `CPU part` of /proc/cpuinfo → Porcupine's build. Whatever came later on aarch64 runs the
# cortex-a72 build: it uses no instruction newer than ARMv8.0.
BUILDS = {
    "0xd03": "raspberry-pi/cortex-a53-aarch64",
    "0xd07": "jetson/cortex-a57-aarch64",
    "0xd08": "raspberry-pi/cortex-a72-aarch64",
}
NEWER_AARCH64 = "raspberry-pi/cortex-a72-aarch64"


class Files(NamedTuple):
    """The paths of the parts of the installed package."""

    binding: Path
    library: Path
    model: Path
    keywords: dict[str, Path]


class Porcupine:
    """Keyword → sensitivity from 0 to 1; raises `WakeWordError` where it cannot run."""

    name = "porcupine"
    locates = True
    doubt = None

    def __init__(self, keywords: Mapping[str, float]) -> None:
        files = find_files(platform.machine(), cpu_part())
        missing = unknown(keywords, files.keywords)
        if missing:
            known = ", ".join(sorted(files.keywords))
            message = f'Porcupine does not know "{missing[0]}"; it knows {known}'
            raise WakeWordError("wake.unknown_keyword", message)
        self._keywords = tuple(keywords)
        paths = [str(files.keywords[spoken(keyword)]) for keyword in keywords]
        self._engine = _load(files, paths, list(keywords.values()))
        _close_left_open(paths)
        self._found = ctypes.c_int()

    def process(self, frame: NDArray[np.int16]) -> str | None:
        """Take the next 512 samples; the keyword, as configured, that was just noticed."""
        # The binding's own `process` copies sample by sample, at a third of the engine's own cost.
        samples = (ctypes.c_short * FRAME_SAMPLES).from_buffer_copy(frame.tobytes())
        status = self._engine.process_func(self._engine._handle, samples, ctypes.byref(self._found))
        if status is not self._engine.PicovoiceStatuses.SUCCESS:
            raise WakeWordError("wake.porcupine", f"Porcupine failed: {status.name}")
        found = self._found.value
        return self._keywords[found] if found >= 0 else None

    def close(self) -> None:
        """Release the models."""
        self._engine.delete()


def _close_left_open(paths: Sequence[str]) -> None:
    """Close the keywords' files: the library has read them, and leaves them open for good."""
    real = {os.path.realpath(path) for path in paths}
    for descriptor in os.listdir("/proc/self/fd"):
        with suppress(OSError):
            if os.readlink(f"/proc/self/fd/{descriptor}") in real:
                os.close(int(descriptor))


def known_keywords() -> tuple[str, ...]:
    """The keywords that Porcupine knows on this CPU; () where it cannot run."""
    try:
        return tuple(sorted(find_files(platform.machine(), cpu_part()).keywords))
    except WakeWordError:
        return ()


def cpu_part() -> str:
    """The first `CPU part` of /proc/cpuinfo; "" when it has none or is hidden (ProcSubset=pid)."""
    try:
        lines = Path("/proc/cpuinfo").read_text("ascii", errors="replace").splitlines()
    except OSError:
        return ""
    parts = [line.split()[-1].lower() for line in lines if line.startswith("CPU part")]
    return parts[0] if parts else ""


def find_files(machine: str, part: str) -> Files:
    """The package's files for a `machine` of `platform.machine()` and a `CPU part`."""
    spec = importlib.util.find_spec("pvporcupine")
    if spec is None or spec.origin is None:
        message = "Porcupine is not installed: pip install 'pvporcupine>=1.9.5,<2'"
        raise WakeWordError("wake.not_installed", message)
    folder = Path(spec.origin).parent
    if machine == "x86_64":
        build = "linux/x86_64"
    elif machine == "aarch64":
        build = BUILDS.get(part, NEWER_AARCH64)
    else:
        message = f"Porcupine 1.9 does not run on {machine}; set wake.engine to microwakeword"
        raise WakeWordError("wake.unsupported_cpu", message)
    system = build.partition("/")[0]
    return Files(
        binding=folder / "porcupine.py",
        library=folder / "lib" / build / "libpv_porcupine.so",
        model=folder / "lib" / "common" / "porcupine_params.pv",
        keywords={
            file.stem.rpartition("_")[0]: file
            for file in sorted((folder / "resources" / "keyword_files" / system).glob("*.ppn"))
        },
    )


def _load(files: Files, keyword_paths: list[str], sensitivities: list[float]) -> Any:
    try:
        binding = _binding(files.binding)
        return binding.Porcupine(str(files.library), str(files.model), keyword_paths, sensitivities)
    except (OSError, ValueError, MemoryError, KeyError) as error:
        message = f"Porcupine cannot start with {files.library}: {error or type(error).__name__}"
        raise WakeWordError("wake.porcupine", message) from error


@cache
def _binding(file: Path) -> Any:
    """The package's module; ctypes would keep 9 kB of each further copy of it for good."""
    spec = importlib.util.spec_from_file_location("pvporcupine_binding", file)
    if spec is None or spec.loader is None:
        raise WakeWordError("wake.porcupine", f"{file}: cannot be loaded")
    binding = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = binding
    spec.loader.exec_module(binding)
    return binding
