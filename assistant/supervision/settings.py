"""The daemon's settings, checked against the files and folders that they name."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from assistant.core.clock import time_zone
from assistant.core.config import Config, load_config
from assistant.core.did_you_mean import did_you_mean
from assistant.core.errors import ConfigError
from assistant.skill.home import Home, load_homes, within_bounds


def load_settings(files: tuple[Path, ...]) -> Config:
    """Read the settings for a start; raises `ConfigError`, and `InputError` for the home's file."""
    return check_settings(load_config(files)[0])


def reload_settings(files: tuple[Path, ...]) -> Config:
    """Read the settings for a reload; a missing folder is an error here, as it is probably a typo.

    At a start the folder may be on a disk that comes later, so the daemon starts without it.
    """
    config = load_settings(files)
    if missing := list(missing_folders(config)):
        raise ConfigError("config.missing", "; ".join(missing))
    return config


def check_settings(config: Config) -> Config:
    """Return the settings; raises `ConfigError` when something that they name does not exist."""
    time_zone(config.home.time_zone)
    config.announcements.hours  # noqa: B018 - it raises for what is no period
    home = load_homes(config.home_files)
    if len(config.audio.areas) > len(config.audio.inputs):
        message = "audio.areas: there are more areas than microphones in audio.input"
        raise ConfigError("config.area", message)
    # What the bridge describes may be there later, or no more: that must not keep the daemon off.
    if config.described_home is None:
        _require_area("home.area", config.home.area, home)
        _require_area("mpd.area", config.mpd.area, home)
        _require_area("mpris.area", config.mpris.area, home)
        for area in config.audio.areas:
            _require_area("audio.areas", area, home)
    sentences = config.nlu.custom_sentences
    if sentences and not _is_there(sentences):
        message = f"nlu.custom_sentences: {sentences}: there is no such folder"
        raise ConfigError("config.missing", message)
    return config


def missing_folders(config: Config) -> Iterator[str]:
    """One line for each missing folder of skills or documents."""
    folders = {
        "skills.folders": config.skills.folders,
        "documents.folders": config.documents.folders,
    }
    for setting, paths in folders.items():
        for path in paths:
            if not path or not _is_there(path):
                yield f'{setting}: "{path}": there is no such folder'


def unsayable_names(config: Config) -> tuple[str, ...]:
    """A line for each part of the home that is left out for its name; raises `InputError`."""
    lines: list[str] = []
    load_homes(config.home_files, lines.append)
    return within_bounds(lines)


def _require_area(setting: str, area: str, home: Home) -> None:
    known = [a.id for a in home.areas]
    if not area or area in known:
        return
    remedy = did_you_mean(area, known) if known else "home.file names no area"
    raise ConfigError("config.area", f'{setting}: there is no area "{area}"; {remedy}')


def _is_there(path: str) -> bool:
    return Path(path).expanduser().exists()
