"""A phrase of one's own: enrolled by the command from flite's speech, and then listened for.

One enrolment serves all, from far fewer synthetic voices than the command has by itself.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import stat
import subprocess
import threading
from pathlib import Path

import numpy as np
import pytest
import soundfile
from typer.testing import CliRunner

from assistant.cli.wake import app
from assistant.core.config import Config, StorageSettings
from assistant.core.errors import InputError, WakeWordError
from assistant.core.messages import SAMPLE_RATE_HZ
from assistant.core.settings.hearing import ListeningSettings, WakeSettings
from audio.build import make_wake_word
from audio.frames import FRAME_S
from audio.wake.own import enrolment
from audio.wake.own.enrolment import require_phrase, unusable
from audio.wake.own.near_words import near_phrases
from audio.wake.own.recorder import ExampleRecorder
from audio.wake.own.store import EnrolledPhrases
from tests.support.commands import run_assistant
from tests.support.voices import silence, speech

PHRASE = "hey amelia"
VOICES = ("slt", "rms", "awb", "kal16")
FEW = {"SPOKEN": 24, "NEAR": 20, "BACKGROUND": 2000, "NEAR_RUNS": 600}
"""What the enrolment learns from here, for a fifth of the work."""

pytestmark = pytest.mark.skipif(shutil.which("flite") is None, reason="flite is not installed")


def sound(frames: list[bytes]) -> np.ndarray:
    return np.frombuffer(b"".join(frames), np.int16)


def command(state: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"STATE_DIRECTORY": str(state), "HOME": str(state)}
    return run_assistant("wake", *arguments, env=environment)


def recorded(folder: Path, **spoken: list[bytes]) -> list[Path]:
    """A file of each example, by its name."""
    for name, frames in spoken.items():
        samples = sound(silence(0.3) + frames + silence(0.3))
        soundfile.write(folder / f"{name}.wav", samples, SAMPLE_RATE_HZ)
    return [folder / f"{name}.wav" for name in spoken]


@pytest.fixture(scope="module")
def added(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The state folder in which the phrase is enrolled, and what the command said of it."""
    folder = tmp_path_factory.mktemp("own")
    spoken = {voice: speech(PHRASE, voice) for voice in VOICES}
    files = recorded(folder, **spoken, silent=silence(1.0))
    with pytest.MonkeyPatch.context() as patch:
        for name, count in FEW.items():
            patch.setattr(enrolment, name, count)
        patch.setenv("STATE_DIRECTORY", str(folder))
        patch.setenv("HOME", str(folder))
        done = CliRunner().invoke(app, ["add", PHRASE, *map(str, files), "--json"])
    assert done.exit_code == 0, done.output
    return folder, done.stdout


@pytest.fixture(scope="module")
def state(added: tuple[Path, str]) -> Path:
    return added[0]


def noticed(state: Path, keywords: dict[str, float], frames: list[bytes]) -> list[str]:
    config = Config(wake=WakeSettings(keywords=keywords), storage=StorageSettings(state=str(state)))
    engine = make_wake_word(config)
    found = [engine.process(np.frombuffer(frame, np.int16)) for frame in frames]
    engine.close()
    return [keyword for keyword in found if keyword is not None]


def refused(told: str) -> dict[str, str]:
    """The examples that the command says it cannot use, and why, where the phrase is enrolled."""
    answer = json.loads(told)
    assert (answer["phrase"], answer["examples"]) == (PHRASE, len(VOICES))
    return {Path(one["name"]).stem: one["reason"] for one in answer["refused"]}


def test_examples_that_are_of_no_use_are_refused_one_by_one(added: tuple[Path, str]) -> None:
    ((name, reason),) = refused(added[1]).items()
    assert name == "silent"
    assert "silent" in reason


def require_told_from_other_talk(state: Path, voice: str) -> None:
    said = silence(1.5) + speech(PHRASE, voice) + silence(1.5)
    assert noticed(state, {"Hey_Amelia": 0.7}, said) == ["Hey_Amelia"]
    for other in ("hey camille", "hey there", "turn on the light in the kitchen please"):
        frames = silence(1.5) + speech(other, voice) + silence(1.5)
        assert noticed(state, {PHRASE: 0.7}, frames) == []


@pytest.mark.parametrize("voice", ["rms", "awb", "kal16"])
def test_the_phrase_is_noticed_once_and_other_talk_is_not(state: Path, voice: str) -> None:
    require_told_from_other_talk(state, voice)


@pytest.mark.depth
def test_among_all_voices_an_example_of_other_words_is_refused(tmp_path: Path) -> None:
    spoken = {voice: speech(PHRASE, voice) for voice in VOICES}
    files = recorded(tmp_path, **spoken, other=speech("the washing machine"), silent=silence(1.0))
    done = command(tmp_path, "add", PHRASE, *files, "--json")
    assert done.returncode == 0, done.stderr
    reasons = refused(done.stdout)
    assert reasons.keys() == {"other", "silent"}
    assert "does not sound like" in reasons["other"]
    for voice in ("rms", "awb", "kal16"):
        require_told_from_other_talk(tmp_path, voice)


def test_it_is_listened_for_together_with_keywords_of_other_engines(state: Path) -> None:
    keywords = {PHRASE: 0.7, "computer": 0.8, "kitchen radio": 0.9}
    said = [
        *(silence(1.5) + speech("computer")),
        *(silence(1.5) + speech(PHRASE, "rms")),
        *(silence(1.5) + speech("kitchen radio") + silence(1.5)),
    ]
    assert noticed(state, keywords, said) == ["computer", PHRASE, "kitchen radio"]


def test_only_its_user_can_read_what_was_enrolled(state: Path) -> None:
    file = state / "wake" / "hey_amelia.npz"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_damaged_file_is_told_with_the_remedy(state: Path, tmp_path: Path) -> None:
    whole = (state / "wake" / "hey_amelia.npz").read_bytes()
    (tmp_path / "wake").mkdir()
    for content in (b"", b"text", whole[: len(whole) // 2]):
        (tmp_path / "wake" / "hey_amelia.npz").write_bytes(content)
        with pytest.raises(WakeWordError, match='assistant wake add "hey amelia"'):
            EnrolledPhrases(tmp_path).load(PHRASE)


def test_phrases_are_listed_and_removed(state: Path, tmp_path: Path) -> None:
    shutil.copytree(state / "wake", tmp_path / "wake")
    assert PHRASE in command(tmp_path, "list").stdout
    assert command(tmp_path, "remove", "Hey Amelia").returncode == 0
    assert command(tmp_path, "list").stdout == ""
    again = command(tmp_path, "remove", PHRASE)
    assert again.returncode == 2
    assert "there are: none" in again.stderr


def test_too_few_examples_are_refused_in_one_line(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "a.wav", sound(silence(1.0)), SAMPLE_RATE_HZ)
    done = command(tmp_path, "add", PHRASE, tmp_path / "a.wav")
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert "a.wav is silent" in done.stderr


@pytest.mark.parametrize("phrase", ["", "12", "a", "x-ray!"])
def test_what_cannot_be_a_wake_word_is_refused(phrase: str) -> None:
    with pytest.raises(InputError):
        require_phrase(phrase)


def test_an_example_is_judged_by_its_sound() -> None:
    word = speech(PHRASE)
    assert unusable(sound(silence(0.5) + word + silence(0.5))) == ""
    assert "longer than" in unusable(sound(word + silence(11.0)))
    assert "silent" in unusable(sound(silence(1.0)))
    assert "only" in unusable(sound(silence(0.5) + word[10:14] + silence(0.5)))
    assert "alone" in unusable(sound(word + silence(3.0) + word))


def test_near_phrases_sound_alike_and_are_never_the_phrase() -> None:
    near = near_phrases(PHRASE, 60, random.Random(0))
    assert {"hey", "amelia"} <= set(near)
    assert any(phrase.startswith("hey ") for phrase in near)
    assert PHRASE not in near
    assert len(near) == 60


def test_an_example_is_recorded_from_the_microphone(tmp_path: Path) -> None:
    fifo = tmp_path / "microphone"
    os.mkfifo(fifo)
    word = speech(PHRASE)

    def speak() -> None:
        with fifo.open("wb") as microphone:
            microphone.write(b"".join(silence(0.5) + word + silence(2.0)))

    with ExampleRecorder([f"fifo:{fifo}"], ListeningSettings()) as recorder:
        speaker = threading.Thread(target=speak)
        speaker.start()
        example = recorder.record()
        speaker.join()
    assert unusable(example) == ""
    assert len(example) / SAMPLE_RATE_HZ >= 0.8 * len(word) * FRAME_S
