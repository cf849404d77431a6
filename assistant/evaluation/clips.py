"""Recordings, and labels that say what was meant in them."""

from __future__ import annotations

from pathlib import Path
from typing import Generic, TypeVar

import msgspec
import numpy as np

from assistant.core.errors import InputError
from audio.frames import Samples, frames_of

SUFFIXES = {".flac", ".wav"}


class ClipLabel(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What was meant in one recording; slot values are words as spoken."""

    intent: str
    slots: dict[str, str | int | float] = {}


class SentenceLabel(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What was said in one recording, None where it is not for the assistant, and by whom."""

    text: str | None
    voice: str = ""


Label = TypeVar("Label", ClipLabel, SentenceLabel)


class Clip(msgspec.Struct, Generic[Label], frozen=True):
    """One labelled recording."""

    path: Path
    label: Label


def recordings(directory: Path) -> list[Path]:
    """Every FLAC and WAV file below `directory`, by name; raises `InputError` if there is none."""
    if not directory.is_dir():
        raise InputError("clips.no_folder", f"{directory}: no such folder")
    found = sorted(p for p in directory.rglob("*") if p.suffix.lower() in SUFFIXES)
    if not found:
        raise InputError("clips.none", f"{directory}: holds no FLAC or WAV file")
    return found


def labelled(directory: Path, labels: Path, kind: type[Label]) -> tuple[list[Clip[Label]], int]:
    """The recordings that have a label, and how many recordings and labels lack the other.

    `labels` is a JSON object: a recording's file name without its suffix → a label of that `kind`.
    Raises `InputError` when it is malformed or no label has a recording.
    """
    named = _read(labels, kind)
    files = {path.stem: path for path in recordings(directory)}
    clips = [Clip(path, named[stem]) for stem, path in files.items() if stem in named]
    if not clips:
        example = next(iter(named), None)
        message = f"{labels}: none of its {len(named)} labels names a recording in {directory}"
        hint = f', such as "{example}"' if example else ""
        raise InputError("labels.strange", f"{message}; a label's key is a file's name{hint}")
    return clips, len(files.keys() ^ named.keys())


def sound_of(path: Path) -> Samples:
    """The whole recording at 16 kHz, mono; raises `InputError` when it cannot be read."""
    return np.frombuffer(b"".join(frames_of(path)), np.int16)


def _read(labels: Path, kind: type[Label]) -> dict[str, Label]:
    try:
        return msgspec.json.decode(labels.read_bytes(), type=dict[str, kind])  # type: ignore[valid-type]
    except OSError as error:
        raise InputError("labels.unreadable", f"{labels}: {error.strerror}") from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        message = f'{labels}: not {{"FILE": {_FORMS[kind]}, …}}: {error}'
        raise InputError("labels.malformed", message) from error


_FORMS: dict[type, str] = {
    ClipLabel: '{"intent": …, "slots": {…}}',
    SentenceLabel: '{"text": …, "voice": …}',
}
"""What a label of each kind looks like in its file."""
