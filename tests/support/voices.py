"""Spoken test sentences, made with flite, as frames."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

import pytest

from audio.frames import FRAME_S, SILENCE, frames_of


@cache
def _speech(text: str, voice: str) -> tuple[bytes, ...]:
    with tempfile.TemporaryDirectory() as folder:
        wav = Path(folder) / "a.wav"
        subprocess.run(["flite", "-voice", voice, "-t", text, "-o", str(wav)], check=True)
        return tuple(frames_of(wav))


def speech(text: str, voice: str = "slt") -> list[bytes]:
    """The frames of `text` spoken by flite; skips the test where flite is missing."""
    if shutil.which("flite") is None:
        pytest.skip("no flite here: install the package flite")
    return list(_speech(text, voice))


def silence(seconds: float) -> list[bytes]:
    """Frames of digital silence."""
    return [SILENCE] * round(seconds / FRAME_S)
