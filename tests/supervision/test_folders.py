"""A daemon has its folders alone; one that cannot be had is told in one line."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import msgspec
import pytest

from assistant.core.config import Config, StorageSettings
from assistant.core.errors import ConfigError
from assistant.supervision.folders import held

HOLD = """
import sys
from pathlib import Path
from assistant.core.config import Config, StorageSettings
from assistant.supervision.folders import held

state, runtime, cache = sys.argv[1:]
with held(Config(storage=StorageSettings(state=state, runtime=runtime, cache=cache))):
    print("held", flush=True)
    sys.stdin.read()
"""


def settings(folder: Path, **changed: Path) -> Config:
    names = {name: str(folder / name) for name in ("state", "runtime", "cache")}
    return Config(storage=StorageSettings(**{**names, **{n: str(p) for n, p in changed.items()}}))


def test_they_are_made_for_this_user_alone(tmp_path: Path) -> None:
    with held(settings(tmp_path)):
        modes = {f.name: f.stat().st_mode & 0o777 for f in tmp_path.iterdir()}
    assert modes == {"state": 0o700, "runtime": 0o700, "cache": 0o700}


@pytest.mark.parametrize("shared", ["state", "runtime"])
def test_a_second_daemon_in_one_of_them_is_refused_until_the_first_is_gone(
    tmp_path: Path, shared: str
) -> None:
    first, second = (
        settings(tmp_path / "1"),
        settings(tmp_path / "2", **{shared: tmp_path / "1" / shared}),
    )
    folders = msgspec.structs.astuple(first.storage)[:3]
    command = (sys.executable, "-c", HOLD, *folders)
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as daemon:
        assert daemon.stdout is not None
        assert daemon.stdout.readline() == b"held\n"
        with pytest.raises(ConfigError, match="another assistant runs in") as refused, held(second):
            pass
        assert refused.value.code == "daemon.taken"
        daemon.kill()
    with held(second):
        pass


def test_what_is_held_is_let_go_when_a_later_one_cannot_be_had(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError), held(settings(tmp_path, runtime=tmp_path / "file")):
        pass
    with held(settings(tmp_path)):
        pass


@pytest.mark.parametrize("setting", ["state", "runtime", "cache"])
def test_one_that_cannot_be_had_is_named(tmp_path: Path, setting: str) -> None:
    (tmp_path / "file").write_text("")
    for place in (tmp_path / "file", tmp_path / "file" / "below", Path("/proc/hark")):
        with (
            pytest.raises(ConfigError, match=f"storage.{setting}: {place} cannot be used"),
            held(settings(tmp_path, **{setting: place})),
        ):
            pass


@pytest.mark.parametrize("setting", ["state", "runtime", "cache"])
def test_one_on_a_disk_that_cannot_be_written_is_named(tmp_path: Path, setting: str) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "ro", "tmpfs", str(disk)]
    if os.geteuid() or subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("a file system can only be mounted by root")
    with ExitStack() as mounted:
        mounted.callback(subprocess.run, ["umount", "-l", str(disk)], check=True)
        with (
            pytest.raises(ConfigError, match=f"storage.{setting}: {disk} cannot be used"),
            held(settings(tmp_path, **{setting: disk})),
        ):
            pass
