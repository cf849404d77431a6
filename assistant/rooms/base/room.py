"""A room: the listener and the player of one satellite, as the device has its own.

The satellite streams what it hears exactly while the listener is open.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import msgspec
from wyoming.asr import Transcript as Transcribed
from wyoming.audio import AudioChunk
from wyoming.event import Event
from wyoming.pipeline import PipelineStage, RunPipeline
from wyoming.vad import VoiceStopped
from wyoming.wake import Detection

from assistant.core.clock import boottime_s
from assistant.core.messages import (
    BargeIn,
    Complete,
    Level,
    ListenHere,
    Message,
    Outheard,
    PlaybackEnded,
    PlaybackStarted,
    Speech,
    Spoken,
    Tick,
    Transcript,
    Woke,
)
from assistant.core.settings.hearing import ListeningSettings
from assistant.rooms.base.player import SatellitePlayer
from assistant.rooms.base.sound import SatelliteSound
from assistant.rooms.detection import Ended, Noticed
from assistant.rooms.wake_words import WakeWords
from audio.clearness import Heard as Clear
from audio.listener import KEYWORD_TAIL_S, Listener
from audio.wake.engine import WakeWordEngine

DEAF_AFTER_S = 1.8
"""Seconds without sound after which an utterance is over: networks stall for one, and more is a
satellite that has died."""


ANSWERED_S = 60.0
"""Seconds in which a question may be answered."""


class Elsewhere:
    """Implements `WakeWordEngine` where the wake word is heard by the satellite."""

    name, locates, doubt = "elsewhere", False, None

    def process(self, frame: object) -> str | None:
        """Notice nothing."""
        return None

    def close(self) -> None:
        """Nothing is held."""


class Room:
    """What is said in an area through one satellite; `name` is the satellite's.

    `send` takes messages for the daemon, and `write` events for the satellite. One that
    `reopens` can be asked to listen without a wake word. Where the satellite hears none by itself,
    the base does, with an engine of `words`.
    """

    def __init__(
        self,
        name: str,
        area: str,
        settings: ListeningSettings,
        words: WakeWords,
        player: SatellitePlayer,
        send: Callable[[Message], None],
        write: Callable[[Event], None],
    ) -> None:
        self.name, self.area = name, area
        self.reopens = False
        self.detections = 0
        """How often the satellite has told of a wake word since it was connected."""
        self._settings, self._words = settings, words
        self._listener = self._listening(Elsewhere())
        self._hears_all = False
        """Whether the satellite sends all that it hears, and the wake word is noticed here."""
        self._player, self._send, self._write = player, send, write
        self._sound = SatelliteSound()
        self._streams = False
        self._noticed: tuple[str, Noticed] | None = None
        """The wake word that the satellite told of, while its sound is still to come."""
        self._heard = ""
        """The words of the last utterance, as recognised."""
        self._asked_at_s = float("-inf")

    @property
    def streams(self) -> bool:
        """Whether the satellite is to send what it hears."""
        return self._streams

    @property
    def expects(self) -> bool:
        """Whether a question was asked here that may still be answered."""
        return boottime_s() - self._asked_at_s < ANSWERED_S

    @property
    def open(self) -> bool:
        """Whether an utterance is listened to."""
        return self._listener.open

    @property
    def waiting(self) -> bool:
        """Whether nobody is heard to speak, be it that nothing is listened to."""
        return self._listener.waiting or not self.open

    @property
    def sounds(self) -> bool:
        """Whether sound comes of what is listened to."""
        return self.open and self._sound.comes

    # ── from the satellite ──────────────────────────────────────────────────────────────────

    def notice(self, keyword: str, noticed: Noticed, at_s: float) -> None:
        """The satellite tells of a wake word: in what comes already, or before what will come."""
        self.detections += 1
        self._noticed = keyword, noticed
        if self._streams and self._sound.comes:
            self._woken(keyword, noticed, at_s)

    def stream(self, keyword: str, at_s: float) -> None:
        """The satellite begins to send what it hears, from the wake word on that it told of."""
        told, noticed = self._noticed or ("", Noticed())
        self._woken(told or keyword, noticed, at_s)

    def _woken(self, keyword: str, noticed: Noticed, at_s: float) -> None:
        self._noticed = None
        begins_s = at_s - noticed.preroll_s
        if self._streams and self._sound.comes:
            at_s = self._sound.ended_s  # the sound is late by what the network takes
        else:
            self._sound.begin(at_s, noticed.preroll_s)
        self._streams = True
        ended_s = at_s - noticed.keyword_ended_s + KEYWORD_TAIL_S
        if self._player.playing:
            self._give([BargeIn(utterance_id=self._player.playing)])
            self._player.stop()
        self._heard = ""
        command_from_s = ended_s if noticed.preroll_s else begins_s
        self._follow(self._listener.wake(at_s, begins_s, command_from_s, keyword))

    def hear_all(self) -> None:
        """The satellite begins to send all that it hears; raises `RoomsError` for one too many."""
        if not self._hears_all:
            self._listener = self._listening(self._words.engine())
            self._hears_all = True
        self._sound.begin()

    def hear(self, chunk: AudioChunk, at_s: float) -> None:
        """Take sound; what comes when nothing is listened to is dropped."""
        if not (self.open or self._hears_all):
            return
        if self._noticed is not None and self._streams:
            keyword, noticed = self._noticed  # just as it was asked to listen: nothing came before
            self._woken(keyword, msgspec.structs.replace(noticed, preroll_s=0.0), at_s)
        for frame in self._sound.frames(chunk, at_s):
            self._follow(self._listener.feed(frame))

    def was_played(self) -> None:
        """The satellite has played what it got, to its end or until somebody said "stop"."""
        if self._player.was_played() and (reply := self._player.playing):
            self._give([BargeIn(utterance_id=reply)])
            self._player.stop()

    def lost(self) -> None:
        """The satellite is gone: what was being said is dropped, and nothing is played."""
        self._streams, self._noticed = False, None
        self._give(self._listener.deafen())
        self._player.stop()
        if self._hears_all:
            self._hears_all = False
            self._listener.close()
            self._words.release()
            self._listener = self._listening(Elsewhere())

    # ── from the daemon ─────────────────────────────────────────────────────────────────────

    def take(self, message: Message) -> None:
        """Take speech to be played, a verdict on what is said, or its words."""
        if isinstance(message, Speech):
            self._asked_at_s = boottime_s() if message.listen else float("-inf")
            self._player.play(message)
            self._follow(self._listener.feed(message))
        elif isinstance(message, Complete):
            self._follow(self._listener.feed(message))
        elif isinstance(message, Transcript):
            self._heard = message.text

    def told(self, news: Message) -> None:
        """Take news of the player; where the satellite cannot be asked to listen, none follows."""
        self._give([news])
        if isinstance(news, PlaybackEnded) and not (self.reopens or self._hears_all):
            news = msgspec.structs.replace(news, listen=False, heard=False)
        if isinstance(news, PlaybackStarted | PlaybackEnded):
            self._follow(self._listener.feed(news))

    def tick(self, at_s: float) -> None:
        """Let time pass, as a satellite may fall silent.

        It has while nothing comes: what does may have been heard long before.
        """
        due_s = self._listener.deadline_s()
        if due_s is not None and at_s >= max(due_s, self._sound.came_at_s + DEAF_AFTER_S):
            self._follow(self._listener.feed(Tick(at_s=at_s)))

    def lately(self) -> Clear | None:
        """How clearly it hears what was just said; None where only the satellite knows."""
        return self._listener.lately() if self._hears_all else None

    def listen(self, wake_word: str, ended_at_s: float) -> bool:
        """Listen to what was said from a wake word on that another room noticed, if it is here."""
        if self._hears_all:
            heard = ListenHere(wake_word=wake_word, ended_at_s=ended_at_s)
            self._follow(self._listener.feed(heard))
        return self._hears_all

    def outheard(self, utterance_id: str) -> bool:
        """Another room hears the same better: forget it; whether it was being heard."""
        if dropped := self._listener.drop(utterance_id):
            self._send(Outheard(utterance_id=utterance_id))
            self._stream_as_needed()
        return dropped

    # ── what follows ────────────────────────────────────────────────────────────────────────

    def _follow(self, outputs: Iterable[Message]) -> None:
        self._give(outputs)
        self._player.lower(self._listener.listening)
        self._stream_as_needed()

    def _stream_as_needed(self) -> None:
        """Have the satellite send what it hears, or end that, as the listener is open."""
        if self.open and not (self._streams or self._hears_all):
            self._sound.begin()
            self._write(RunPipeline(PipelineStage.ASR, PipelineStage.TTS).event())
        elif self._streams and not self.open:
            self._write(VoiceStopped().event())
            context = Ended(detections=self.detections).context()
            self._write(Transcribed(text=self._heard, context=context).event())
        self._streams = self.open

    def _give(self, outputs: Iterable[Message]) -> None:
        for message in _of_room(outputs, self.name):
            self._send(message)
            if self._hears_all and isinstance(message, Woke) and message.wake_word:
                self._write(Detection(name=message.wake_word).event())

    def _listening(self, engine: WakeWordEngine) -> Listener:
        return Listener(self._settings, engine, area=self.area, deaf_after_s=DEAF_AFTER_S)


def _of_room(outputs: Iterable[Message], name: str) -> Iterator[Message]:
    """What goes to the daemon: it names the satellite, and has no levels."""
    for output in outputs:
        if isinstance(output, Spoken | Woke | BargeIn | PlaybackStarted | PlaybackEnded):
            yield msgspec.structs.replace(output, peer=name)
        elif not isinstance(output, Level):
            yield output
