"""What the kernel is asked, and the noise that stands in for a kitchen."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import soundfile

from assistant.bench.idle import PINK_RMS, noise_of, pink
from assistant.control.procfs import usage
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
    assert found[root.pid].pss_bytes > 50_000_000
    (child,) = found.keys() - {root.pid}
    assert found[child].pss_bytes < 50_000_000
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
