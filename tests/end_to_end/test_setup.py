"""The set-up with a sound card: it hears who speaks, is heard, and understands a command."""

from __future__ import annotations

import tomllib
from pathlib import Path

import numpy as np
import pytest

from assistant.supervision.settings import load_settings
from audio.frames import frames_of
from tests.support.scenario import HOME, command_line, spoken
from tests.support.terminal import terminal
from tests.support.virtual_sound import virtual_sound

pytestmark = pytest.mark.e2e

COUNTING = "one two three four five six seven eight nine ten"


def test_speaking_and_listening_choose_the_devices(tmp_path: Path) -> None:
    settings, played = tmp_path / "config.toml", tmp_path / "played.wav"
    # The home of all stories, whose sentences are learnt once.
    before = f'[storage]\nstate = "{tmp_path / "state"}"\n[home]\nfile = "{HOME}"\n'
    settings.write_text(before)
    command = command_line("setup", "--config", str(settings))
    with (
        virtual_sound() as sound,
        terminal(command, sound.environment, tmp_path) as user,
    ):

        def say(text: str) -> None:
            sound.speak(spoken(text, "rms", tmp_path))

        user.answer("which microphone hears you best?")
        user.expect("Say something")
        say(COUNTING)
        user.expect("hears you")
        user.answer("Which microphone")
        with sound.recording(played):
            user.answer("which loudspeaker it is?")
            user.answer("Did you hear it?")
        user.answer("Wake word [")
        user.answer("Try it?", "y")
        user.expect('Say "computer" now.')
        say("computer")
        user.expect("I heard it.")
        user.answer("Its address on your network")
        user.answer("Shall they be asked for anew?")
        user.answer("Room (0 for none)", "1")
        user.answer("Write it?")
        user.answer("Type one", "speak")
        user.expect("Say it now")
        say("turn off the kitchen light")
        user.expect("HassTurnOff")
        user.expect("Understood.")
        assert user.ends() == 0
    samples = np.frombuffer(b"".join(frames_of(played)), np.int16)
    assert np.abs(samples.astype(int)).max() > 1000
    assert settings.read_text().startswith(before)
    assert tomllib.loads(settings.read_text())["audio"].keys() == {"input", "output"}
    load_settings((settings,))


def test_a_microphone_that_hears_nobody_is_not_proposed(tmp_path: Path) -> None:
    # The control: without a voice none stands out, and the setting stays.
    settings = tmp_path / "config.toml"
    command = command_line("setup", "--config", str(settings), "--loudspeaker", "none")
    with (
        virtual_sound() as sound,
        terminal(command, sound.environment, tmp_path) as user,
    ):
        user.answer("which microphone hears you best?")
        user.answer("Once more?")
        user.expect("does not hear you")
        user.answer("Which microphone (0 for none) [0]")
        user.expect("Wake word [")
        user.interrupt()
        user.ends()
    assert not settings.exists()
