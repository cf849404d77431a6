"""The recognition stage: sound in while the person speaks, the transcript when they are done."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from assistant.core.degraded import Degraded
from assistant.core.errors import AssistantError
from assistant.core.failure import report_failure
from assistant.core.layout import ASR
from assistant.core.messages import (
    SAMPLE_RATE_HZ,
    Asked,
    AudioChunk,
    DoubtfulWakeWord,
    KeepSound,
    Message,
    NothingHeard,
    Outheard,
    StageFailed,
    Tick,
    Transcript,
    Utterance,
    WakeWordConfirmed,
)
from assistant.core.settings.wyoming import PEER
from audio.asr.recognizer import Recognition, Recognizer
from audio.asr.strip import begins_with, without_wake_word
from audio.asr.waiting import Said, Waiting

MOST_SAMPLES = 180 * SAMPLE_RATE_HZ
"""Most samples of one utterance: three minutes, more than any setting allows."""
MOST_BY_PEERS = 32
"""Most utterances of peers that are heard at a time; the oldest one that never ended goes."""
LOOK_EVERY_S = 0.02
"""Seconds between two looks at what is recognised in forks."""


class AsrStage:
    """Transcribes utterances, each from its first chunk on; a new one of the device replaces one
    that never ended, and so does one of a satellite.

    One is recognised as it comes: what answers or follows the wake word before what may follow a
    reply, and that of the device before those of peers. Those meanwhile are kept until they end,
    so that several may speak at once, and then recognised whole beside it, of each the newest
    revision.
    Speech may continue after an early revision: then the whole utterance is recognised once more.
    What follows a question is likely to be one of its answers. `ends` gives how likely a sentence
    ends with the words of a text. `keep` takes the id and the samples of what is to be recorded.
    `faults` are reported after somebody was served. What is `waiting` may come from a stage before
    this one. What is said unasked and begins with one of `wake_words`, which the wake word engine
    missed, was said to the assistant. `confirms` says whether sound begins with a wake word that
    the engine doubts.
    """

    consumes: ClassVar[tuple[type[Message], ...]] = (
        *(AudioChunk, Utterance, NothingHeard, Outheard, Asked, KeepSound, DoubtfulWakeWord),
    )

    def __init__(
        self,
        recognizer: Recognizer,
        faults: Degraded | None = None,
        ends: Callable[[str], float] = lambda text: 0.0,
        keep: Callable[[str, bytes], None] = lambda utterance_id, samples: None,
        waiting: Waiting | None = None,
        wake_words: Sequence[str] = (),
        confirms: Callable[[str, NDArray[np.int16]], bool] = lambda keyword, samples: False,
    ) -> None:
        self._wake_words, self._confirms = wake_words, confirms
        self._recognizer, self._faults = recognizer, faults or Degraded("asr")
        self._ends, self._keep = ends, keep
        self._asked: dict[str, Asked] = {}
        """Utterance → the question that it was answered with, of the last ones."""
        self._own = Said()
        self._of_peers: dict[str, Said] = {}
        self._waiting = waiting or Waiting()
        self._look_s = 0.0
        self._live: Said | None = None
        """The utterance that is recognised as it comes."""
        self._before = Said()
        """The utterance before: what is to be kept is told when another may be heard already."""

    def feed(self, message: Message) -> Iterator[Message]:
        """Hand a chunk on, or give the transcript of an utterance that is over."""
        if isinstance(message, AudioChunk):
            self._hear(message)
        elif isinstance(message, Utterance):
            said = self._of_peers.get(message.utterance_id, self._own)
            if message.utterance_id == said.name:
                said.secret |= message.secret
                self._faults.note_work(message.at_s)
                if said.peer and self._live is not said:
                    self._waiting.add(message, said)
                    yield from self._recognised(message.at_s)
                else:
                    yield self._transcribe(message, said)
        elif isinstance(message, NothingHeard | Outheard):
            self._forget(message.utterance_id)
        elif isinstance(message, Asked):
            self._asked[message.utterance_id] = message
            while len(self._asked) > MOST_BY_PEERS:
                del self._asked[next(iter(self._asked))]
        elif isinstance(message, DoubtfulWakeWord):
            if self._confirms(message.wake_word, np.frombuffer(message.samples, np.int16)):
                yield WakeWordConfirmed(utterance_id=message.utterance_id)
        elif isinstance(message, KeepSound):
            self._keep_sound(message.utterance_id)
        elif isinstance(message, Tick):
            yield from self._faults.take_reports()
            yield from self._recognised(message.at_s)

    def deadline_s(self) -> float | None:
        """When to report an unused model, or to look at the forks."""
        due = (
            self._look_s if self._waiting.busy else None,
            self._faults.deadline_s(),
        )
        return min((moment for moment in due if moment is not None), default=None)

    def _hear(self, chunk: AudioChunk) -> None:
        said = self._own if chunk.utterance_id == self._own.name else None
        said = said or self._of_peers.get(chunk.utterance_id) or self._begun(chunk)
        if said.samples >= MOST_SAMPLES:
            return  # further speech is dropped, or it would fill the memory
        said.sound.append(np.frombuffer(chunk.samples, np.int16))
        if self._live is said:
            self._recognizer.feed(said.sound[-1])
        elif self._gives_way(said):
            self._live = said
            said.begin(self._recognizer)

    def _gives_way(self, said: Said) -> bool:
        """Whether what is recognised as it comes, if anything, makes way for another utterance."""
        if self._live is None:
            return not (said.peer and self._waiting.busy)
        return not said.told and (self._live.told or said.rank > self._live.rank)

    def _begun(self, chunk: AudioChunk) -> Said:
        """An utterance that begins with this chunk."""
        answers, in_a_row = self._likely(chunk.follows)
        said = Said(
            *(chunk.utterance_id, chunk.peer, answers, in_a_row, chunk.unasked, chunk.secret),
            follows=chunk.follows,
        )
        if not chunk.peer:
            self._forget(self._own.name)
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
        """Drop what was being said, of which nothing more comes."""
        self._waiting.drop(utterance_id)
        self._of_peers.pop(utterance_id, None)
        if self._live is not None and self._live.name == utterance_id:
            self._live = None

    def _keep_sound(self, utterance_id: str) -> None:
        for said in (self._own, self._before, *self._of_peers.values()):
            if said.name == utterance_id and not said.secret:
                self._keep(said.name, b"".join(samples.tobytes() for samples in said.sound))

    def _likely(self, follows: str) -> tuple[tuple[str, ...], bool]:
        """The answers to the question that opened the microphone, and whether several may come."""
        asked = self._asked.get(follows)
        return ((), False) if asked is None else (asked.answers, asked.in_a_row)

    def _recognised(self, at_s: float) -> Iterator[Transcript | StageFailed]:
        """What has become of the utterances that waited."""
        self._look_s = at_s + LOOK_EVERY_S
        for utterance, said, outcome in self._waiting.work(self._recognizer):
            if isinstance(outcome, AssistantError):
                yield report_failure(ASR, outcome, said.name, peer=said.peer)
            else:
                yield self._over(utterance, said, outcome)

    def _transcribe(self, utterance: Utterance, said: Said) -> Transcript:
        if self._live is not said:  # a revision without new sound
            said.begin(self._recognizer)
        self._live = None
        return self._over(utterance, said, said.finish(self._recognizer))

    def _over(self, utterance: Utterance, said: Said, whole: Recognition) -> Transcript:
        said.told = True
        secret = utterance.secret or said.secret
        if utterance.dictated:
            self._forget(said.name)
        return self._transcript(utterance, whole, secret)

    def _transcript(self, utterance: Utterance, whole: Recognition, secret: bool) -> Transcript:
        missed = begins_with(whole, self._wake_words) if utterance.unasked else ""
        heard = without_wake_word(whole, utterance.wake_word or missed)
        return Transcript(
            utterance_id=utterance.utterance_id,
            revision=utterance.revision,
            text=heard.text,
            words=heard.words,
            alternatives=heard.alternatives,
            engine=heard.engine,
            expected=heard.expected,
            confidence=round(heard.confidence, 3),
            unasked=utterance.unasked and not missed,
            secret=secret,
            area=utterance.area,
            peer=utterance.peer,
            dictated=utterance.dictated,
            ends=0.0 if heard.disputed else round(self._ends(heard.text), 3),
        )
