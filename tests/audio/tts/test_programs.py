"""flite and espeak-ng themselves, with what may stand in a reply."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from assistant.core.errors import SpeakingError
from audio.tts.espeak import Espeak
from audio.tts.flite import Flite
from audio.tts.program import speak
from audio.tts.voice import AUDIBLE, LEAD_S, TRAIL_S, Samples, Voice, trim

VOICES = [
    pytest.param(
        engine, marks=pytest.mark.skipif(not shutil.which(program), reason=f"no {program} here")
    )
    for engine, program in ((Flite, "flite"), (Espeak, "espeak-ng"))
]


@pytest.mark.parametrize("engine", VOICES)
@pytest.mark.parametrize(
    "text",
    [
        "Okay, five minutes, starting now.",
        "hello",
        "-lv is no option",
        "/etc/passwd",
        "$(touch /tmp/x); `id` 'quoted' \"twice\"",
        "<speak>x</speak> & 5",
        "Zürich",
        "a\x00b",
        "one\ntwo",
    ],
)
def test_any_text_is_spoken_as_words(engine: type[Voice], text: str) -> None:
    samples = engine().synthesise(text)
    assert 0.2 < samples.duration_s < 5
    assert np.abs(samples.pcm).max() > 1000


@pytest.mark.parametrize("engine", VOICES)
def test_a_longer_text_sounds_longer_and_begins_at_once(engine: type[Voice]) -> None:
    voice = engine()
    short, long = voice.synthesise("One."), voice.synthesise("One, two, three, four, five.")
    assert long.duration_s > 2 * short.duration_s
    assert np.flatnonzero(np.abs(long.pcm) > AUDIBLE)[0] <= LEAD_S * long.rate_hz


@pytest.mark.parametrize("engine", VOICES)
@pytest.mark.parametrize("text", ["", "...", "😀"])
def test_where_there_is_no_word_none_is_invented(engine: type[Voice], text: str) -> None:
    with pytest.raises(SpeakingError) as fault:
        engine().synthesise(text)
    assert fault.value.code == "voice.no_words"


@pytest.mark.skipif(not shutil.which("flite"), reason="no flite here")
def test_flite_says_so_when_a_text_has_no_letter_that_it_knows() -> None:
    with pytest.raises(SpeakingError):
        Flite().synthesise("你好")


@pytest.mark.skipif(not shutil.which("flite"), reason="no flite here")
def test_flite_does_not_take_another_voice_for_an_unknown_one() -> None:
    with pytest.raises(SpeakingError, match=r'no voice "slit".*slt, rms'):
        Flite("slit")


@pytest.mark.parametrize(
    ("script", "code"),
    [("exit 3", "voice.failed"), ("true", "voice.no_audio"), ("echo x > $0", "voice.no_audio")],
)
def test_a_program_that_fails_is_told_without_the_words(script: str, code: str) -> None:
    with pytest.raises(SpeakingError) as fault:
        speak(lambda path: ["sh", "-c", script, path], "my secret")
    assert fault.value.code == code
    assert "secret" not in fault.value.message


def test_a_program_that_is_not_there_is_told() -> None:
    with pytest.raises(SpeakingError) as fault:
        speak(lambda path: ["/no/such/flite", path], "hello")
    assert fault.value.code == "voice.missing"


def test_a_program_that_hangs_is_ended(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("audio.tts.program.STARTING_S", 0.05)
    with pytest.raises(SpeakingError) as fault:
        speak(lambda path: ["sleep", "1000"], "hi")
    assert fault.value.code == "voice.slow"


def test_trimming_leaves_a_breath_and_takes_silence_away() -> None:
    pcm = np.zeros(3000, np.int16)
    pcm[1000:1500] = -32768
    trimmed = trim(Samples(pcm, 1000))
    assert len(trimmed.pcm) == 500 + int(1000 * (LEAD_S + TRAIL_S))
    assert len(trim(Samples(np.zeros(10, np.int16), 1000)).pcm) == 0
