"""Settings: which file counts, what is documented to hold without one, and what is refused."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import msgspec
import pytest

from assistant.core import config
from assistant.core.config import (
    Config,
    HomeSettings,
    StorageSettings,
    config_files,
    load_config,
)
from assistant.core.errors import ConfigError
from assistant.core.layout import DESCRIBED_HOME_FILE, SENSORS
from assistant.core.settings.calendar import CalendarSettings
from assistant.core.settings.history import TracesSettings
from assistant.core.settings.home_assistant import HomeAssistantSettings
from assistant.core.settings.mpd import MpdSettings
from assistant.core.settings.mpris import MprisSettings
from assistant.core.settings.mqtt import MqttSettings
from assistant.core.settings.sensors import SensorsSettings
from scripts.settings_page import with_table

TABLE = (Path(__file__).resolve().parents[2] / "docs" / "settings.md").read_text("utf-8")
ROW = re.compile(r"^\| `(\w+)\.(\w+)` \| `(.+?)` \|", re.MULTILINE)


@pytest.fixture(autouse=True)
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A user without settings and without a service manager."""
    for variable in ("STATE_DIRECTORY", "RUNTIME_DIRECTORY", "CACHE_DIRECTORY", "XDG_RUNTIME_DIR"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))


def written(file: Path, text: str) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return file


def test_without_a_file_everything_is_as_documented() -> None:
    defaults = msgspec.json.decode(msgspec.json.encode(Config()))
    told = {(s, k): tomllib.loads(f"x = {text}")["x"] for s, k, text in ROW.findall(TABLE)}
    assert told == {(s, k): v for s, values in defaults.items() for k, v in values.items()}


def test_the_page_is_as_the_command_writes_it() -> None:
    assert with_table(TABLE) == TABLE, "run: python -m scripts.settings_page"


def test_another_default_or_meaning_would_show() -> None:
    other = TABLE.replace("`asr.threads` | `2`", "`asr.threads` | `3`")
    assert other != TABLE == with_table(other)


def test_later_files_win_key_by_key_and_each_value_tells_its_file(tmp_path: Path) -> None:
    first = written(tmp_path / "a.toml", '[asr]\nengine = "whisper"\nthreads = 3\n')
    second = written(tmp_path / "b.toml", "[asr]\nthreads = 4\n[log]\nlevel = 'error'\n")
    found, settings = load_config((first, second))
    assert (found.asr.engine, found.asr.threads, found.log.level) == ("whisper", 4, "error")
    sources = {setting.name: (setting.value, setting.source) for setting in settings}
    assert sources["asr.engine"] == ("whisper", str(first))
    assert sources["asr.threads"] == (4, str(second))
    assert sources["asr.model"] == ("whisper-tiny.en", "default")


def test_the_systems_file_comes_before_the_users_and_one_that_is_named_counts_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert config_files(Path("/a/named.toml")) == (Path("/a/named.toml"),)
    assert Path("/etc/hark/config.toml") == config.SYSTEM_FILE
    monkeypatch.setattr(config, "SYSTEM_FILE", tmp_path / "etc" / "config.toml")
    assert config_files(None) == ()
    user = written(tmp_path / ".config" / "hark" / "config.toml", "")
    assert config_files(None) == (user,)
    system = written(tmp_path / "etc" / "config.toml", "")
    assert config_files(None) == (system, user)


@pytest.mark.parametrize(
    ("text", "code", "told"),
    [
        ("[asr", "config.malformed", "Expected"),
        ("[asr]\nengine = '\x00'", "config.malformed", "line 2"),
        ("a = " + "[" * 5_000, "config.malformed", "it is nested too deeply"),
        ("asr = 3", "config.malformed", "[asr] must be a section"),
        ("[ars]\nengine = 'auto'", "config.unknown", 'unknown section "ars"; did you mean "asr"?'),
        ("[asr]\nthread = 2", "config.unknown", 'unknown key "thread"; did you mean "threads"?'),
        ("[asr]\nthreads = 'two'", "config.invalid", "Expected `int`, got `str`"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_with_file_place_and_the_nearest_name(
    tmp_path: Path, text: str, code: str, told: str
) -> None:
    sound = written(tmp_path / "sound.toml", "[asr]\nthreads = 3\n")
    file = written(tmp_path / "config.toml", text)
    with pytest.raises(ConfigError) as fault:
        load_config((sound, file))
    assert fault.value.code == code
    assert fault.value.message.startswith(f"{file}: ")
    assert told in fault.value.message


@pytest.mark.parametrize("content", [None, b"\xff\xfe"])
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, content: bytes | None) -> None:
    file = tmp_path / "config.toml"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(ConfigError) as fault:
        load_config((file,))
    assert fault.value.code == ("config.malformed" if content else "config.unreadable")
    assert str(file) in fault.value.message


def test_folders_are_the_users_unless_a_setting_or_the_service_manager_says_otherwise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = Config()
    assert plain.state_dir == tmp_path / ".local/state/hark"
    assert plain.cache_dir == tmp_path / ".cache/hark"
    assert plain.models_dir == plain.state_dir / "models"
    monkeypatch.setenv("XDG_RUNTIME_DIR", "/run/user/7")
    assert plain.runtime_dir == Path("/run/user/7/hark")
    monkeypatch.setenv("RUNTIME_DIRECTORY", "/run/hark")
    monkeypatch.setenv("STATE_DIRECTORY", "/var/lib/hark:/var/lib/other")
    monkeypatch.setenv("CACHE_DIRECTORY", "/var/cache/hark")
    assert plain.runtime_dir == Path("/run/hark")
    assert plain.state_dir == Path("/var/lib/hark")
    assert plain.cache_dir == Path("/var/cache/hark")
    chosen = Config(storage=StorageSettings(state="~/a", runtime="~/b", cache="~/c", models="~/d"))
    folders = (chosen.state_dir, chosen.runtime_dir, chosen.cache_dir, chosen.models_dir)
    assert folders == tuple(tmp_path / name for name in "abcd")


def test_files_of_the_daemon_lie_in_its_folders_and_those_of_the_user_where_they_are(
    tmp_path: Path,
) -> None:
    plain = Config(storage=StorageSettings(state="/s", runtime="/r"))
    assert plain.calendar_file == Path("/s/calendar.ics")
    assert plain.control_socket.parent == plain.network_socket.parent == Path("/r")
    assert plain.control_socket != plain.network_socket
    assert (plain.sensors_file, plain.home_files) == (None, ())
    own = Config(
        calendar=CalendarSettings(file="~/a.ics"),
        sensors=SensorsSettings(file="~/a.yaml"),
        home=HomeSettings(file="~/home.yaml"),
    )
    assert own.calendar_file == tmp_path / "a.ics"
    assert own.sensors_file == tmp_path / "a.yaml"
    assert own.home_files == (tmp_path / "home.yaml",)
    assert set(own.members) - set(plain.members) == {SENSORS}


AT_HOME, BROKER = HomeAssistantSettings(url="http://h:8123"), MqttSettings(host="h")


@pytest.mark.parametrize(
    ("found", "home", "devices", "bridge"),
    [
        (Config(), False, False, False),
        (Config(mqtt=BROKER), True, True, True),
        (Config(home_assistant=AT_HOME), True, True, True),
        (Config(mpd=MpdSettings(host="h")), False, True, True),
        (Config(mpris=MprisSettings(on=True)), False, True, True),
        (Config(calendar=CalendarSettings(url="http://h")), False, False, True),
        (Config(traces=TracesSettings(endpoint="http://h")), False, False, True),
    ],
)
def test_the_bridge_is_used_where_something_is_beyond_it(
    found: Config, home: bool, devices: bool, bridge: bool
) -> None:
    assert (found.reaches_home, found.reaches_devices, found.uses_bridge) == (home, devices, bridge)


@pytest.mark.parametrize(
    ("found", "described"),
    [
        (Config(), False),
        (Config(mqtt=BROKER), False),
        (Config(mqtt=MqttSettings(discover=True)), False),
        (Config(mqtt=MqttSettings(host="h", discover=True)), True),
        (Config(home_assistant=AT_HOME), True),
        (Config(home_assistant=AT_HOME, home=HomeSettings(file="/h.yaml")), False),
        (Config(mqtt=MqttSettings(host="h", discover=True), home=HomeSettings(file="/h")), True),
    ],
)
def test_the_bridge_describes_a_home_that_announces_itself_or_that_the_user_has_not_described(
    found: Config, described: bool
) -> None:
    kept = found.described_home
    assert kept == (found.state_dir / DESCRIBED_HOME_FILE if described else None)
    own = (Path(found.home.file),) if found.home.file else ()
    assert found.home_files == own
    if kept is not None:
        written(kept, "")
        assert found.home_files == (*own, kept)
