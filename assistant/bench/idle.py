"""The cost of the daemon while it only listens for the wake word."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import numpy as np

from assistant.bench.rig import Rig, running_daemon
from assistant.control.procfs import Usage, usage
from assistant.core.messages import SAMPLE_RATE_HZ
from audio.frames import Samples, frames_of

PINK_RMS = 1000.0
"""Level of the noise, about -30 dB below full scale: a kitchen at work."""


class ProcessFigures(msgspec.Struct, frozen=True, kw_only=True):
    """One process: shares of one core, and megabytes of PSS at the end."""

    process: str
    cpu_silence: float
    cpu_noise: float
    pss_mb: float


class IdleFigures(msgspec.Struct, frozen=True, kw_only=True):
    """All processes, their sums, and how long the daemon took to start."""

    processes: tuple[ProcessFigures, ...]
    cpu_silence: float
    cpu_noise: float
    pss_mb: float
    seconds: float
    noise: str
    ready_s: float


def measure(
    seconds: float,
    noise_file: Path | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
    cache: Path | None = None,
) -> IdleFigures:
    """Play `seconds` of silence, then of noise, to a fresh daemon, and measure the cost of each.

    With a `cache` of earlier starts it is ready sooner than at its very first.
    """
    noise, name = noise_of(seconds, noise_file)
    with running_daemon(cache=cache) as rig:
        progress(1, 4)
        # The after-effects of a start, such as writing a cache, are not idling.
        _listen(rig, np.zeros(0, np.int16), min(5.0, seconds))
        progress(2, 4)
        silence = _listen(rig, np.zeros(0, np.int16), seconds)
        progress(3, 4)
        noisy = _listen(rig, noise, seconds)
        progress(4, 4)
        memory = usage(rig.process.pid)
    rows = tuple(_rows(memory, silence, noisy))
    return IdleFigures(
        processes=rows,
        cpu_silence=round(sum(row.cpu_silence for row in rows), 4),
        cpu_noise=round(sum(row.cpu_noise for row in rows), 4),
        pss_mb=round(sum(row.pss_mb for row in rows), 1),
        seconds=seconds,
        noise=name,
        ready_s=round(rig.ready_s, 2),
    )


def _listen(rig: Rig, sound: Samples, seconds: float) -> dict[int, float]:
    """Each process's share of a core while `sound`, then silence, is heard for `seconds`."""
    before, began_s = usage(rig.process.pid), time.monotonic()
    if len(sound):
        rig.play(sound)
    time.sleep(max(0.0, began_s + seconds - time.monotonic()))
    after, took_s = usage(rig.process.pid), time.monotonic() - began_s
    return {
        pid: (now.cpu_s - (before[pid].cpu_s if pid in before else 0.0)) / took_s
        for pid, now in after.items()
    }


def _rows(
    memory: dict[int, Usage], silence: dict[int, float], noisy: dict[int, float]
) -> Iterator[ProcessFigures]:
    for pid, process in memory.items():
        yield ProcessFigures(
            process=process.name,
            cpu_silence=round(silence.get(pid, 0.0), 4),
            cpu_noise=round(noisy.get(pid, 0.0), 4),
            pss_mb=round(process.pss_bytes / 1e6, 1),
        )


def noise_of(seconds: float, file: Path | None) -> tuple[Samples, str]:
    """`seconds` of noise and its name: `file`, the kitchen of $ASSISTANT_DATA, or pink noise."""
    kitchen = Path(os.environ.get("ASSISTANT_DATA", "")) / "audio" / "noise" / "kitchen.flac"
    chosen = file or (kitchen if kitchen.is_file() else None)
    length = int(seconds * SAMPLE_RATE_HZ)
    if chosen is None:
        return pink(length), "pink"
    recorded = np.frombuffer(b"".join(frames_of(chosen)), np.int16)
    return np.resize(recorded, length), chosen.name


def pink(length: int, seed: int = 0) -> Samples:
    """Noise whose power falls with the frequency, made by weighting a white spectrum."""
    white = np.fft.rfft(np.random.default_rng(seed).normal(size=length))
    weighted = white / np.sqrt(np.maximum(1, np.arange(len(white))))
    weighted[0] = 0
    sound = np.fft.irfft(weighted, length)
    scaled: Samples = (sound * PINK_RMS / sound.std()).clip(-32768, 32767).astype(np.int16)
    return scaled
