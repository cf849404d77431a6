"""What the machine may lack or do while the daemon runs: it is served as far as can be, and named.

Circumstances are made in a mount namespace of the daemon's own, or by a library that fakes its wall
clock; docs/faults.md lists them all.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.support.scenario import quiet, served, tell

pytestmark = pytest.mark.e2e

MAY_MOUNT = subprocess.run(["unshare", "--mount", "true"], capture_output=True).returncode == 0
needs_mounts = pytest.mark.skipif(not MAY_MOUNT, reason="this user may not mount; run as root")


READ_ONLY = (
    'for d in /tmp /var/tmp /dev/shm "$PWD"; do mount --bind "$d" "$d"; done;'
    ' mount --bind "$0" "$0"; mount --bind "$1" "$1"; shift; cd "$PWD";'
    ' for d in /tmp /var/tmp /dev/shm "$PWD"; do mount -o remount,bind,ro "$d"; done; exec "$@"'
)
"""A shell's script for `unshare --mount`: only the folders `$0` and `$1` can be written to."""


@needs_mounts
def test_no_temporary_folder_nor_shared_memory_is_needed(tmp_path: Path, cache: Path) -> None:
    cache.mkdir(parents=True, exist_ok=True)
    within = ["unshare", "--mount", "sh", "-ec", READ_ONLY, str(tmp_path.parent), str(cache)]
    with quiet(tmp_path, within=within) as daemon:
        tell(daemon, served())
        places = ("/tmp", "/var/tmp", "/dev/shm", ".")
        written = " || ".join(f"touch {place}/{tmp_path.name}-written" for place in places)
        command = ("nsenter", "--mount", f"--target={daemon.process.pid}", "--wd", "sh", "-c")
        assert subprocess.run((*command, written), capture_output=True).returncode
