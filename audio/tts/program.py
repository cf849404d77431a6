"""Runs a synthesiser that is a separate program."""

from __future__ import annotations

import os
import shutil
import subprocess
import wave
from collections.abc import Callable, Sequence

import numpy as np

from assistant.core.errors import SpeakingError
from audio.tts.voice import Samples, trim

STARTING_S, PER_CHARACTER_S = 1.5, 0.01
"""Seconds allowed for one sentence, and more for each character: ten times what flite's slt needs
on a desktop, and few enough that the next voice can still say the sentence before the process
counts as hung (5 s)."""


def find(program: str, package: str) -> str:
    """The path of `program`; raises `SpeakingError` that names the Debian package to install."""
    path = shutil.which(program)
    if path is None:
        message = f"{program} is not installed; run: sudo apt install {package}"
        raise SpeakingError("voice.missing", message)
    return path


def speak(
    command: Callable[[str], Sequence[str]], text: str, starting_s: float | None = None
) -> Samples:
    """What the program says: `command` is given the path to write a WAV file to.

    The text goes in by standard input, so other users of the device cannot read it in the process
    list and no text is ever an option or a file name. The file is a memfd: nothing touches a disk.
    Raises `SpeakingError` when there is no word in `text`, the program fails or exceeds its time
    budget, of which `starting_s` are for its start (by default `STARTING_S`).
    """
    if not any(c.isalnum() for c in text):
        raise SpeakingError("voice.no_words", "there is no word in what should be spoken")
    sound = os.memfd_create("speech")
    with open(sound, "rb") as file:
        argv = command(f"/proc/self/fd/{sound}")
        starting_s = STARTING_S if starting_s is None else starting_s
        _run(argv, text, sound, starting_s + PER_CHARACTER_S * len(text))
        file.seek(0)
        try:
            with wave.open(file) as recording:
                pcm = np.frombuffer(recording.readframes(recording.getnframes()), np.int16)
                return trim(Samples(pcm, recording.getframerate()))
        except (wave.Error, EOFError) as error:
            message = f"{argv[0]} gave no audio; try it by hand: {argv[0]} --help"
            raise SpeakingError("voice.no_audio", message) from error


def _run(argv: Sequence[str], text: str, sound: int, budget_s: float) -> None:
    try:
        done = subprocess.run(
            argv,
            input=text.encode("utf-8", "replace"),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            pass_fds=(sound,),
            timeout=budget_s,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        message = f"{argv[0]} took more than {budget_s:.0f} s for one sentence"
        raise SpeakingError("voice.slow", message) from error
    except OSError as error:
        message = f"{argv[0]} cannot be run: {error.strerror}"
        raise SpeakingError("voice.missing", message) from error
    if done.returncode:
        # Its error text may quote the sentence, so only the status is reported.
        message = f"{argv[0]} ended with status {done.returncode}"
        raise SpeakingError("voice.failed", message)
