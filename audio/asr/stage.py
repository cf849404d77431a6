"""The recognition stage: sound in while the person speaks, the transcript when they are done."""

from __future__ import annotations

from collections.abc import Callable, Iterator
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


class AsrStage:
    """Transcribes one utterance at a time; a new one replaces one that never ended.

    Of what peers say over the network one utterance is recognised as it comes, while the device
    itself hears nobody. The others are kept, and recognised when they end, so that several may
    speak at once.
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
        self._hearing = ""
        self._running = False
        self._asked: Asked | None = None
        self._answers: tuple[str, ...] = ()
        self._in_a_row = False
        self._unasked = self._secret = False
        self._heard: list[NDArray[np.int16]] = []
        self._of_peers: dict[str, list[NDArray[np.int16]]] = {}
        self._live = ""
        """The peer's utterance that is recognised as it comes."""
        self._before: tuple[str, list[NDArray[np.int16]], bool] = ("", [], False)
        """The utterance before: what is to be kept is told when another may be heard already."""

    def feed(self, message: Message) -> Iterator[Message]:
        """Hand a chunk on, or give the transcript of an utterance that is over."""
        if self._learner is not None:
            self._learn(self._learner, message)
        if isinstance(message, AudioChunk):
            if message.peer:
                self._keep_of_peer(message)
            else:
                self._listen(message)
        elif isinstance(message, Utterance):
            if message.utterance_id in self._of_peers:
                self._faults.note_work(message.at_s)
                yield self._transcribe_of_peer(message)
            elif message.utterance_id == self._hearing:
                self._faults.note_work(message.at_s)
                yield self._transcribe(message)
        elif isinstance(message, NothingHeard | Outheard):
            self._forget_of_peer(message.utterance_id)
        elif isinstance(message, Asked):
            self._asked = message
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

    def _listen(self, chunk: AudioChunk) -> None:
        if chunk.utterance_id != self._hearing:
            self._before = self._hearing, self._heard, self._secret
            self._hearing, self._running, self._heard = chunk.utterance_id, False, []
            self._answers, self._in_a_row = self._likely(chunk.follows)
            self._unasked, self._secret = chunk.unasked, chunk.secret
        if sum(map(len, self._heard)) >= MOST_SAMPLES:
            return  # further speech is dropped, or it would fill the memory
        self._heard.append(np.frombuffer(chunk.samples, np.int16))
        self._run(self._heard if not self._running else self._heard[-1:])

    def _keep_of_peer(self, chunk: AudioChunk) -> None:
        sound = self._of_peers.setdefault(chunk.utterance_id, [])
        if sum(map(len, sound)) < MOST_SAMPLES:
            sound.append(np.frombuffer(chunk.samples, np.int16))
            if self._live == chunk.utterance_id:
                self._recognizer.feed(sound[-1])
            elif not (self._live or self._running):
                self._begin_live(chunk.utterance_id)
        if len(self._of_peers) > MOST_BY_PEERS:
            self._forget_of_peer(next(iter(self._of_peers)))

    def _forget_of_peer(self, utterance_id: str) -> None:
        """Drop what a peer was saying, of which nothing more comes."""
        self._of_peers.pop(utterance_id, None)
        self._live = "" if self._live == utterance_id else self._live

    def _begin_live(self, utterance_id: str) -> None:
        self._live, self._running = utterance_id, False
        self._recognizer.start()
        for samples in self._of_peers[utterance_id]:
            self._recognizer.feed(samples)

    def _transcribe_of_peer(self, utterance: Utterance) -> Transcript:
        if self._live != utterance.utterance_id:  # what was heard meanwhile begins anew
            self._begin_live(utterance.utterance_id)
        self._recognizer.feed(AFTER_PEERS)
        self._live = ""
        del self._of_peers[utterance.utterance_id]
        return self._transcript(utterance, self._recognizer.finish(), utterance.secret)

    def _keep_sound(self, utterance_id: str) -> None:
        for name, sound, secret in ((self._hearing, self._heard, self._secret), self._before):
            if name == utterance_id and not secret:
                self._keep(name, b"".join(samples.tobytes() for samples in sound))

    def _likely(self, follows: str) -> tuple[tuple[str, ...], bool]:
        """The answers to the question that opened the microphone, and whether several may come."""
        asked = self._asked
        if asked is None or asked.utterance_id != follows:
            return (), False
        return asked.answers, asked.in_a_row

    def _run(self, sound: list[NDArray[np.int16]]) -> None:
        if not self._running:
            self._live = ""  # the device itself comes first
            self._recognizer.start(self._answers, self._unasked, self._in_a_row)
            self._running = True
        for samples in sound:
            self._recognizer.feed(samples)

    def _transcribe(self, utterance: Utterance) -> Transcript:
        if not self._running:  # a revision without new sound
            self._run(self._heard)
        self._running = False
        whole = self._recognizer.finish()
        secret = utterance.secret or self._secret
        if self._learner is not None:
            here = not (secret or utterance.area)
            text = whole.text if here and _teaches(whole) else ""
            self._learner.heard(utterance.utterance_id, text, self._heard)
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
