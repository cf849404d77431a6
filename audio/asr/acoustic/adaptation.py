"""What is learnt of the device's room from commands that were carried out: numbers, and no sound.

A file of them has a fixed size:

    32 bytes     SHA-256 of all that follows
    32 bytes     SHA-256 of what they belong to: the acoustic model's means and the map that ships
    float64      commands, frames, `Statistics.squares`, `Statistics.products`, and the gains
"""

from __future__ import annotations

import logging
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple, Self

import numpy as np

from assistant.core.files import replace_file
from audio.asr.acoustic.alignment import Aligned
from audio.asr.acoustic.gaussians import Gaussians, model_folder
from audio.asr.acoustic.transform import Statistics, Transform, fit

log = logging.getLogger(__name__)

WEIGHT = 1000.0
"""Frames of speech that the map that ships counts for."""
_RECENT = 40
"""Most gains that are kept, those of the last commands."""
_FEWEST = 20
"""Fewest gains by which a map is judged."""
_SURE = 2.0
"""Standard errors by which the mean of the gains must exceed none."""
_MOST_FRAMES = 60_000
"""Frames, ten minutes of speech, at which all sums are halved: rooms and microphones change."""

_DIGEST_BYTES = 32
_COUNTS = 2


class Base(NamedTuple):
    """The map that ships, and the key of what is learnt on top of it."""

    transform: Transform
    key: bytes

    @classmethod
    def load(cls, file: Path) -> Self:
        """That of the map in `file`; raises `OSError` or `ValueError`."""
        content = file.read_bytes()
        means = (model_folder() / "means").read_bytes()
        return cls(Transform.read(content.decode()), sha256(content + means).digest())


class Adaptation:
    """Sums over the speech of confirmed commands, and what the map of them gained for the next.

    The gain of a command is that of its frames' mean log-likelihood under the map solved from the
    commands before it, over the map of `base`.
    """

    def __init__(self, base: Base) -> None:
        self._base = base
        self.statistics = Statistics()
        self.commands = 0
        self.gains: tuple[float, ...] = ()

    @classmethod
    def of(cls, content: bytes, base: Base) -> Self:
        """What a file holds; raises `ValueError` where it is damaged, or belongs to another map."""
        made = cls(base)
        sums = made.statistics.squares, made.statistics.products
        count = _COUNTS + sum(part.size for part in sums) + _RECENT
        key, numbers = content[_DIGEST_BYTES:][:_DIGEST_BYTES], content[2 * _DIGEST_BYTES :]
        if len(numbers) != 8 * count or sha256(content[_DIGEST_BYTES:]).digest() != content[:32]:
            raise ValueError("is damaged")
        if key != base.key:
            raise ValueError("belongs to another acoustic model")
        (commands, frames), rest = np.split(np.frombuffer(numbers, "<f8"), [_COUNTS])
        for part in sums:
            taken, rest = np.split(rest, [part.size])
            part[...] = taken.reshape(part.shape)
        made.commands, made.statistics.frames = int(commands), int(frames)
        made.gains = tuple(rest[np.isfinite(rest)].tolist())
        return made

    def content(self) -> bytes:
        """The bytes of a file with all of it."""
        unused = [np.nan] * (_RECENT - len(self.gains))
        numbers = np.concatenate(
            [
                [self.commands, self.statistics.frames],
                self.statistics.squares.ravel(),
                self.statistics.products.ravel(),
                [*self.gains, *unused],
            ]
        )
        body = self._base.key + numbers.astype("<f8").tobytes()
        return sha256(body).digest() + body

    def add(self, speech: Aligned, model: Gaussians) -> None:
        """Judge the map so far by a further command, and then learn from it."""
        if self.statistics.frames:
            gain = fit(speech, model, self.transform) - fit(speech, model, self._base.transform)
            self.gains = (*self.gains, gain)[-_RECENT:]
        self.statistics.add(speech, model, self._base.transform)
        self.commands += 1
        if self.statistics.frames >= _MOST_FRAMES:
            self.statistics.halve()

    @property
    def transform(self) -> Transform:
        """The map of all that was added."""
        return self.statistics.solve(self._base.transform, WEIGHT)

    @property
    def helps(self) -> bool:
        """Whether commands were surely likelier under the maps of those before them."""
        count = len(self.gains)
        if count < _FEWEST:
            return False
        error = float(np.std(self.gains, ddof=1)) / count**0.5
        return bool(np.mean(self.gains) > _SURE * error)


def load(file: Path, base: Base) -> Adaptation:
    """What is in `file`, or nothing yet; one that is of no use is set aside, with a warning."""
    try:
        return read(file, base)
    except FileNotFoundError:
        pass
    except OSError as error:
        log.warning("%s: %s (asr.adaptation)", file, error.strerror)
    except ValueError as error:
        aside = file.with_name(f"{file.name}.old")
        log.warning("%s %s: it is set aside as %s (asr.adaptation)", file, error, aside.name)
        with suppress(OSError):
            file.replace(aside)
    return Adaptation(base)


def read(file: Path, base: Base) -> Adaptation:
    """What is in `file`; raises `OSError`, or `ValueError` where it is of no use."""
    with file.open("rb") as stored:
        return Adaptation.of(stored.read(len(Adaptation(base).content()) + 1), base)


def own_map(file: Path, base: Base, folder: Path) -> Path | None:
    """A file, in `folder`, of the map of this room; None where that does not surely help."""
    learnt = load(file, base)
    if not learnt.helps:
        return None
    made = folder / "room.mllr"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        replace_file(made, learnt.transform.text().encode(), 0o600, durable=False)
    except (OSError, np.linalg.LinAlgError) as error:
        log.warning("%s: %s (asr.adaptation)", made, error)
        return None
    return made
