"""Muting on request: by the control process or, where no daemon runs, by the command line."""

from __future__ import annotations

import os

import msgspec

from assistant.control.client import ControlClient
from assistant.core.config import Config
from assistant.core.errors import ControlError
from audio.mute.switch import MuteSwitch


class MuteState(msgspec.Struct, frozen=True, kw_only=True, tag="Mute"):
    """Whether the assistant is muted, and whether the request has changed that."""

    muted: bool
    changed: bool = False


def carry_out(switch: MuteSwitch, action: str = "") -> MuteState:
    """Turn the switch "on" or "off", or leave it, and tell the state.

    Raises `ControlError` for an unknown action, `StorageError` where the file cannot be changed.
    """
    before = switch.on
    match action:
        case "on":
            switch.mute()
        case "off":
            switch.unmute()
        case "":
            pass
        case _:
            raise ControlError("control.arguments", f'"mute": there is no "{action}"')
    return MuteState(muted=switch.on, changed=switch.on is not before)


def is_muted(config: Config) -> bool:
    """Whether the daemon with these settings is muted, or would start so."""
    try:
        return bool(ControlClient(config.control_socket).ask("mute")["muted"])
    except ControlError:
        # Who may not look into the folder of another user's service cannot know.
        return os.access(config.state_dir, os.X_OK) and MuteSwitch.of(config).on
