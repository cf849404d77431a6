"""The README's commands and the service, in bare roots of the systems that it names.

`sudo make check-systems`, with CHECK="demo" for the first command alone, and with ARM=1 for an
emulated 64-bit ARM too, ARM=only for nothing else. With ATTACK=1 the service is attacked in Debian
12, and nothing else is done. It needs debootstrap and systemd-nspawn, and the network to fill a
root.
"""

from __future__ import annotations

import os
import re
import signal
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from scripts.systems.attack import attack
from scripts.systems.emulated import emulate, register
from scripts.systems.root import FAILED, CheckError, Root, copy_of, timed
from scripts.systems.service import serve
from scripts.systems.units import PACKAGES

SYSTEMS = {"Debian 12": "bookworm", "Debian 13": "trixie"}
NEWEST = "trixie"
WIDTH = 44
Figures = Iterator[tuple[str, str]]
"""What was measured or found, and how it came out."""


def main() -> int:
    """Check every system; 1 when one of them fails."""
    shown = re.findall(r"^\$ make (\w+)", Path("README.md").read_text("utf-8"), re.MULTILINE)
    chosen = os.environ.get("CHECK", "").split() or shown
    if not set(chosen) <= set(shown):
        print(f"CHECK may name {' and '.join(shown)}", file=sys.stderr)
        return 2
    if os.environ.get("ATTACK"):
        return 0 if _report("Debian 12, under attack", _attacked, SYSTEMS["Debian 12"]) else 1
    systems = SYSTEMS if os.environ.get("ARM") != "only" else {}
    passed = [_report(name, partial(_native, chosen), suite) for name, suite in systems.items()]
    if os.environ.get("ARM"):
        passed.append(_report("Debian 13 on ARM, an emulation", _arm, NEWEST))
    return 0 if all(passed) else 1


def _native(commands: list[str], root: Root) -> Figures:
    root.install("git", "make", "python3")
    yield "Python", root.run("python3 --version").split()[-1]
    for command in commands:
        yield f"make {command}", f"{timed(partial(root.run, f'make {command} PULL=no')):.0f} s"
    root.install(*PACKAGES)
    with root.booted() as machine:
        yield "systemd", machine.call("systemctl", "--version").split()[1]
        yield from serve(machine)


def _attacked(root: Root) -> Figures:
    root.install("git", "make", "python3", *PACKAGES)
    with root.booted() as machine:
        yield from attack(machine)


def _arm(native: Root) -> Figures:
    native.install("make", "python3")
    native.run("make .venv/.run")
    register()  # debootstrap runs programs of the root that it makes
    with copy_of(NEWEST, "arm64") as root:
        yield from emulate(root, native)


def _report(name: str, check: Callable[[Root], Figures], suite: str) -> bool:
    print(name, flush=True)
    try:
        with copy_of(suite, "amd64") as root:
            for what, figure in check(root):
                print(f"  {what:<{WIDTH}}{figure}", flush=True)
    except CheckError as error:
        print(f"  FAILED {error}", flush=True)
        if error.output:
            FAILED.write_text(error.output, "utf-8")
            print(f"  the whole: {FAILED}", flush=True)
        return False
    return True


if __name__ == "__main__":
    # What is asked to end takes its copies of roots with it.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    sys.exit(main())
