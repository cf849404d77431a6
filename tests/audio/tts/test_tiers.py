"""Which voice speaks, sentence after sentence, when some fail."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from assistant.core.config import VoiceSettings as VoiceSettings
from assistant.core.degraded import Degraded
from assistant.core.errors import SpeakingError
from assistant.core.models.manifest import Library
from audio.tts.select import FAILURES_TO_OPEN, SENTENCES_OPEN, Tiers, select
from audio.tts.voice import Samples
from tests.support.simpler import Switched


class ScriptedVoice:
    """Fails while `failing`, and counts how often it was asked."""

    def __init__(self, name: str, failing: bool = False) -> None:
        self.name, self.failing, self.asked = name, failing, 0

    def synthesise(self, text: str) -> Samples:
        self.asked += 1
        if self.failing:
            raise SpeakingError("voice.failed", f"{self.name} failed")
        return Samples(np.zeros(1, np.int16), 1000)


def test_the_first_voice_that_can_speaks() -> None:
    first, second = ScriptedVoice("first", failing=True), ScriptedVoice("second")
    tiers = Tiers([first, second])
    tiers.synthesise("hello")
    assert tiers.name == "second"
    first.failing = False
    tiers.synthesise("hello")
    assert tiers.name == "first"


def test_a_voice_that_keeps_failing_is_left_alone_and_tried_again_later() -> None:
    first, second = ScriptedVoice("first", failing=True), ScriptedVoice("second")
    tiers = Tiers([first, second])
    for _ in range(FAILURES_TO_OPEN + SENTENCES_OPEN):
        tiers.synthesise("hello")
    assert first.asked == FAILURES_TO_OPEN
    tiers.synthesise("hello")
    assert first.asked == FAILURES_TO_OPEN + 1
    first.failing = False
    for _ in range(SENTENCES_OPEN + 1):
        tiers.synthesise("hello")
    assert tiers.name == "first"


def test_the_last_voice_is_always_asked_and_its_fault_told() -> None:
    only = ScriptedVoice("only", failing=True)
    tiers = Tiers([only])
    for _ in range(FAILURES_TO_OPEN + 2):
        with pytest.raises(SpeakingError, match="only failed"):
            tiers.synthesise("hello")
    assert only.asked == FAILURES_TO_OPEN + 2


def test_without_any_program_the_packages_to_install_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SpeakingError, match=r"apt install flite.*apt install espeak-ng"):
        select(VoiceSettings(), Library(tmp_path))
    with pytest.raises(SpeakingError, match="apt install flite"):
        select(VoiceSettings(engine="flite"), Library(tmp_path))


def test_an_unknown_engine_is_refused_with_those_there_are(tmp_path: Path) -> None:
    with pytest.raises(SpeakingError, match="none of auto, piper, flite, espeak-ng"):
        select(VoiceSettings(engine="flight"), Library(tmp_path))


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A PATH with nothing but flite and espeak-ng."""
    for name in ("flite", "espeak-ng"):
        program = shutil.which(name)
        if program is None:
            pytest.skip(f"no {name} here")
        (tmp_path / name).symlink_to(program)
    monkeypatch.setenv("PATH", str(tmp_path))
    return tmp_path


def test_the_named_engine_comes_first_and_flite_by_default(path: Path) -> None:
    assert select(VoiceSettings(), Library(path)).name == "flite"
    assert select(VoiceSettings(engine="espeak-ng"), Library(path)).name == "espeak-ng"


def test_a_named_voice_that_is_not_here_is_told_and_another_speaks(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    voice = select(VoiceSettings(engine="piper", name="piper-lessac-low"), Library(path))
    assert voice.name == "flite"
    assert "assistant models pull piper-lessac-low" in caplog.text


def test_a_program_that_does_not_work_is_found_out_at_the_start(path: Path) -> None:
    (path / "flite").unlink()
    (path / "flite").touch(0o755)
    voice = select(VoiceSettings(), Library(path))
    assert voice.name == "espeak-ng"
    assert voice.synthesise("hello").duration_s > 0


def test_the_first_of_several_voices_is_skipped_on_the_simpler_path() -> None:
    simpler = Switched()
    faults = Degraded("voice", simpler.path)
    several = Tiers([ScriptedVoice("first"), ScriptedVoice("second")], faults=faults)
    only = Tiers([ScriptedVoice("only")], faults=faults)
    simpler.on()
    for tiers in (several, only):
        tiers.synthesise("hello")
    assert (several.name, only.name) == ("second", "only")
    simpler.off()
    several.synthesise("hello")
    assert several.name == "first"
