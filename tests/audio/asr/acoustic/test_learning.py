"""Sound is held until its command stands, learnt from in a fork, and gone."""

from __future__ import annotations

import stat
import time
from collections.abc import Sequence
from multiprocessing import active_children
from pathlib import Path

import msgspec
import numpy as np
import pytest
from numpy.typing import NDArray

from assistant.core.messages import (
    SAMPLE_RATE_HZ,
    AudioChunk,
    CarriedOut,
    Message,
    Tick,
    Transcript,
    Utterance,
    Word,
)
from assistant.core.models.manifest import Library
from assistant.core.speakable import always
from audio.asr.acoustic.adaptation import Base, read
from audio.asr.acoustic.learning import (
    LONGEST_S,
    LONGEST_WORK_S,
    MOST,
    QUIET_S,
    TOGETHER,
    Learner,
    Said,
    learn,
)
from audio.asr.acoustic.transform import transform_file
from audio.asr.pocketsphinx import PocketSphinxRecognizer
from audio.asr.recognizer import Recognition, recognition
from audio.asr.stage import AsrStage
from tests.support.voices import silence, speech

WAIT_S = 240.0
COMMANDS = (
    "turn on the kitchen light",
    "set a timer for ten minutes",
    "turn off the bedroom fan",
    "what time is it",
)


class Noted:
    """Writes what is learnt from, a line for each, to a file, as a fork cannot tell it."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def __call__(self, said: Sequence[Said]) -> None:
        lines = [f"{one.text} {len(one.samples)}\n" for one in said]
        with self.file.open("a") as file:
            file.writelines(lines)

    @property
    def lines(self) -> list[str]:
        return self.file.read_text().splitlines() if self.file.exists() else []


class Scripted:
    """Hears what it is told to."""

    name = PocketSphinxRecognizer.name
    forks = True

    def __init__(self) -> None:
        self.hears = heard("computer turn on the light")

    def start(
        self, answers: Sequence[str] = (), unasked: bool = False, in_a_row: bool = False
    ) -> None:
        pass

    def feed(self, samples: NDArray[np.int16]) -> None:
        pass

    def finish(self) -> Recognition:
        return self.hears


def heard(text: str, *alternatives: str, engine: str = PocketSphinxRecognizer.name) -> Recognition:
    words = tuple(Word(text=t, start_s=0.0, end_s=0.1, confidence=0.5) for t in text.split())
    return recognition(words, engine, *alternatives)


class House:
    """The stage, with somebody who says commands."""

    def __init__(self, learner: Learner | None, ear: Scripted | PocketSphinxRecognizer) -> None:
        self.stage, self.ear = AsrStage(ear, learner=learner), ear
        self.at_s = 100.0

    def feed(self, message: Message) -> list[Message]:
        return list(self.stage.feed(msgspec.structs.replace(message, at_s=self.at_s)))

    def say(
        self,
        name: str,
        sound: Sequence[bytes] = (bytes(3200),),
        secret: bool = False,
        area: str = "",
    ) -> Transcript:
        for number, samples in enumerate(sound):
            self.feed(
                AudioChunk(utterance_id=name, sequence=number, samples=samples, secret=secret)
            )
        (transcript,) = self.feed(
            Utterance(
                utterance_id=name,
                revision=0,
                wake_word="computer",
                duration_s=1.0,
                speech_s=0.5,
                speech_ended_at_s=self.at_s,
                area=area,
            )
        )
        assert isinstance(transcript, Transcript)
        return transcript

    def right(self, *names: str) -> None:
        self.feed(CarriedOut(utterance_ids=names))

    def rest(self) -> None:
        """Let time pass until nothing is due; what is learnt in a fork is waited for."""
        while (due_s := self.stage.deadline_s()) is not None:
            for fork in active_children():
                fork.join(WAIT_S)
            self.at_s = max(self.at_s, due_s)
            self.feed(Tick(at_s=self.at_s))


@pytest.fixture
def noted(tmp_path: Path) -> Noted:
    return Noted(tmp_path / "noted")


@pytest.fixture
def house(noted: Noted) -> House:
    return House(Learner(noted), Scripted())


def test_only_what_stands_is_learnt_from_with_its_wake_word(house: House, noted: Noted) -> None:
    names = [f"u{number}" for number in range(TOGETHER + 2)]
    for name in names:
        house.say(name)
    house.right(*names[: TOGETHER - 1], "typed")
    house.rest()
    assert noted.lines == []  # too few to load the model for
    house.right(names[-1])
    house.rest()
    assert noted.lines == ["computer turn on the light 3200"] * TOGETHER
    house.right(*names)  # what was learnt from is gone, what nobody confirmed is still there
    house.rest()
    assert len(noted.lines) == TOGETHER


def some(house: House, secret: bool = False, area: str = "") -> None:
    for number in range(TOGETHER):
        house.say(f"u{number}", secret=secret, area=area)
    house.right(*(f"u{number}" for number in range(TOGETHER)))
    house.rest()


def test_a_secret_is_never_held(house: House, noted: Noted) -> None:
    some(house, secret=True)
    assert noted.lines == []
    some(house)
    assert len(noted.lines) == TOGETHER  # the control


def test_what_is_said_in_another_room_teaches_nothing_of_this_one(
    house: House, noted: Noted
) -> None:
    some(house, area="kitchen")
    assert noted.lines == []


@pytest.mark.parametrize(
    "hears",
    [
        heard(""),
        heard("turn on the light", "turn off the light"),
        heard("turn on the light", engine="whisper"),
        msgspec.structs.replace(heard("yes"), expected=True),
    ],
)
def test_what_is_not_surely_heard_teaches_nothing(
    house: House, noted: Noted, hears: Recognition
) -> None:
    assert isinstance(house.ear, Scripted)
    house.ear.hears = hears
    some(house)
    assert noted.lines == []


def test_a_later_revision_that_is_unsure_takes_the_place_of_a_sure_one(
    house: House, noted: Noted
) -> None:
    assert isinstance(house.ear, Scripted)
    for number in range(TOGETHER):
        house.ear.hears = heard("turn on the light")
        house.say(f"u{number}")
        house.ear.hears = heard("turn on the light", "turn off the light")
        house.say(f"u{number}")
    house.right(*(f"u{number}" for number in range(TOGETHER)))
    house.rest()
    assert noted.lines == []


def test_what_is_held_is_bounded(house: House, noted: Noted) -> None:
    names = [f"u{number}" for number in range(MOST + 3)]
    for name in names:
        house.say(name)
    second = bytes(2 * SAMPLE_RATE_HZ)
    house.say("long", [second] * int(LONGEST_S + 1))
    house.right(*names, "long")
    house.rest()
    assert len(noted.lines) == MOST


def test_nobody_waits_for_it(house: House, noted: Noted) -> None:
    for number in range(TOGETHER):
        house.say(f"u{number}")
    house.right(*(f"u{number}" for number in range(TOGETHER)))
    house.at_s += QUIET_S - 0.5
    house.feed(Tick(at_s=house.at_s))
    house.say("another")  # speech in the last moment before it would begin
    assert house.stage.deadline_s() == house.at_s + QUIET_S
    assert noted.lines == []
    house.rest()
    assert len(noted.lines) == TOGETHER


def test_a_fault_and_work_without_end_are_told_of_and_cost_nothing(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def fail(said: Sequence[Said]) -> None:
        raise ValueError("no sums")

    some(house := House(Learner(fail), Scripted()))
    assert "no sums" in caplog.text
    assert house.say("later").text == "turn on the light"
    endless = House(Learner(lambda said: time.sleep(WAIT_S)), Scripted())
    for number in range(TOGETHER):
        endless.say(f"u{number}")
    endless.right(*(f"u{number}" for number in range(TOGETHER)))
    for passed_s in (QUIET_S, 1.0, LONGEST_WORK_S):
        endless.at_s += passed_s
        endless.feed(Tick(at_s=endless.at_s))
    assert "too long" in caplog.text
    assert endless.stage.deadline_s() is None


def test_without_a_learner_nothing_is_held(noted: Noted) -> None:
    some(House(None, Scripted()))
    assert noted.lines == []


@pytest.fixture(scope="module")
def ear(tmp_path_factory: pytest.TempPathFactory) -> PocketSphinxRecognizer:
    folder = tmp_path_factory.mktemp("asr")
    return PocketSphinxRecognizer(always(list(COMMANDS)), ["computer"], cache_dir=folder)


def test_a_voice_in_a_room_leaves_numbers_and_no_sound(
    ear: PocketSphinxRecognizer, tmp_path: Path
) -> None:
    state, runtime = tmp_path / "state", tmp_path / "run"
    state.mkdir()
    runtime.mkdir()
    base = Base.load(transform_file(Library(tmp_path)))
    file = state / "adaptation"
    house = House(Learner(lambda said: learn(file, base, runtime, said)), ear)
    for text in COMMANDS:
        sound = [*silence(0.5), *speech(f"computer {text}"), *silence(0.5)]
        assert house.say(text, sound).text == text
    house.right(*COMMANDS[:-1])
    house.rest()
    assert not file.exists()
    house.right(COMMANDS[-1])
    house.rest()
    learnt = read(file, base)
    assert learnt.commands == len(COMMANDS)
    assert 300 < learnt.statistics.frames < 1000
    assert len(learnt.gains) == len(COMMANDS) - 1
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [found.name for found in state.iterdir()] == ["adaptation"]
    assert list(runtime.iterdir()) == []
