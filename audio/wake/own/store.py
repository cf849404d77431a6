"""The enrolled phrases on the disk: `wake/` of the state folder, a file each, for its user alone.

A file holds numbers, and no sound: what was said cannot be heard from it.
"""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import numpy as np

from assistant.core.errors import InputError, WakeWordError
from assistant.core.files import make_private, replace_file
from audio.wake.engine import spoken
from audio.wake.own.detector import Detector, Network

FOLDER = "wake"
SUFFIX = ".npz"
MOST_BYTES = 4 << 20
"""Most bytes of a file that is read."""


class EnrolledPhrases:
    """The phrases in the state folder `state`."""

    def __init__(self, state: Path) -> None:
        self._folder = state / FOLDER

    @property
    def phrases(self) -> tuple[str, ...]:
        """The phrases that were enrolled, by name."""
        try:
            found = sorted(self._folder.glob(f"*{SUFFIX}"))
        except OSError:
            return ()
        return tuple(file.stem.replace("_", " ") for file in found)

    def save(self, phrase: str, detector: Detector) -> None:
        """Keep a phrase, in place of one of the same name; raises `InputError`."""
        file = io.BytesIO()
        fields = detector._asdict() | detector.network._asdict()
        del fields["network"]
        np.savez(file, **fields)
        try:
            make_private(self._folder)
            replace_file(self._path(phrase), file.getvalue(), 0o600)
        except OSError as error:
            raise self._refusal(error) from error

    def load(self, phrase: str) -> Detector:
        """The phrase as it was learnt; raises `WakeWordError`, which says how to mend it."""
        path = self._path(phrase)
        try:
            with path.open("rb") as stored:
                content = io.BytesIO(stored.read(MOST_BYTES))
            with np.load(content, allow_pickle=False) as arrays:
                return _whole({name: arrays[name] for name in arrays.files})
        except (OSError, ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile) as error:
            message = f'{path} is damaged; run: assistant wake add "{spoken(phrase)}"'
            raise WakeWordError("wake.damaged", message) from error

    def remove(self, phrase: str) -> None:
        """Forget a phrase; raises `InputError`, which names those there are."""
        try:
            self._path(phrase).unlink()
        except FileNotFoundError:
            known = ", ".join(f'"{one}"' for one in self.phrases) or "none"
            message = f'no wake word "{spoken(phrase)}" was enrolled; there are: {known}'
            raise InputError("wake.not_enrolled", message) from None
        except OSError as error:
            raise self._refusal(error) from error

    def _path(self, phrase: str) -> Path:
        return self._folder / (spoken(phrase).replace(" ", "_") + SUFFIX)

    def _refusal(self, error: OSError) -> InputError:
        message = f"{self._folder}: {error.strerror}; run this as the user of the service"
        return InputError("wake.folder", message)


def _whole(arrays: dict[str, np.ndarray]) -> Detector:
    """The detector of these arrays; raises `KeyError` or `ValueError` for anything else."""
    network = Network(*(arrays.pop(name).astype(np.float32) for name in Network._fields))
    detector = Detector(
        arrays["mean"],
        arrays["deviation"],
        network,
        arrays["templates"],
        float(arrays["share"]),
        float(arrays["threshold"]),
        float(arrays["span"]),
    )
    width, units = network.hidden.shape
    if (
        detector.templates.ndim != 3
        or detector.templates.shape[2] != width
        or width % len(detector.mean)
        or network.output.shape != (units,)
        or detector.mean.shape != detector.deviation.shape
    ):
        raise ValueError("the arrays do not fit together")
    return detector
