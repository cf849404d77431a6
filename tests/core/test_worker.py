"""Real sockets, toy stages: what the loop promises to every stage."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import ClassVar

import pytest

from assistant.core.bus import Address, Bus
from assistant.core.errors import AnswerError, BusError
from assistant.core.messages import (
    BargeIn,
    Message,
    Question,
    Reload,
    Reloaded,
    Reply,
    SelfTest,
    Speech,
    StageFailed,
    Tick,
)
from assistant.core.stage import Stage
from assistant.core.worker import Worker

CONSUMERS: dict[type[Message], str] = {Question: "answer", Reply: "ear"}
PEERS = ("answer", "ear")
PATIENCE_S = 10.0


class Echo:
    """Answers with the question's own words; some questions are trouble."""

    consumes: ClassVar[tuple[type[Message], ...]] = (Question, BargeIn)

    def __init__(self, prefix: str = "") -> None:
        self.prefix = prefix
        self.due_s: float | None = None
        self.barged = threading.Event()

    def feed(self, message: Message) -> Iterable[Message]:
        if isinstance(message, Tick):
            self.due_s = None
            yield Reply(utterance_id="tick", text="tick")
        elif isinstance(message, Question):
            yield from self._answer(message)

    def _answer(self, message: Question) -> Iterator[Message]:
        match message.text:
            case "fault":
                raise AnswerError("answer.none", "no answer; ask again")
            case "surprise":
                raise ValueError(message.text)
            case "alarm":
                self.due_s = message.at_s
            case "endless":
                try:
                    while True:
                        yield Reply(utterance_id=message.utterance_id, text="more")
                finally:
                    self.barged.set()
        yield Reply(utterance_id=message.utterance_id, text=self.prefix + message.text)

    def deadline_s(self) -> float | None:
        return self.due_s


class Beats:
    def __init__(self) -> None:
        self.beaten = threading.Event()

    def beat(self) -> None:
        self.beaten.set()


@contextmanager
def running(stage: Stage, address: Address, rebuilt: Stage | None = None) -> Iterator[Bus]:
    """`stage` at work as "answer"; gives the other end of the bus, "ear"."""
    wanted = (Reply, StageFailed, Reloaded)
    ear = Bus("ear", address, PEERS, CONSUMERS, wanted)
    bus = Bus("answer", address, PEERS, CONSUMERS, (*stage.consumes, Reload))
    rebuild = (lambda: rebuilt) if rebuilt is not None else None
    beats = Beats()
    worker = Worker("answer", stage, bus, beats, rebuild)
    thread = threading.Thread(target=worker.run)
    thread.start()
    try:
        assert beats.beaten.wait(PATIENCE_S)
        join(ear)
        yield ear
    finally:
        worker.stop()
        thread.join()
        bus.close()
        ear.close()


@pytest.fixture(params=["ipc", "inproc"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Address]:
    with closing(Address(tmp_path if request.param == "ipc" else None)) as address:
        yield address


@pytest.fixture
def ears(tmp_path: Path) -> Iterator[Callable[[], Bus]]:
    """Makes buses named "ear", each as another process would."""
    with ExitStack() as open_things:

        def make() -> Bus:
            address = open_things.enter_context(closing(Address(tmp_path)))
            bus = Bus("ear", address, PEERS, CONSUMERS, ())
            open_things.callback(bus.close)
            return bus

        yield make


def next_from(bus: Bus, kind: type[Message]) -> Message:
    for _ in range(100):
        for message in bus.receive(PATIENCE_S / 100):
            if isinstance(message, kind):
                return message
    raise AssertionError(f"no {kind.__name__} came")


def join(ear: Bus) -> None:
    """Reload until it is answered: broadcasts pass only once both ends have found each other."""
    for _ in range(1000):
        ear.send(Reload())
        if any(isinstance(message, Reloaded) for message in ear.receive(PATIENCE_S / 1000)):
            return
    raise AssertionError("the two ends did not find each other")


def ask(bus: Bus, text: str) -> None:
    bus.send(Question(utterance_id="u1", text=text, at_s=1.0))


def test_work_goes_there_and_back_with_the_time_stamped(address: Address) -> None:
    with running(Echo(), address) as ear:
        ask(ear, "hello")
        reply = next_from(ear, Reply)
        assert isinstance(reply, Reply)
        assert reply.text == "hello"
        assert reply.at_s > 0


def test_a_fault_is_told_by_code_and_the_next_message_starts_clean(address: Address) -> None:
    with running(Echo(), address) as ear:
        ask(ear, "fault")
        failed = next_from(ear, StageFailed)
        assert isinstance(failed, StageFailed)
        assert (failed.stage, failed.code, failed.utterance_id) == ("answer", "answer.none", "u1")
        ask(ear, "hello")
        assert next_from(ear, Reply)


def test_the_words_in_a_foreign_exception_are_not_passed_on(
    address: Address, caplog: pytest.LogCaptureFixture
) -> None:
    with running(Echo(), address) as ear:
        ask(ear, "surprise")
        failed = next_from(ear, StageFailed)
        assert isinstance(failed, StageFailed)
        assert (failed.code, failed.message) == ("answer.internal", "ValueError")
    assert "ValueError" in caplog.text
    assert "surprise" not in caplog.text


def test_barge_in_closes_a_streaming_stage(address: Address) -> None:
    stage = Echo()
    with running(stage, address) as ear:
        ask(ear, "endless")
        assert next_from(ear, Reply)
        while not stage.barged.is_set():
            ear.send(BargeIn(utterance_id="u1"))
            list(ear.receive(0.01))


def test_a_deadline_becomes_a_tick(address: Address) -> None:
    with running(Echo(), address) as ear:
        ask(ear, "alarm")
        texts = [next_from(ear, Reply), next_from(ear, Reply)]
        assert [m.text for m in texts if isinstance(m, Reply)] == ["alarm", "tick"]


def test_reload_swaps_the_stage(address: Address) -> None:
    # `running` reloads to find the other end.
    with running(Echo(), address, rebuilt=Echo("new ")) as ear:
        ask(ear, "words")
        reply = next_from(ear, Reply)
        assert isinstance(reply, Reply)
        assert reply.text == "new words"


def test_a_name_can_be_had_once(ears: Callable[[], Bus]) -> None:
    first = ears()
    with pytest.raises(BusError, match="another assistant"):
        ears()
    first.close()
    ears()


def test_a_full_queue_is_an_error_not_a_hang(
    ears: Callable[[], Bus], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assistant.core.bus.SEND_TIMEOUT_MS", 1)
    ear = ears()

    def ask_on() -> None:
        for _ in range(10_000):
            ask(ear, "nobody takes this")

    with pytest.raises(BusError, match="queue is full"):
        ask_on()


def test_audio_has_no_watchers(ears: Callable[[], Bus], tmp_path: Path) -> None:
    ear = ears()
    speech = Speech(utterance_id="u", sequence=0, samples=b"", rate_hz=1, text="", last=True)
    with closing(Address(tmp_path)) as address:
        watcher = Bus("watcher", address, PEERS, {}, (Speech, Question))
        for _ in range(50):
            ear.send(speech)
            ask(ear, "seen")
            if seen := list(watcher.receive(0.1)):
                break
        watcher.close()
    assert {type(m) for m in seen} == {Question}


def test_sources_are_polled_beside_the_sockets(ears: Callable[[], Bus]) -> None:
    reader, writer = os.pipe()

    class Button:
        def fileno(self) -> int:
            return reader

        def read(self) -> Iterable[Message]:
            yield SelfTest(stage=os.read(reader, 9).decode())

        def close(self) -> None:
            os.close(reader)

    ear, button = ears(), Button()
    ear.watch(button)
    os.write(writer, b"pressed")
    assert list(ear.receive(PATIENCE_S)) == [SelfTest(stage="pressed")]
    button.close()
    os.close(writer)
