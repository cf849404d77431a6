"""The microphone and the loudspeaker by which a skill that is being written is spoken to."""

from __future__ import annotations

import select
import time
from collections.abc import Iterator, Sequence
from types import TracebackType

from assistant.core.config import Config
from assistant.core.errors import InputError
from assistant.core.messages import DeviceChanged, Message
from assistant.core.models.manifest import Library
from audio.build import make_listener, make_own_voice, make_voice
from audio.microphones.capture import Capture
from audio.mute.switch import MuteSwitch
from audio.playback import Playback
from audio.stage import AudioStage

PATIENCE_S = 10.0
"""Most seconds in which a microphone must be heard, or be known to be missing."""

LOST = ("microphone", False)


class SpokenTo:
    """The first microphone of `config` and its loudspeaker, open while this is a context.

    Whatever is spoken is an utterance, without a wake word. Raises `InputError` where there is no
    microphone or it is muted, and `SpeakingError` where there is no voice.
    """

    def __init__(self, config: Config) -> None:
        self._config, self._mute = config, MuteSwitch.of(config)

    def __enter__(self) -> SpokenTo:
        config = self._config
        self._refuse_if_muted()
        own_voice = make_own_voice(config)
        listener = make_listener(config, wake=False, own_voice=own_voice)
        self.voice = make_voice(config, Library(config.models_dir))
        self._capture = Capture(config.audio.inputs[:1])
        self._playback = Playback(config.audio.output, own_voice)
        self.audio = AudioStage(listener, self._playback, config.voice.earcons)
        try:
            if not self.read(PATIENCE_S):
                raise InputError("audio.no_microphone", "no microphone: no sound comes from it")
        except InputError:
            self._close()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self._close()

    def read(self, patience_s: float) -> Sequence[Message]:
        """The sound, and the news of what is played, that came; waits for it at most so long."""
        self._refuse_if_muted()
        sources = (self._capture, self._playback)
        select.select([source.fileno() for source in sources], [], [], patience_s)
        arrived = [message for source in sources for message in source.read()]
        for news in arrived:
            if isinstance(news, DeviceChanged) and (news.device, news.present) == LOST:
                raise InputError("audio.no_microphone", f"no microphone: {news.detail}")
        return arrived

    def during(self, seconds: float) -> Iterator[Message]:
        """What comes within the next seconds."""
        ends_s = time.monotonic() + seconds
        while (left_s := ends_s - time.monotonic()) > 0:
            yield from self.read(left_s)

    def _refuse_if_muted(self) -> None:
        if self._mute.on:
            raise InputError("audio.muted", "the microphone is muted; run: assistant unmute")

    def _close(self) -> None:
        self._capture.close()
        self._playback.close()
        self.audio.close()
