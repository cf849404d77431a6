"""The home that Home Assistant describes becomes the daemon's, and stays it over a restart."""

from __future__ import annotations

import stat
from contextlib import closing
from pathlib import Path

import pytest

from assistant.control.described_home import DescribedHome
from assistant.control.metrics_store import MetricsStore
from assistant.control.recollection import Recollection
from assistant.control.server import ControlServer
from assistant.control.stage import ControlStage
from assistant.core.config import Config, HomeSettings
from assistant.core.messages import HomeDescribed, Reload
from assistant.core.settings.home_assistant import HomeAssistantSettings
from assistant.core.settings.mqtt import MqttSettings
from assistant.skill.home import load_home

HOME = '{"areas": [{"name": "Kitchen", "id": "kitchen"}]}'


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "home-assistant.json"


def test_another_description_is_kept_and_the_same_is_no_news(file: Path) -> None:
    home = DescribedHome(file)
    assert home.adopt(HOME)
    assert [area.name for area in load_home(file).areas] == ["Kitchen"]
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert not home.adopt(HOME)
    assert not DescribedHome(file).adopt(HOME)
    assert home.adopt(HOME.replace("Kitchen", "Galley"))


@pytest.mark.parametrize(
    "nonsense", ["", "[", "7", '{"areas": [{"name": 7}]}', '{"areas": ' + "[" * 9999]
)
def test_what_is_no_home_changes_nothing(
    file: Path, nonsense: str, caplog: pytest.LogCaptureFixture
) -> None:
    home = DescribedHome(file)
    home.adopt(HOME)
    assert not home.adopt(nonsense)
    assert file.read_text() == HOME
    assert "home.malformed" in caplog.text


def test_where_nothing_can_be_written_the_names_stay_and_it_is_told(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    assert not DescribedHome(tmp_path / "away" / "home.json").adopt(HOME)
    assert "storage.home" in caplog.text


def test_who_has_a_home_of_his_own_gets_no_other() -> None:
    assert not DescribedHome(None).adopt(HOME)


def test_which_file_is_the_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STATE_DIRECTORY", str(tmp_path))
    assert Config().home_files == ()
    settings = Config(home_assistant=HomeAssistantSettings(url="http://192.168.1.5:8123"))
    assert settings.described_home is not None
    assert settings.home_files == ()
    DescribedHome(settings.described_home).adopt(HOME)
    assert settings.home_files == (settings.described_home,)


def test_what_is_announced_by_mqtt_adds_to_the_homes_own_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STATE_DIRECTORY", str(tmp_path))
    home = HomeSettings(file="/srv/home.yaml")
    broker = MqttSettings(host="192.168.1.5", discover=True)
    settings = Config(home=home, mqtt=broker)
    assert settings.home_files == (Path("/srv/home.yaml"),)
    DescribedHome(settings.described_home).adopt(HOME)
    assert settings.home_files == (Path("/srv/home.yaml"), settings.described_home)
    quiet = MqttSettings(host="192.168.1.5")
    assert Config(home=home, mqtt=quiet).home_files == (Path("/srv/home.yaml"),)


def test_another_home_has_every_stage_read_it(file: Path, tmp_path: Path) -> None:
    metrics = MetricsStore(tmp_path / "metrics.jsonl", keep=10)
    with closing(ControlServer(tmp_path / "control.sock", {})) as server:
        stage = ControlStage(server, metrics, Recollection(), home=DescribedHome(file))
        assert [type(m) for m in stage.feed(HomeDescribed(text=HOME))] == [Reload]
        assert list(stage.feed(HomeDescribed(text=HOME))) == []
        assert list(stage.feed(HomeDescribed(text="nonsense"))) == []


def test_only_a_reload_for_all_is_published_by_the_control_process(tmp_path: Path) -> None:
    """That of one stage is out already: whoever asks for it has sent it to all."""
    metrics = MetricsStore(tmp_path / "metrics.jsonl", keep=10)
    with closing(ControlServer(tmp_path / "control.sock", {})) as server:
        stage = ControlStage(server, metrics, Recollection())
        assert list(stage.feed(Reload(stage="asr"))) == []
        assert list(stage.feed(Reload())) == [Reload()]


def test_a_bad_name_is_left_out_and_named_and_the_rest_is_taken(
    file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    bad = ", ".join(f'{{"name": "", "id": "light.{"a" * 2_000}{n}"}}' for n in range(50))
    text = HOME[:-1] + f', "entities": [{bad}, {{"name": "Lamp", "id": "light.lamp"}}]}}'
    assert DescribedHome(file).adopt(text)
    assert [entity.id for entity in load_home(file).entities] == ["light.lamp"]
    assert caplog.text.count("home.name") == 11
