"""Settings that name what there is not are refused with what to write; so is a broken file."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from assistant.composition import Composition
from assistant.core.config import load_config
from assistant.core.errors import ConfigError, InputError
from assistant.supervision.settings import load_settings, missing_folders, reload_settings

HOME = Path(__file__).parents[1] / "support" / "home.yaml"


def written(folder: Path, settings: str) -> tuple[Path, ...]:
    file = folder / "config.toml"
    file.write_text(settings)
    return (file,)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (
            f'[home]\nfile = "{HOME}"\narea = "kitchin"\n',
            'no area "kitchin"; did you mean "kitchen"?',
        ),
        ('[home]\narea = "kitchen"\n', "home.file names no area"),
        ('[home]\ntime_zone = "Mars/Olympus"\n', "Mars/Olympus"),
        ('[nlu]\ncustom_sentences = "/none"\n', "nlu.custom_sentences: /none"),
        ('[wake]\nengine = "snowball"\n', "wake.engine must be one of auto, porcupine"),
        ("[wake.keywords]\ncomputer = 1.5\n", "wake.keywords"),
        ('[asr]\nengine = "wisper"\n', "asr.engine must be one of auto, whisper, pocketsphinx"),
        ("[asr]\nthreads = 0\n", "asr.threads"),
        ('[voice]\nengine = "pipr"\n', "must be one of auto, piper, flite, espeak-ng"),
        ('[log]\nlevel = "loud"\n', "log.level must be one of debug"),
        ("[listening]\nlongest_s = nan\n", "listening.longest_s"),
        ("[listening]\npreroll_s = -1\n", "listening.preroll_s"),
        ("[listening]\nvad_aggressiveness = 4\n", "vad_aggressiveness"),
        ("[mqtt]\nport = 70000\n", "mqtt.port"),
        ('[mpd]\nname = ""\n', "mpd.name"),
        (
            f'[home]\nfile = "{HOME}"\n[mpd]\narea = "kitchin"\n',
            'mpd.area: there is no area "kitchin"',
        ),
        (
            f'[home]\nfile = "{HOME}"\n[mpris]\narea = "kitchin"\n',
            'mpris.area: there is no area "kitchin"',
        ),
        ("[metrics]\nkeep_utterances = -1\n", "metrics.keep_utterances"),
        ('[storage]\nstate = "a\\u0000b"\n', "holds a control character"),
        ('[skills]\nfolders = ["a\\u0000b"]\n', 'skills.folders: "a\\u0000b" holds'),
        ("[asr]\nthreads = " + "[" * 5000 + "]" * 5000 + "\n", "config.toml"),
    ],
)
def test_what_cannot_be_is_refused_with_the_setting(
    tmp_path: Path, settings: str, words: str
) -> None:
    with pytest.raises(ConfigError) as refused:
        load_settings(written(tmp_path, settings))
    assert words in refused.value.message
    assert "\n" not in refused.value.message


def test_an_area_of_the_home_is_taken(tmp_path: Path) -> None:
    files = written(tmp_path, f'[home]\nfile = "{HOME}"\narea = "kitchen"\n')
    assert load_settings(files).home.area == "kitchen"


@pytest.mark.parametrize(
    ("areas", "words"),
    [
        ('["kitchen"]', ""),
        ('["kitchen", ""]', ""),
        ('["kitchen", "kitchin"]', 'audio.areas: there is no area "kitchin"'),
        ('["kitchen", "kitchen", "kitchen"]', "more areas than microphones"),
    ],
)
def test_each_microphone_may_have_an_area_of_the_home(
    tmp_path: Path, areas: str, words: str
) -> None:
    audio = f'[audio]\ninput = ["one", "two"]\nareas = {areas}\n'
    files = written(tmp_path, f'[home]\nfile = "{HOME}"\n{audio}')
    if not words:
        assert load_settings(files).audio.areas[0] == "kitchen"
        return
    with pytest.raises(ConfigError, match=words):
        load_settings(files)


@pytest.mark.parametrize("setting", ["skills", "documents"])
def test_a_folder_that_is_not_there_is_named_at_a_start_and_refused_at_a_reload(
    tmp_path: Path, setting: str
) -> None:
    files = written(tmp_path, f'[{setting}]\nfolders = ["{tmp_path}", "/none"]\n')
    (line,) = missing_folders(load_settings(files))
    assert line == f'{setting}.folders: "/none": there is no such folder'
    with pytest.raises(ConfigError, match="/none"):
        reload_settings(files)
    files = written(tmp_path, f'[{setting}]\nfolders = [""]\n')
    with pytest.raises(ConfigError, match="no such folder"):
        reload_settings(files)


def test_a_file_of_settings_that_is_no_small_text_is_refused(tmp_path: Path) -> None:
    pipe, large, binary = tmp_path / "pipe", tmp_path / "large", tmp_path / "binary"
    os.mkfifo(pipe)
    with large.open("wb") as file:
        file.truncate(1 << 30)
    binary.write_bytes(b"\xff\0\xfe")
    for path, words in (
        (pipe, "is a pipe, not a file"),
        (large, "is larger than 1024 KiB"),
        (binary, "can't decode"),
        (tmp_path, "Is a directory"),
        (Path("a\0b"), "NUL"),
    ):
        with pytest.raises(ConfigError, match=words):
            load_config((path,))


def test_a_home_that_is_no_small_text_is_refused(tmp_path: Path) -> None:
    pipe, deep = tmp_path / "pipe", tmp_path / "deep"
    os.mkfifo(pipe)
    deep.write_text("[" * 5000)
    for path, words in ((pipe, "is a pipe"), (deep, "deep"), (tmp_path, "Is a directory")):
        files = written(tmp_path, f'[home]\nfile = "{path}"\n')
        with pytest.raises(InputError, match=words):
            load_settings(files)


def test_a_model_that_there_is_not_is_refused_with_the_nearest(tmp_path: Path) -> None:
    config = load_settings(written(tmp_path, '[asr]\nmodel = "whisper-tini"\n'))
    with pytest.raises(ConfigError, match=r'did you mean "whisper-tiny"'):
        Composition(config).asr()


def test_sentences_that_are_wrong_are_wrong_settings(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text("language: en\nintents: [")
    config = load_settings(written(tmp_path, f'[nlu]\ncustom_sentences = "{tmp_path}"\n'))
    with pytest.raises(ConfigError, match=r"mine\.yaml"):
        _ = Composition(config).understanding.vocabulary
