"""The step of `assistant setup` about a Home Assistant on the network."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from assistant.bridge.home_assistant.token import (
    LARGEST_TOKEN_BYTES,
    WHERE,
    checked,
    read_token,
    require_writable,
)
from assistant.bridge.home_assistant.trial import Found, try_out
from assistant.cli.installation.asking import Asker, tell
from assistant.cli.shared.output import console
from assistant.cli.shared.questions import ask_secret
from assistant.core.config import Config
from assistant.core.errors import BridgeError, InputError
from assistant.core.files import read_text
from assistant.core.network.origin import split
from assistant.english.spoken import plural
from assistant.skill.home import Home

NONE = "none"
"""What is typed where there is no Home Assistant."""
STDIN = "-"
"""The file of a token that comes by standard input."""
_EXAMPLE = "http://192.168.1.5:8123"
_PORT = 8123
_REFUSED = "setup.token_refused"
_SHOWN = 60
_PROMPT = "Access token (it is not shown{}): "
_BOTH = (
    "mqtt.host is set, and devices are reached by MQTT or by Home Assistant, not by both;"
    " for Home Assistant take mqtt.host out of the settings"
)


class Token(NamedTuple):
    """An access token, and whether it has to be kept yet."""

    text: str
    new: bool


class Chosen(NamedTuple):
    """The Home Assistant to follow, or none; its home and its token where it was tried."""

    url: str
    home: Home | None = None
    token: Token | None = None

    def changes(self, settings: Config) -> dict[str, Any]:
        """The settings that this changes; a home's file would stand in its way."""
        if self.url == settings.home_assistant.url:
            return {}
        file = {"home.file": ""} if self.url and settings.home.file else {}
        return {"home_assistant.url": self.url, **file}

    def secret(self, settings: Config) -> dict[Path, str]:
        """The file of the token, with a token that is not there yet."""
        if self.token is None or not self.token.new:
            return {}
        return {_token_path(settings): self.token.text}


def home_assistant(
    asker: Asker, settings: Config, url: str | None, token_file: str | None
) -> Chosen:
    """The Home Assistant that options or the user tell of, which is tried.

    Raises `InputError` where one that is given cannot be used.
    """
    asker.head("Home Assistant")
    if url is None:
        return _asked(asker, settings)
    if url == NONE:
        return Chosen("")
    if settings.mqtt.host:
        raise InputError("setup.both", _BOTH)
    address, file = _address(url, settings), _token_file(settings)
    token = _given_token(token_file) if token_file else _token(asker, file)
    return _tried(settings, address, token)


def _asked(asker: Asker, settings: Config) -> Chosen:
    """The Home Assistant that the user tells of; that of the settings where nobody is asked."""
    as_before = Chosen(settings.home_assistant.url)
    if asker.asks and settings.mqtt.host:
        tell(_BOTH)
        return as_before
    address, typed = as_before.url, None
    while asker.asks:
        question = f"Its address on your network, such as {_EXAMPLE}, or {NONE}"
        answer = asker.text(question, address or NONE)
        if answer.casefold() == NONE:
            return Chosen("")
        try:
            address = _address(answer, settings)
            typed = _token(asker, _token_file(settings), typed)
            return _tried(settings, address, typed)
        except InputError as error:
            tell(error.message)
            if error.code == _REFUSED:
                typed = None
        if not asker.yes("Once more?"):
            break
    return as_before


def _address(text: str, settings: Config) -> str:
    """The server that was typed, also without "http://", or with a page of it.

    That of the settings stays as it is spelt there.
    """
    if text == settings.home_assistant.url:
        return text
    whole = text
    if "://" not in text:
        whole = f"http://{text}" if ":" in text else f"http://{text}:{_PORT}"
    try:
        server, _ = split(whole)
    except ValueError as error:
        message = f'"{text[:_SHOWN]}" is no address such as {_EXAMPLE}'
        raise InputError("setup.address", message) from error
    return str(server)


def _token_file(settings: Config) -> Path:
    """Where the token is kept; raises `InputError` where this user cannot write it."""
    file = _token_path(settings)
    require_writable(file)
    return file


def _token_path(settings: Config) -> Path:
    return Path(settings.home_assistant.token_file).expanduser()


def _given_token(file: str) -> Token:
    if file == STDIN:
        secret = ask_secret(_PROMPT.format("")) if sys.stdin.isatty() else sys.stdin.readline()
        return Token(checked(secret), True)
    try:
        return Token(checked(read_text(Path(file).expanduser(), LARGEST_TOKEN_BYTES)), True)
    except OSError as error:
        raise InputError("setup.token", f"{file}: {error.strerror}") from error
    except UnicodeDecodeError:
        raise InputError("setup.token", f"{file}: it holds no access token") from None


def _token(asker: Asker, file: Path, before: Token | None = None) -> Token:
    """The token that is typed; Enter gives that of `before`, or the one that is kept."""
    kept = os.path.exists(file)
    if asker.asks:
        tell(WHERE)
        enter = "; Enter for the one before" if before or kept else ""
        typed = ask_secret(_PROMPT.format(enter))
        if typed.strip() or not (before or kept):
            return Token(checked(typed), True)
    elif not kept:
        message = "no access token is kept yet; give --home-assistant-token FILE, or - to pipe it"
        raise InputError("setup.token", message)
    if before is not None:
        return before
    try:
        return Token(read_token(file), False)
    except BridgeError as error:
        raise InputError(error.code, error.message) from error


def _tried(settings: Config, address: str, token: Token) -> Chosen:
    """What is there for this token, which is told; raises `InputError`."""
    wanted = msgspec.structs.replace(settings.home_assistant, url=address)
    try:
        with console.status("One moment: Home Assistant is asked what it has …"):
            found = try_out(wanted, token.text)
    except BridgeError as error:
        if error.code != "bridge.token":
            raise InputError(error.code, error.message) from error
        message = f"{address} refuses the access token; make a new one in your profile there"
        raise InputError(_REFUSED, message) from error
    tell(_described(address, found))
    return Chosen(address, found.home, token)


def _described(address: str, found: Found) -> str:
    rooms, devices = len(found.home.areas), len(found.home.entities)
    told = f"{address} takes the token, and has {_many(rooms, 'room')} and "
    later = "" if found.started else "; it is still starting, and more may come"
    return f"{told}{_many(devices, 'device')}{later}."


def _many(number: int, noun: str) -> str:
    return f"{number} {noun if number == 1 else plural(noun)}"
