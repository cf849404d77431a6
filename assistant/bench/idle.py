"""The cost of the daemon while it only listens for the wake word, by process."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import numpy as np

from assistant.bench.rig import Rig, running_daemon
from assistant.control.procfs import Usage, usage
from assistant.core.messages import SAMPLE_RATE_HZ
from audio.frames import Samples, at_rate, frames_of
from audio.tts.flite import PATIENCE_S, Flite

PINK_RMS = 1000.0
"""Level of the noise, about -30 dB below full scale: a kitchen at work."""
TALK = "I told my sister that we would come on Sunday, but she had already made other plans."
"""What is said beside the assistant, and not to it."""

SETTLED_SHARE, SETTLED_S = 0.15, 120.0
"""Share of a core below which a start has no after-effects any more; the longest wait for that."""


class ProcessFigures(msgspec.Struct, frozen=True, kw_only=True):
    """One process: shares of one core, and megabytes of PSS and of private memory at the end."""

    process: str
    cpu_silence: float
    cpu_noise: float
    cpu_speech: float
    pss_mb: float
    private_mb: float


class IdleFigures(msgspec.Struct, frozen=True, kw_only=True):
    """All processes, their sums, and how long the daemon took for this start and a later one.

    First it waits for a wake word, then all of it is ready.
    """

    processes: tuple[ProcessFigures, ...]
    cpu_silence: float
    cpu_noise: float
    cpu_speech: float
    pss_mb: float
    private_mb: float
    seconds: float
    noise: str
    wake_s: float
    ready_s: float
    later_wake_s: float
    later_ready_s: float


def measure(
    seconds: float,
    noise_file: Path | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
    cache: Path | None = None,
    home: Path | None = None,
    models: Path | None = None,
) -> IdleFigures:
    """Play `seconds` of silence, then of noise and of talk, to a fresh daemon; measure the cost.

    It is then started once more. With a `cache` of earlier starts it is ready sooner at first, too.
    It serves the `home` of that YAML file, with what was pulled into the folder `models`.
    """
    described = home.read_text("utf-8") if home else ""
    noise, name = noise_of(seconds, noise_file)
    with tempfile.TemporaryDirectory(prefix="hark-bench-") as made:
        cache = cache or Path(made) / "cache"
        with running_daemon(described, cache=cache, models=models) as rig:
            progress(1, 6)
            _settle(rig, min(5.0, seconds))
            shares = []
            for step, sound in enumerate((np.zeros(0, np.int16), noise, talk(seconds)), 2):
                progress(step, 6)
                shares.append(_listen(rig, sound, seconds))
            progress(5, 6)
            memory = usage(rig.process.pid)
        with running_daemon(described, cache=cache, models=models) as later:
            progress(6, 6)
    rows = tuple(_rows(memory, *shares))
    return IdleFigures(
        processes=rows,
        cpu_silence=round(sum(row.cpu_silence for row in rows), 4),
        cpu_noise=round(sum(row.cpu_noise for row in rows), 4),
        cpu_speech=round(sum(row.cpu_speech for row in rows), 4),
        pss_mb=round(sum(row.pss_mb for row in rows), 1),
        private_mb=round(sum(row.private_mb for row in rows), 1),
        seconds=seconds,
        noise=name,
        wake_s=round(rig.wake_s, 2),
        ready_s=round(rig.ready_s, 2),
        later_wake_s=round(later.wake_s, 2),
        later_ready_s=round(later.ready_s, 2),
    )


def _settle(rig: Rig, seconds: float) -> None:
    """Wait for the after-effects of a start, such as compiling: they are no idling."""
    deadline_s = time.monotonic() + SETTLED_S
    while sum(_listen(rig, np.zeros(0, np.int16), seconds).values()) > SETTLED_SHARE:
        if time.monotonic() > deadline_s:
            break


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
    memory: dict[int, Usage],
    silence: dict[int, float],
    noisy: dict[int, float],
    spoken: dict[int, float],
) -> Iterator[ProcessFigures]:
    for pid, process in memory.items():
        yield ProcessFigures(
            process=process.name,
            cpu_silence=round(silence.get(pid, 0.0), 4),
            cpu_noise=round(noisy.get(pid, 0.0), 4),
            cpu_speech=round(spoken.get(pid, 0.0), 4),
            pss_mb=round(process.pss_bytes / 1e6, 1),
            private_mb=round(process.private_bytes / 1e6, 1),
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


def talk(seconds: float) -> Samples:
    """`seconds` of a voice that says `TALK` again and again."""
    said = Flite("slt", PATIENCE_S).synthesise(TALK)
    samples = at_rate(said.pcm, said.rate_hz, SAMPLE_RATE_HZ)
    return np.resize(samples, int(seconds * SAMPLE_RATE_HZ))


def pink(length: int, seed: int = 0) -> Samples:
    """Noise whose power falls with the frequency, made by weighting a white spectrum."""
    white = np.fft.rfft(np.random.default_rng(seed).normal(size=length))
    weighted = white / np.sqrt(np.maximum(1, np.arange(len(white))))
    weighted[0] = 0
    sound = np.fft.irfft(weighted, length)
    scaled: Samples = (sound * PINK_RMS / sound.std()).clip(-32768, 32767).astype(np.int16)
    return scaled
