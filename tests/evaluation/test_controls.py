"""The evaluations' controls: what must score scores, and nonsense is driven to chance.

Real engines on clips that flite speaks.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import pytest
import soundfile

from assistant.composition import Composition
from assistant.core.config import AsrSettings, Config, StorageSettings
from assistant.core.messages import SAMPLE_RATE_HZ
from assistant.core.settings.skills import SkillsSettings
from assistant.evaluation.clips import ClipLabel, labelled
from assistant.evaluation.commands import CommandFigures, evaluate_commands
from assistant.evaluation.wake import Recordings, evaluate_wake
from audio.frames import Samples, at_rate
from audio.tts.flite import VOICES
from tests.support.commands import run_assistant

pytestmark = pytest.mark.skipif(shutil.which("flite") is None, reason="flite is not installed")

SKILL = """
from enum import Enum
from assistant.skill import Reply, Skill

skill = Skill("kiosk", api=1)
Fruit = Enum("Fruit", [(f, f) for f in ("mango", "banana", "cherry")])

@skill.intent("Buy", "(buy|order) [me] a {fruit}")
def buy(fruit: Fruit) -> Reply:
    return Reply("Bought.")

@skill.intent("Price", "how much (is|costs) a {fruit}")
def price(fruit: Fruit) -> Reply:
    return Reply("One.")
"""
FACTS = """
[project]
name = "kiosk"
version = "1"
[project.entry-points."assistant.skills"]
kiosk = "kiosk:skill"
[tool.assistant]
api = 1
"""
SENTENCES = {
    "buy a banana": ("Buy", "banana"),
    "order me a cherry": ("Buy", "cherry"),
    "how much is a cherry": ("Price", "cherry"),
    "how much is a banana": ("Price", "banana"),
    "order a mango": ("Buy", "mango"),
    "how much costs a mango": ("Price", "mango"),
}


def spoken(text: str) -> Samples:
    with tempfile.NamedTemporaryFile(suffix=".wav") as wav:
        subprocess.run(["flite", "-voice", VOICES[0], "-t", f"{text} ", "-o", wav.name], check=True)
        samples, rate_hz = soundfile.read(wav.name, dtype="int16")
    return np.pad(at_rate(samples, rate_hz, SAMPLE_RATE_HZ), SAMPLE_RATE_HZ // 4)


@pytest.fixture(scope="module")
def kiosk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a skill, spoken clips, and their labels."""
    folder = tmp_path_factory.mktemp("kiosk")
    (folder / "skill").mkdir()
    (folder / "skill" / "kiosk.py").write_text(SKILL)
    (folder / "skill" / "pyproject.toml").write_text(FACTS)
    (folder / "clips").mkdir()
    for number, text in enumerate(SENTENCES):
        soundfile.write(folder / "clips" / f"{number}.wav", spoken(text), SAMPLE_RATE_HZ)
    write_labels(folder, list(SENTENCES.values()))
    return folder


def write_labels(folder: Path, meanings: list[tuple[str, str]]) -> Path:
    labels = {
        str(n): {"intent": intent, "slots": {"fruit": fruit}}
        for n, (intent, fruit) in enumerate(meanings)
    }
    (folder / "labels.json").write_text(json.dumps(labels))
    return folder / "labels.json"


@pytest.fixture(scope="module")
def composition(kiosk: Path) -> Composition:
    config = Config(
        asr=AsrSettings(engine="pocketsphinx"),
        skills=SkillsSettings(folders=(str(kiosk / "skill"),)),
        storage=StorageSettings(cache=str(kiosk / "cache")),
    )
    return Composition(config, builtin=False)


def figures(composition: Composition, clips: Path, labels: Path) -> CommandFigures:
    found, _ = labelled(clips, labels, ClipLabel)
    return evaluate_commands(found, composition.asr(), composition.nlu())


def test_spoken_commands_are_accepted(composition: Composition, kiosk: Path) -> None:
    heard = figures(composition, kiosk / "clips", kiosk / "labels.json")
    assert heard.clips == len(SENTENCES)
    assert heard.acceptance["clean"] >= 0.8
    assert heard.engine.startswith("pocketsphinx")


def test_shuffled_labels_leave_nothing(
    composition: Composition, kiosk: Path, tmp_path: Path
) -> None:
    meanings = list(SENTENCES.values())
    shuffled = write_labels(tmp_path, meanings[1:] + meanings[:1])
    assert figures(composition, kiosk / "clips", shuffled).acceptance["clean"] == 0


def test_silence_leaves_nothing(composition: Composition, kiosk: Path, tmp_path: Path) -> None:
    for number in range(len(SENTENCES)):
        silence = np.zeros(SAMPLE_RATE_HZ, np.int16)
        soundfile.write(tmp_path / f"{number}.wav", silence, SAMPLE_RATE_HZ)
    assert figures(composition, tmp_path, kiosk / "labels.json").acceptance["clean"] == 0


def test_a_wake_word_is_hit_and_silence_is_not(tmp_path: Path) -> None:
    words, silences = tmp_path / "words", tmp_path / "silences"
    for folder, sound in (
        (words, spoken("computer")),
        (silences, np.zeros(SAMPLE_RATE_HZ, np.int16)),
    ):
        folder.mkdir()
        soundfile.write(folder / "one.wav", sound, SAMPLE_RATE_HZ)
    right = evaluate_wake(Recordings.below(words, words, silences), "computer")
    assert (right.hits, right.miss_rate, right.false_alarms) == (1, 0.0, 0)
    assert (right.near, right.near_taken) == (1, 1.0)
    shuffled = evaluate_wake(Recordings.below(silences, silences, words), "computer")
    assert shuffled.near_taken == 0.0
    assert (shuffled.hits, shuffled.miss_rate, shuffled.false_alarms) == (0, 1.0, 1)


def assistant(kiosk: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"CACHE_DIRECTORY": str(kiosk / "cache")}
    return run_assistant("eval", "commands", kiosk / "clips", *arguments, env=environment)


def test_the_command_prints_one_line_of_figures(kiosk: Path, tmp_path: Path) -> None:
    hum = (np.random.default_rng(0).normal(size=10 * SAMPLE_RATE_HZ) * 300).astype(np.int16)
    soundfile.write(tmp_path / "hum.wav", hum, SAMPLE_RATE_HZ)
    done = assistant(
        kiosk,
        *("--labels", kiosk / "labels.json", "--skill", kiosk / "skill"),
        *("--engine", "pocketsphinx"),
        *("--noise", tmp_path / "hum.wav", "--snr-db", "24, 12", "--json"),
    )
    assert (done.returncode, done.stderr) == (0, "")
    told = json.loads(done.stdout)
    assert told.keys() == {"clips", "acceptance", "asr_ms", "engine"}
    assert told["acceptance"].keys() == {"clean", "24", "12"}
    assert told["asr_ms"].keys() == {"p50", "p95"}


@pytest.mark.parametrize(
    "wrong",
    [
        ("--labels", "nowhere.json"),
        ("--skill", "nowhere"),
        ("--snr-db", "12,loud"),
        ("--snr-db", "nan"),
        ("--noise", "nowhere.flac"),
        ("--engine", "magic"),
    ],
    ids=" ".join,
)
def test_bad_input_is_one_line_and_status_2(wrong: tuple[str, str], kiosk: Path) -> None:
    options = {
        "--labels": kiosk / "labels.json",
        "--skill": kiosk / "skill",
        "--noise": kiosk / "clips" / "0.wav",
    } | dict([wrong])
    flat = [word for option in options.items() for word in option]
    done = assistant(kiosk, *flat)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1), done.stderr
    assert wrong[1] in done.stderr


def test_an_snr_without_noise_is_told(kiosk: Path) -> None:
    done = assistant(
        kiosk, "--labels", kiosk / "labels.json", "--skill", kiosk / "skill", "--snr-db", "6"
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert "--noise" in done.stderr
