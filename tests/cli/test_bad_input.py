"""What cannot be used: one clear line on stderr, exit status 2, and nothing half-written."""

from __future__ import annotations

import os
import struct
import subprocess
from pathlib import Path

import numpy as np
import pytest
import soundfile

from skills.registry import load_registry
from tests.support.commands import run_assistant, run_process

WHISPER = "whisper-tiny.en"


def assistant(folder: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run the command with `folder` for a home, and the cache of all tests."""
    environment = {"HOME": str(folder), "PATH": "/usr/bin:/bin", "XDG_RUNTIME_DIR": str(folder)}
    environment["CACHE_DIRECTORY"] = os.environ["CACHE_DIRECTORY"]
    return run_assistant(*arguments, env=environment)


def refused(result: subprocess.CompletedProcess[str], *words: str) -> None:
    """It was refused in one line that holds these words."""
    assert result.returncode == 2, result.stderr
    assert result.stdout == ""
    (line,) = result.stderr.splitlines()
    assert line.startswith("assistant: ")
    assert [word for word in words if word not in line] == [], line


def wav(path: Path, seconds: float, rate_hz: int = 16_000, channels: int = 1) -> Path:
    soundfile.write(path, np.zeros((round(rate_hz * seconds), channels), np.int16), rate_hz)
    return path


def heard(folder: Path, *recordings: Path) -> subprocess.CompletedProcess[str]:
    """Hear them, without a wake word; few sentences are known, which are learnt in a moment."""
    config = folder / "config.toml"
    others = sorted({manifest.name for manifest in load_registry().manifests} - {"timer"})
    config.write_text(f"[nlu]\nmodels = false\n[skills]\ndisabled = {others}\n")
    return assistant(folder, "hear", "--no-wake", "--json", "--config", config, *recordings)


def without_channels(path: Path) -> Path:
    header = struct.pack("<4sIHHIIHH", b"fmt ", 16, 1, 0, 16_000, 0, 0, 16)
    body = b"WAVE" + header + struct.pack("<4sI", b"data", 0)
    path.write_bytes(struct.pack("<4sI", b"RIFF", len(body)) + body)
    return path


def truncated(path: Path) -> Path:
    whole = wav(path, 2.0).read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    return path


def test_recordings_that_cannot_be_used(tmp_path: Path) -> None:
    text, empty = tmp_path / "notes.wav", tmp_path / "empty.wav"
    text.write_text("not a recording")
    empty.touch()
    cases = {
        text: "is not audio",
        empty: "is empty",
        truncated(tmp_path / "cut.wav"): "is truncated",
        without_channels(tmp_path / "mute.wav"): "has 0 channels",
        tmp_path / "none.wav": "no such file",
    }
    for file, words in cases.items():
        refused(assistant(tmp_path, "hear", file), str(file), words)


def test_a_demo_that_cannot_keep_its_sound_does_not_begin(tmp_path: Path) -> None:
    file = tmp_path / "a file"
    file.touch()
    refused(assistant(tmp_path, "demo", "--out", file), str(file), "--out")


def test_whisper_is_not_measured_where_its_model_is_not(tmp_path: Path) -> None:
    refused(assistant(tmp_path, "eval", "examples", "--engine", "whisper"), "models pull", WHISPER)


def test_nothing_is_heard_when_one_of_several_recordings_is_bad(tmp_path: Path) -> None:
    good, bad = wav(tmp_path / "good.wav", 1.0), tmp_path / "bad.wav"
    bad.touch()
    refused(heard(tmp_path, good, bad), str(bad))
    assert heard(tmp_path, good).returncode == 0  # the control


def test_two_channels_at_192_khz_are_heard(tmp_path: Path) -> None:
    result = heard(tmp_path, wav(tmp_path / "a.wav", 1, 192_000, 2))
    assert result.returncode == 0, result.stderr
    assert '"transcript":""' in result.stdout.splitlines()[-1]


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ("[asr]\nengin = 'auto'\n", ('unknown key "engin"', 'did you mean "engine"')),
        ("[mike]\n", ('unknown section "mike"',)),
        ("[asr]\nthreads = 'two'\n", ("asr.threads",)),
        ("[asr\n", ("config.toml",)),
        ("[home]\nfile = '/none.yaml'\n", ("/none.yaml",)),
        ("[home]\ntime_zone = 'Mars/Olympus'\n", ("Mars/Olympus",)),
        ("[home]\narea = 'kitchin'\n", ("home.area", "kitchin")),
        ("[security]\npin_for = ['lokc']\n", ("security.pin_for", 'did you mean "lock"')),
        ("[security.rooms]\nnursery = 'child'\n", ("security.rooms", "nursery")),
        ("[security.profiles.child]\ndeny = ['lock']\n", ("deny", "security.profiles")),
        ("[storage]\nstate = '/dev/null'\n", ("storage.state", "/dev/null")),
        ("[storage]\nruntime = '/dev/null/below'\n", ("storage.runtime", "/dev/null/below")),
    ],
)
def test_the_daemon_does_not_start_on_wrong_settings(
    tmp_path: Path, settings: str, words: tuple[str, ...]
) -> None:
    config = tmp_path / "config.toml"
    config.write_text(settings)
    refused(assistant(tmp_path, "run", "--single", "--config", config), *words)
    assert {file.name for file in tmp_path.iterdir()} <= {config.name, ".cache", ".local"}


def test_settings_that_are_not_there(tmp_path: Path) -> None:
    missing = tmp_path / "none.toml"
    refused(run_process("run", "--config", missing), str(missing))


def test_a_model_that_was_tampered_with(tmp_path: Path) -> None:
    model = tmp_path / ".local" / "state" / "hark" / "models" / WHISPER
    model.mkdir(parents=True)
    for name in ("config.json", "model.bin", "tokenizer.json", "vocabulary.txt"):
        (model / name).write_text("not a model")
    result = assistant(tmp_path, "models", "verify", WHISPER)
    assert result.returncode == 2
    assert "corrupt" in result.stdout + result.stderr


def test_minutes_of_silence_hold_no_words(tmp_path: Path) -> None:
    # An hour is read in tests/audio/test_frames.py.
    silence = wav(tmp_path / "silence.flac", 180)
    result = heard(tmp_path, silence)
    assert result.returncode == 0, result.stderr
    assert '"transcript":""' in result.stdout


@pytest.mark.usefixtures("sentences_alone")
def test_what_is_said_is_no_markup(tmp_path: Path) -> None:
    shown = assistant(tmp_path, "say", "--explain", "[/bold] [red]hello[/red")
    assert shown.returncode == 0, shown.stderr
    assert shown.stdout.count("[/bold] [red]hello[/red") == 2
