"""Settings: TOML in, frozen sections out; an unknown key fails with the nearest valid name.

Files are read in order and later ones win key by key: `/etc/hark/config.toml`, then
`~/.config/hark/config.toml`, or only the one that `--config` names.
"""

from __future__ import annotations

import os
import re
import tomllib
import typing
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from assistant.core.did_you_mean import did_you_mean
from assistant.core.errors import ConfigError
from assistant.core.files import read_text
from assistant.core.layout import (
    CALENDAR_FILE,
    CONTROL_SOCKET,
    DESCRIBED_HOME_FILE,
    MEMBERS,
    NETWORK_SOCKET,
    SENSORS,
)
from assistant.core.settings.announcements import AnnouncementSettings
from assistant.core.settings.button import ButtonSettings
from assistant.core.settings.calendar import CalendarSettings
from assistant.core.settings.documents import DocumentsSettings
from assistant.core.settings.hearing import AudioSettings, ListeningSettings, WakeSettings
from assistant.core.settings.history import (
    AlertsSettings,
    LogSettings,
    MetricsSettings,
    RecordingsSettings,
    TracesSettings,
)
from assistant.core.settings.home_assistant import HomeAssistantSettings
from assistant.core.settings.hub import HubSettings
from assistant.core.settings.merge import flat, merge
from assistant.core.settings.models import ModelsSettings
from assistant.core.settings.mpd import MpdSettings
from assistant.core.settings.mpris import MprisSettings
from assistant.core.settings.mqtt import MqttSettings
from assistant.core.settings.network import NetworkSettings
from assistant.core.settings.section import SettingsSection, one_of
from assistant.core.settings.security import SecuritySettings
from assistant.core.settings.sensors import SensorsSettings
from assistant.core.settings.skills import SkillsSettings
from assistant.core.settings.wyoming import WyomingSettings

SYSTEM_FILE = Path("/etc/hark/config.toml")
USER_FILE = Path("~/.config/hark/config.toml")
LONGEST_RUNTIME_BYTES = 92
"""Most bytes of the runtime folder: a socket's path holds 107, and `/control.events` takes 15."""
LONGEST_NAME_BYTES = 255
"""Most bytes in the name of a file or folder, on every usual file system."""
SHOWN_CHARACTERS = 40
"""Most characters of an unknown name that an error quotes."""


class AsrSettings(SettingsSection, frozen=True, kw_only=True):
    """Speech recognition."""

    engine: Annotated[str, one_of("auto", "whisper", "pocketsphinx")] = "auto"
    """"auto" (whisper where its model is present and quick here, beside pocketsphinx where it is
    slow; else pocketsphinx), "whisper" or "pocketsphinx" alone."""
    model: str = "whisper-tiny.en"
    """Name of the whisper model, as `assistant models list` shows it."""
    threads: Annotated[int, Meta(ge=1, le=256)] = 2
    """Threads of the whisper engine."""


class VoiceSettings(SettingsSection, frozen=True, kw_only=True):
    """How the assistant speaks."""

    engine: Annotated[str, one_of("auto", "piper", "flite", "espeak-ng")] = "auto"
    """"auto" (piper, then flite, then espeak-ng), or one of these."""
    name: str = ""
    """The engine's voice; "" for its default (flite: slt, espeak-ng: en, piper: the pulled one)."""
    earcons: bool = True
    """Whether short sounds are played for heard, done and failed."""


class NluSettings(SettingsSection, frozen=True, kw_only=True):
    """Understanding."""

    models: bool = True
    """Whether models guess at a text that fits no sentence; otherwise only skills' words count."""
    rewriter: bool = True
    """Whether a language model, where it was pulled, says in plain words what no sentence fits."""
    custom_sentences: str = ""
    """Folder of sentences in Home Assistant's `custom_sentences` format; "" for none."""


class HomeSettings(SettingsSection, frozen=True, kw_only=True):
    """The user's home."""

    file: str = ""
    """YAML file of areas and devices; "" for none."""
    area: str = ""
    """Id of the area where this device stands; "the lights" means that area's."""
    time_zone: str = ""
    """IANA name such as "Europe/Zurich"; "" for the system's."""
    latitude: Annotated[float, Meta(ge=-90, le=90)] | Literal[""] = ""
    """Degrees north, for the times of sunrise and sunset; "" for an unknown place."""
    longitude: Annotated[float, Meta(ge=-180, le=180)] | Literal[""] = ""
    """Degrees east, likewise."""


class AnswerSettings(SettingsSection, frozen=True, kw_only=True):
    """How questions are answered."""

    generator: str = "generator"
    """Name of the model that words answers, as `assistant models list` shows it."""
    workers: Annotated[int, Meta(ge=0, le=8)] = 0
    """Processes that answer beside the usual one, for questions of several rooms at once."""


class StorageSettings(SettingsSection, frozen=True, kw_only=True):
    """Where state lives."""

    state: str = ""
    """Folder of durable state; "" for $STATE_DIRECTORY or ~/.local/state/hark."""
    runtime: str = ""
    """Folder of sockets; "" for $RUNTIME_DIRECTORY or $XDG_RUNTIME_DIR/hark."""
    cache: str = ""
    """Folder of data that can be rebuilt; "" for $CACHE_DIRECTORY or ~/.cache/hark."""
    models: str = ""
    """Folder of pulled models; "" for STATE/models."""


class Config(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Every setting."""

    audio: AudioSettings = AudioSettings()
    button: ButtonSettings = ButtonSettings()
    wake: WakeSettings = WakeSettings()
    listening: ListeningSettings = ListeningSettings()
    asr: AsrSettings = AsrSettings()
    voice: VoiceSettings = VoiceSettings()
    nlu: NluSettings = NluSettings()
    skills: SkillsSettings = SkillsSettings()
    announcements: AnnouncementSettings = AnnouncementSettings()
    security: SecuritySettings = SecuritySettings()
    home: HomeSettings = HomeSettings()
    documents: DocumentsSettings = DocumentsSettings()
    calendar: CalendarSettings = CalendarSettings()
    answer: AnswerSettings = AnswerSettings()
    models: ModelsSettings = ModelsSettings()
    mqtt: MqttSettings = MqttSettings()
    home_assistant: HomeAssistantSettings = HomeAssistantSettings()
    mpd: MpdSettings = MpdSettings()
    mpris: MprisSettings = MprisSettings()
    network: NetworkSettings = NetworkSettings()
    hub: HubSettings = HubSettings()
    wyoming: WyomingSettings = WyomingSettings()
    sensors: SensorsSettings = SensorsSettings()
    metrics: MetricsSettings = MetricsSettings()
    traces: TracesSettings = TracesSettings()
    alerts: AlertsSettings = AlertsSettings()
    recordings: RecordingsSettings = RecordingsSettings()
    storage: StorageSettings = StorageSettings()
    log: LogSettings = LogSettings()

    @property
    def state_dir(self) -> Path:
        """The folder of durable state."""
        return _folder(self.storage.state, "STATE_DIRECTORY", "~/.local/state/hark")

    @property
    def runtime_dir(self) -> Path:
        """The folder of sockets."""
        fallback = Path(os.environ.get("XDG_RUNTIME_DIR", f"/tmp/hark-{os.getuid()}"))  # noqa: S108
        return _folder(self.storage.runtime, "RUNTIME_DIRECTORY", str(fallback / "hark"))

    @property
    def calendar_file(self) -> Path:
        """The file of the calendar that is changed by voice; the answers read it, too."""
        own = self.calendar.file
        return Path(own).expanduser().resolve() if own else self.state_dir / CALENDAR_FILE

    @property
    def home_files(self) -> tuple[Path, ...]:
        """The files of the home: the user's, and what the bridge has described, which adds."""
        own = (Path(self.home.file).expanduser(),) if self.home.file else ()
        kept = self.described_home
        return (*own, kept) if kept is not None and os.path.exists(kept) else own

    @property
    def described_home(self) -> Path | None:
        """Where the home that the bridge describes is kept; None where it describes none."""
        announced = self.mqtt.host and self.mqtt.discover
        described = announced or (self.home_assistant.url and not self.home.file)
        return self.state_dir / DESCRIBED_HOME_FILE if described else None

    @property
    def reaches_devices(self) -> bool:
        """Whether the bridge carries commands to devices: to a home, or to players."""
        return self.reaches_home or bool(self.mpd.host) or self.mpris.on

    @property
    def uses_bridge(self) -> bool:
        """Whether the daemon speaks to the bridge: about devices, its calendar, or its traces."""
        return self.reaches_devices or bool(self.calendar.url or self.traces.endpoint)

    @property
    def reaches_home(self) -> bool:
        """Whether the bridge reaches the home's devices, by MQTT or by Home Assistant."""
        return bool(self.mqtt.host or self.home_assistant.url)

    @property
    def sensors_file(self) -> Path | None:
        """The file that lists the sensors; None where none are watched."""
        return Path(self.sensors.file).expanduser() if self.sensors.file else None

    @property
    def members(self) -> tuple[str, ...]:
        """The daemon's processes."""
        return MEMBERS + (SENSORS,) * bool(self.sensors.file)

    @property
    def uses_rooms(self) -> bool:
        """Whether the service of the rooms runs, which has news of what is played there."""
        return self.wyoming.used

    @property
    def control_socket(self) -> Path:
        """The socket at which a running daemon answers requests."""
        return self.runtime_dir / CONTROL_SOCKET

    @property
    def network_socket(self) -> Path:
        """The socket at which the bridge serves the network to skills, and the hub."""
        return self.runtime_dir / NETWORK_SOCKET

    @property
    def cache_dir(self) -> Path:
        """The folder of data that can be rebuilt."""
        return _folder(self.storage.cache, "CACHE_DIRECTORY", "~/.cache/hark")

    @property
    def models_dir(self) -> Path:
        """The folder of pulled models."""
        own = self.storage.models
        return Path(own).expanduser() if own else self.state_dir / "models"


class Setting(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One setting in force, such as `asr.engine`, and the file it came from ("default").

    `meaning` is what a skill tells of a setting of its own.
    """

    name: str
    value: Any
    source: str
    meaning: str = ""


def config_files(explicit: Path | None) -> tuple[Path, ...]:
    """The files to read, in order: the explicit one alone, or the system's and the user's."""
    if explicit is not None:
        return (explicit,)
    return tuple(f for f in (SYSTEM_FILE, USER_FILE.expanduser()) if f.is_file())


def load_config(files: tuple[Path, ...] = ()) -> tuple[Config, tuple[Setting, ...]]:
    """Merge `files` over the defaults; raises `ConfigError` that names the file and the key."""
    merged: dict[str, dict[str, Any]] = {}
    sources: dict[str, str] = {}
    for file in files:
        for section, values in _read(file).items():
            place = merged.setdefault(section, {})
            sources |= merge(place, values, f"{section}.", str(file))
    config = _convert(merged, ", ".join(map(str, files)))
    settings = tuple(
        Setting(name=name, value=value, source=sources.get(name, "default"))
        for name, value in flat(msgspec.to_builtins(config))
    )
    return config, settings


def _read(file: Path) -> dict[str, dict[str, Any]]:
    try:
        document = tomllib.loads(read_text(file))
    except OSError as error:
        raise ConfigError("config.unreadable", f"{file}: {error.strerror}") from error
    except ValueError as error:  # no TOML, no UTF-8, or a number of too many digits
        raise ConfigError("config.malformed", f"{file}: {error}") from error
    except RecursionError as error:
        raise ConfigError("config.malformed", f"{file}: it is nested too deeply") from error
    _refuse_unknown(document, Config, str(file), "section")
    sections = typing.get_type_hints(Config)
    for name, values in document.items():
        if not isinstance(values, dict):
            raise ConfigError("config.malformed", f"{file}: [{name}] must be a section")
        _refuse_unknown(values, sections[name], f"{file}: [{name}]", "key")
    _convert(document, str(file))
    return document


def _refuse_unknown(
    given: dict[str, Any], known: type[msgspec.Struct], where: str, what: str
) -> None:
    valid = known.__struct_fields__
    for name in given:
        if name not in valid:
            short = name[:SHOWN_CHARACTERS]
            message = f"{where}: unknown {what} {_quoted(short)}; {did_you_mean(short, valid)}"
            raise ConfigError("config.unknown", message)


def _convert(document: dict[str, Any], where: str) -> Config:
    try:
        config = msgspec.convert(document, Config)
    except msgspec.ValidationError as error:
        raise ConfigError("config.invalid", f"{where}: {_plain(str(error))}") from error
    for section, values in msgspec.to_builtins(config).items():
        for key, value in values.items():
            if fault := next(filter(None, map(_unusable, _texts(value))), None):
                raise ConfigError("config.invalid", f"{where}: {section}.{key}: {fault}")
    if len(os.fsencode(config.storage.runtime)) > LONGEST_RUNTIME_BYTES:
        message = f"{where}: storage.runtime: the path is too long for a socket"
        raise ConfigError("config.invalid", f"{message}; at most {LONGEST_RUNTIME_BYTES} bytes")
    return config


def _texts(value: Any) -> list[str]:
    """The texts in a setting: itself, the items of a tuple, or the keys of a table."""
    if isinstance(value, str):
        return [value]
    return list(value) if isinstance(value, tuple | dict) else []


def _unusable(text: str) -> str | None:
    """Why a text can be neither a name nor a path; None when it can."""
    if any(c < " " or c == "\x7f" for c in text):
        return f"{_quoted(text[:SHOWN_CHARACTERS])} holds a control character"
    if any(len(os.fsencode(part)) > LONGEST_NAME_BYTES for part in text.split("/")):
        return f"{_quoted(text[:SHOWN_CHARACTERS])}… is too long for a file's name"
    path = text.partition(":")[2] if text.startswith(("fifo:", "folder:")) else text
    if path.startswith("~"):
        try:
            Path(path).expanduser()
        except RuntimeError:
            return f"{_quoted(path[:SHOWN_CHARACTERS])}: there is no user of that name"
    return None


def _quoted(name: str) -> str:
    """A name in quotes and on one line, whatever characters it holds."""
    return msgspec.json.encode(name).decode()


def _plain(told: str) -> str:
    """msgspec's error in plain words when a setting is none of its allowed words."""
    told = re.sub(rf"(enum value '.{{{SHOWN_CHARACTERS}}}).+'", r"\1…'", told)
    found = re.fullmatch(r"Expected `str` matching regex '\^\((.*)\)\$' - at `\$\.(.*)`", told)
    return f"{found[2]} must be one of {', '.join(found[1].split('|'))}" if found else told


def _folder(setting: str, variable: str, fallback: str) -> Path:
    # systemd lists several directories with colons; ours is the first.
    chosen = setting or os.environ.get(variable, "").partition(":")[0] or fallback
    return Path(chosen).expanduser()
