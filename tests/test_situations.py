"""How people call it in a room, each as a recording that the whole chain hears.

The voice is flite's, the whisper and the room are simulated; `docs/situations.md` tells the rest.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from assistant.core.files import made_once, replace_file
from audio.frames import at_rate
from audio.tts.flite import Flite
from tests.support.commands import run_assistant
from tests.support.situations import RATE, Sound, across_the_room, whispered
from tests.support.voices import speech

pytestmark = pytest.mark.depth

HOME = Path("assistant/demo/home.yaml")
LIGHT = "turn on the kitchen light"
LIT = "I turned on the kitchen light."


def say(text: str) -> Sound:
    sound = Flite("slt").synthesise(text)
    return at_rate(sound.pcm, sound.rate_hz, RATE).astype(np.float64)


def quiet(seconds: float) -> Sound:
    return np.zeros(int(seconds * RATE))


Heard = dict[str, dict[str, Any]]
CALL = "computer,"
SITUATIONS: dict[str, Callable[[], tuple[Sound, ...]]] = {
    "in one breath": lambda: (say(f"{CALL} {LIGHT}"),),
    "a long pause": lambda: (say(CALL), quiet(2.5), say(LIGHT)),
    "the wake word twice": lambda: (say(CALL), quiet(0.5), say(f"{CALL} {LIGHT}")),
    "two in a row": lambda: (say(f"{CALL} {LIGHT}"), quiet(1.0), say(f"{CALL} what time is it")),
    "broken off": lambda: (say(f"{CALL} set a timer for"), quiet(1.0)),
    "a whisper": lambda: (say(CALL), quiet(0.6), whispered(say(LIGHT))),
    "quiet": lambda: (say(f"{CALL} {LIGHT}") * 0.03,),
    "far": lambda: (across_the_room(say(f"{CALL} {LIGHT}")),),
    "to someone else": lambda: (say("i bought a new computer in the city yesterday"),),
    "nothing after it": lambda: (say(CALL), quiet(6.0)),
}


@pytest.fixture(scope="module")
def heard(tmp_path_factory: pytest.TempPathFactory, run_folder: Path) -> Heard:
    """What `assistant hear` made of each situation, for all processes of this run."""
    speech("ready")  # skips where there is no flite
    kept = run_folder / "situations.json"
    with made_once(kept):
        if not kept.exists():
            replace_file(kept, json.dumps(all_heard(tmp_path_factory)).encode())
    found: Heard = json.loads(kept.read_bytes())
    return found


def all_heard(tmp_path_factory: pytest.TempPathFactory) -> Heard:
    folder, hiss = tmp_path_factory.mktemp("situations"), np.random.default_rng(0)
    files = {}
    for name, parts in SITUATIONS.items():
        sound = np.concatenate((quiet(1.0), *parts(), quiet(2.0)))
        sound += hiss.normal(0.0, 6.0, len(sound))
        files[name] = folder / f"{name}.wav"
        soundfile.write(files[name], np.clip(sound, -32767, 32767).astype(np.int16), RATE)
    done = run_assistant("hear", "--json", "--home", HOME, *files.values(), check=True)
    lines = map(json.loads, done.stdout.splitlines())
    summaries = {line["input"]: line for line in lines if line["type"] == "Summary"}
    return {name: summaries[str(file)] for name, file in files.items()}


def test_a_command_in_one_breath(heard: Heard) -> None:
    assert (heard["in one breath"]["transcript"], heard["in one breath"]["reply"]) == (LIGHT, LIT)


def test_a_long_pause_after_the_wake_word(heard: Heard) -> None:
    assert heard["a long pause"]["reply"] == LIT


def test_the_wake_word_twice(heard: Heard) -> None:
    assert heard["the wake word twice"]["reply"] == LIT


def test_two_commands_in_a_row(heard: Heard) -> None:
    found = heard["two in a row"]
    assert found["transcript"] == f"{LIGHT} what time is it"
    assert found["intent"] == "HassGetCurrentTime"


def test_a_sentence_that_breaks_off(heard: Heard) -> None:
    assert heard["broken off"]["reply"] == "For how long?"


def test_a_whispered_command(heard: Heard) -> None:
    assert heard["a whisper"]["reply"] == LIT


def test_a_quiet_voice(heard: Heard) -> None:
    assert heard["quiet"]["reply"] == LIT


def test_a_voice_from_across_the_room(heard: Heard) -> None:
    assert heard["far"]["reply"] == LIT


def test_the_wake_word_within_a_sentence_to_someone_else(heard: Heard) -> None:
    assert heard["to someone else"]["commands"] == []


def test_the_wake_word_and_nothing_after_it(heard: Heard) -> None:
    found = heard["nothing after it"]
    assert (found["wake"], found["transcript"], found["reply"]) == (True, "", "")
