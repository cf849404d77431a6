"""Learning of the room from the sound of commands that turned out to be right.

The sound of the last few utterances is held in memory alone, and dropped once it was learnt from.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from assistant.core.errors import AssistantError
from assistant.core.files import replace_file
from assistant.core.fork import Fork
from assistant.core.messages import SAMPLE_RATE_HZ
from audio.asr.acoustic.adaptation import Base, load
from audio.asr.acoustic.alignment import Aligner
from audio.asr.acoustic.gaussians import Gaussians

log = logging.getLogger(__name__)

MOST = 8
"""Most utterances whose sound is held, of those that wait and of those that are right, each."""
LONGEST_S = 8.0
"""Seconds of sound beyond which an utterance is not held: 2 MB for eight."""
TOGETHER = 4
"""Utterances that are learnt from together: to load the acoustic model takes longer than one."""
QUIET_S = 5.0
"""Seconds after the last sound in which learning does not begin, so that nobody waits for it."""
LOOK_EVERY_S = 1.0
LONGEST_WORK_S = 120.0
NICE = 15


class Said(NamedTuple):
    """What was heard in an utterance, in words with its wake word, and its sound as int16."""

    text: str
    samples: bytes


class Learner:
    """Holds what was `heard`, and hands to `learn` what of it is `confirmed`, in a fork."""

    def __init__(self, learn: Callable[[Sequence[Said]], object]) -> None:
        self._learn = learn
        self._heard: dict[str, tuple[str, tuple[NDArray[np.int16], ...]]] = {}
        self._right: list[Said] = []
        self._quiet_from_s = 0.0
        self._fork: Fork[object] | None = None
        self._began_s = 0.0

    def busy(self, at_s: float) -> None:
        """Note that somebody speaks, or was served, at this time."""
        self._quiet_from_s = at_s + QUIET_S

    def heard(self, utterance_id: str, text: str, sound: Iterable[NDArray[np.int16]]) -> None:
        """Hold the sound of an utterance; with text "", hold none of it."""
        self._heard.pop(utterance_id, None)
        chunks = tuple(sound)
        if text and sum(map(len, chunks)) <= LONGEST_S * SAMPLE_RATE_HZ:
            self._heard[utterance_id] = text, chunks
        if len(self._heard) > MOST:
            del self._heard[next(iter(self._heard))]

    def confirmed(self, utterance_ids: Iterable[str]) -> None:
        """Note that the commands of these utterances were carried out and stand."""
        for name in utterance_ids:
            if (found := self._heard.pop(name, None)) is not None:
                text, chunks = found
                self._right.append(Said(text, b"".join(part.tobytes() for part in chunks)))
        del self._right[:-MOST]

    def deadline_s(self) -> float | None:
        """When to begin to learn, or to look whether it is done."""
        if self._fork is None and len(self._right) < TOGETHER:
            return None
        return self._quiet_from_s

    def work(self, at_s: float) -> None:
        """At a deadline, learn from what waits."""
        if (due_s := self.deadline_s()) is None or at_s < due_s:
            return
        if self._fork is not None and not self._over(self._fork, at_s):
            self._quiet_from_s = at_s + LOOK_EVERY_S
            return
        self._fork = None
        if len(self._right) >= TOGETHER:
            said, self._right = self._right, []
            self._fork, self._began_s = Fork(partial(self._learn, said), NICE), at_s
            self._quiet_from_s = at_s + LOOK_EVERY_S

    def _over(self, fork: Fork[object], at_s: float) -> bool:
        if fork.done:
            try:
                fork.finish()
            except (AssistantError, OSError, ValueError) as error:
                log.warning("nothing was learnt of the room: %s (asr.adaptation)", error)
            return True
        if at_s - self._began_s < LONGEST_WORK_S:
            return False
        fork.close()
        log.warning("nothing was learnt of the room: it took too long (asr.adaptation)")
        return True


def learn(file: Path, base: Base, folder: Path, said: Sequence[Said]) -> None:
    """Add to the `file` of what is known of a room; cepstra lie in `folder` meanwhile.

    Raises `OSError` or `ValueError`.
    """
    learnt, model = load(file, base), Gaussians.load()
    with closing(Aligner(folder)) as aligner:
        for one in said:
            if (speech := aligner(one.text, one.samples)) is not None:
                learnt.add(speech, model)
    replace_file(file, learnt.content(), 0o600)
