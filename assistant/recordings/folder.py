"""The folder of recordings: what was said and what became of it, with the user's consent.

    consent      is there while the user agrees; empty
    ID.wav       the sound of one utterance, written by recognition
    ID.json      its `Trace`, written by the control process
    examples     what the user has put right (`Examples`), written by the control process

Nothing is kept without consent. The oldest go first, by age and by size.
"""

from __future__ import annotations

import io
import logging
import time
import wave
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec

from assistant.core.config import Config
from assistant.core.errors import UNDECODABLE, InputError, StorageError
from assistant.core.files import make_private, replace_file
from assistant.core.layout import RECORDINGS_FOLDER
from assistant.core.messages import SAMPLE_RATE_HZ
from assistant.core.settings.history import RecordingsSettings
from assistant.recordings.examples import Examples
from assistant.recordings.trace import Trace

EXAMPLES = "examples"
"""Name of the file of what the user has put right."""
_CONSENT = "consent"
_SOUND, _TRACE = ".wav", ".json"
_DAY_S = 86400.0
_MODE = 0o600
_MOST_TRACE_BYTES = 1 << 20

log = logging.getLogger(__name__)


class Usage(NamedTuple):
    """How many utterances a folder holds, and how many bytes they take."""

    utterances: int
    size_bytes: int


class _Written(NamedTuple):
    """When a file was written, in seconds of the wall clock, and how large it is."""

    at_s: float
    size_bytes: int


class Recordings:
    """The recordings in a folder; `clock` gives the wall time in seconds.

    In the folder `cache` understanding keeps what it makes of the examples.
    """

    def __init__(
        self,
        folder: Path,
        settings: RecordingsSettings | None = None,
        clock: Callable[[], float] = time.time,
        cache: Path = Path(),
    ) -> None:
        self.folder = folder
        self.examples = Examples(folder / EXAMPLES, cache)
        self._settings = settings or RecordingsSettings()
        self._clock = clock

    @classmethod
    def of(cls, config: Config) -> Recordings:
        """Those of the daemon with these settings."""
        folder, cache = config.state_dir / RECORDINGS_FOLDER, config.cache_dir / "nlu"
        return cls(folder, config.recordings, cache=cache)

    @property
    def on(self) -> bool:
        """Whether the user agrees that what is said is kept."""
        return (self.folder / _CONSENT).exists()

    def agree(self) -> None:
        """Keep what is said from now on; raises `StorageError`."""
        try:
            make_private(self.folder)
            replace_file(self.folder / _CONSENT, b"", _MODE)
        except OSError as error:
            raise _unusable(self.folder, error) from error

    def withdraw(self, remove: bool = False) -> None:
        """Keep nothing more, and with `remove` nothing that was kept; raises `StorageError`."""
        try:
            (self.folder / _CONSENT).unlink(missing_ok=True)
            for file in list(self._files()) if remove else ():
                file.unlink(missing_ok=True)
            if remove:
                self.examples.clear()
        except OSError as error:
            raise _unusable(self.folder, error) from error

    def keep_sound(self, utterance_id: str, samples: bytes) -> None:
        """Keep the sound of an utterance, 16 kHz mono int16, if the user agrees.

        A full disk loses the sound and a line in the log tells.
        """
        if not self.on:
            return
        content = io.BytesIO()
        with wave.open(content, "wb") as file:
            file.setnchannels(1)
            file.setsampwidth(2)
            file.setframerate(SAMPLE_RATE_HZ)
            file.writeframes(samples)
        self._write(self._sound(utterance_id), content.getvalue())

    def keep_trace(self, trace: Trace) -> None:
        """Keep what became of an utterance, and forget what is too old or too much."""
        if self.on:
            self._write_trace(trace)
            self._forget_oldest()

    def trace(self, utterance_id: str) -> Trace | None:
        """The trace of an utterance; None where it is not kept, or cannot be read."""
        try:
            return read_trace(self._trace(utterance_id))
        except InputError:
            return None

    def mark(self, utterance_id: str, expect: str = "") -> bool:
        """Mark an utterance as a test case; False where it is not kept.

        `expect` is what was really said; "" where nobody has told.
        """
        trace = self.trace(utterance_id)
        if trace is None:
            return False
        self._write_trace(msgspec.structs.replace(trace, wrong=True, expect=expect or trace.expect))
        return True

    def usage(self) -> Usage:
        """How much is kept."""
        files = list(self._files())
        traces = sum(file.suffix == _TRACE for file in files)
        return Usage(traces, sum(_written(file).size_bytes for file in files))

    def _sound(self, utterance_id: str) -> Path:
        return self.folder / f"{utterance_id}{_SOUND}"

    def _trace(self, utterance_id: str) -> Path:
        return self.folder / f"{utterance_id}{_TRACE}"

    def _files(self) -> Iterator[Path]:
        """The files of utterances."""
        if self.folder.is_dir():
            yield from (f for f in self.folder.iterdir() if f.suffix in (_SOUND, _TRACE))

    def _write_trace(self, trace: Trace) -> None:
        self._write(self._trace(trace.id), msgspec.json.format(msgspec.json.encode(trace)))

    def _write(self, file: Path, content: bytes) -> None:
        try:
            replace_file(file, content, _MODE, durable=False)
        except OSError as error:
            log.warning("a recording is lost: %s (recordings.unwritable)", error.strerror)

    def _forget_oldest(self) -> None:
        """Remove the utterances that are too old, and the oldest of too many."""
        files = sorted(((_written(file), file) for file in self._files()), reverse=True)
        left_bytes = self._settings.most_megabytes * 1e6
        oldest_s = self._clock() - self._settings.most_days * _DAY_S
        for written, file in files:
            left_bytes -= written.size_bytes
            if written.at_s < oldest_s or left_bytes < 0:
                file.unlink(missing_ok=True)


class Recorded(NamedTuple):
    """One recorded utterance."""

    sound: Path
    trace: Trace


def recorded(folder: Path) -> list[Recorded]:
    """The utterances in a folder that have both sound and trace, in the order they were said in.

    Raises `InputError` for no such folder, and for a trace that cannot be read.
    """
    if not folder.is_dir():
        raise InputError("recordings.none", f"{folder}: there is no such folder")
    traces = sorted(folder.glob(f"*{_TRACE}"))
    found = [Recorded(file.with_suffix(_SOUND), read_trace(file)) for file in traces]
    return sorted((one for one in found if one.sound.exists()), key=lambda one: one.trace.said_at)


def read_trace(file: Path) -> Trace:
    """Read a trace; raises `InputError` for a file that is none."""
    try:
        if file.stat().st_size > _MOST_TRACE_BYTES:
            raise InputError("recordings.malformed", f"{file}: is too large for a trace")
        return msgspec.json.decode(file.read_bytes(), type=Trace)
    except OSError as error:
        raise InputError("recordings.unreadable", f"{file}: {error.strerror}") from error
    except UNDECODABLE as error:
        raise InputError("recordings.malformed", f"{file}: {error}") from error


def _written(file: Path) -> _Written:
    try:
        facts = file.stat()
    except FileNotFoundError:  # replaced or forgotten meanwhile
        return _Written(0.0, 0)
    return _Written(facts.st_mtime, facts.st_size)


def _unusable(folder: Path, error: OSError) -> StorageError:
    return StorageError("recordings.unusable", f"{folder}: {error.strerror}")
