"""Settings that cannot be meant: each gives one error in one line, before any process starts."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.core.config import load_config
from assistant.core.errors import ConfigError


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("[listening]\ntrailing_silence_s = -1.0", "listening.trailing_silence_s"),
        ("[listening]\nlongest_s = nan", "listening.longest_s"),
        ("[listening]\npreroll_s = inf", "listening.preroll_s"),
        ("[listening]\npreroll_s = 1" + "0" * 400, "listening.preroll_s"),
        ("[listening]\nvad_aggressiveness = 4", "listening.vad_aggressiveness"),
        ("[listening]\nnothing_said_s = true", "listening.nothing_said_s"),
        ("[audio]\nplayback_grace_s = nan", "audio.playback_grace_s"),
        ("[wake.keywords]\ncomputer = nan", "wake.keywords"),
        ("[wake.keywords]\ncomputer = 1.5", "wake.keywords"),
        ('[wake]\nengine = "porcupin"', "porcupine"),
        ('[asr]\nengine = ""', "pocketsphinx"),
        ("[asr]\nthreads = 0", "asr.threads"),
        ('[voice]\nengine = "flight"', "flite"),
        ("[mqtt]\nport = 65536", "mqtt.port"),
        (f'[mqtt]\nversion = "{"x" * 5_000}"', "mqtt.version"),
        ("[metrics]\nkeep_utterances = -1", "metrics.keep_utterances"),
        ('[log]\nlevel = "loud"', "warning"),
        ('[storage]\nstate = "a\\u0000b"', "control character"),
        ('[audio]\ninput = "fifo:~nobody-here/mic"', "no user"),
        ('[skills]\nfolders = ["~nobody-here/skill"]', "no user"),
        (f'[storage]\nstate = "/tmp/{"x" * 300}"', "too long"),
        (f'[storage]\nruntime = "/tmp/{"x/" * 60}"', "too long"),
        ("a = " + "[" * 5_000, "nested"),
        ("a = " + "9" * 5_000, "digits"),
        ("[storage]\nstate = 2020-01-01", "storage.state"),
        ('"a\\nb" = 1', r"a\nb"),
        ("x" * 100_000 + " = 1", "xxx"),
    ],
    ids=lambda text: text[:40],
)
def test_what_cannot_be_meant_is_refused_in_one_line(
    tmp_path: Path, content: str, told: str
) -> None:
    file = tmp_path / "config.toml"
    file.write_text(content)
    with pytest.raises(ConfigError) as caught:
        load_config((file,))
    message = caught.value.message
    assert str(file) in message
    assert told in message
    assert "\n" not in message
    assert len(message) < 400


def test_settings_at_their_bounds_are_taken(tmp_path: Path) -> None:
    """Control."""
    file = tmp_path / "config.toml"
    file.write_text(
        "[listening]\ntrailing_silence_s = 0.05\nlongest_s = 120\nvad_aggressiveness = 3\n"
        '[wake]\nengine = "pocketsphinx"\n[wake.keywords]\n"hey jarvis" = 1\n'
        '[mqtt]\nport = 65535\n[storage]\nstate = "~/hark"\n[audio]\ninput = "Röhre [1]: (x)"\n'
    )
    config, _ = load_config((file,))
    assert config.listening.longest_s == 120
    assert config.state_dir == Path.home() / "hark"
