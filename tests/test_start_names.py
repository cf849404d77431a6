"""Which names recognition and understanding begin with, after they died of the newest ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.core.config import Config, StorageSettings
from assistant.core.layout import DESCRIBED_HOME_FILE, VOCABULARY_FILES
from assistant.core.settings.home_assistant import HomeAssistantSettings
from assistant.start_names import NamesOnTrial, held_back

FIRST = '{"areas": [{"name": "Kitchen", "id": "kitchen"}]}'
NEWEST = FIRST.replace("Kitchen", "Galley")


@pytest.fixture
def config(tmp_path: Path) -> Config:
    return Config(
        storage=StorageSettings(state=str(tmp_path)),
        home_assistant=HomeAssistantSettings(url="http://192.168.1.2:8123"),
    )


def describe(config: Config, text: str) -> None:
    (config.state_dir / DESCRIBED_HOME_FILE).write_text(text)


def begin(config: Config, dies: bool = False) -> str:
    """Begin recognition, and give the name of its room; `dies` ends it as a kill would."""
    trial = NamesOnTrial("asr", config.state_dir)
    try:
        with trial.beginning(config) as names:
            if dies:
                raise RecursionError
    except RecursionError:
        pass
    return next((area.name for area in names.home.areas), "")


def test_after_two_ends_it_begins_with_the_names_before(
    config: Config, caplog: pytest.LogCaptureFixture
) -> None:
    describe(config, FIRST)
    assert begin(config) == "Kitchen"
    describe(config, NEWEST)
    assert [begin(config, dies=True) for _ in range(2)] == ["Galley", "Galley"]
    assert "vocabulary.held" not in caplog.text
    assert [begin(config) for _ in range(2)] == ["Kitchen", "Kitchen"]
    assert "vocabulary.held" in caplog.text
    assert held_back(config.state_dir) == ("asr",)


def test_other_names_are_tried_again(config: Config) -> None:
    describe(config, NEWEST)
    for _ in range(2):
        begin(config, dies=True)
    assert begin(config) == ""
    describe(config, FIRST)
    assert begin(config) == "Kitchen"
    assert held_back(config.state_dir) == ()


def test_one_end_is_forgotten_once_it_is_ready(config: Config) -> None:
    describe(config, NEWEST)
    for _ in range(3):
        begin(config, dies=True)
        assert begin(config) == "Galley"
        describe(config, FIRST)
        assert begin(config) == "Kitchen"
        describe(config, NEWEST)
    assert held_back(config.state_dir) == ()


def test_the_next_start_of_the_daemon_tries_them_again(
    config: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    describe(config, NEWEST)
    for _ in range(2):
        begin(config, dies=True)
    monkeypatch.setattr("os.getppid", lambda: 7)
    assert begin(config) == "Galley"


@pytest.mark.parametrize("damaged", ["", "[" * 9_999, "{}", "\udcff"])
def test_a_damaged_record_is_none(config: Config, damaged: str) -> None:
    file = config.state_dir / VOCABULARY_FILES["asr"]
    file.write_text(damaged, errors="surrogateescape")
    describe(config, FIRST)
    assert begin(config) == "Kitchen"
