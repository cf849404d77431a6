"""Three wake word engines behind one protocol, and the choice among them."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from assistant.core.errors import ConfigError, WakeWordError
from assistant.core.models.usage import USAGE
from assistant.core.settings.hearing import WakeSettings
from audio.wake.engine import WakeWordEngine
from audio.wake.keyphrase import KeyPhrases
from audio.wake.locate import frames_since_keyword
from audio.wake.microwakeword import MicroWakeWords
from audio.wake.porcupine import Porcupine, find_files
from audio.wake.select import select
from tests.support.voices import silence, speech


def noticed(engine: WakeWordEngine, frames: list[bytes]) -> list[str]:
    found = [engine.process(np.frombuffer(frame, np.int16)) for frame in frames]
    engine.close()
    return [keyword for keyword in found if keyword is not None]


@pytest.mark.parametrize(
    ("engine", "keyword"),
    [
        (Porcupine, "computer"),
        (Porcupine, "view_glass"),
        (MicroWakeWords, "okay nabu"),
        (KeyPhrases, "kitchen computer"),
    ],
)
def test_each_engine_notices_its_keyword_once_and_names_it_as_configured(
    engine: type[Porcupine | MicroWakeWords | KeyPhrases], keyword: str
) -> None:
    spoken = speech(keyword.replace("_", " "))
    frames = silence(1.0) + spoken + silence(1.5)
    assert noticed(engine({keyword: 0.9}), frames) == [keyword]
    assert noticed(engine({keyword: 0.9}), silence(3.0)) == []


@pytest.mark.parametrize(
    ("keywords", "engine"),
    [
        ({"computer": 0.7, "hey_google": 0.5}, "porcupine"),
        ({"Computer": 0.7}, "porcupine"),
        ({"okay nabu": 0.7}, "microwakeword"),
        ({"alexa": 0.7, "okay nabu": 0.7}, "porcupine and microwakeword"),
        ({"hello kitchen": 0.7}, "pocketsphinx"),
        ({"hello kitchen": 0.7, "computer": 0.7}, "porcupine and pocketsphinx"),
    ],
)
def test_auto_takes_for_each_keyword_the_first_engine_that_knows_it(
    keywords: dict[str, float], engine: str
) -> None:
    assert select(WakeSettings(keywords=keywords)).name == engine


def test_what_each_engine_hears_is_counted() -> None:
    USAGE.begin()
    engine = select(WakeSettings(keywords={"alexa": 0.7, "okay nabu": 0.7, "hello kitchen": 0.7}))
    for frame in silence(0.5):
        engine.process(np.frombuffer(frame, np.int16))
    engine.close()
    told = USAGE.news("audio")
    assert told is not None
    assert {(used.model, used.runs) for used in told.models} == {
        (f"wake-{name}", len(silence(0.5)))
        for name in ("porcupine", "microwakeword", "pocketsphinx")
    }
    assert all(used.cpu_s > 0 and used.version for used in told.models)


def test_a_keyword_that_no_engine_knows_is_refused_with_what_each_knows() -> None:
    with pytest.raises(ConfigError) as refused:
        select(WakeSettings(keywords={"xyzzy": 0.7}))
    for part in ('"xyzzy"', "smart mirror", "hey mycroft", "common English words"):
        assert part in refused.value.message


@pytest.mark.parametrize(
    "wake",
    [
        WakeSettings(keywords={}),
        WakeSettings(keywords={"computer": 1.5}),
        WakeSettings(engine="snowball"),
        WakeSettings(engine="microwakeword", keywords={"computer": 0.7}),
        WakeSettings(engine="porcupine", keywords={"okay nabu": 0.7}),
    ],
)
def test_settings_that_cannot_work_are_refused(wake: WakeSettings) -> None:
    with pytest.raises(ConfigError):
        select(wake)


@pytest.mark.parametrize(
    ("machine", "part", "build"),
    [
        ("x86_64", "", "linux/x86_64"),
        ("aarch64", "0xd08", "raspberry-pi/cortex-a72-aarch64"),  # Raspberry Pi 4
        ("aarch64", "0xd0b", "raspberry-pi/cortex-a72-aarch64"),  # Raspberry Pi 5
        ("aarch64", "0xd42", "raspberry-pi/cortex-a72-aarch64"),  # Jetson Orin
        ("aarch64", "0xd03", "raspberry-pi/cortex-a53-aarch64"),  # Raspberry Pi 3, Zero 2
        ("aarch64", "0xd07", "jetson/cortex-a57-aarch64"),  # Jetson Nano
        ("aarch64", "", "raspberry-pi/cortex-a72-aarch64"),  # /proc/cpuinfo is hidden
    ],
)
def test_porcupines_build_for_a_cpu_is_found_without_importing_it(
    machine: str, part: str, build: str
) -> None:
    files = find_files(machine, part)
    assert f"lib/{build}/" in str(files.library)
    assert all(file.is_file() for file in (files.binding, files.library, files.model))
    assert files.keywords["computer"].is_file()
    assert ("view glass" in files.keywords) is (machine == "x86_64")


def test_porcupines_module_is_loaded_once() -> None:
    Porcupine({"computer": 0.5}).close()
    first = sys.modules["pvporcupine_binding"]
    Porcupine({"alexa": 0.5}).close()
    assert sys.modules["pvporcupine_binding"] is first


def test_porcupine_does_not_run_on_other_machines() -> None:
    with pytest.raises(WakeWordError, match="microwakeword"):
        find_files("riscv64", "")


@pytest.mark.parametrize("voice", ["slt", "rms", "awb"])
def test_the_end_of_the_keyword_is_found_whatever_follows_it(voice: str) -> None:
    engine, locator = Porcupine({"computer": 0.8}), Porcupine({"computer": 0.8})
    ends = []
    for text in ("computer", "computer, stop", "computer, turn on the light"):
        frames = silence(2.0) + speech(text, voice) + silence(1.0)
        found = [engine.process(np.frombuffer(frame, np.int16)) for frame in frames]
        at = next(n for n, keyword in enumerate(found) if keyword) + 1
        ends.append(at - frames_since_keyword(locator, frames[:at]))
    assert max(ends) - min(ends) <= 5
