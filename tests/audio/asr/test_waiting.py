"""What peers said is recognised whole in forks, a few at a time."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Iterator
from contextlib import closing

import numpy as np
import pytest

from assistant.core.errors import RecognitionError
from assistant.core.messages import StageFailed, Tick, Transcript
from assistant.core.settings.wyoming import PEER
from audio.asr.recognizer import Recognition
from audio.asr.stage import AsrStage
from audio.asr.waiting import AFTER_WORDS, Outcome, Said, Waiting
from tests.audio.asr.test_stage import Counting, chunk, end, of_satellite

ENDS_S = 120.0


class Telling(Counting):
    """Tells by a pipe that it has begun, and goes on when there is something in another."""

    def __init__(self) -> None:
        self.begun, self.go_on = os.pipe(), os.pipe()

    def finish(self) -> Recognition:
        os.write(self.begun[1], b".")
        os.read(self.go_on[0], 1)
        return super().finish()

    def close(self) -> None:
        for descriptor in (*self.begun, *self.go_on):
            os.close(descriptor)


@pytest.fixture
def telling() -> Iterator[Telling]:
    with closing(Telling()) as recognizer:
        yield recognizer


def said(name: str, samples: int = 1600) -> Said:
    return Said(name=name, peer=name, sound=[np.zeros(samples, np.int16)])


def outcomes(waiting: Waiting, recognizer: Counting) -> dict[str, tuple[int, Outcome]]:
    found: dict[str, tuple[int, Outcome]] = {}
    until_s = time.monotonic() + ENDS_S
    while waiting.busy and time.monotonic() < until_s:
        for utterance, _, outcome in waiting.work(recognizer):
            found[utterance.utterance_id] = utterance.revision, outcome
    return found


def text(outcome: Outcome) -> str:
    assert isinstance(outcome, Recognition)
    return outcome.text


def test_as_many_are_recognised_at_a_time_as_are_allowed(telling: Telling) -> None:
    waiting = Waiting(at_once=2)
    for name in "abc":
        waiting.add(end(name), said(name))
    assert list(waiting.work(telling)) == []
    assert os.read(telling.begun[0], 1) + os.read(telling.begun[0], 1) == b".."
    os.set_blocking(telling.begun[0], False)
    with pytest.raises(BlockingIOError):
        os.read(telling.begun[0], 1)
    os.write(telling.go_on[1], b"...")
    assert set(outcomes(waiting, telling)) == set("abc")


def test_a_revision_takes_the_place_of_the_one_before_it(telling: Telling) -> None:
    waiting = Waiting(at_once=1)
    waiting.add(end("a", 0), said("a"))
    waiting.add(end("b", 0), said("b"))
    list(waiting.work(telling))
    os.read(telling.begun[0], 1)
    waiting.add(end("a", 1), said("a", 3200))  # while it is recognised
    waiting.add(end("b", 1), said("b", 3200))  # while it waits
    os.write(telling.go_on[1], b"..")
    wanted = "computer 3200"
    found = outcomes(waiting, telling)
    assert {name: (one[0], text(one[1])) for name, one in found.items()} == {
        "a": (1, wanted),
        "b": (1, wanted),
    }


def test_what_is_dropped_is_not_recognised(telling: Telling) -> None:
    waiting = Waiting(at_once=1)
    waiting.add(end("a"), said("a"))
    waiting.add(end("b"), said("b"))
    list(waiting.work(telling))
    waiting.drop("a")
    waiting.drop("b")
    assert not waiting.busy
    assert outcomes(waiting, telling) == {}


def test_nothing_of_a_fork_stays_here() -> None:
    recognizer, waiting = Counting(), Waiting()
    waiting.add(end("a"), said("a"))
    ((_, outcome),) = outcomes(waiting, recognizer).values()
    assert text(outcome) == "computer 1600"
    assert not hasattr(recognizer, "samples")


def test_after_what_a_client_sends_there_is_silence() -> None:
    waiting = Waiting()
    waiting.add(end("a"), said(PEER))
    ((_, outcome),) = outcomes(waiting, Counting()).values()
    assert text(outcome) == f"computer {1600 + len(AFTER_WORDS)}"


def test_one_that_cannot_be_forked_works_here_one_at_a_time() -> None:
    recognizer, waiting = Counting(), Waiting()
    recognizer.forks = False
    waiting.add(end("a"), said("a"))
    waiting.add(end("b"), said("b", 3200))
    ((utterance, _, outcome),) = waiting.work(recognizer)
    assert utterance.utterance_id == "a"
    assert text(outcome) == "computer 1600"
    assert set(outcomes(waiting, recognizer)) == {"b"}


class Dying(Counting):
    """Dies in every process but the one where it was made."""

    def __init__(self) -> None:
        self.home = os.getpid()

    def finish(self) -> Recognition:
        if os.getpid() != self.home:
            os._exit(1)
        return super().finish()


def test_what_a_fork_dies_of_is_done_here_and_logged(caplog: pytest.LogCaptureFixture) -> None:
    recognizer, waiting = Dying(), Waiting()
    waiting.add(end("a"), said("a"))
    with caplog.at_level(logging.WARNING):
        ((_, outcome),) = outcomes(waiting, recognizer).values()
    assert text(outcome) == "computer 1600"
    assert "asr.fork" in caplog.text


class Failing(Counting):
    def finish(self) -> Recognition:
        raise RecognitionError("asr.domain", "it failed")


@pytest.mark.parametrize("forks", [True, False])
def test_who_spoke_is_told_of_a_fault(forks: bool) -> None:
    recognizer = Failing()
    recognizer.forks = forks
    stage = AsrStage(recognizer)
    told = list(stage.feed(of_satellite(chunk("a"))))
    told += stage.feed(of_satellite(chunk("b"), "bedroom"))
    told += stage.feed(of_satellite(end("b", wake_word=""), "bedroom"))
    until_s = time.monotonic() + ENDS_S
    while not told and time.monotonic() < until_s:
        told += stage.feed(Tick())
    (failed,) = told
    assert isinstance(failed, StageFailed)
    assert (failed.code, failed.utterance_id, failed.peer) == ("asr.domain", "b", "bedroom")


def test_what_waits_is_recognised_after_a_rebuild(telling: Telling) -> None:
    waiting = Waiting(at_once=1)
    stage = AsrStage(telling, waiting=waiting)
    for name in ("a", "b"):
        list(stage.feed(of_satellite(chunk(name), name)))
    list(stage.feed(of_satellite(end("b", wake_word=""), "b")))
    again = AsrStage(Counting(), waiting=waiting)
    os.write(telling.go_on[1], b".")
    told: list[object] = []
    until_s = time.monotonic() + ENDS_S
    while again.deadline_s() is not None and time.monotonic() < until_s:
        told += again.feed(Tick())
    (transcript,) = told
    assert isinstance(transcript, Transcript)
    assert (transcript.utterance_id, transcript.peer) == ("b", "b")
