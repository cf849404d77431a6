"""The audio stage: microphone and loudspeaker in one process, so barge-in is decided here."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from typing import ClassVar, Protocol

import msgspec

from assistant.core.messages import (
    BargeIn,
    Compare,
    Compared,
    Complete,
    DeviceChanged,
    Frame,
    ListenHere,
    Message,
    MuteChanged,
    NothingHeard,
    Outheard,
    PlaybackEnded,
    PlaybackStarted,
    Speech,
    StageFailed,
    Tick,
    WakeWordConfirmed,
    Woke,
)
from audio.earcons import FAILED, HEARD, MUTED, UNMUTED, earcon
from audio.frames import Samples
from audio.listener import Listener
from audio.mute.mute import Mute

OWN_DEVICES = ("microphone", "loudspeaker")
# A person who speaks on right after the wake word needs no earcon, and it would disturb the words.
HEARD_AFTER_S = 0.25
LOOK_EVERY_S, LOOK_MUTED_EVERY_S = 0.07, 0.2
"""Most seconds between two looks at the mute switch, by which a microphone must close within 0.1 s.

Each frame looks. More time than two frames have, so that a loop that hears wakes for frames alone.
"""

log = logging.getLogger(__name__)


class Player(Protocol):
    """The interface of `audio.playback.Playback`."""

    def play(self, speech: Speech) -> None:
        """Play a sentence after those before it."""

    def earcon(self, samples: Samples) -> None:
        """Play a short sound, 16 kHz mono."""

    def lower(self, lowered: bool) -> None:
        """Whether what begins to play is to be soft."""

    def stop(self) -> None:
        """Stop playing at once."""


class Microphones(Protocol):
    """Where the frames come from."""

    unhurried: bool
    """Whether frames may wait for each other."""


class AudioStage:
    """Listener and player together; the player's news comes in like any other message.

    With `mute` the microphones are closed while it says so, and what is asked then is not answered.
    The `microphones` are not hurried while there is only a wake word to wait for.
    """

    consumes: ClassVar[tuple[type[Message], ...]] = (
        Frame,
        Speech,
        PlaybackStarted,
        PlaybackEnded,
        BargeIn,
        Complete,
        StageFailed,
        DeviceChanged,
        Compare,
        ListenHere,
        Outheard,
        WakeWordConfirmed,
    )

    def __init__(
        self,
        listener: Listener,
        player: Player,
        earcons: bool = True,
        mute: Mute | None = None,
        microphones: Microphones | None = None,
    ) -> None:
        self._listener, self._player, self._earcons = listener, player, earcons
        self._microphones = microphones
        self._mute = mute
        self._muted = mute is not None and mute.on
        self._look_at_s = 0.0
        self._confirm_at_s: float | None = None
        self._last_news: Message | None = None

    def feed(self, message: Message) -> Iterable[Message]:
        """Give the listener's messages; news of devices and of playback is passed on once."""
        match message:
            case Speech():
                self._player.play(message)
                return self._listener.feed(message)
            case BargeIn() | PlaybackStarted() | PlaybackEnded() if message.peer:
                pass  # of a satellite
            case BargeIn():
                self._player.stop()
            case StageFailed(stage="voice"):
                self._sound(FAILED)
            case PlaybackStarted() | PlaybackEnded():
                return self._pass_on(message)
            case DeviceChanged() if message.device in OWN_DEVICES:
                return self._device(message)
            case Frame() | Tick() | Complete() | ListenHere() | Outheard() | WakeWordConfirmed():
                return self._listen(message)
            case Compare() if not self._muted:
                return self._compare(message)
        return ()

    def deadline_s(self) -> float | None:
        """When to look at the mute switch, or tell the listener that no more sound comes."""
        deadline_s = self._listener.deadline_s()
        if self._mute is None:
            return deadline_s
        return self._look_at_s if deadline_s is None else min(self._look_at_s, deadline_s)

    def close(self) -> None:
        """Release the listener's engines; the player stays for the next stage."""
        self._listener.close()

    def _compare(self, message: Compare) -> Iterator[Message]:
        clearness_db, imprint = self._listener.lately()
        yield Compared(contest=message.contest, clearness_db=clearness_db, imprint=imprint.hex())

    def _listen(
        self, message: Frame | Tick | Complete | ListenHere | Outheard | WakeWordConfirmed
    ) -> Iterator[Message]:
        looks = isinstance(message, Frame) or message.at_s >= self._look_at_s
        if self._mute is not None and looks:
            yield from self._follow(self._mute, message.at_s)
        if self._muted:
            return
        for output in self._listener.feed(message):
            if isinstance(output, BargeIn):
                self._player.stop()
            elif isinstance(output, Woke):
                self._confirm_at_s = message.at_s + HEARD_AFTER_S if output.wake_word else None
            yield output
        self._player.lower(self._listener.listening)
        if self._microphones is not None:
            self._microphones.unhurried = self._listener.idle
        if self._confirm_at_s is not None and message.at_s >= self._confirm_at_s:
            self._confirm_at_s = None
            if self._listener.waiting:
                self._sound(HEARD)

    def _follow(self, mute: Mute, at_s: float) -> Iterator[Message]:
        """Close or open the microphones as the mute switch is, and tell of it."""
        muted = mute.follow()
        self._look_at_s = at_s + (LOOK_MUTED_EVERY_S if muted else LOOK_EVERY_S)
        if muted is self._muted:
            return
        self._muted = muted
        if muted:
            self._confirm_at_s = None
            yield from self._listener.deafen()
            self._player.lower(False)
        if muted and not mute.is_closed:
            # Without a beat this process is ended, and the next one opens nothing.
            log.error("a microphone hangs and does not close: restarting (audio.hung)")
            return
        log.info("the microphone is %s (audio.mute)", "muted" if muted else "no longer muted")
        self._sound(MUTED if muted else UNMUTED)
        yield MuteChanged(muted=muted)

    def _device(self, change: DeviceChanged) -> Iterator[Message]:
        level = logging.INFO if change.present else logging.WARNING
        state = "is there" if change.present else "is gone"
        log.log(level, "%s %s: %s (audio.device)", change.device, state, change.detail)
        return self._pass_on(change)

    def _pass_on(self, news: Message) -> Iterator[Message]:
        # Where outputs come back as inputs (all stages in one process), each is passed on once.
        if news == self._last_news:
            return
        self._last_news = news
        yield news
        if self._muted and isinstance(news, PlaybackEnded):
            if news.listen:  # a question that nobody can answer
                yield NothingHeard(utterance_id=news.utterance_id)
            news = msgspec.structs.replace(news, listen=False, heard=False)
        yield from self._listener.feed(news)

    def _sound(self, tones: tuple[tuple[float, float], ...]) -> None:
        if self._earcons:
            self._player.earcon(earcon(tones))
