"""What programs rely on: the last line of each input of `say` and `hear`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import soundfile

from tests.support.commands import run_assistant

KEYS = {"type", "input", "wake", "transcript", "intent", "confidence", "slots", "reply"} | {
    "commands",
    "timings_ms",
}


def last_line(*arguments: str) -> dict[str, Any]:
    done = run_assistant(*arguments, "--json", check=True)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def test_a_text_ends_with_its_summary() -> None:
    summary = last_line("say", "set a timer for ten minutes")
    assert summary.keys() == KEYS
    assert (summary["type"], summary["input"]) == ("Summary", "set a timer for ten minutes")
    assert (summary["intent"], summary["slots"]) == ("HassStartTimer", {"duration": 600})


def test_a_recording_ends_with_its_summary(tmp_path: Path) -> None:
    file = tmp_path / "silence.wav"
    soundfile.write(file, np.zeros(16_000, np.int16), 16_000)
    summary = last_line("hear", str(file))
    assert summary.keys() == KEYS
    assert (summary["type"], summary["input"], summary["wake"]) == ("Summary", str(file), False)
    assert (summary["transcript"], summary["intent"]) == ("", None)
