"""What belongs to a backup: the user's settings and files, and of the state what is theirs."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from assistant.backup.archive import (
    CALENDAR,
    CERTIFICATE,
    HOME,
    OWN,
    PASSWORD,
    SENTENCES,
    STATE,
    SYSTEM,
    USER,
)
from assistant.core.config import SYSTEM_FILE, USER_FILE, Config
from assistant.core.database import copy_database
from assistant.core.errors import InputError
from assistant.core.layout import (
    CALENDAR_FILE,
    HEARD_FILE,
    KNOWLEDGE_FILE,
    PAIRING_FOLDER,
    PIN_FILE,
    QUARANTINE_FILE,
    RECORDINGS_FOLDER,
    SKILLS_FOLDER,
    STATE_FILE,
    VECTORS_FILE,
)
from assistant.recordings.folder import EXAMPLES
from audio.wake.own.store import FOLDER as WAKE_FOLDER
from nlu.grammar.custom_sentences import sentence_files
from skills.isolation.installed import FILES as SKILL_FILES
from skills.isolation.installed import RECORD, installed_skills

DATABASES = (STATE_FILE, KNOWLEDGE_FILE)
FILES = (CALENDAR_FILE, HEARD_FILE, QUARANTINE_FILE)
REBUILT = (VECTORS_FILE, f"{VECTORS_FILE}.json")
"""Files that are made from the databases again; beside others they would be wrong."""

NAMED = {
    HOME: "home.file",
    CALENDAR: "calendar.file",
    CERTIFICATE: "mqtt.ca_file",
    PASSWORD: "mqtt.password_file",
    SENTENCES: "nlu.custom_sentences",
}
"""Name in the archive → the setting that names the file, or the folder of the sentences."""


def named(config: Config, setting: str) -> str:
    """What a setting such as "home.file" names."""
    section, _, key = setting.partition(".")
    return str(getattr(getattr(config, section), key))


def gather(
    config: Config,
    files: tuple[Path, ...],
    into: Path,
    *,
    recordings: bool = False,
    secrets: bool = False,
) -> list[str]:
    """Copy what belongs to a backup into the folder `into`; return what is left out, a line each.

    `files` are those of the settings. A running daemon may write meanwhile. Raises `InputError` for
    a file that cannot be read, and where there is nothing to keep.
    """
    roles = {SYSTEM_FILE: SYSTEM, USER_FILE.expanduser(): USER}
    for file in files:
        _copy(file, into / roles.get(file.absolute(), OWN))
    for name, setting in NAMED.items():
        wanted = named(config, setting)
        if not wanted or (name == PASSWORD and not secrets):
            continue
        path = Path(wanted).expanduser()
        if name == CALENDAR and not path.exists():  # nothing was added yet
            continue
        if name != SENTENCES:
            _copy(path, into / name)
            continue
        for file in sentence_files(path):
            _copy(file, into / name / file.relative_to(path))
    _gather_state(config.state_dir, into / STATE, recordings)
    if not any(f.is_file() for f in into.rglob("*")):
        raise InputError(
            "backup.empty", f"there are neither settings nor state in {config.state_dir}"
        )
    return list(_left_out(config, recordings, secrets))


def _gather_state(state: Path, into: Path, recordings: bool) -> None:
    try:
        into.mkdir(parents=True)
        if not state.exists():
            return
        os.listdir(state)
    except OSError as error:
        raise _unreadable(state, error) from error
    for top in (WAKE_FOLDER, RECORDINGS_FOLDER, SKILLS_FOLDER):
        if link := next((one for one in _folders(state / top) if one.is_symlink()), None):
            raise InputError("backup.unreadable", f"{link}: is a link")
    for file in (*(state / name for name in DATABASES), *table_files(state)):
        if file.exists():
            _require_plain(file)
            target = into / file.relative_to(state)
            target.parent.mkdir(exist_ok=True)
            copy_database(file, target)
    plain = [state / name for name in FILES]
    plain += (state / WAKE_FOLDER).glob("*.npz")
    kept = state / RECORDINGS_FOLDER
    plain += kept.iterdir() if recordings and kept.is_dir() else [kept / EXAMPLES]
    for skill, record in installed_skills(state):
        plain += (skill / RECORD, *(skill / SKILL_FILES / name for name in record.files))
    for file in plain:
        if not file.name.startswith("."):  # one that is just being written
            _copy(file, into / file.relative_to(state), follow=False)


def table_files(state: Path) -> list[Path]:
    """The files of the skills' tables."""
    return sorted((state / SKILLS_FOLDER).glob("*.db"))


def _folders(folder: Path) -> Iterator[Path]:
    """A folder and all those within it."""
    yield folder
    yield from (Path(root, name) for root, names, _ in os.walk(folder) for name in names)


def _left_out(config: Config, recordings: bool, secrets: bool) -> Iterator[str]:
    if config.models_dir.is_dir() and any(config.models_dir.iterdir()):
        yield "pulled models: assistant models pull fetches them again"
    kept = config.state_dir / RECORDINGS_FOLDER
    if not recordings and kept.is_dir() and any(kept.glob("*.wav")):
        yield "recordings of what was said: --recordings takes them"
    if config.mqtt.password_file and not secrets:
        yield f"the secret {config.mqtt.password_file}: --secrets takes it"
    if config.home_assistant.url:
        yield f"the secret {config.home_assistant.token_file}: make another in Home Assistant"
    if config.mpd.password_file:
        yield f"the secret {config.mpd.password_file}: write it anew"
    if config.calendar.password_file:
        yield f"the secret {config.calendar.password_file}: write it anew"
    if (config.state_dir / PIN_FILE).exists():
        yield "the PIN: assistant pin set sets it anew"
    if os.path.isdir(config.state_dir / PAIRING_FOLDER / "satellites"):
        yield "pairings with satellites: on another device, assistant pair makes them anew"
    if (config.state_dir / KNOWLEDGE_FILE).exists():
        yield "the documents themselves: what was read of them is there"
    if config.skills.folders:
        yield f"the skills in {', '.join(config.skills.folders)}; installed ones are there"


def _copy(file: Path, target: Path, follow: bool = True) -> None:
    """Copy a plain file; one of the state, where links are not followed, may be missing.

    A service could lay a link there that leads root to what is not the service's.
    """
    target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    try:
        how = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | (0 if follow else os.O_NOFOLLOW)
        with os.fdopen(os.open(file, how), "rb") as source:
            if not stat.S_ISREG(os.fstat(source.fileno()).st_mode):
                raise InputError("backup.unreadable", f"{file}: is no plain file")
            with target.open("wb") as copy:
                while block := source.read(1 << 20):
                    copy.write(block)
    except FileNotFoundError as error:
        if follow:
            raise _unreadable(file, error) from error
        # Of the state's files any may be missing, or forgotten meanwhile.
    except OSError as error:
        raise _unreadable(file, error) from error


def _require_plain(file: Path) -> None:
    if not stat.S_ISREG(file.lstat().st_mode):
        raise InputError("backup.unreadable", f"{file}: is no plain file")


def _unreadable(path: Path, error: OSError) -> InputError:
    hint = "; run: sudo assistant backup" if isinstance(error, PermissionError) else ""
    return InputError("backup.unreadable", f"{path}: {error.strerror}{hint}")
