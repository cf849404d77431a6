"""The recognition stage: sound in while the person speaks, the transcript when they are done."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from assistant.core.degraded import Degraded
from assistant.core.messages import (
    SAMPLE_RATE_HZ,
    Asked,
    AudioChunk,
    CarriedOut,
    KeepSound,
    Message,
    NothingHeard,
    Outheard,
    Tick,
    Transcript,
    Utterance,
)
from assistant.core.settings.wyoming import PEER
from audio.asr.acoustic.learning import Learner
from audio.asr.pocketsphinx import PocketSphinxRecognizer
from audio.asr.recognizer import Recognition, Recognizer
from audio.asr.strip import without_wake_word

MOST_SAMPLES = 180 * SAMPLE_RATE_HZ
"""Most samples of one utterance: three minutes, more than any setting allows."""
AFTER_PEERS = np.zeros(SAMPLE_RATE_HZ // 4, np.int16)
"""Silence after what a peer says, which may end with the last word: "it" was heard as "egg"."""
MOST_BY_PEERS = 32
"""Most utterances of peers that are heard at a time; the oldest one that never ended goes."""


@dataclass
class _Said:
    """One utterance as it is heard: its sound, and what is known of it before its words are."""

    name: str = ""
    peer: str = ""
    answers: tuple[str, ...] = ()
    in_a_row: bool = False
    unasked: bool = False
    secret: bool = False
    sound: list[NDArray[np.int16]] = field(default_factory=list)

    @property
    def samples(self) -> int:
        """How many samples were heard."""
        return sum(map(len, self.sound))


class AsrStage:
    """Transcribes utterances, each from its first chunk on; a new one of the device replaces one
    that never ended, and so does one of a satellite.

    One is recognised as it comes, before all others that of the device itself. Those of peers
    meanwhile are kept, and recognised when they end, so that several may speak at once.
    Speech may continue after an early revision: then the whole utterance is recognised once more.
    What follows a question is likely to be one of its answers. `ends` gives how likely a sentence
    ends with the words of a text. `keep` takes the id and the samples of what is to be recorded.
    `faults` are reported after somebody was served. The `learner` learns of the device's own room
    from what was surely heard there, was no secret, and was carried out.
    """

    consumes: ClassVar[tuple[type[Message], ...]] = (
        *(AudioChunk, Utterance, NothingHeard, Outheard, Asked, KeepSound, CarriedOut),
    )

    def __init__(
        self,
        recognizer: Recognizer,
        faults: Degraded | None = None,
        ends: Callable[[str], float] = lambda text: 0.0,
        keep: Callable[[str, bytes], None] = lambda utterance_id, samples: None,
        learner: Learner | None = None,
    ) -> None:
        self._recognizer, self._faults = recognizer, faults or Degraded("asr")
        self._ends, self._keep, self._learner = ends, keep, learner
        self._asked: dict[str, Asked] = {}
        """Utterance → the question that it was answered with, of the last ones."""
        self._own = _Said()
        self._of_peers: dict[str, _Said] = {}
        self._live: _Said | None = None
        """The utterance that is recognised as it comes."""
        self._before = _Said()
        """The utterance before: what is to be kept is told when another may be heard already."""

    def feed(self, message: Message) -> Iterator[Message]:
        """Hand a chunk on, or give the transcript of an utterance that is over."""
        if self._learner is not None:
            self._learn(self._learner, message)
        if isinstance(message, AudioChunk):
            self._hear(message)
        elif isinstance(message, Utterance):
            said = self._of_peers.get(message.utterance_id, self._own)
            if message.utterance_id == said.name:
                self._faults.note_work(message.at_s)
                yield self._transcribe(message, said)
        elif isinstance(message, NothingHeard | Outheard):
            self._forget(message.utterance_id)
        elif isinstance(message, Asked):
            self._asked[message.utterance_id] = message
            while len(self._asked) > MOST_BY_PEERS:
                del self._asked[next(iter(self._asked))]
        elif isinstance(message, KeepSound):
            self._keep_sound(message.utterance_id)
        elif isinstance(message, Tick):
            yield from self._faults.take_reports()

    def deadline_s(self) -> float | None:
        """When to report a model that is not used, or to learn of the room."""
        due = (
            self._faults.deadline_s(),
            None if self._learner is None else self._learner.deadline_s(),
        )
        return min((moment for moment in due if moment is not None), default=None)

    def _learn(self, learner: Learner, message: Message) -> None:
        if isinstance(message, (AudioChunk, Utterance)):
            learner.busy(message.at_s)
        elif isinstance(message, CarriedOut):
            learner.confirmed(message.utterance_ids)
        elif isinstance(message, Tick):
            learner.work(message.at_s)

    def _hear(self, chunk: AudioChunk) -> None:
        said = self._own if chunk.utterance_id == self._own.name else None
        said = said or self._of_peers.get(chunk.utterance_id) or self._begun(chunk)
        if said.samples >= MOST_SAMPLES:
            return  # further speech is dropped, or it would fill the memory
        said.sound.append(np.frombuffer(chunk.samples, np.int16))
        if self._live is said:
            self._recognizer.feed(said.sound[-1])
        elif self._live is None or not said.peer:  # the device itself comes first
            self._begin_live(said)

    def _begun(self, chunk: AudioChunk) -> _Said:
        """An utterance that begins with this chunk."""
        answers, in_a_row = self._likely(chunk.follows)
        said = _Said(
            *(chunk.utterance_id, chunk.peer, answers, in_a_row, chunk.unasked, chunk.secret)
        )
        if not chunk.peer:
            self._before, self._own = self._own, said
            return said
        if chunk.peer != PEER:  # nobody says two things at once in a room
            for name in [name for name, one in self._of_peers.items() if one.peer == chunk.peer]:
                self._forget(name)
        if len(self._of_peers) >= MOST_BY_PEERS:
            self._forget(next(iter(self._of_peers)))
        self._of_peers[said.name] = said
        return said

    def _forget(self, utterance_id: str) -> None:
        """Drop what a peer was saying, of which nothing more comes."""
        said = self._of_peers.pop(utterance_id, None)
        if said is not None and self._live is said:
            self._live = None

    def _begin_live(self, said: _Said) -> None:
        self._live = said
        self._recognizer.start(said.answers, said.unasked, said.in_a_row)
        for samples in said.sound:
            self._recognizer.feed(samples)

    def _keep_sound(self, utterance_id: str) -> None:
        for said in (self._own, self._before, *self._of_peers.values()):
            if said.name == utterance_id and not said.secret:
                self._keep(said.name, b"".join(samples.tobytes() for samples in said.sound))

    def _likely(self, follows: str) -> tuple[tuple[str, ...], bool]:
        """The answers to the question that opened the microphone, and whether several may come."""
        asked = self._asked.get(follows)
        return ((), False) if asked is None else (asked.answers, asked.in_a_row)

    def _transcribe(self, utterance: Utterance, said: _Said) -> Transcript:
        if self._live is not said:  # a revision without new sound, or one that had to wait
            self._begin_live(said)
        if said.peer:
            self._recognizer.feed(AFTER_PEERS)
        self._live = None
        whole = self._recognizer.finish()
        secret = utterance.secret or said.secret
        if utterance.dictated:
            self._forget(said.name)
        elif self._learner is not None and not said.peer:
            here = not (secret or utterance.area)
            text = whole.text if here and _teaches(whole) else ""
            self._learner.heard(said.name, text, said.sound)
        return self._transcript(utterance, whole, secret)

    def _transcript(self, utterance: Utterance, whole: Recognition, secret: bool) -> Transcript:
        heard = without_wake_word(whole, utterance.wake_word)
        return Transcript(
            utterance_id=utterance.utterance_id,
            revision=utterance.revision,
            text=heard.text,
            words=heard.words,
            alternatives=heard.alternatives,
            engine=heard.engine,
            expected=heard.expected,
            confidence=round(heard.confidence, 3),
            unasked=utterance.unasked,
            secret=secret,
            area=utterance.area,
            peer=utterance.peer,
            dictated=utterance.dictated,
            ends=round(self._ends(heard.text), 3),
        )


def _teaches(heard: Recognition) -> bool:
    """Whether the words are surely those that were said: no other ear heard anything else."""
    return heard.engine == PocketSphinxRecognizer.name and not (
        heard.alternatives or heard.expected
    )
