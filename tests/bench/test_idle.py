"""What the kernel is asked, and the noise that stands in for a kitchen."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import msgspec
import numpy as np
import pytest
import soundfile

from assistant.bench import idle
from assistant.bench.idle import PINK_RMS, noise_of, pink, talk
from assistant.control.procfs import Usage, usage
from assistant.core.messages import SAMPLE_RATE_HZ

WORKS = """
import subprocess, sys, time
while time.process_time() < 0.3: pass
block = bytearray(50_000_000)
child = subprocess.Popen([sys.executable, "-c", "print('up', flush=True); input()"], stdin=0)
input()
"""


def test_a_tree_of_processes_is_seen_with_what_it_used() -> None:
    """Control: 0.3 s of work, 50 MB and a child are found, and belong to the right process."""
    with subprocess.Popen(
        [sys.executable, "-c", WORKS], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as root:
        assert root.stdout is not None
        root.stdout.readline()
        found = usage(root.pid)
        root.kill()
    assert found[root.pid].name == "supervisor"
    assert found[root.pid].cpu_s >= 0.3
    assert found[root.pid].pss_bytes >= found[root.pid].private_bytes > 50_000_000
    (child,) = found.keys() - {root.pid}
    assert 0 < found[child].private_bytes <= found[child].pss_bytes < 50_000_000
    assert os.getpid() not in found


def test_pink_noise_loses_3_db_an_octave() -> None:
    sound = pink(4 * SAMPLE_RATE_HZ).astype(float)
    assert sound.std() == pytest.approx(PINK_RMS, rel=0.05)
    power = np.abs(np.fft.rfft(sound)) ** 2
    low, high = power[400:800].mean(), power[3200:6400].mean()
    assert 10 * np.log10(low / high) == pytest.approx(9, abs=1)


def test_a_short_recording_is_repeated(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "hum.wav", np.ones(SAMPLE_RATE_HZ, np.int16), SAMPLE_RATE_HZ)
    sound, name = noise_of(3.0, tmp_path / "hum.wav")
    assert (len(sound), name) == (3 * SAMPLE_RATE_HZ, "hum.wav")


def test_talk_is_a_voice_of_the_length_that_is_wished() -> None:
    sound = talk(2.5)
    assert len(sound) == 2.5 * SAMPLE_RATE_HZ
    assert sound.std() > 300


def test_each_process_has_its_shares_and_memory_and_two_starts_are_timed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Control: silence, noise and talk cost 1, 2 and 3 tenths of a core, which all come back.

    Before them the start goes on for a while, at 2 tenths.
    """
    starts = iter((40.0, 9.0))
    used_s = iter((0.0, 0.2, 0.2, 0.3, 0.3, 0.4, 0.4, 0.6, 0.6, 0.9))
    played = list[object]()
    clock = iter(np.arange(0.0, 60.0, 0.5)).__next__  # a second from the first look to the third
    passing = SimpleNamespace(sleep=lambda seconds: None, monotonic=clock)
    monkeypatch.setattr(idle, "time", passing)
    caches = set[Path]()

    @contextlib.contextmanager
    def daemon(home: str, cache: Path, models: Path | None) -> Iterator[SimpleNamespace]:
        caches.add(cache)
        process = SimpleNamespace(pid=7)
        yield SimpleNamespace(process=process, play=played.append, ready_s=next(starts), wake_s=1.0)

    def asked(pid: int) -> dict[int, Usage]:
        used = Usage(name="audio", cpu_s=next(used_s, 0.9), pss_bytes=9_000_000)
        return {pid: msgspec.structs.replace(used, private_bytes=4_000_000)}

    monkeypatch.setattr(idle, "running_daemon", daemon)
    monkeypatch.setattr(idle, "usage", asked)
    figures = idle.measure(1.0)
    assert len(caches) == 1
    assert len(played) == 2
    (audio,) = figures.processes
    assert (audio.pss_mb, audio.private_mb) == (figures.pss_mb, figures.private_mb) == (9.0, 4.0)
    shares = audio.cpu_silence, audio.cpu_noise, audio.cpu_speech
    assert shares == pytest.approx((0.1, 0.2, 0.3))
    assert shares == (figures.cpu_silence, figures.cpu_noise, figures.cpu_speech)
    assert (figures.wake_s, figures.ready_s, figures.later_ready_s) == (1.0, 40.0, 9.0)
