"""Real sockets, toy stages: what the loop promises to every stage."""

from __future__ import annotations

import os
import threading
import time
import weakref
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import ClassVar
from unittest.mock import ANY

import pytest

from assistant.core.bus import Address, Bus
from assistant.core.clock import boottime_s
from assistant.core.codec import topic
from assistant.core.degraded import SimplerPath
from assistant.core.errors import AnswerError, BusError, ModelError
from assistant.core.failure import TOLD_IN_FULL
from assistant.core.messages import (
    BargeIn,
    Message,
    ModelsUsed,
    Question,
    Reload,
    Reloaded,
    Replace,
    Replaced,
    SelfTest,
    Simplify,
    Speech,
    SpokenReply,
    StageFailed,
    Tick,
)
from assistant.core.models.swap import LoadSwap, StageSwap
from assistant.core.models.usage import USAGE, ModelUsage
from assistant.core.stage import Stage
from assistant.core.worker import ORDERS, TELL_OF_MODELS_EVERY_S, Worker

CONSUMERS: dict[type[Message], str] = {Question: "answer", SpokenReply: "ear"}
PEERS = ("answer", "ear")
PATIENCE_S = 60.0


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
            yield SpokenReply(utterance_id="tick", text="tick")
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
                        yield SpokenReply(utterance_id=message.utterance_id, text="more")
                finally:
                    self.barged.set()
        yield SpokenReply(utterance_id=message.utterance_id, text=self.prefix + message.text)

    def deadline_s(self) -> float | None:
        return self.due_s


class Beats:
    def __init__(self) -> None:
        self.beaten = threading.Event()

    def beat(self) -> None:
        self.beaten.set()

    def reloading(self) -> None:
        self.beaten.clear()


@contextmanager
def running(
    stage: Stage,
    address: Address,
    rebuilt: Stage | None = None,
    load: LoadSwap | None = None,
    retires: bool = False,
    simpler: SimplerPath | None = None,
    usage: ModelUsage = USAGE,
    clock: Callable[[], float] = boottime_s,
    unfinished: Callable[[], str] | None = None,
) -> Iterator[Bus]:
    """`stage` at work as "answer", and perhaps asked to retire after work; gives "ear"."""
    wanted = (SpokenReply, StageFailed, Reloaded, Replaced, ModelsUsed)
    ear = Bus("ear", address, PEERS, CONSUMERS, wanted)
    bus = Bus("answer", address, PEERS, CONSUMERS, (*stage.consumes, *ORDERS))
    rebuild = (lambda: rebuilt) if rebuilt is not None else None
    beats = Beats()
    worker = Worker(
        *("answer", stage, bus, beats, rebuild, clock),
        load=load,
        simpler=simpler,
        usage=usage,
        unfinished=unfinished,
    )
    thread = threading.Thread(target=worker.run)
    thread.start()
    try:
        assert beats.beaten.wait(PATIENCE_S)
        join(ear)
        if retires:
            assert answer_to(ear, "hello", "u0") == "hello"
            worker.retire()
        yield ear
    finally:
        worker.stop()
        # It need not wait for its next self-test to notice.
        ear.send(Replace(stage="nobody", model="", version=""))
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


def next_from(bus: Bus, *kinds: type[Message]) -> Message:
    deadline_s = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline_s:
        for message in bus.receive(PATIENCE_S / 100):
            if isinstance(message, kinds):
                return message
    raise AssertionError(f"none of {kinds} came")


def join(ear: Bus) -> None:
    """Reload until it is answered: broadcasts pass only once both ends have found each other."""
    for _ in range(1000):
        ear.send(Reload())
        if any(isinstance(message, Reloaded) for message in ear.receive(PATIENCE_S / 1000)):
            return
    raise AssertionError("the two ends did not find each other")


def ask(bus: Bus, text: str, utterance_id: str = "u1") -> None:
    bus.send(Question(utterance_id=utterance_id, text=text, at_s=1.0))


def answer_to(bus: Bus, text: str, utterance_id: str) -> str:
    """The answer to a question, which must come next."""
    ask(bus, text, utterance_id)
    reply = next_from(bus, SpokenReply)
    assert isinstance(reply, SpokenReply)
    assert reply.utterance_id == utterance_id
    return reply.text


def test_work_goes_there_and_back_with_the_time_stamped(address: Address) -> None:
    with running(Echo(), address) as ear:
        ask(ear, "hello")
        reply = next_from(ear, SpokenReply)
        assert isinstance(reply, SpokenReply)
        assert reply.text == "hello"
        assert reply.at_s > 0


def test_a_fault_is_told_by_code_and_the_next_message_starts_clean(address: Address) -> None:
    with running(Echo(), address) as ear:
        ask(ear, "fault")
        failed = next_from(ear, StageFailed)
        assert isinstance(failed, StageFailed)
        assert (failed.stage, failed.code, failed.utterance_id) == ("answer", "answer.none", "u1")
        ask(ear, "hello")
        assert next_from(ear, SpokenReply)


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


def test_of_faults_without_end_a_few_are_logged_and_every_speaker_is_answered(
    address: Address, caplog: pytest.LogCaptureFixture
) -> None:
    with running(Echo(), address) as ear:
        for number in range(20):
            ask(ear, "fault", f"u{number}")
            failed = next_from(ear, StageFailed)
            assert isinstance(failed, StageFailed)
            assert failed.utterance_id == f"u{number}"
    assert caplog.text.count("(answer.none)") == TOLD_IN_FULL


def test_what_is_no_message_is_told_a_few_times_only(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with closing(Address(tmp_path)) as address, running(Echo(), address) as ear:
        for _ in range(100):
            ear._push("answer", [topic(Question), b"?"], "")
        seen: list[Message] = []
        while len(seen) < TOLD_IN_FULL:
            seen += [m for m in ear.receive(PATIENCE_S) if isinstance(m, StageFailed)]
        # What comes after the hundred comes after all that is told of them.
        ask(ear, "hello")
        following = next_from(ear, SpokenReply, StageFailed)
        assert isinstance(following, SpokenReply)
    assert {m.code for m in seen if isinstance(m, StageFailed)} == {"codec.malformed"}
    assert caplog.text.count("(codec.malformed)") == TOLD_IN_FULL


def test_a_broadcast_that_is_no_message_breaks_off_no_reply(tmp_path: Path) -> None:
    stage = Echo()
    with closing(Address(tmp_path)) as address, running(stage, address) as ear:
        ask(ear, "endless")
        next_from(ear, SpokenReply)
        ear._events.send_multipart([topic(BargeIn), b"?"])
        failures: list[StageFailed] = []
        while not (failures and stage.barged.is_set()):
            failures += [m for m in ear.receive(0.01) if isinstance(m, StageFailed)]
            if not stage.barged.is_set():
                ear.send(BargeIn(utterance_id="u1"))
        assert [(f.code, f.utterance_id) for f in failures] == [("codec.malformed", "")]


def test_barge_in_closes_a_streaming_stage(address: Address) -> None:
    stage = Echo()
    with running(stage, address) as ear:
        ask(ear, "endless")
        assert next_from(ear, SpokenReply)
        while not stage.barged.is_set():
            ear.send(BargeIn(utterance_id="u1"))
            list(ear.receive(0.01))


def test_an_order_for_the_simpler_path_reaches_the_stage_that_it_names(address: Address) -> None:
    simpler = SimplerPath()
    with running(Echo(), address, simpler=simpler) as ear:
        ear.send(Simplify(stage="voice", why="slow", for_s=60.0))
        ask(ear, "hello")
        assert next_from(ear, SpokenReply)
        assert not simpler.taken
        deadline_s = time.monotonic() + PATIENCE_S
        while not simpler.taken and time.monotonic() < deadline_s:
            ear.send(Simplify(stage="answer", why="slow", for_s=60.0))
            list(ear.receive(0.01))
        assert simpler.taken


def test_a_deadline_becomes_a_tick(address: Address) -> None:
    with running(Echo(), address) as ear:
        ask(ear, "alarm")
        texts = [next_from(ear, SpokenReply), next_from(ear, SpokenReply)]
        assert [m.text for m in texts if isinstance(m, SpokenReply)] == ["alarm", "tick"]


def test_who_makes_its_stage_anew_says_so_before(address: Address) -> None:
    beats, told = Beats(), list[bool]()

    def rebuild() -> Stage:
        told.append(beats.beaten.is_set())
        return Echo()

    bus = Bus("answer", address, PEERS, CONSUMERS, (*Echo.consumes, Reload))
    worker = Worker("answer", Echo(), bus, beats, rebuild)
    beats.beat()
    worker._reload()
    bus.close()
    assert told == [False]


def test_what_a_reload_replaces_is_closed_and_its_memory_given_back(
    address: Address, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = list[str]()

    class Closed(Echo):
        def close(self) -> None:
            told.append("closed")

    def give_back() -> None:
        told.append("given back" if before() is None else "still held")

    monkeypatch.setattr("assistant.core.worker.collect_and_trim", give_back)
    bus = Bus("answer", address, PEERS, CONSUMERS, (*Echo.consumes, Reload))
    worker = Worker("answer", Closed(), bus, Beats(), Echo)
    before = weakref.ref(worker._stage)
    worker._reload()
    bus.close()
    assert told == ["closed", "given back"]


def test_freed_memory_is_given_back_now_and_then(
    address: Address, monkeypatch: pytest.MonkeyPatch
) -> None:
    given_back = threading.Event()
    monkeypatch.setattr("assistant.core.worker.TRIM_EVERY_S", 0.0)
    monkeypatch.setattr("assistant.core.worker.trim_heap", given_back.set)
    with running(Echo(), address):
        assert given_back.wait(PATIENCE_S)


def test_reload_swaps_the_stage(address: Address) -> None:
    # `running` reloads to find the other end.
    with running(Echo(), address, rebuilt=Echo("new ")) as ear:
        ask(ear, "words")
        reply = next_from(ear, SpokenReply)
        assert isinstance(reply, SpokenReply)
        assert reply.text == "new words"


@pytest.mark.parametrize(
    ("process", "obeyed"), [("", True), ("answer", True), ("asr", False), ("answers", False)]
)
def test_a_reload_of_one_process_is_obeyed_by_that_alone(
    address: Address, process: str, obeyed: bool
) -> None:
    with closing(Bus("answer", address, PEERS, CONSUMERS, (*Echo.consumes, Reload))) as bus:
        worker = Worker("answer", Echo(), bus, Beats(), Echo)
        worker._take(Reload(stage=process))
        assert worker._reload_wanted is obeyed


def test_one_that_is_asked_to_retire_ends_when_it_has_nothing_to_do(
    address: Address, impatient: None
) -> None:
    bus = Bus("answer", address, PEERS, CONSUMERS, Echo.consumes)
    worker = Worker("answer", Echo(), bus, Beats())
    worker.retire()
    worker.run()
    bus.close()


def test_one_that_is_asked_to_retire_first_works_off_what_there_is(
    address: Address, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assistant.core.worker.QUIET_BEFORE_RELOAD_S", 1000.0)
    with running(Echo(), address, retires=True) as ear:
        assert answer_to(ear, "words", "u1") == "words"
        assert answer_to(ear, "more words", "u2") == "more words"


def test_work_about_no_utterance_does_not_put_off_a_reload(
    address: Address, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assistant.core.worker.QUIET_BEFORE_RELOAD_S", 1000.0)
    with running(Echo(), address) as ear:
        ear.send(Question(utterance_id="", text="words"))
        next_from(ear, SpokenReply)
        join(ear)


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assistant.core.worker.QUIET_BEFORE_RELOAD_S", 0.05)


def use(bus: Bus, version: str) -> None:
    bus.send(Replace(stage="answer", model="words", version=version))


def verdict(bus: Bus) -> Replaced:
    told = next_from(bus, Replaced)
    assert isinstance(told, Replaced)
    return told


def prefixing(_: str, version: str) -> StageSwap:
    """A model whose versions are prefixes."""
    if version == "bad":
        raise ModelError("model.canary", "2 of 9 canaries come out as recorded")
    if version == "garbled":
        raise KeyError("vocabulary")
    return lambda _: Echo(f"{version} ")


@pytest.mark.usefixtures("impatient")
def test_work_goes_on_while_a_candidate_is_loaded_and_the_next_utterance_has_it(
    address: Address,
) -> None:
    may_end, loaded = threading.Event(), threading.Event()

    def slowly(model: str, version: str) -> StageSwap:
        assert may_end.wait(PATIENCE_S)
        loaded.set()
        return prefixing(model, version)

    with running(Echo(), address, load=slowly) as ear:
        use(ear, "new")
        for number in range(20):
            assert answer_to(ear, "hello", f"u{number}") == "hello"
        may_end.set()
        assert loaded.wait(PATIENCE_S)
        assert verdict(ear) == Replaced(stage="answer", model="words", version="new", at_s=ANY)
        assert answer_to(ear, "hello", "v") == "new hello"


def test_the_revisions_of_one_utterance_are_read_by_one_model(
    address: Address, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assistant.core.worker.QUIET_BEFORE_RELOAD_S", 1000.0)
    loaded = threading.Event()

    def told(model: str, version: str) -> StageSwap:
        try:
            return prefixing(model, version)
        finally:
            loaded.set()

    with running(Echo(), address, load=told) as ear:
        assert answer_to(ear, "hello", "u1") == "hello"
        use(ear, "new")
        while not loaded.is_set():
            assert answer_to(ear, "hello", "u1") == "hello"
        # Loaded it is; until somebody says something else it waits.
        assert [answer_to(ear, "hello", "u1") for _ in range(3)] == ["hello"] * 3
        assert answer_to(ear, "hello", "u2") == "new hello"


def test_a_revision_that_took_long_is_no_rest_before_the_next(
    address: Address, monkeypatch: pytest.MonkeyPatch
) -> None:
    rest_s, now_s = 0.3, [boottime_s() - 3600]
    monkeypatch.setattr("assistant.core.worker.QUIET_BEFORE_RELOAD_S", rest_s)
    begun, asked, loaded = (threading.Event() for _ in range(3))

    class Slow(Echo):
        """Time passes as it works, and no other."""

        def feed(self, message: Message) -> Iterable[Message]:
            asked.set()
            assert loaded.wait(PATIENCE_S)
            now_s[0] += 2 * rest_s
            return super().feed(message)

    def loaded_meanwhile(model: str, version: str) -> StageSwap:
        begun.set()
        assert asked.wait(PATIENCE_S)
        try:
            return prefixing(model, version)
        finally:
            loaded.set()

    with running(Slow(), address, load=loaded_meanwhile, clock=lambda: now_s[0]) as ear:
        use(ear, "new")
        assert begun.wait(PATIENCE_S)
        ask(ear, "hello", "u1")
        assert answer_to(ear, "hello", "u1") == "hello"
        assert next_from(ear, SpokenReply).text == "hello"


@pytest.mark.parametrize("model", ["intent", ""])
def test_what_a_first_stage_was_made_without_is_loaded_from_the_start_on(
    address: Address, model: str
) -> None:
    asked = list[tuple[str, str]]()
    begun = threading.Event()

    def whole(model: str, version: str) -> StageSwap:
        asked.append((model, version))
        begun.set()
        return lambda stage: stage

    with running(Echo(), address, load=whole, unfinished=lambda: model) as ear:
        assert answer_to(ear, "hello", "u1") == "hello"
        assert not model or begun.wait(PATIENCE_S)
    assert asked == ([(model, "")] if model else [])


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize(("version", "told"), [("bad", "2 of 9"), ("garbled", "KeyError")])
def test_a_bad_candidate_is_refused_and_the_old_model_goes_on(
    address: Address, version: str, told: str
) -> None:
    with running(Echo(), address, load=prefixing) as ear:
        use(ear, version)
        assert told in verdict(ear).error
        assert answer_to(ear, "hello", "u1") == "hello"


@pytest.mark.usefixtures("impatient")
def test_candidates_take_over_in_the_order_in_which_they_were_asked_for(address: Address) -> None:
    with running(Echo(), address, load=prefixing) as ear:
        for version in ("1", "bad", "2"):
            use(ear, version)
        told = [verdict(ear) for _ in range(3)]
        assert [(t.version, bool(t.error)) for t in told] == [
            ("1", False),
            ("bad", True),
            ("2", False),
        ]
        assert answer_to(ear, "hello", "u1") == "2 hello"


@pytest.mark.usefixtures("impatient")
def test_a_stage_without_models_says_so(address: Address) -> None:
    with running(Echo(), address) as ear:
        use(ear, "1")
        assert "runs no words" in verdict(ear).error


@pytest.mark.usefixtures("impatient")
def test_what_another_stage_is_to_run_is_passed_over(address: Address) -> None:
    with running(Echo(), address, load=prefixing) as ear:
        ear.send(Replace(stage="nlu", model="words", version="1"))
        use(ear, "2")
        assert verdict(ear).version == "2"


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
        for _ in range(200):  # so many wait for a consumer that is not there
            ear.send(speech)
            ask(ear, "seen")
            if seen := list(watcher.receive(PATIENCE_S / 200)):
                break
        watcher.close()
    assert {type(m) for m in seen} == {Question}


def test_a_process_that_is_followed_later_is_heard(address: Address) -> None:
    with (
        closing(Bus("ear", address, (), {}, (Reloaded,))) as ear,
        closing(Bus("answer", address, (), {}, ())) as answer,
    ):
        answer.send(Reloaded(stage="early"))
        assert list(ear.receive(0.1)) == []
        for _ in range(2):  # the second time changes nothing
            ear.follow(("ear", "answer"))
        heard: list[Message] = []
        while not heard:
            answer.send(Reloaded(stage="late"))
            heard = list(ear.receive(PATIENCE_S / 1000))
        assert set(heard) == {Reloaded(stage="late")}


def test_what_the_models_have_used_is_told_from_time_to_time(address: Address) -> None:
    class Counting(Echo):
        def feed(self, message: Message) -> Iterable[Message]:
            usage.add("reader", "1", 0.5)
            return super().feed(message)

    usage, began_s = ModelUsage(), boottime_s()

    def quick() -> float:
        """A clock that goes fifty times as fast; what is of the future would be refused."""
        return began_s - 3600 + 50 * (boottime_s() - began_s)

    def told(bus: Bus) -> ModelsUsed:
        message = next_from(bus, ModelsUsed)
        assert isinstance(message, ModelsUsed)
        return message

    with running(Counting(), address, usage=usage, clock=quick) as ear:
        ask(ear, "hello", "u1")
        first = told(ear)
        ask(ear, "hello", "u2")
        ask(ear, "hello", "u3")
        second = told(ear)
        while second.models[0].runs < 3:  # between the two it may be told, too
            second = told(ear)
    assert (first.stage, first.models[0].model, first.models[0].runs) == ("answer", "reader", 1)
    assert (second.models[0].runs, second.models[0].cpu_s) == (3, 1.5)
    assert second.at_s - first.at_s >= TELL_OF_MODELS_EVERY_S


def test_a_stage_that_wants_to_know_it_is_told_of_its_own_process(address: Address) -> None:
    class Wanting(Echo):
        consumes: ClassVar[tuple[type[Message], ...]] = (Question, ModelsUsed)

        def feed(self, message: Message) -> Iterable[Message]:
            if isinstance(message, ModelsUsed):
                used = f"{message.models[0].model} {message.at_s > 0}"
                return [SpokenReply(utterance_id="used", text=used)]
            return super().feed(message)

    usage, began_s = ModelUsage(), boottime_s()
    with running(
        *(Wanting(), address), usage=usage, clock=lambda: 50 * (boottime_s() - began_s)
    ) as ear:
        usage.add("reader", "1", 0.5)  # what was used before is told before anybody listens
        reply = next_from(ear, SpokenReply)
    assert isinstance(reply, SpokenReply)
    assert reply.text == "reader True"


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
