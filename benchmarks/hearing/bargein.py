"""Talk over the assistant's replies in simulated rooms: `python -m benchmarks.hearing.bargein`.

The real listener, echo canceller and engines hear a simulated room: people say the wake word and
voices say "stop" over replies of flite, so many dB below the echo at the microphone, and nobody
speaks over replies that hold both words. A session is one room with one card, whose replies are
reported late by 0 to 0.08 s, and from reply to reply by up to 0.025 s differently, as measured of
real ones. `--half choose` is for choosing rules and settings; "judge" has other rooms, replies,
voices and speakers. Where whisper is here, it judges what is in doubt, at once; `--unjudged` leaves
it out.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np
import soundfile

from assistant.core.config import Config, config_files, load_config
from assistant.core.messages import (
    SAMPLE_RATE_HZ,
    BargeIn,
    DoubtfulWakeWord,
    Frame,
    Message,
    PlaybackEnded,
    PlaybackStarted,
    Speech,
    Tick,
    WakeWordConfirmed,
    Woke,
)
from assistant.core.models.manifest import Library
from audio.build import make_judge, make_listener, make_own_voice
from audio.frames import FRAME_S, FRAME_SAMPLES, Samples, at_rate
from audio.listener import DEAF_AFTER_S
from audio.own_voice import OwnVoice
from audio.play_queue import News, PlayQueue, ReplyEnded, ReplyStarted, Sounding
from audio.stage import AudioStage
from audio.wake.judge import WakeWordJudge
from benchmarks.hearing.rooms import (
    FULL_SCALE,
    Loudspeaker,
    Room,
    Sound,
    active_rms,
    compressed,
    spoken_part,
    within,
)

RECORDINGS = Path("../shared/data/audio/wake/computer")
LEVELS_DB = (0, 6, 12, 18)
WORDS = ("stop", "computer")
ECHO_DBFS, NOISE_DBFS = -26.0, -66.0
NOTICED_WITHIN_S = 1.0
"""Seconds after a word's end within which it must be obeyed."""
LATE_S, DIFFERS_S, JITTER_S = 0.08, 0.0125, 0.016
DEVICE_DELAY_S = 0.08
QUIET_FRAMES, TAIL_FRAMES = 40, 25
"""Frames before and after a reply."""

REPLIES = {
    "choose": (
        "The lights in the kitchen and in the hall are on, and all the others are off.",
        "Your next appointment is with the dentist, at half past nine on Thursday morning.",
        "It is twenty one degrees in the living room, and the heating is set to nineteen.",
        "There are eggs, butter, brown sugar and two loaves of bread on the shopping list.",
        "The timer for the potatoes has four minutes and thirty seconds left.",
        "According to the manual, the filter should be rinsed under warm water once a month.",
        "I turned off the lamp beside the sofa and closed the blinds in the bedroom.",
        "The lease says that three months of notice are needed before you move out.",
    ),
    "judge": (
        "The front door is locked, but the window in the bathroom is still open.",
        "You noted last week that the spare key hangs behind the pantry door.",
        "On Saturday there is football at ten, and in the evening you are at the theatre.",
        "The washing machine has finished, and the dryer needs about forty minutes more.",
        "I have added oat milk, tomatoes and fresh yeast to the list for the weekend.",
        "The warranty of the boiler runs for five years from the day it was fitted.",
        "The fan in the office is at half speed, and the humidity is sixty two per cent.",
        "Which of them did you mean, the one by the desk or the one near the bookshelf?",
    ),
}
BOTH_WORDS = {
    "choose": (
        "To begin, say computer, and tell me what to do. To end, say stop, and I am quiet.",
        "Stop the music by saying stop. The word computer wakes me up.",
        "The bus will stop next to the computer shop. It does not stop there on Sundays.",
        "You asked me to stop the timer for the computer. I did stop it, at half past four.",
    ),
    "judge": (
        "Just say computer before you speak. While I talk, say stop, and that is the end of it.",
        "Your note says, take the computer to the repair shop, it is by the last stop of the tram.",
        "Stop, says the computer in the story, and everybody did stop.",
        "The list is: computer desk, door stop, and a lamp. Shall I stop here?",
    ),
}
REPLY_VOICES = {"choose": ("rms", "kal16"), "judge": ("slt", "awb")}
STOP_VOICES = {
    "choose": ("flite:slt", "flite:awb", "espeak:en-us", "espeak:en-us+f3", "espeak:en-gb+m2"),
    "judge": ("flite:rms", "flite:kal16", "espeak:en-us+m3", "espeak:en-us+f2", "espeak:en-gb"),
}
SEEDS = {"choose": 1, "judge": 2}


class Tally(msgspec.Struct, kw_only=True):
    """Words obeyed, of those said at a level; `early` are those that begin in the first second."""

    said: int = 0
    obeyed: int = 0
    early: int = 0
    early_obeyed: int = 0


class Figures(msgspec.Struct, kw_only=True):
    """By "word level", and replies that stopped or woke themselves before anyone spoke."""

    half: str
    words: dict[str, Tally]
    talked_over: int = 0
    stopped_before: int = 0
    replies_with_both: int = 0
    self_stops: int = 0


class Said(NamedTuple):
    """What a person says over a reply, so many seconds after its beginning."""

    word: str
    level_db: int
    at_s: float
    sound: Sound


class Card:
    """Implements `audio.stage.Player` with a real queue, a simulated clock and a simulated room."""

    def __init__(self, own_voice: OwnVoice, loudspeaker: Loudspeaker, rng: random.Random) -> None:
        self._own_voice, self._loudspeaker, self._rng = own_voice, loudspeaker, rng
        self._queue = PlayQueue()
        self._late_s = rng.uniform(0.0, LATE_S)
        self._late_now_s = self._late_s
        self._news: list[Message] = []
        self.now_s = 1000.0

    def play(self, speech: Speech) -> None:
        """Play a sentence after those before it."""
        self._tell(list(self._queue.play(speech)))

    def earcon(self, samples: Samples) -> None:
        """Earcons are left out."""

    def lower(self, lowered: bool) -> None:
        """Whether what begins to play is to be soft."""
        self._queue.lowered = lowered

    def stop(self) -> None:
        """Stop playing at once."""
        self._tell(self._queue.stop())
        self._loudspeaker.abort()
        self._own_voice.stops(self.now_s)

    def reply(self) -> None:
        """Draw how late the next reply will be reported."""
        self._late_now_s = self._late_s + self._rng.uniform(-DIFFERS_S, DIFFERS_S)

    def frame(self) -> Sound:
        """What the microphone hears in the next 32 ms, while the queue is played on."""
        block, news = self._queue.pull(FRAME_SAMPLES, SAMPLE_RATE_HZ)
        self._tell(news)
        self.now_s += FRAME_S
        return self._loudspeaker.play(block)

    def news(self) -> list[Message]:
        """What was reported since the last call."""
        news, self._news = self._news, []
        return news

    def _tell(self, news: Iterable[News]) -> None:
        at_s = self.now_s + DEVICE_DELAY_S - self._late_now_s
        for item in news:
            match item:
                case Sounding():
                    reference = at_rate(item.samples, item.rate_hz, SAMPLE_RATE_HZ)
                    self._own_voice.plays(reference, at_s)
                case ReplyStarted():
                    self._news.append(PlaybackStarted(utterance_id=item.utterance_id, at_s=at_s))
                case ReplyEnded():
                    self._news.append(
                        PlaybackEnded(
                            utterance_id=item.utterance_id,
                            interrupted=item.interrupted,
                            heard=item.heard,
                            at_s=self.now_s,
                        )
                    )


class Session:
    """One room, one card and one voice of the assistant, for some replies."""

    def __init__(
        self, half: str, seed: int, echo: bool = True, judge: WakeWordJudge | None = None
    ) -> None:
        self._half, self._judge = half, judge
        self.rng = random.Random(f"{half} {SEEDS[half]} {seed}")
        self._noise = np.random.default_rng(self.rng.randrange(1 << 30))
        self._room = Room.drawn(self.rng)
        self.voice = self.rng.choice(REPLY_VOICES[half])
        drive = self.rng.uniform(0.5, 2.0)
        response = self._room.response(self._room.loudspeaker)
        typical = compressed(spoken(f"flite:{self.voice}", REPLIES[half][0]), drive)
        gain = level(ECHO_DBFS) / active_rms(within(typical, response))
        self._to_person = self._room.response(self._room.person)
        own_voice = make_own_voice(Config())
        played = response * gain if echo else response * 0.0
        self._card = Card(own_voice, Loudspeaker(played, drive, DEVICE_DELAY_S), self.rng)
        listener = make_listener(Config(), own_voice=own_voice)
        self._stage = AudioStage(listener, self._card, earcons=False)
        self._count = 0

    def close(self) -> None:
        """Release the engines."""
        self._stage.close()

    def person(self, word: str, level_db: int, sound: Sound, latest_s: float) -> Said:
        """Somebody who says `sound` in this room at a random moment until `latest_s`."""
        here = within(spoken_part(sound), self._to_person)
        here *= level(ECHO_DBFS - level_db) / active_rms(here)
        return Said(word, level_db, self.rng.uniform(0.2, latest_s), here)

    def talk(self, sentences: Sequence[str], said: Said | None) -> tuple[bool, bool]:
        """Play a reply: whether it was stopped before anyone spoke, and whether `said` was obeyed.

        A wake word is obeyed when it opens the microphone.
        """
        sounds = [spoken(f"flite:{self.voice}", text) for text in sentences]
        self._count += 1
        # The microphone that a wake word has opened is closed, as by its loss.
        list(self._stage.feed(Tick(at_s=self._card.now_s + 2 * DEAF_AFTER_S)))
        for _ in range(QUIET_FRAMES):
            list(self._step(None, 0))
        self._card.reply()
        for n, sound in enumerate(sounds):
            speech = Speech(
                utterance_id=f"r{self._count}",
                sequence=n,
                samples=sound.astype(np.int16).tobytes(),
                rate_hz=SAMPLE_RATE_HZ,
                text="",
                last=n == len(sounds) - 1,
            )
            list(self._stage.feed(speech))
        seconds = sum(map(len, sounds)) / SAMPLE_RATE_HZ
        heard = self._outcome(seconds, said)
        self._card.stop()
        return heard

    def _outcome(self, seconds: float, said: Said | None) -> tuple[bool, bool]:
        if said is None:
            frames = round(seconds / FRAME_S) + TAIL_FRAMES
            return self._until(frames, None, (BargeIn, Woke)) is not None, False
        begins = round((said.at_s + DEVICE_DELAY_S) / FRAME_S)
        lasts_s = len(said.sound) / SAMPLE_RATE_HZ - self._room.t60_s
        frames = begins + round((lasts_s + NOTICED_WITHIN_S) / FRAME_S)
        wanted = (BargeIn,) if said.word == "stop" else (Woke,)
        noticed = self._until(frames, said, wanted)
        before = noticed is not None and noticed < begins
        return before, noticed is not None and not before

    def _until(
        self, frames: int, said: Said | None, wanted: tuple[type[Message], ...]
    ) -> int | None:
        """The first of `frames` in which a `wanted` message came."""
        for n in range(frames):
            if any(isinstance(message, wanted) for message in self._step(said, n)):
                return n
        return None

    def _step(self, said: Said | None, n: int) -> Iterator[Message]:
        heard = self._card.frame() + self._noise.normal(0.0, level(NOISE_DBFS), FRAME_SAMPLES)
        for news in self._card.news():
            yield from self._stage.feed(news)
        if said is not None:
            start = n * FRAME_SAMPLES - round((said.at_s + DEVICE_DELAY_S) * SAMPLE_RATE_HZ)
            piece = said.sound[max(0, start) : max(0, start + FRAME_SAMPLES)]
            at = max(0, -start)
            heard[at : at + len(piece)] += piece
        samples = np.clip(np.rint(heard), -FULL_SCALE, FULL_SCALE - 1).astype(np.int16)
        at_s = self._card.now_s + self.rng.uniform(0.0, JITTER_S)
        for message in self._stage.feed(Frame(samples=samples.tobytes(), at_s=at_s)):
            yield message
            if isinstance(message, DoubtfulWakeWord) and self._confirms(message):
                confirmed = WakeWordConfirmed(utterance_id=message.utterance_id, at_s=at_s)
                yield from self._stage.feed(confirmed)

    def _confirms(self, doubt: DoubtfulWakeWord) -> bool:
        sound = np.frombuffer(doubt.samples, np.int16)
        return self._judge is not None and self._judge.hears(doubt.wake_word, sound)


@cache
def spoken(voice: str, text: str, rate: float = 1.0) -> Sound:
    """The sound of `text`, at 16 kHz; `voice` is "flite:NAME" or "espeak:NAME"."""
    program, _, name = voice.partition(":")
    with tempfile.TemporaryDirectory() as folder:
        wav = f"{folder}/a.wav"
        if program == "flite":
            stretched = f"duration_stretch={1 / rate}"
            command = ["flite", "-voice", name, "--setf", stretched, "-t", text, "-o", wav]
        else:
            command = ["espeak-ng", "-v", name, "-s", str(round(160 * rate)), "-w", wav, text]
        subprocess.run(command, check=True)
        samples, rate_hz = soundfile.read(wav, dtype="int16")
    return at_rate(samples, rate_hz, SAMPLE_RATE_HZ).astype(np.float64)


def level(dbfs: float) -> float:
    """The RMS of 16-bit samples at a level in dB below full scale."""
    return FULL_SCALE * float(10 ** (dbfs / 20))


def recordings(folder: Path, half: str) -> list[Path]:
    """Every other recording of people who say the wake word."""
    return sorted(folder.glob("*.flac"))[half == "judge" :: 2]


def word_sound(word: str, half: str, people: Sequence[Path], rng: random.Random) -> Sound:
    """A person's wake word, or a voice's "stop"."""
    if word == "stop":
        return spoken(rng.choice(STOP_VOICES[half]), "stop.", rng.choice((0.8, 1.0, 1.2)))
    samples, _ = soundfile.read(rng.choice(people), dtype="int16")
    return np.asarray(samples, np.float64)


def talked_over(
    figures: Figures,
    sessions: int,
    people: Sequence[Path],
    judge: WakeWordJudge | None,
    echo: bool,
) -> None:
    """In each session each word once at each level, in random order."""
    for seed in range(sessions):
        session = Session(figures.half, seed, echo, judge)
        rng = session.rng
        turns = [(word, level_db) for word in WORDS for level_db in LEVELS_DB]
        for word, level_db in rng.sample(turns, len(turns)):
            sentences = rng.sample(REPLIES[figures.half], 2)
            sound = word_sound(word, figures.half, people, rng)
            said = session.person(word, level_db, sound, latest_s=5.0)
            before, obeyed = session.talk(sentences, said)
            tally = figures.words.setdefault(f"{word} {level_db}", Tally())
            figures.talked_over += 1
            figures.stopped_before += before
            tally.said += 1
            tally.obeyed += obeyed
            tally.early += said.at_s < 1.0
            tally.early_obeyed += obeyed and said.at_s < 1.0
        session.close()
        sys.stderr.write(f"session {seed}: {msgspec.json.encode(figures).decode()}\n")


def alone(figures: Figures, replies: int, judge: WakeWordJudge | None) -> None:
    """Replies that hold both words, ten in a session, over which nobody speaks."""
    for seed in range(0, replies, 10):
        session = Session(figures.half, 100_000 + seed, judge=judge)
        for _ in range(10):
            before, _ = session.talk([session.rng.choice(BOTH_WORDS[figures.half])], None)
            figures.replies_with_both += 1
            figures.self_stops += before
        session.close()
        sys.stderr.write(f"alone: {figures.self_stops} of {figures.replies_with_both}\n")


def main() -> None:
    """Print the figures as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--half", choices=sorted(SEEDS), default="judge")
    parser.add_argument("--sessions", type=int, default=100)
    parser.add_argument("--alone", type=int, default=1000, metavar="REPLIES")
    parser.add_argument("--recordings", type=Path, default=RECORDINGS)
    parser.add_argument("--no-echo", action="store_true", help="as with headphones")
    parser.add_argument("--unjudged", action="store_true", help="without whisper")
    options = parser.parse_args()
    figures = Figures(half=options.half, words={})
    people = recordings(options.recordings, options.half)
    judge = None
    if not options.unjudged:
        config = load_config(config_files(None))[0]
        judge = make_judge(config, Library(config.models_dir))
    talked_over(figures, options.sessions, people, judge, not options.no_echo)
    alone(figures, options.alone, judge)
    sys.stdout.write(msgspec.json.format(msgspec.json.encode(figures), indent=1).decode() + "\n")


if __name__ == "__main__":
    main()
