"""Records the utterance of an open microphone: in chunks, offered early, committed to once.

    silence for `OFFER_AFTER_S`       the utterance so far is offered as a revision
    silence for `complete_silence_s`  commit to it, if its words are a whole sentence
    silence for `open_silence_s`      the same, if more is likely to follow
    speech again                      the offer is void, the sound since then follows
    the endpointing is over           commit to the last offer, or make one first

An offer is recognised and understood before it is known whether more speech will come, so at the
commitment the answer is ready.
"""

from __future__ import annotations

from collections.abc import Iterator

from assistant.core.messages import AudioChunk, Commit, Complete, Message, NothingHeard, Utterance
from assistant.core.settings.hearing import ListeningSettings
from audio.endpointing import Endpointing, Phase
from audio.frames import FRAME_S
from audio.preroll import Heard

FRAMES_A_CHUNK = 5
# Shorter silences occur inside words, before a "t" or "p" as in "set a timer".
OFFER_AFTER_S = 0.18


class Recording:
    """Takes frames until `over`; a frame before `command_from_s` belongs to the wake word."""

    def __init__(
        self,
        settings: ListeningSettings,
        utterance_id: str,
        endpointing: Endpointing,
        command_from_s: float,
        *,
        wake_word: str = "",
        follows: str = "",
        unasked: bool = False,
        secret: bool = False,
        area: str = "",
    ) -> None:
        self.utterance_id, self.wake_word, self._follows = utterance_id, wake_word, follows
        self.unasked, self._secret, self.area = unasked, secret, area
        self.endpointing = endpointing
        self._settings, self._command_from_s = settings, command_from_s
        self._frames: list[bytes] = []
        self._sequence = 0
        self._duration_s = self._quiet_s = 0.0
        self._revision = -1
        self._offered = False
        self._enough_s = float("inf")

    @property
    def over(self) -> bool:
        """Whether nothing more is expected."""
        return self.endpointing.over or (self._offered and self._quiet_s >= self._enough_s)

    def take(self, heard: Heard) -> Iterator[Message]:
        """Add a frame; frames of the wake word do not count as speech."""
        if heard.at_s > self._command_from_s:
            self.endpointing.step(heard.at_s, heard.speech)
        self._quiet_s = heard.at_s - self.endpointing.speech_ended_at_s
        self._frames.append(heard.samples)
        self._duration_s += FRAME_S
        if self.endpointing.phase is not Phase.TRAILING:
            self._offered = self._offered and self.endpointing.over
        elif self._quiet_s >= OFFER_AFTER_S and not self._offered:
            yield from self._offer()
        paused = self.endpointing.phase is Phase.TRAILING
        if len(self._frames) >= (1 if paused else FRAMES_A_CHUNK) and not self._offered:
            yield self._chunk()  # in a pause at once: recognition looks ahead in it

    def judge(self, verdict: Complete) -> None:
        """Note whether what was offered is a whole sentence."""
        if (verdict.utterance_id, verdict.revision) == (self.utterance_id, self._revision):
            whole_s = self._settings.complete_silence_s
            enough_s = self._settings.open_silence_s if verdict.goes_on else whole_s
            self._enough_s = enough_s if verdict.complete else float("inf")

    def end(self) -> Iterator[Message]:
        """The rest of the utterance, and the decision."""
        if self.endpointing.phase in (Phase.NOTHING, Phase.WAITING):
            if not self.unasked:
                yield NothingHeard(utterance_id=self.utterance_id, area=self.area)
            return
        if not self._offered:
            yield from self._offer()
        yield Commit(utterance_id=self.utterance_id, revision=self._revision)

    def _offer(self) -> Iterator[Message]:
        self._offered, self._enough_s = True, float("inf")
        self._revision += 1
        if self._frames:
            yield self._chunk()
        yield Utterance(
            utterance_id=self.utterance_id,
            revision=self._revision,
            wake_word=self.wake_word,
            duration_s=round(self._duration_s, 3),
            speech_s=round(self.endpointing.speech_s, 3),
            speech_ended_at_s=self.endpointing.speech_ended_at_s,
            unasked=self.unasked,
            secret=self._secret,
            area=self.area,
        )

    def _chunk(self) -> AudioChunk:
        chunk = AudioChunk(
            utterance_id=self.utterance_id,
            sequence=self._sequence,
            samples=b"".join(self._frames),
            wake_word=self.wake_word,
            follows=self._follows,
            unasked=self.unasked,
            secret=self._secret,
            area=self.area,
        )
        self._frames.clear()
        self._sequence += 1
        return chunk
