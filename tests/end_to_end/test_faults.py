"""What the machine may lack while the daemon runs: it is served as far as can be, and named.

Its disk is small, and all but its own folders is read-only, in a mount namespace of its own;
docs/faults.md lists what else may happen.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.support.scenario import (
    Daemon,
    Do,
    Expect,
    Never,
    Rows,
    Type,
    quiet,
    served,
    tell,
)

TIMERS = "SELECT duration_s FROM timers"
READ_ONLY = (
    'for d in /tmp /var/tmp /dev/shm "$PWD"; do mount --rbind "$d" "$d"; done;'
    ' mount --rbind "$0" "$0"; mount --rbind "$1" "$1"; shift; cd "$PWD";'
    ' for d in /tmp /var/tmp /dev/shm "$PWD"; do mount -o remount,bind,ro "$d"; done; exec "$@"'
)
"""A shell's script for `unshare --mount`: only the folders `$0` and `$1` can be written to."""
MAY_MOUNT = subprocess.run(["unshare", "--mount", "true"], capture_output=True).returncode == 0

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.skipif(not MAY_MOUNT, reason="this user may not mount; run as root"),
]


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory, cache: Path) -> Iterator[Daemon]:
    """A daemon whose state lies on a disk of two megabytes."""
    folder = tmp_path_factory.mktemp("faults")
    state = folder / "state"
    state.mkdir()
    cache.mkdir(parents=True, exist_ok=True)
    within = ["unshare", "--mount", "sh", "-ec", READ_ONLY, str(folder), str(cache)]
    small = ["mount", "-t", "tmpfs", "-o", "size=2m,mode=0700", "tmpfs", str(state)]
    subprocess.run(small, check=True)
    try:
        with quiet(folder, within=within) as started:
            yield started
    finally:
        subprocess.run(["umount", str(state)], check=True)


def test_no_temporary_folder_nor_shared_memory_is_needed(daemon: Daemon) -> None:
    tell(daemon, served(typed=True))
    name = f"{daemon.state_dir.parent.name}-written"
    written = " || ".join(
        f"touch {place}/{name}" for place in ("/tmp", "/var/tmp", "/dev/shm", ".")
    )
    command = ("nsenter", "--mount", f"--target={daemon.process.pid}", "--wd", "sh", "-c")
    assert subprocess.run((*command, written), capture_output=True).returncode


def test_a_wish_that_cannot_be_kept_is_not_acknowledged(daemon: Daemon) -> None:
    filler = daemon.state_dir / "filler"
    tell(
        daemon,
        [
            Do("fill the disk", lambda _: _fill(filler)),
            Type("set a timer for five minutes"),
            Expect("StageFailed", {"stage": "skills", "code": "storage.full"}),
            Never(("Reply",), until=Expect("PlaybackEnded")),
            Rows(TIMERS, []),
            Do("free some space", lambda _: filler.unlink()),
            Type("set a timer for five minutes"),
            Expect("Reply", {"intent": "HassStartTimer", "acted": True}),
            Rows(TIMERS, [(300.0,)]),
        ],
    )


def _fill(file: Path) -> None:
    with file.open("wb", buffering=0) as filler, suppress(OSError):
        while True:
            filler.write(bytes(4096))
