"""What the ear learns of its own room: `python -m benchmarks.hearing.own_room --home home.yaml`.

In simulated rooms (`benchmarks.hearing.rooms`) one of flite's voices says commands. Those that are
understood as the same typed are right, and recognition learns from them as on the device. After
some of them it is started again, and hears other commands of that voice and of three others.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import cycle
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
import numpy as np
import soundfile
from rich.console import Console
from rich.table import Table

from assistant.cli.shared.conversation import temporary_config
from assistant.composition import Composition
from assistant.core.config import Config, StorageSettings
from assistant.core.errors import SpeakingError
from assistant.core.layout import ADAPTATION_FILE
from assistant.core.messages import SAMPLE_RATE_HZ, CarriedOut, Message, SlotValue, Tick
from assistant.core.models.manifest import Library
from assistant.evaluation.clips import Clip, SentenceLabel, sound_of
from assistant.evaluation.commands import transcribe
from assistant.evaluation.rejects import APART_S
from assistant.evaluation.spoken import commands_of, comparable, evaluate_spoken
from assistant.pipeline import typed
from audio.asr.acoustic.adaptation import Base, read
from audio.asr.acoustic.transform import transform_file
from audio.tts.flite import PATIENCE_S, Flite
from audio.tts.voice import Samples
from audio.wake.own.voices import hiss
from benchmarks.hearing.rooms import Room, active_rms, within

VOICES = ("slt", "rms", "awb", "kal16")
SNR_DB = 20.0
PEAK = 0.3 * 32767
QUIET_S = 0.3
SEED = 1
OFTEN, SELDOM = 8, 2
"""Sentences of an intent of the home, and of any other."""

LOOK_EVERY_S = 0.2


def speaker(seed: int, folder: Path) -> Callable[[str, str], Path]:
    """Has a voice say a text in the room that is drawn with `seed`, in steady noise."""
    room, dice = Room.drawn(random.Random(seed)), random.Random(seed)
    response = room.response(room.person)
    voices = {voice: Flite(voice, PATIENCE_S) for voice in VOICES}

    def say(voice: str, text: str) -> Path:
        spoken = np.asarray(_patiently(voices[voice], text).pcm, np.float64)
        sound = within(np.pad(spoken, round(QUIET_S * SAMPLE_RATE_HZ)), response)
        sound *= PEAK / np.abs(sound).max()
        noise = hiss(len(sound), np.random.default_rng(dice.getrandbits(32)), dice)
        sound += noise * active_rms(sound) / active_rms(noise) * 10 ** (-SNR_DB / 20)
        path = folder / f"{dice.getrandbits(64)}.wav"
        soundfile.write(path, np.clip(sound, -32768, 32767).astype(np.int16), SAMPLE_RATE_HZ)
        return path

    return say


def _patiently(voice: Flite, text: str) -> Samples:
    """The sound of a text, also where other work leaves flite less than it takes."""
    while True:
        with suppress(SpeakingError):
            return voice.synthesise(text)


class Judge:
    """Tells what texts mean, each as if nothing had been said before it."""

    def __init__(self, composition: Composition) -> None:
        self.nlu, self._at_s = composition.nlu(), 0.0

    def means(self, said: Message) -> list[tuple[str, dict[str, SlotValue]]]:
        """The commands of a transcript."""
        self._at_s += APART_S
        return comparable(commands_of(self.nlu, msgspec.structs.replace(said, at_s=self._at_s)))

    def of_text(self, text: str) -> list[tuple[str, dict[str, SlotValue]]]:
        """The commands of a text that is typed."""
        return self.means(typed(f"typed {self._at_s}", text, 0.0)[0])


def sentences(composition: Composition, judge: Judge) -> list[str]:
    """Commands of this home in a random order, more of devices and timers than of all else."""
    dice = random.Random(SEED)
    drawn: list[str] = []
    for intent, known in composition.understanding.templates.examples(vocabulary=True).items():
        some = sorted(set(known))
        dice.shuffle(some)
        drawn += some[: OFTEN if intent.startswith("Hass") else SELDOM]
    dice.shuffle(drawn)
    return [text for text in drawn if judge.of_text(text)]


class Device:
    """Recognition in a room, which learns in the state folder of `config`."""

    def __init__(self, config: Config, judge: Judge) -> None:
        self._config, self._judge = config, judge
        self.said = self.right = 0
        self.start()

    def start(self) -> None:
        """Start recognition, with the map of the room where that is used."""
        self.ear = Composition(self._config).asr()

    @property
    def learnt(self) -> tuple[int, bool]:
        """How many commands were learnt from, and whether the map of them is used at a start."""
        base = Base.load(transform_file(Library(self._config.models_dir)))
        try:
            found = read(self._config.state_dir / ADAPTATION_FILE, base)
        except FileNotFoundError:
            return 0, False
        return found.commands, found.helps

    def teach(self, texts: Iterator[str], say: Callable[[str], Path], until: int) -> None:
        """Say commands until so many of them were right."""
        while self.right < until and (text := next(texts, None)) is not None:
            self.said += 1
            heard, _ = transcribe(self.ear, sound_of(say(text)))
            if self._judge.means(heard) != self._judge.of_text(text):
                continue
            self.right += 1
            list(self.ear.feed(CarriedOut(utterance_ids=(heard.utterance_id,))))
            while (due_s := self.ear.deadline_s()) is not None:
                list(self.ear.feed(Tick(at_s=due_s)))
                time.sleep(LOOK_EVERY_S)


def main(arguments: Sequence[str]) -> None:
    """Teach a device in each room, and print what it hears before and after."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--home", type=Path, default=Path("../shared/data/home.yaml"))
    parser.add_argument("--rooms", default="21,22,23", help="the seeds that rooms are drawn with")
    parser.add_argument("--right", default="20,50,100", help="commands that are right, to restart")
    parser.add_argument("--asked", type=int, default=80, help="other commands, in four voices")
    options = parser.parse_args(arguments)
    known = Composition(temporary_config(None, options.home))
    judge = Judge(known)
    every = sentences(known, judge)
    asked, lessons = every[: options.asked], every[options.asked :]
    table = Table("room", "voice", "said", "right", "learnt from", "map", *VOICES)
    for seed in map(int, options.rooms.split(",")):
        with TemporaryDirectory() as folder:
            say, own = speaker(seed, Path(folder)), VOICES[seed % len(VOICES)]
            turn = zip(asked, cycle(VOICES), strict=False)
            clips = [Clip(say(voice, text), SentenceLabel(text, voice)) for text, voice in turn]
            config = _kept_in(temporary_config(None, options.home), Path(folder))
            device, texts = Device(config, judge), iter(lessons)
            for right in (0, *map(int, options.right.split(","))):
                device.teach(texts, partial(say, own), right)
                device.start()
                found = evaluate_spoken(clips, device.ear, judge.nlu, known.skills)
                commands, used = device.learnt
                cells = (seed, own, device.said, device.right, commands, "own" if used else "-")
                shares = (f"{found.right_by_voice[voice]:.3f}" for voice in VOICES)
                table.add_row(*map(str, cells), *shares)
    Console(width=140).print(table)


def _kept_in(config: Config, folder: Path) -> Config:
    """The settings with state and cepstra below `folder`; what is speakable is made once."""
    storage = StorageSettings(state=str(folder), runtime=str(folder))
    return msgspec.structs.replace(config, storage=storage)


if __name__ == "__main__":
    main(sys.argv[1:])
