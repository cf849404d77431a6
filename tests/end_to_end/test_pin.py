"""A spoken PIN, with a real daemon: it opens, and no byte of it is shown or kept anywhere."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from assistant.recordings.folder import Recordings
from tests.support.scenario import (
    Daemon,
    Expect,
    Rows,
    Say,
    Spoken,
    command_line,
    quiet,
    tell,
)
from tests.support.terminal import terminal

SETTINGS = '[security]\npin_for = ["light.bedroom"]\n[log]\nlevel = "debug"\n'
STATE = "SELECT state FROM devices WHERE entity_id = 'light.bedroom'"
PIN, SAID, WRONG = "4867", "four eight six seven", "nine nine one two"
TRACES = re.compile(
    rb"(?<![\w.])(4867|9912|four|eight|seven|nine|forty|sixty)(?![\w.])", re.IGNORECASE
)
"""What there would be of the right PIN and of the wrong one, in figures or in words.

Numbers of seconds, and ids, have such figures too, but beside others.
"""
ASKS = Expect("Reply", {"text": "what is the pin", "listen": True})


@contextmanager
def guarded(folder: Path) -> Iterator[Daemon]:
    """A daemon that keeps recordings, with a PIN that was typed at a terminal."""
    (folder / "state").mkdir()
    Recordings(folder / "state" / "recordings").agree()
    with quiet(folder, SETTINGS) as daemon:
        command = command_line("pin", "set", "--config", str(daemon.config))
        with terminal(command, os.environ, Path.cwd()) as at:
            at.answer("PIN", PIN)
            at.answer("again", PIN)
            at.expect("The PIN is set.")
            assert at.ends() == 0
            assert PIN not in at.shown
        yield daemon


def unlock(daemon: Daemon) -> None:
    """Have the light switched on, with a wrong PIN and then the right one."""
    tell(
        daemon,
        [
            Say("computer, turn on the bedroom light"),
            ASKS,
            Spoken(),
            Say(WRONG),
            Expect("Reply", {"text": "that pin is wrong", "listen": True}),
            Rows(STATE, [("off",)]),
            Spoken(),
            Say(SAID),
            Expect("Reply", {"text": "bedroom light", "acted": True}),
            Rows(STATE, [("on",)]),
            Spoken(),
        ],
    )


def shown(daemon: Daemon) -> Iterator[tuple[str, bytes]]:
    """All that the daemon shows to others: its events, and what became of the last utterances.

    The question for the PIN lists all digits, as what may be answered.
    """
    for event in (*daemon.seen, *daemon.passed_over):
        if event["type"] not in ("Level", "Asked"):
            yield event["type"], json.dumps(event).encode()
    command = command_line("why", "5", "--json", "--config", str(daemon.config))
    yield "why", subprocess.run(command, check=True, capture_output=True).stdout


def kept(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Every file that the daemon has written."""
    for file in (folder / "state", folder / "runtime", folder / "replies", folder / "daemon.log"):
        for path in (file, *file.rglob("*")):
            if path.is_file():
                yield str(path), path.read_bytes()


def traces(found: Iterable[tuple[str, bytes]]) -> dict[str, bytes]:
    """Where there is any of a PIN, and the first place there."""
    every = ((where, TRACES.search(content), content) for where, content in found)
    return {
        where: content[max(0, at.start() - 40) : at.end() + 40]
        for where, at, content in every
        if at
    }


@pytest.mark.e2e
def test_a_pin_opens_and_leaves_no_trace(tmp_path: Path) -> None:
    with guarded(tmp_path) as daemon:
        unlock(daemon)
        told = list(shown(daemon))
        assert traces(told) == {}
        heard = daemon.all("Transcript")
        assert any("bedroom light" in event["text"] for event in heard)  # others are shown
        secrets = {event["utterance_id"] for event in heard if event["secret"]}
        assert len(secrets) == 2
    assert traces(kept(tmp_path)) == {}
    sounds = {path.stem for path in (tmp_path / "state" / "recordings").glob("*.wav")}
    assert sounds  # others are kept
    assert not secrets & sounds


def test_it_would_be_found() -> None:
    """The control of the test above; that events are masked: `tests/core/test_codec.py`."""
    event = {"type": "Transcript", "text": f"computer {SAID}", "at_s": 14867.48671}
    assert traces([("Transcript", json.dumps(event).encode())]).keys() == {"Transcript"}
    assert traces([("log", b"PIN 4867")])
    assert not traces([("Transcript", json.dumps(event | {"text": ""}).encode())])
