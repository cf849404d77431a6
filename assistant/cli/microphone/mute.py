"""`assistant mute` and `assistant unmute`: close the microphone, also beyond a restart."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

from assistant.cli.shared.output import console, emit
from assistant.control.client import ControlClient
from assistant.control.mute import MuteState, carry_out
from assistant.core.config import Config as Settings
from assistant.core.config import config_files, load_config
from assistant.core.errors import ControlError, TurnedAwayError
from audio.mute.switch import MuteSwitch

CONFIRMED_S = 5.0
"""Seconds in which the audio process should have followed; it takes a tenth of one."""

Config = Annotated[Path | None, typer.Option(help="Settings, in place of the usual.")]
Json = Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")]

_FOLLOWED = {
    True: "The microphone is closed. It stays so, also after a restart, until `assistant unmute`"
    " or the mute button.",
    False: "The microphone is open.",
}
_NO_DAEMON = {True: "No daemon runs; the next one starts muted.", False: "No daemon runs."}
_ALREADY = {True: "It was muted already.", False: "It was not muted."}


def mute(config: Config = None, json: Json = False) -> None:
    """Close the microphone of the daemon until `assistant unmute` or the mute button."""
    _turn("on", config, json)


def unmute(config: Config = None, json: Json = False) -> None:
    """Let the daemon open its microphone again."""
    _turn("off", config, json)


def _turn(action: str, config: Path | None, json: bool) -> None:
    settings = load_config(config_files(config))[0]
    try:
        state = _asked(settings, action)
        told = _FOLLOWED[state.muted]
    except ControlError as error:
        if error.code != "control.down":
            raise
        state = carry_out(MuteSwitch.of(settings), action)
        told = _NO_DAEMON[state.muted]
    if json:
        emit(state)
        return
    for line in (told,) if state.changed else (_ALREADY[state.muted], told):
        console.print(line, markup=False, soft_wrap=True)


def _asked(settings: Settings, action: str) -> MuteState:
    """Have the daemon turn the switch, and wait until its microphones have followed."""
    client = ControlClient(settings.control_socket)
    events = client.follow("watch", CONFIRMED_S)
    try:
        next(events, None)  # what comes from now on is seen
    except TurnedAwayError:
        events = iter(())
    state = msgspec.convert(client.ask("mute", action), MuteState)
    if state.changed and not _followed(events, state.muted):
        verb = "closed" if state.muted else "opened"
        message = f"the audio process has not {verb} the microphone yet; see assistant doctor"
        raise ControlError("control.silent", message)
    return state


def _followed(events: Iterator[dict[str, Any]], muted: bool) -> bool:
    ends_s = time.monotonic() + CONFIRMED_S
    try:
        for event in events:
            if event.get("type") == "MuteChanged" and event["muted"] is muted:
                return True
            if time.monotonic() > ends_s:
                return False
    except ControlError:  # silence
        return False
    return False
