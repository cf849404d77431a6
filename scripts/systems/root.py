"""Bare roots of Debian, and ways into a copy of one: a single command, or a whole boot.

A root is made once by debootstrap and kept; every check works on a copy. Of this machine it gets
the way to the package registry alone: variables of pip and of proxies, and files that they name.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

CACHE = Path("~/.cache/hark/systems").expanduser()
FAILED = CACHE / "failed.log"
MIRROR = tuple(filter(None, [os.environ.get("MIRROR")]))
"""Where the roots come from; without it from where debootstrap has them."""
SOURCE = "/root/hark"
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
BOOT_S, POWER_OFF_S = 60.0, 30.0
TOLD_LINES = 40


class CheckError(Exception):
    """A check failed; the text says which and with what words, `output` is all that it told."""

    def __init__(self, text: str, output: str = "") -> None:
        super().__init__(text)
        self.output = output


class Root:
    """A copy of a bare root."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def run(self, command: str) -> str:
        """Run a shell command in the sources' folder; gives its output, or raises `CheckError`."""
        (self.folder / SOURCE.lstrip("/")).mkdir(exist_ok=True)
        # Without it nspawn would refuse by itself what is to be seen refused to a skill.
        allowed = "--system-call-filter=pidfd_getfd"
        options = ("--pipe", "--as-pid2", allowed, f"--chdir={SOURCE}")
        return call(*_nspawn(self.folder), *options, "sh", "-c", command)

    def install(self, *packages: str) -> None:
        """Install Debian packages."""
        self.run(
            "export DEBIAN_FRONTEND=noninteractive; apt-get update -qq && "
            f"apt-get install -qq -y --no-install-recommends {' '.join(packages)}"
        )

    @contextmanager
    def booted(self) -> Iterator[Machine]:
        """Its systemd, booted; powered off at the end."""
        # Without these nspawn would refuse by itself what the units are to refuse.
        options = ("--boot", "--console=pipe", "--system-call-filter=@aio @keyring userfaultfd")
        with (self.folder.parent / "console").open("wb") as console:
            nspawn = subprocess.Popen(
                (*_nspawn(self.folder), *options),
                stdin=subprocess.DEVNULL,
                stdout=console,
                stderr=console,
            )
            try:
                machine = Machine(_first_process(nspawn.pid))
                until(machine.running, BOOT_S, "its systemd is up")
                try:
                    yield machine
                except CheckError as error:
                    raise CheckError(str(error), f"{error.output}\n{machine.journal()}") from error
            finally:
                nspawn.terminate()
                try:
                    nspawn.wait(POWER_OFF_S)
                except subprocess.TimeoutExpired:
                    nspawn.kill()
                    nspawn.wait()


class Machine:
    """A booted root, known by its first process."""

    def __init__(self, first: int) -> None:
        self._first = first
        self._enter = (
            *("nsenter", f"--target={first}", "--mount", "--uts", "--ipc", "--net", "--pid"),
            *("--cgroup", "--root", "--wd", "env", "--ignore-environment"),
            *(f"PATH={PATH}", "HOME=/root", "LC_ALL=C.UTF-8"),
            *(f"{name}={value}" for name, value in registry_settings()),
        )

    @property
    def group(self) -> Path:
        """Its control group below that of this machine's systemd, of the first version's name."""
        groups = Path(f"/proc/{self._first}/cgroup").read_text("ascii")
        (group,) = re.findall(r"^\d+:name=systemd:/(.*)/init\.scope$", groups, re.MULTILINE)
        return Path(group)

    def has(self, process: str) -> bool:
        """Whether a process of this machine runs there."""
        first, other = (Path(f"/proc/{one}/ns/pid") for one in (self._first, process))
        return other.exists() and other.readlink() == first.readlink()

    def running(self) -> bool:
        """Whether it has started all that it should."""
        try:
            return self.call("systemctl", "is-system-running") == "running"
        except CheckError:
            return False

    def call(self, *command: str) -> str:
        """Run a command there; gives its output, or raises `CheckError`."""
        return call(*self._enter, *command)

    def journal(self) -> str:
        """What the services told lately."""
        return self.call("journalctl", "--no-pager", "--lines=400", "--output=short-monotonic")


@contextmanager
def copy_of(suite: str, machine: str) -> Iterator[Root]:
    """A copy of the bare root of `suite` with this repository's files in it; removed at the end."""
    bare = CACHE / f"{suite}-{machine}"
    if not bare.exists():
        unfinished = bare.with_suffix(".unfinished")
        shutil.rmtree(unfinished, ignore_errors=True)
        options = (f"--arch={machine}", "--variant=minbase", "--include=ca-certificates")
        CACHE.mkdir(parents=True, exist_ok=True)
        call("debootstrap", *options, suite, str(unfinished), *MIRROR)
        unfinished.rename(bare)
    work = Path(tempfile.mkdtemp(dir=CACHE, prefix=f"{bare.name}-"))
    try:
        call("cp", "--archive", str(bare), str(work / "root"))
        # Every installer writes it, debootstrap alone does not.
        (work / "root/etc/hosts").write_text("127.0.0.1 localhost\n::1 localhost\n", "ascii")
        source = work / "root" / SOURCE.lstrip("/")
        source.mkdir()
        files = call("git", "ls-files", "--cached", "--others", "--exclude-standard").split("\n")
        there = [file for file in files if Path(file).is_file()]
        call("cp", "--parents", "--preserve=mode,timestamps", *there, str(source))
        yield Root(work / "root")
    finally:
        shutil.rmtree(work)


def call(*command: str) -> str:
    """The output of a command of this machine; raises `CheckError` with its end when it fails."""
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    if ended.returncode != 0:
        output = ended.stdout + ended.stderr
        end = "\n".join(output.splitlines()[-TOLD_LINES:])
        raise CheckError(f"{' '.join(command[-3:])}: status {ended.returncode}\n{end}", output)
    return ended.stdout.strip()


def until(true: Callable[[], bool], within_s: float, what: str) -> float:
    """Wait for `true`; gives the seconds that it took, or raises `CheckError` for `what`."""
    begun_s = time.monotonic()
    while not true():
        if time.monotonic() - begun_s > within_s:
            raise CheckError(f"not within {within_s:.0f} s: {what}")
        time.sleep(0.05)
    return time.monotonic() - begun_s


def timed(step: Callable[[], object]) -> float:
    """The seconds that a step takes."""
    begun_s = time.monotonic()
    step()
    return time.monotonic() - begun_s


def registry_settings() -> list[tuple[str, str]]:
    """The caller's variables that lead to the package registry."""
    return [
        (name, value)
        for name, value in os.environ.items()
        if name.startswith("PIP_") or name.lower().endswith("_proxy")
    ]


def _nspawn(folder: Path) -> list[str]:
    command = ["systemd-nspawn", "--quiet", f"--directory={folder}", "--register=no", "--keep-unit"]
    for name, value in registry_settings():
        command.append(f"--setenv={name}={value}")
        if value.startswith("/") and Path(value).exists():
            command.append(f"--bind-ro={value}")
    return command


def _first_process(nspawn: int) -> int:
    def found() -> int | None:
        children = Path(f"/proc/{nspawn}/task/{nspawn}/children").read_text("ascii").split()
        for child in children:
            if Path(f"/proc/{child}/comm").read_text("ascii").strip() == "systemd":
                return int(child)
        return None

    until(lambda: found() is not None, BOOT_S, "the root boots")
    return found() or 0
