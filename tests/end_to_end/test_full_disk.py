"""The disk of the state directory is full: nothing is acknowledged that was not kept."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.support.recognised import DECOYS, recognised, words
from tests.support.scenario import Daemon, Do, Expect, Never, Rows, Say, quiet, tell

pytestmark = pytest.mark.e2e

TIMERS = "SELECT duration_s FROM timers"
APOLOGY = "I couldn't save that: my disk is full."


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """The folder of a daemon whose state lies on a disk of two megabytes."""
    state = tmp_path / "state"
    state.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=2m,mode=0700", "tmpfs", str(state)]
    if subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("this user may not mount a small disk; run as root")
    yield tmp_path
    subprocess.run(["umount", str(state)], check=True)


def test_a_wish_that_cannot_be_kept_is_not_acknowledged(small_disk: Path) -> None:
    filler = small_disk / "state" / "filler"
    with quiet(small_disk) as daemon:
        tell(
            daemon,
            [
                Do("fill the disk", lambda _: _fill(filler)),
                Say("computer, set a timer for five minutes"),
                Expect("StageFailed", {"stage": "skills", "code": "storage.full"}),
                Never(("Reply",), until=Expect("PlaybackEnded")),
                Rows(TIMERS, []),
                Do("read what was said", _heard_the_apology),
                Do("free some space", lambda _: filler.unlink()),
                Say("computer, set a timer for five minutes"),
                Expect("Reply", {"intent": "HassStartTimer", "acted": True}),
                Rows(TIMERS, [(300.0,)]),
                Expect("PlaybackEnded"),
            ],
        )


def _fill(file: Path) -> None:
    with file.open("wb", buffering=0) as filler, suppress(OSError):
        while True:
            filler.write(bytes(4096))


def _heard_the_apology(daemon: Daemon) -> None:
    reply = f"{daemon.last('PlaybackEnded')['utterance_id']}.wav"
    recording = daemon.state_dir.parent / "replies" / reply
    assert recognised(recording, [APOLOGY, *DECOYS]) == words(APOLOGY)
