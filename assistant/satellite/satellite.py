"""The satellite: it sends its base what it hears from a wake word on, and plays what the base says.

It opens no socket and no device: frames, news of playback and the base's events go in, events for
the base come out. The events are those of Wyoming's satellites; what only another Hark knows stands
in a detection's context (`assistant.rooms.detection`).
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from wyoming.asr import Transcript
from wyoming.audio import AudioChunk, AudioStart, AudioStop
from wyoming.error import Error
from wyoming.event import Event
from wyoming.info import Describe, Info
from wyoming.ping import Ping, Pong
from wyoming.pipeline import PipelineStage, RunPipeline
from wyoming.satellite import PauseSatellite, RunSatellite
from wyoming.snd import Played
from wyoming.timer import TimerCancelled, TimerFinished, TimerStarted, TimerUpdated
from wyoming.wake import Detect, Detection, NotDetected

from assistant.bridge.complaints import Complaints
from assistant.core.errors import AudioError
from assistant.core.messages import (
    SAMPLE_RATE_HZ,
    Frame,
    PlaybackEnded,
    PlaybackStarted,
    Speech,
    Tick,
)
from assistant.rooms.detection import Comparing, Ended, Noticed, from_hark, name_of
from assistant.satellite.timers import Timers
from audio.ear import Ear
from audio.earcons import FAILED, HEARD, earcon
from audio.frames import FRAME_S
from audio.listener import KEYWORD_ENDS_BEFORE_S, KEYWORD_TAIL_S
from audio.play_queue import RATES_HZ
from audio.preroll import Heard
from audio.stage import Player

FORMAT = (SAMPLE_RATE_HZ, 2, 1)
LONGEST_S = 60.0
"""Seconds after which it sends no more of an utterance, whatever the base says."""
HEARD_AFTER_S = 0.3
"""Seconds after a wake word in which somebody speaks on, or the base prefers another room."""
SPEAKS_FRAMES = 3
"""Frames with speech in which somebody speaks on."""
AWAY, MUTED = "I cannot reach the base.", "I am muted."
LONGEST_CODE = 100
"""Most characters of a base's error that are logged."""
PLAYS_ON_S = 10.0
"""Seconds for which a reply that came whole plays on when its base has gone."""
BASES, OWN = "base-", "own-"
"""Beginnings of the names of what is played for the base, and by the satellite itself."""

log = logging.getLogger(__name__)


class Satellite:
    """Serves one base at a time, with an `ear` and a `player`.

    `info` describes it. `say` gives the sound of what it says by itself, when the base is away.
    """

    def __init__(
        self,
        ear: Ear,
        player: Player,
        info: Info,
        say: Callable[[str], tuple[bytes, int]],
        earcons: bool = True,
    ) -> None:
        self._ear, self._player, self._info = ear, player, info
        self._say, self._earcons = say, earcons
        self._timers = Timers()
        self._complaints = Complaints(log)
        self._base_is_hark = False
        self.runs = False
        """Whether a base has it listen for wake words."""
        self._muted = False
        self._sends_since_s: float | None = None
        self._detections, self._spoke_frames = 0, 0
        self._within: tuple[str, float] | None = None
        """The last wake word, and when it ended, where it was noticed in what was sent already."""
        self._confirm_at_s: float | None = None
        self._playing = ""
        self._replies = self._notices = 0
        self._sentence, self._rate_hz = 0, 0
        self._cut = False
        self._left_behind, self._plays_on_until_s = 0, 0.0
        """The last reply of a base that has gone, and when the replies up to it are to be over."""
        self._at_s = 0.0
        self._elsewhere_ended_s = 0.0
        """When the wake word ended that another room noticed last."""
        self._obey: Mapping[str, Callable[[Event], Iterator[Event]]] = {
            Describe().event().type: lambda _: iter([self._info.event()]),
            Ping().event().type: lambda event: iter([Pong(Ping.from_event(event).text).event()]),
            RunSatellite().event().type: self._run,
            PauseSatellite().event().type: lambda _: self._pause(),
            RunPipeline(_ASR, _TTS).event().type: self._asked_to_listen,
            Detect().event().type: self._compare,
            Transcript("").event().type: self._end_utterance,
            Error("").event().type: self._failed,
            AudioStart(*FORMAT).event().type: self._begin_reply,
            AudioChunk(*FORMAT, b"").event().type: self._reply,
            AudioStop().event().type: self._end_reply,
            TimerStarted("", 0).event().type: self._timer_started,
            TimerUpdated("", False, 0).event().type: self._timer_updated,
            TimerCancelled("").event().type: self._timer_cancelled,
            TimerFinished("").event().type: self._timer_finished,
        }

    @property
    def sends(self) -> bool:
        """Whether what is heard goes to the base."""
        return self._sends_since_s is not None

    @property
    def muted(self) -> bool:
        """Whether the base wants nothing from it, and may be silent, too."""
        return self._muted

    def obey(self, event: Event, at_s: float) -> Iterator[Event]:
        """Take an event of the base, and answer; raises what the package does for missing fields.

        An event that is not known is passed over, as Wyoming wants it.
        """
        self._at_s = max(self._at_s, at_s)
        if (obey := self._obey.get(event.type)) is not None:
            yield from obey(event)

    def hear(self, frame: Frame) -> Iterator[Event]:
        """Take a frame of the microphone."""
        self._at_s = frame.at_s
        heard, keyword = self._ear.hear(frame, self.sends)
        sent_before = self._sends_since_s is not None
        if keyword is not None:
            yield from self._woken(keyword, frame.at_s)
        elif self._playing and self._ear.told_to_stop(heard, 0):
            self._player.stop()
        if sent_before and self._sends_since_s is not None:
            yield _chunk(heard)
            self._spoke_frames += heard.speech
            if frame.at_s - self._sends_since_s > LONGEST_S:
                yield from self._stop_sending()
                yield AudioStop().event()
        self._confirm(frame.at_s)

    def told(self, news: PlaybackStarted | PlaybackEnded) -> Iterator[Event]:
        """Take news of what is played; the base is told when its reply has ended, or was cut."""
        if isinstance(news, PlaybackStarted):
            self._playing = news.utterance_id
            self._ear.forget_speech()
            return
        self._playing = ""
        if news.utterance_id.startswith(BASES):
            self._cut |= news.interrupted and self._rate_hz > 0
            yield Played().event()

    def tick(self, tick: Tick) -> None:
        """Ring the timers that are due, while no base does, and end what a base left behind."""
        self._at_s = max(self._at_s, tick.at_s)
        if self._at_s >= self._plays_on_until_s and self._plays_what_was_left:
            self._player.stop()
        if not self.runs:
            for words in self._timers.due(self._at_s):
                self._notify(words)

    def deadline_s(self) -> float | None:
        """When to call `tick`, at the latest."""
        return None if self.runs else self._timers.deadline_s()

    def lost(self) -> None:
        """The base is gone, as is what it was about to say."""
        if self._rate_hz:
            self._player.stop()
        if self.sends:
            self._stop_sending()
            self._notify(AWAY)
        self.runs = self._muted = self._cut = False
        self._rate_hz = 0
        self._left_behind, self._plays_on_until_s = self._replies, self._at_s + PLAYS_ON_S

    @property
    def _plays_what_was_left(self) -> bool:
        number = self._playing.removeprefix(BASES)
        return number.isdecimal() and int(number) <= self._left_behind

    def announce(self, words: str) -> None:
        """Say something that the base did not ask for."""
        self._notify(words, HEARD)

    # ── what is heard ───────────────────────────────────────────────────────────────────────

    def _woken(self, keyword: str, at_s: float) -> Iterator[Event]:
        if self._playing:
            self._player.stop()
        if not self.runs:
            away = MUTED if self._muted else AWAY
            log.warning("the wake word was said: %s (satellite.base)", away)
            self._notify(away)
            return
        yield from self._send_utterance(keyword, at_s - KEYWORD_ENDS_BEFORE_S - KEYWORD_TAIL_S)

    def _send_utterance(self, keyword: str, ended_s: float) -> Iterator[Event]:
        """Send what is said from the wake word on, which ended at `ended_s`."""
        at_s = self._at_s
        begins_s = self._ear.begins_s(ended_s)
        if not self._base_is_hark:  # it would take the wake word for a word of the command
            begins_s = ended_s + KEYWORD_TAIL_S
        before = self._ear.preroll.since(begins_s)
        noticed = self._noticed(ended_s, len(before) * FRAME_S)
        self._detections += 1
        self._within = (keyword, ended_s) if self.sends else None
        yield Detection(name=keyword, timestamp=_ms(at_s), context=noticed.context()).event()
        if not self.sends:  # else the base has what came before
            self._send_from(at_s, at_s + HEARD_AFTER_S)
            yield RunPipeline(_ASR, _TTS, wake_word_name=keyword).event()
            yield from map(_chunk, before)

    def _noticed(self, ended_s: float, preroll_s: float = 0.0) -> Noticed:
        return Noticed(
            preroll_s=round(preroll_s, 3),
            keyword_ended_s=round(self._at_s - ended_s, 3),
            heard=self._ear.lately(),
        )

    def _compare(self, event: Event) -> Iterator[Event]:
        """Tell how clearly the wake word is heard here, which another room has noticed."""
        asked = Comparing.of(Detect.from_event(event).context)
        if asked is not None and self.runs:
            self._elsewhere_ended_s = self._at_s - asked.ended_s
            yield NotDetected(context=self._noticed(self._elsewhere_ended_s).context()).event()

    def _asked_to_listen(self, event: Event) -> Iterator[Event]:
        """The base wants to hear what is said now or, where it names a wake word, from that on.

        Another room has noticed that one, and it is heard best here.
        """
        keyword = name_of(RunPipeline.from_event(event).wake_word_name)
        if not self.runs or self.sends:
            return
        if keyword:
            yield from self._send_utterance(keyword, self._elsewhere_ended_s)
        else:
            self._send_from(self._at_s, None)

    def _end_utterance(self, event: Event) -> Iterator[Event]:
        """Send no more, unless the base did not know of the last wake word when it said so."""
        ended = Ended.of(Transcript.from_event(event).context)
        if ended is None or ended.detections >= self._detections:
            yield from self._stop_sending()
        elif self._within is not None:  # in what the base did not want: it has none of it
            self._stop_sending()
            yield from self._send_utterance(*self._within)

    def _send_from(self, at_s: float, confirm_at_s: float | None) -> None:
        self._sends_since_s, self._spoke_frames = at_s, 0
        self._confirm_at_s = confirm_at_s
        self._player.lower(True)

    def _stop_sending(self) -> Iterator[Event]:
        self._sends_since_s = self._confirm_at_s = None
        self._player.lower(False)
        return iter(())

    def _confirm(self, at_s: float) -> None:
        """Tell who only said the wake word that it was heard."""
        if self._confirm_at_s is not None and at_s >= self._confirm_at_s:
            self._confirm_at_s = None
            if self._spoke_frames < SPEAKS_FRAMES:
                self._sound(HEARD)

    # ── what the base says ──────────────────────────────────────────────────────────────────

    def _run(self, event: Event) -> Iterator[Event]:
        self.runs, self._muted = True, False
        self._base_is_hark = from_hark(event)
        self._detections = 0
        return iter(())

    def _pause(self) -> Iterator[Event]:
        self.runs, self._muted = False, True
        return self._stop_sending()

    def _failed(self, event: Event) -> Iterator[Event]:
        error = Error.from_event(event)
        code = repr(error.code)[:LONGEST_CODE] if error.code else "no code"
        self._complaints.of("satellite.failed", f"the base could not serve: {code}")
        if self.sends:
            self._sound(FAILED)
        return self._stop_sending()

    def _begin_reply(self, event: Event) -> Iterator[Event]:
        start = AudioStart.from_event(event)
        if (start.width, start.channels) != FORMAT[1:] or start.rate not in RATES_HZ:
            self._complaints.of("satellite.format", "the base speaks in a form that is not played")
            self._rate_hz = 0
            return iter(())
        self._replies += 1
        self._sentence, self._rate_hz, self._cut = 0, start.rate, False
        return iter(())

    def _reply(self, event: Event) -> Iterator[Event]:
        chunk = AudioChunk.from_event(event)
        if self._rate_hz and chunk.audio and not self._cut:
            self._play(f"{BASES}{self._replies}", chunk.audio, self._rate_hz, last=False)
        return iter(())

    def _end_reply(self, _: Event) -> Iterator[Event]:
        if self._rate_hz and not self._cut:
            self._play(f"{BASES}{self._replies}", b"", self._rate_hz, last=True)
        self._rate_hz = 0
        return iter(())

    def _timer_started(self, event: Event) -> Iterator[Event]:
        started = TimerStarted.from_event(event)
        self._timers.start(started.id, started.name or "", started.total_seconds, self._at_s)
        return iter(())

    def _timer_updated(self, event: Event) -> Iterator[Event]:
        updated = TimerUpdated.from_event(event)
        self._timers.update(updated.id, updated.is_active, updated.total_seconds, self._at_s)
        return iter(())

    def _timer_cancelled(self, event: Event) -> Iterator[Event]:
        self._timers.cancel(TimerCancelled.from_event(event).id)
        return iter(())

    def _timer_finished(self, event: Event) -> Iterator[Event]:
        """Ring, as Home Assistant wants of its satellites; another Hark rings by its own words."""
        words = self._timers.finish(TimerFinished.from_event(event).id)
        if words:
            self._notify(words)
        return iter(())

    # ── what it says ────────────────────────────────────────────────────────────────────────

    def _notify(self, words: str, sound: tuple[tuple[float, float], ...] = FAILED) -> None:
        """Say something by itself."""
        samples, rate_hz = self._say(words)
        self._notices += 1
        self._sound(sound)
        self._sentence = 0
        with self._unless_too_much_waits():
            self._play(f"{OWN}{self._notices}", samples, rate_hz, last=True)

    def _play(self, name: str, samples: bytes, rate_hz: int, last: bool) -> None:
        speech = Speech(
            utterance_id=name,
            sequence=self._sentence,
            samples=samples,
            rate_hz=rate_hz,
            text="",
            last=last,
        )
        self._sentence += 1
        self._player.play(speech)

    def _sound(self, tones: tuple[tuple[float, float], ...]) -> None:
        if self._earcons:
            with self._unless_too_much_waits():
                self._player.earcon(earcon(tones))

    @contextmanager
    def _unless_too_much_waits(self) -> Iterator[None]:
        """Drop what the satellite would say by itself after minutes of what the base says."""
        try:
            yield
        except AudioError as error:
            self._complaints.of("satellite.player", f"{error.message} ({error.code})")


_ASR, _TTS = PipelineStage.ASR, PipelineStage.TTS


def _chunk(heard: Heard) -> Event:
    return AudioChunk(*FORMAT, heard.samples, timestamp=_ms(heard.at_s)).event()


def _ms(at_s: float) -> int:
    return round(1000 * at_s)
