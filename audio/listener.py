"""The listener: from frames to utterances.

Closed, it waits for a wake word, or while a reply plays for "stop". Open, it passes the sound on
in chunks as it comes, from the pre-roll on, until the endpointing says that the person is done; it
then commits to what was said. Without an engine whatever is spoken opens it.

Of several microphones the one that hears the wake word most clearly leads: the utterance is taken
from it, and what goes on from the reply too.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator, Sequence
from typing import ClassVar

import msgspec

from assistant.core.messages import (
    BargeIn,
    Complete,
    Frame,
    ListenHere,
    Message,
    NothingHeard,
    Outheard,
    PlaybackEnded,
    PlaybackStarted,
    Speech,
    Tick,
    WakeWordConfirmed,
    Woke,
)
from assistant.core.settings.hearing import ListeningSettings
from audio.clearness import Heard as Clear
from audio.ear import BURST_MARGIN_S, BURST_PAUSE_S, Ear
from audio.endpointing import Endpointing, Phase
from audio.frames import FRAME_S
from audio.own_voice import OwnVoice
from audio.preroll import Heard
from audio.recording import Recording
from audio.secrecy import Secrecy
from audio.wake.doubts import Doubted, Doubts
from audio.wake.engine import Doubt, WakeWordEngine
from audio.wake.locate import frames_since_keyword

# Without a second engine to locate the keyword: measured on 180 recordings, Porcupine notices it
# 0.07 to 0.4 s after its end, 0.2 s at the median.
KEYWORD_ENDS_BEFORE_S = 0.2
KEYWORD_TAIL_S = 0.25
# Where no wake word was said, clatter is likelier than a short word.
UNASKED_BEGINS_AFTER_S = 0.18
DEAF_AFTER_S = 1.0


def new_id() -> str:
    """A short, unique id for an utterance."""
    return uuid.uuid4().hex[:12]


class Listener:
    """Implements `core.stage.Stage`.

    `stop_word` listens to the microphone while a reply plays; `locator` is a second engine of the
    kind of `engine`, to find where in the pre-roll the wake word ended. `further` are the ears of
    the microphones after the first, in the order of their numbers; `area` is where the first is.
    What a microphone was hearing is over when it gives nothing for `deaf_after_s`.
    """

    consumes: ClassVar[tuple[type[Message], ...]] = (
        Frame,
        PlaybackStarted,
        PlaybackEnded,
        Complete,
        Speech,
        ListenHere,
        Outheard,
        WakeWordConfirmed,
    )

    def __init__(
        self,
        settings: ListeningSettings,
        engine: WakeWordEngine | None,
        own_voice: OwnVoice | None = None,
        stop_word: WakeWordEngine | None = None,
        locator: WakeWordEngine | None = None,
        new_id: Callable[[], str] = new_id,
        further: Sequence[Ear] = (),
        area: str = "",
        deaf_after_s: float = DEAF_AFTER_S,
    ) -> None:
        self._settings, self._deaf_after_s = settings, deaf_after_s
        self._wakes, self._locator = engine is not None, locator
        self._lead = Ear(settings, engine, own_voice or OwnVoice(), stop_word, area)
        self._ears = (self._lead, *further)
        self._new_id = new_id
        self._onset = self._unhurried(0.0)
        self._open: Recording | None = None
        self._doubts = Doubts(new_id)
        self._replying = ""
        self._secrecy = Secrecy()
        self._closed_at_s = 0.0

    @property
    def waiting(self) -> bool:
        """Whether the microphone is open and nobody has begun to speak."""
        return self._open is not None and self._open.endpointing.phase is Phase.WAITING

    @property
    def open(self) -> bool:
        """Whether the microphone is open, be it only for a moment after a reply."""
        return self._open is not None

    @property
    def listening(self) -> bool:
        """Whether somebody is asked to speak, or does; nothing is to drown them out."""
        return self._open is not None and not self._open.unasked

    @property
    def idle(self) -> bool:
        """Whether it only waits for a wake word: nobody is heard, and nothing is played."""
        return self._open is None and not self._replying

    def feed(self, message: Message) -> Iterator[Message]:
        """Take a frame, what is played, news of it, a verdict, or a `Tick` when no frames come."""
        match message:
            case Frame():
                yield from self._hear(message)
            case PlaybackStarted():
                self._drop_unasked()  # what it would hear now is the assistant
                self._replying = message.utterance_id
                for ear in self._ears:
                    ear.forget_speech()
            case PlaybackEnded():
                self._replying = ""
                if self._open is None and not message.interrupted:
                    yield from self._follow_up(message)
            case Complete() if self._open is not None:
                self._open.judge(message)
                if self._open.over:
                    yield from self._close()
            case Speech():
                self._secrecy.observe(message)
            case ListenHere() if not self.listening:
                begins_s = self._lead.begins_s(message.ended_at_s)
                now_s, command_from_s = self._lead.heard_at_s, message.ended_at_s + KEYWORD_TAIL_S
                yield from self.wake(now_s, begins_s, command_from_s, message.wake_word)
            case WakeWordConfirmed():
                yield from self._confirmed(message.utterance_id)
            case Outheard():
                self.drop(message.utterance_id)
            case Tick() if self._open is not None and self._deaf(message.at_s):
                yield from self._close()

    def wake(
        self, at_s: float, begins_s: float, command_from_s: float, wake_word: str
    ) -> Iterator[Message]:
        """Open the microphone for a wake word that another device has noticed.

        The utterance begins at `begins_s`, in what was heard or in what is to come; what lies
        before `command_from_s` belongs to the wake word.
        """
        self._drop_unasked()
        if self._open is not None:
            self._open.wake_word = self._open.wake_word or wake_word
            return
        yield from self._open_up(at_s, begins_s, command_from_s, wake_word=wake_word)

    def lately(self) -> Clear:
        """What was heard just now by the microphone that leads, to compare rooms by."""
        return self._lead.lately()

    def drop(self, utterance_id: str) -> bool:
        """Forget an utterance that another room hears better; whether it was being heard.

        Its sound stays in the pre-roll, as that room may give its place back.
        """
        if self._open is None or self._open.utterance_id != utterance_id:
            return False
        self._open = None
        self._onset = self._unhurried(self._lead.heard_at_s)
        return True

    def deadline_s(self) -> float | None:
        """When to close an open microphone that gives no more frames."""
        return self._lead.heard_at_s + self._deaf_after_s if self._open is not None else None

    def deafen(self) -> Iterator[Message]:
        """Drop what is being recorded, and forget what was heard, as the microphones are closed."""
        if self._open is not None and not self._open.unasked:
            yield NothingHeard(utterance_id=self._open.utterance_id, area=self._open.area)
        self._open = None
        for ear in self._ears:
            ear.forget()
        self._onset = self._unhurried(self._lead.heard_at_s)

    def close(self) -> None:
        """Release the engines, which hold memory and files outside Python."""
        for ear in self._ears:
            ear.close()
        if self._locator is not None:
            self._locator.close()

    def _hear(self, frame: Frame) -> Iterator[Message]:
        ear = self._ears[frame.microphone]
        heard, keyword = ear.hear(frame, self._open is not None and ear is self._lead)
        if self._open is None and frame.at_s - self._lead.heard_at_s > self._deaf_after_s:
            self._lead = ear  # the one that led is gone
        if ear is self._lead:
            yield from ear.level()
        if keyword is not None:
            self._drop_unasked()
        elif not self.listening and (doubt := ear.doubt(frame.microphone)) is not None:
            yield self._ask(frame, doubt)
        if self._open is not None:
            self._open.wake_word = self._open.wake_word or keyword or ""
            if ear is self._lead:
                yield from self._open.take(heard)
            if self._open.over:
                yield from self._close()
        elif keyword is not None:
            yield from self._woken(ear, frame.at_s, keyword)
        elif not self._wakes and ear is self._lead:
            yield from self._begun(heard)
        elif self._replying and ear.told_to_stop(heard, frame.microphone):
            yield BargeIn(utterance_id=self._replying)
        elif self._replying and (doubt := ear.doubted_stop(frame.microphone)) is not None:
            yield self._ask(frame, doubt, self._replying)

    def _clearness(self, ear: Ear, at_s: float) -> float:
        """How clearly an ear hears; one of which the microphone is gone does not."""
        return (
            ear.lately().clearness_db
            if at_s - ear.heard_at_s < self._deaf_after_s
            else float("-inf")
        )

    def _ask(self, frame: Frame, doubt: Doubt, reply: str = "") -> Message:
        """The question about a word in doubt, which is to wake or to stop a reply."""
        recent = self._ears[frame.microphone].preroll.since(frame.at_s - doubt.within_s)
        doubted = Doubted(doubt.keyword, frame.microphone, frame.at_s, reply)
        return self._doubts.ask(doubted, b"".join(heard.samples for heard in recent))

    def _confirmed(self, utterance_id: str) -> Iterator[Message]:
        """Wake or stop as if the engine had been sure."""
        doubted = self._doubts.confirmed(utterance_id, self._lead.heard_at_s)
        if doubted is None or self.listening:
            return
        if not doubted.reply:
            self._drop_unasked()
            yield from self._woken(self._ears[doubted.microphone], doubted.at_s, doubted.keyword)
        elif doubted.reply == self._replying:
            yield BargeIn(utterance_id=doubted.reply)

    def _woken(self, noticed_by: Ear, at_s: float, keyword: str) -> Iterator[Message]:
        self._lead = max(self._ears, key=lambda one: self._clearness(one, at_s))
        if self._replying:
            yield BargeIn(utterance_id=self._replying)
        ended_s = at_s - self._since_keyword_s(noticed_by)
        begins_s = self._lead.begins_s(ended_s)
        yield from self._open_up(at_s, begins_s, ended_s + KEYWORD_TAIL_S, wake_word=keyword)

    def _since_keyword_s(self, ear: Ear) -> float:
        if self._locator is None:
            return KEYWORD_ENDS_BEFORE_S + KEYWORD_TAIL_S
        recent = [heard.samples for heard in ear.preroll]
        return frames_since_keyword(self._locator, recent) * FRAME_S

    def _follow_up(self, ended: PlaybackEnded) -> Iterator[Message]:
        """Open without the wake word: for an answer or, if only for a moment, for what goes on."""
        now_s, follows = ended.at_s, ended.utterance_id
        if ended.listen:
            yield from self._open_up(now_s, now_s, now_s, follows=follows)
        elif ended.heard and self._wakes and self._settings.follow_up_s:
            yield from self._open_up(now_s, now_s, now_s, follows=follows, unasked=True)

    def _drop_unasked(self) -> None:
        """Forget what was heard after a reply that asked nothing."""
        if self._open is not None and self._open.unasked:
            self._open = None

    def _begun(self, heard: Heard) -> Iterator[Message]:
        if self._onset.step(heard.at_s, heard.speech) is Phase.SPEAKING:
            begins_s = self._lead.preroll.burst_starts_s(BURST_PAUSE_S, BURST_MARGIN_S)
            yield from self._open_up(heard.at_s, begins_s, begins_s)

    def _open_up(
        self,
        at_s: float,
        begins_s: float,
        command_from_s: float,
        *,
        wake_word: str = "",
        follows: str = "",
        unasked: bool = False,
    ) -> Iterator[Message]:
        self._lead.heard_at_s = max(self._lead.heard_at_s, at_s)  # its sound may be still to come
        settings = self._settings
        if follows:
            settings = self._brief if unasked else self._thoughtful
        utterance_id = self._new_id()
        self._open = Recording(
            settings,
            utterance_id,
            wake_word=wake_word,
            follows=follows,
            unasked=unasked,
            endpointing=Endpointing(settings, at_s, heard_from_s=command_from_s),
            command_from_s=command_from_s,
            secret=self._secrecy.covers(utterance_id, follows, at_s),
            area=self._lead.area,
        )
        # Sound from before the last utterance's end belongs to that utterance.
        since_s = max(begins_s, self._closed_at_s)
        before = [
            chunk for heard in self._lead.preroll.since(since_s) for chunk in self._open.take(heard)
        ]
        if not unasked:
            yield Woke(utterance_id=self._open.utterance_id, wake_word=wake_word)
        yield from before

    def _close(self) -> Iterator[Message]:
        if self._open is not None:
            yield from self._open.end()
        self._open = None
        self._closed_at_s = self._lead.heard_at_s
        self._onset = self._unhurried(self._lead.heard_at_s)

    def _deaf(self, at_s: float) -> bool:
        return at_s - self._lead.heard_at_s >= self._deaf_after_s

    @property
    def _thoughtful(self) -> ListeningSettings:
        """The settings for an answer, before which people think, and in its middle too."""
        waits_s = max(self._settings.trailing_silence_s, self._settings.thinking_silence_s)
        return msgspec.structs.replace(self._settings, trailing_silence_s=waits_s)

    @property
    def _brief(self) -> ListeningSettings:
        """The settings for what follows a reply that asked nothing."""
        waits_s = self._settings.follow_up_s
        return msgspec.structs.replace(self._settings, nothing_said_s=waits_s)

    def _unhurried(self, at_s: float) -> Endpointing:
        patient = msgspec.structs.replace(self._settings, nothing_said_s=float("inf"))
        return Endpointing(patient, at_s, begins_after_s=UNASKED_BEGINS_AFTER_S)
