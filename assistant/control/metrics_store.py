"""Keeps the metrics: the last utterances' times in a file, and a text file for Prometheus."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Iterable
from pathlib import Path

import msgspec

from assistant.control.metrics import Counts, StageFigures, Stopwatch, Times, figures
from assistant.control.model_metrics import model_lines
from assistant.control.process_metrics import process_lines
from assistant.control.procfs import Usage
from assistant.core.files import replace_file
from assistant.core.messages import Message
from assistant.core.models.manifest import Library
from assistant.core.models.versions import MALFORMED

WRITTEN_EVERY_S = 5.0

log = logging.getLogger(__name__)

_TIMES = msgspec.json.Decoder(Times)


class MetricsStore:
    """Observes every event; `file` keeps the times of the last `keep` utterances.

    `textfile`, unless None, is written for node_exporter's textfile collector, with what the
    `processes` use, and the models of `models_dir`. A failure to write is logged and affects no
    utterance.
    """

    def __init__(
        self,
        file: Path,
        keep: int,
        textfile: Path | None = None,
        processes: Callable[[], Iterable[Usage]] = tuple,
        models_dir: Path | None = None,
    ) -> None:
        self._file, self._keep, self._textfile = file, keep, textfile
        self._processes, self._models_dir = processes, models_dir
        self._stopwatch, self._counts = Stopwatch(), Counts()
        self._times: deque[Times] = deque(read_times(file), maxlen=keep)
        # The first write replaces the file, which removes a line that a crash cut short.
        self._lines = 2 * keep
        self._due_s: float | None = 0.0 if textfile else None
        self._unwritable = ""

    def observe(self, message: Message) -> Times | None:
        """Count and time `message`; gives the utterance's times where it completes them."""
        self._counts.observe(message)
        if self._textfile and self._due_s is None:
            self._due_s = message.at_s + WRITTEN_EVERY_S
        seconds = self._stopwatch.observe(message)
        if seconds is not None:
            self._counts.measured(seconds)
            self._times.append(seconds)
            self._try(self._file, lambda: self._append(seconds))
        return seconds

    def deadline_s(self) -> float | None:
        """When `tick` is due; None when there is nothing to write."""
        return self._due_s

    def tick(self) -> None:
        """Write the text file."""
        self._due_s = None
        textfile = self._textfile
        if textfile is not None:
            self._try(textfile, lambda: _replace(textfile, self._text()))

    def figures(self) -> tuple[StageFigures, ...]:
        """The figures of each stage over the utterances that are kept."""
        return figures(self._times)

    def _text(self) -> str:
        lines = process_lines(self._processes())
        if self._models_dir is not None:
            lines += model_lines(Library(self._models_dir))
        return self._counts.prometheus() + "".join(f"{line}\n" for line in lines)

    def _append(self, seconds: Times) -> None:
        self._file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if self._lines >= 2 * self._keep:
            _replace(self._file, "".join(map(_line, self._times)))
            self._lines = len(self._times)
            return
        with self._file.open("a") as file:
            file.write(_line(seconds))
        self._lines += 1

    def _try(self, file: Path, write: Callable[[], None]) -> None:
        fault = ""
        try:
            write()
        except OSError as error:
            # The error of a full disk names no file, and others a temporary one.
            fault = f"{file}: {error.strerror}"
        if fault and fault != self._unwritable:
            log.warning("metrics: %s (metrics.unwritable)", fault)
        self._unwritable = fault


def read_times(file: Path) -> list[Times]:
    """The times kept in `file`, oldest first; a malformed line is skipped."""
    if not file.is_file():
        return []
    kept = []
    for line in file.read_bytes().splitlines():
        try:
            kept.append(_TIMES.decode(line))
        except MALFORMED:
            continue
    return kept


def _replace(file: Path, text: str) -> None:
    """Replace `file` and let every user read it: the collector runs as another user."""
    replace_file(file, text.encode(), durable=False)


def _line(seconds: Times) -> str:
    return msgspec.json.encode({k: round(v, 4) for k, v in seconds.items()}).decode() + "\n"
