"""A skill that is being written is spoken to, hears what is new in it, and answers aloud."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from assistant.core.config import Config, StorageSettings
from assistant.core.errors import InputError
from assistant.skill_development.microphone import SpokenTo
from assistant.skill_development.package import write_package
from audio.frames import frames_of
from audio.mute.switch import MuteSwitch
from skills.registry import load_registry
from tests.skill_development.test_session import edit
from tests.support.scenario import command_line, spoken
from tests.support.terminal import terminal
from tests.support.virtual_sound import virtual_sound


@pytest.mark.e2e
@pytest.mark.depth
def test_what_is_spoken_is_heard_and_so_is_what_was_saved(tmp_path: Path) -> None:
    tide, played = write_package("tide", tmp_path), tmp_path / "played.wav"
    alone = tmp_path / "config.toml"  # few sentences: the ear's network is made in a moment
    others = [manifest.name for manifest in load_registry().manifests]
    alone.write_text(f"[skills]\ndisabled = {others}\n")
    command = command_line("skills", "dev", str(tide), "--voice", "--config", str(alone))
    with virtual_sound() as sound, terminal(command, sound.environment, tmp_path) as user:

        def say(text: str) -> None:
            sound.speak(spoken(text, "rms", tmp_path))

        user.expect("Speak")
        with sound.recording(played):
            say("try the tide")
            user.expect("you: try the tide")
            user.expect("How many times?")
            user.expect("listening")  # for the answer, once the question was spoken
            say("five")
            user.expect("I tried the tide five times.")
        edit(tide, "    return", "    retrn")
        user.expect("line 13")
        edit(tide, "    retrn", "    return")
        user.expect("loaded in")
        edit(tide, '"try [the]', '"(try|befriend) [the]')
        user.expect("loaded in")
        say("befriend the tide three times")
        user.expect("you: befriend the tide three times")
        user.expect("I tried the tide three times.")
        # New sentences take seconds, in which the reply before is spoken to its end.
        module = tide / "__init__.py"
        broken = module.read_text().replace("    return", "    1 / 0\n    return")
        module.write_text(broken.replace("|befriend)", "|befriend|admire)"))
        user.expect("loaded in")
        say("befriend the tide three times")
        user.expect("line 13): division by zero")
        user.answer("", "\x04")
        assert user.ends() == 0
    samples = np.frombuffer(b"".join(frames_of(played)), np.int16)
    assert np.abs(samples.astype(int)).max() > 1000


def test_without_a_microphone_it_ends_with_one_error(tmp_path: Path) -> None:
    tide = write_package("tide", tmp_path)
    command = command_line("skills", "dev", str(tide), "--voice")
    nowhere = {**os.environ, "HOME": str(tmp_path), "PULSE_SERVER": f"unix:{tmp_path}/none"}
    with terminal(command, nowhere, tmp_path) as user:
        user.expect("assistant: no microphone: ")
        assert user.ends() == 2
    assert "Speak" not in user.shown
    assert "Traceback" not in user.shown


def test_a_muted_microphone_is_not_opened(tmp_path: Path) -> None:
    config = Config(storage=StorageSettings(state=str(tmp_path), runtime=str(tmp_path)))
    MuteSwitch.of(config).mute()
    with pytest.raises(InputError, match="assistant unmute"), SpokenTo(config):
        pass
