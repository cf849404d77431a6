"""Settings that cannot be meant: each gives one error in one line, before any process starts."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from assistant.core.config import Config, load_config
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


def loaded(folder: Path, content: str) -> Config:
    file = folder / "config.toml"
    file.write_text(content)
    return load_config((file,))[0]


def refused(folder: Path, content: str) -> str:
    """Why these settings are none, without the file's name."""
    with pytest.raises(ConfigError) as fault:
        loaded(folder, content)
    assert fault.value.code == "config.invalid"
    return fault.value.message.removeprefix(f"{folder / 'config.toml'}: ")


@pytest.mark.parametrize(
    ("setting", "least", "below", "most", "beyond"),
    [
        ("audio.playback_grace_s", 0, -0.01, 3600, 3600.5),
        ("wake.keywords.computer", 0, -0.01, 1, 1.01),
        ("listening.vad_aggressiveness", 0, -1, 3, 4),
        ("listening.preroll_s", 0, -0.01, 10, 10.5),
        ("listening.trailing_silence_s", 0.05, 0.04, 60, 60.5),
        ("listening.longest_s", 1, 0.99, 120, 120.5),
        ("asr.threads", 1, 0, 256, 257),
        ("mqtt.port", 1, 0, 65_535, 65_536),
        ("metrics.keep_utterances", 1, 0, 1_000_000, 1_000_001),
    ],
)
def test_a_number_is_within_its_bounds(
    tmp_path: Path, setting: str, least: float, below: float, most: float, beyond: float
) -> None:
    for value in (least, most):
        loaded(tmp_path, f"{setting} = {value}")
    for value in (below, beyond):
        assert "Expected" in refused(tmp_path, f"{setting} = {value}")


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ("wake.engine", "auto, porcupine, microwakeword, pocketsphinx"),
        ("asr.engine", "auto, whisper, pocketsphinx"),
        ("voice.engine", "auto, piper, flite, espeak-ng"),
        ("log.level", "debug, info, warning, error"),
    ],
)
def test_a_word_is_one_of_those_that_are_named(tmp_path: Path, setting: str, words: str) -> None:
    for word in words.split(", "):
        loaded(tmp_path, f'{setting} = "{word}"')
    for other in ("other", f"{words.split(', ')[0]}s"):
        told = refused(tmp_path, f'{setting} = "{other}"')
        assert told == f"{setting} must be one of {words}"


def test_a_socket_has_room_for_a_path_of_92_bytes(tmp_path: Path) -> None:
    longest = "/" + "ü" * 45 + "x"
    assert loaded(tmp_path, f'storage.runtime = "{longest}"').runtime_dir == Path(longest)
    told = refused(tmp_path, f'storage.runtime = "{longest}x"')
    assert told == "storage.runtime: the path is too long for a socket; at most 92 bytes"


def test_a_name_in_a_path_has_255_bytes_at_most(tmp_path: Path) -> None:
    name = "ü" * 127 + "x"
    loaded(tmp_path, f'storage.state = "/{name}/{name}"')
    told = refused(tmp_path, f'storage.state = "/{name}x"')
    assert told == f'storage.state: "/{"ü" * 39}"… is too long for a file\'s name'


CONTROL = " holds a control character"
NOBODY = ": there is no user of that name"


@pytest.mark.parametrize(
    ("setting", "value", "shown", "told"),
    [
        ("home.file", '"a\\u007f"', '"a\x7f"', CONTROL),
        ("home.file", '"\\u001f"', '"\\u001f"', CONTROL),
        ("skills.disabled", '["timers", "a\\nb"]', '"a\\nb"', CONTROL),
        ("wake.keywords", '{computer = 0.8, "a\\nb" = 0.8}', '"a\\nb"', CONTROL),
        ("home.file", f'"~nobody-{"x" * 50}"', f'"~nobody-{"x" * 32}"', NOBODY),
        ("audio.output", '"folder:~nobody-here/x"', '"~nobody-here/x"', NOBODY),
        ("audio.input", '"fifo:~nobody-here/x"', '"~nobody-here/x"', NOBODY),
    ],
)
def test_a_text_that_names_nothing_is_told_with_its_setting(
    tmp_path: Path, setting: str, value: str, shown: str, told: str
) -> None:
    assert refused(tmp_path, f"{setting} = {value}") == f"{setting}: {shown}{told}"


def test_what_is_no_path_may_begin_as_one_likes(tmp_path: Path) -> None:
    text = "usb:~nobody-here"
    assert loaded(tmp_path, f'audio.input = "{text}"').audio.input == text


def test_of_an_unknown_name_forty_characters_are_told(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as fault:
        loaded(tmp_path, f"[log]\nlevel{'s' * 50} = 1\n")
    told = f'[log]: unknown key "level{"s" * 35}"; did you mean "level"?'
    assert fault.value.message == f"{tmp_path / 'config.toml'}: {told}"


def test_sockets_lie_in_a_folder_of_the_user_where_nothing_else_is_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for variable in ("RUNTIME_DIRECTORY", "XDG_RUNTIME_DIR"):
        monkeypatch.delenv(variable, raising=False)
    assert Config().runtime_dir == Path(f"/tmp/hark-{os.getuid()}/hark")
