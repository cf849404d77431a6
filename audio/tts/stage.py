"""The voice stage: replies and apologies in, speech out, sentence by sentence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import ClassVar

import msgspec

from assistant.core.degraded import Degraded
from assistant.core.errors import SpeakingError
from assistant.core.messages import (
    BargeIn,
    DeviceChanged,
    Message,
    SafeModeEntered,
    Simplify,
    Speech,
    SpokenReply,
    StageFailed,
    StageRestarted,
    Tick,
)
from assistant.english.read_aloud import read_aloud
from audio.tts.apology import Restraint, words_for
from audio.tts.pieces import pieces
from audio.tts.voice import Samples, Voice

LARGEST_BYTES = 1 << 20
"""Most bytes of samples in one message; the bus takes 4 MB."""
SILENT_RATE_HZ = 16_000


class VoiceStage:
    """Speaks with `voice`; closing the generator of `feed` (barge-in) stops the synthesis.

    `faults` are reported after somebody was served.
    """

    consumes: ClassVar[tuple[type[Message], ...]] = (
        SpokenReply,
        StageFailed,
        StageRestarted,
        SafeModeEntered,
        Simplify,
        DeviceChanged,
        # It has no effect here, but only a consumed message reaches the worker, which closes.
        BargeIn,
    )

    def __init__(self, voice: Voice, faults: Degraded | None = None) -> None:
        self._voice, self._faults = voice, faults or Degraded("voice")
        self._restraint = Restraint()
        self._absent: set[tuple[str, int]] = set()
        self._open: dict[str, int] = {}

    def feed(self, message: Message) -> Iterable[Message]:
        """Speech of a reply, or of what a fault, restart or device means for the user.

        The last message has `last` set, also when a sentence cannot be spoken: then
        `SpeakingError` is raised after it.
        """
        if isinstance(message, Tick):
            return self._own_faults(message.at_s)
        if isinstance(message, SpokenReply):
            self._faults.note_work(message.at_s)
            return self._say(message)
        if isinstance(message, DeviceChanged) and not self._is_news(message):
            return ()
        words = words_for(message)
        if not words or not self._restraint.allows(words, message.at_s):
            return ()
        about = peer = ""
        if isinstance(message, StageFailed):  # who spoke hears of it where that was
            about, peer = message.utterance_id, message.peer
        notice = about or f"notice-{message.at_s:.3f}"
        return self._say(SpokenReply(utterance_id=notice, text=words, peer=peer))

    def deadline_s(self) -> float | None:
        """When to report a voice that is not used."""
        return self._faults.deadline_s()

    def _own_faults(self, at_s: float) -> Iterator[Message]:
        """Report the faults, and say them too: no process receives its own broadcasts."""
        for fault in self._faults.take_reports():
            yield fault
            yield from self.feed(msgspec.structs.replace(fault, at_s=at_s))

    def _is_news(self, change: DeviceChanged) -> bool:
        """Whether a change is worth saying: presence is reported often, but a return only once.

        Of several microphones the one that leaves n behind is missed until one joins n.
        """
        which = change.device, change.others
        missed = which in self._absent
        if change.present:
            self._absent.discard(which)
        else:
            self._absent.add(which)
        return missed == change.present

    def _say(self, reply: SpokenReply) -> Iterator[Speech]:
        """Speak; with `more`, the reply stays open, and the next one continues its numbering."""
        texts = pieces(reply.text)
        sequence = self._open.pop(reply.utterance_id, 0)
        try:
            for left, sentence in zip(range(len(texts) - 1, -1, -1), texts, strict=True):
                samples = self._voice.synthesise(read_aloud(sentence))
                for part, ends in _parts(samples):
                    last = ends and left == 0 and not reply.more
                    yield Speech(
                        utterance_id=reply.utterance_id,
                        sequence=sequence,
                        samples=part,
                        rate_hz=samples.rate_hz,
                        text=sentence,
                        last=last,
                        listen=reply.listen and last,
                        once=reply.once,
                        secret=reply.secret,
                        area=reply.area,
                        peer=reply.peer,
                    )
                    sequence += 1
        except SpeakingError:
            # A question that was not heard is no reason to listen.
            yield _closing(reply, sequence, listen=False)
            raise
        if reply.more:
            self._open[reply.utterance_id] = sequence
        elif not texts:
            yield _closing(reply, sequence, reply.listen)


def _parts(samples: Samples) -> Iterator[tuple[bytes, bool]]:
    """The sound in pieces that fit into a message, each with whether it is the last."""
    pcm = samples.pcm.tobytes()
    begins = range(0, max(len(pcm), 1), LARGEST_BYTES)
    for begin in begins:
        yield pcm[begin : begin + LARGEST_BYTES], begin == begins[-1]


def _closing(reply: SpokenReply, sequence: int, listen: bool) -> Speech:
    return Speech(
        utterance_id=reply.utterance_id,
        sequence=sequence,
        samples=b"",
        rate_hz=SILENT_RATE_HZ,
        text="",
        last=True,
        listen=listen,
        once=reply.once,
        secret=reply.secret,
        area=reply.area,
        peer=reply.peer,
    )
