"""What the skills may do to the device of the daemon: its voice, a backup, a restart."""

from __future__ import annotations

import os
import signal
from datetime import datetime
from functools import partial
from pathlib import Path

import msgspec

from assistant.backup.contents import table_files
from assistant.backup.make import make_backup
from assistant.control.client import ControlClient
from assistant.control.recollection import Accounts
from assistant.core.config import Config, load_config
from assistant.core.errors import AssistantError, ControlError, SkillError
from assistant.core.layout import BACKUPS_FOLDER, VOLUME_FILE
from assistant.skill.device import Recalled, SlowStage
from assistant.supervision.sdnotify import SERVICE_PID
from audio.mute.switch import MuteSwitch
from audio.tts.volume import VolumeFile
from skills.capabilities.device import DeviceParts
from skills.declined import action_of

TOTAL = "total"
"""Name of the whole of an utterance's time, beside those of the stages."""
KEPT = 3
"""Most backups that are kept of those asked for by voice."""
LARGEST_BYTES = 10 << 20
"""Most bytes of the databases that are backed up by voice: a reply must come within 3 s."""


def device_parts(config: Config, files: tuple[Path, ...]) -> DeviceParts:
    """The parts of the daemon whose settings are in `files`."""
    pid = os.environ.get(SERVICE_PID)
    return DeviceParts(
        speak_at=VolumeFile(config.state_dir / VOLUME_FILE).write,
        muted=lambda: MuteSwitch.of(config).on,
        recalled=partial(recalled, ControlClient(config.control_socket)),
        back_up=partial(back_up, files),
        restart=partial(os.kill, int(pid), signal.SIGTERM) if pid else None,
    )


def recalled(control: ControlClient) -> Recalled | None:
    """What became of the utterance before the last; None where the control process cannot tell."""
    try:
        answer = control.ask("why", "2")
    except ControlError:
        return None
    accounts = msgspec.convert(answer, Accounts).accounts
    if len(accounts) < 2:
        return None
    account = accounts[1]
    return Recalled(
        heard=account.heard,
        understood=tuple(action_of(one.partition("(")[0]) for one in account.understood),
        took_s=next((one.ms / 1000 for one in account.times if one.stage == TOTAL), None),
        slow=tuple(
            SlowStage(name=one.stage, took_s=one.ms / 1000, limit_s=one.budget_ms / 1000)
            for one in account.times
            if one.stage != TOTAL and one.ms > one.budget_ms
        ),
    )


def back_up(files: tuple[Path, ...]) -> str:
    """Back up as `assistant backup` does, and forget all but the newest; raises `SkillError`."""
    try:
        return str(_backed_up(files))
    except SkillError:
        raise
    except (AssistantError, OSError) as error:
        raise SkillError("device.backup", f"no backup: {error}") from error


def _backed_up(files: tuple[Path, ...]) -> Path:
    config, _ = load_config(files)
    databases = (*config.state_dir.glob("*.db"), *table_files(config.state_dir))
    if sum(file.stat().st_size for file in databases) > LARGEST_BYTES:
        raise SkillError("backup.large", "there is too much for a backup by voice")
    folder = config.state_dir / BACKUPS_FOLDER
    folder.mkdir(mode=0o700, exist_ok=True)
    now = datetime.now().astimezone()
    file = folder / f"hark-{now:%Y-%m-%d-%H%M%S}.tar.gz"
    make_backup(config, files, file, now)
    for old in sorted(folder.glob("hark-*.tar.gz"))[:-KEPT]:
        old.unlink()
    return file
