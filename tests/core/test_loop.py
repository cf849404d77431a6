"""The work loop with a bus and a clock of the tests: time is data, and what comes is a script."""

from __future__ import annotations

import multiprocessing
import os
import threading
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, ClassVar, cast

import pytest

from assistant.core.bus import Bus
from assistant.core.errors import (
    AnswerError,
    AssistantError,
    BusError,
    CodecError,
    ConfigError,
    ModelError,
)
from assistant.core.messages import (
    BargeIn,
    Complete,
    Message,
    Question,
    Reload,
    Reloaded,
    ReloadProgress,
    Replace,
    Replaced,
    SelfTest,
    SpokenReply,
    StageFailed,
    Tick,
)
from assistant.core.models.swap import StageSwap
from assistant.core.worker import (
    LOOK_FOR_CANDIDATE_EVERY_S,
    QUIET_BEFORE_RELOAD_S,
    SELF_TEST_EVERY_S,
    TELL_OF_RELOAD_EVERY_S,
    Worker,
)

Turn = Iterable[Message] | AssistantError


class Sent:
    """A bus that gives a turn of the script at each `receive`, and then stops the worker.

    Waiting takes the time that was asked for, everything else takes none.
    """

    def __init__(self, *script: Turn) -> None:
        self.now_s = 100.0
        self.waited_s: list[float] = []
        self.sent: list[Message] = []
        self.tests_at_s: list[float] = []
        self.queued_broadcasts: list[Message] = []
        self.refusals: list[CodecError] = []
        self.full = False
        self.at_the_end: Callable[[], None] = lambda: None
        self._script = list(script)

    def clock(self) -> float:
        return self.now_s

    def receive(self, timeout_s: float) -> Iterator[Message]:
        self.waited_s.append(round(timeout_s, 6))
        if not self._script:
            self.at_the_end()
            return
        turn = self._script.pop(0)
        if isinstance(turn, AssistantError):
            raise turn
        messages = list(turn)
        if not messages:
            self.now_s += max(0.0, timeout_s)
        yield from messages

    def broadcasts(self) -> Iterator[Message]:
        while self.queued_broadcasts:
            yield self.queued_broadcasts.pop(0)

    def refused(self) -> Iterator[CodecError]:
        while self.refusals:
            yield self.refusals.pop(0)

    def send(self, message: Message) -> None:
        if self.full:
            raise BusError("bus.full", "ear takes no Reply: its queue is full")
        self.sent.append(message)

    def test(self) -> None:
        self.tests_at_s.append(round(self.now_s, 6))


class Beats:
    def __init__(self) -> None:
        self.told: list[str] = []

    def beat(self) -> None:
        self.told.append("beat")

    def reloading(self) -> None:
        self.told.append("reloading")


class Copy:
    """Gives back each word of a question; "no" is refused, and what comes is noted."""

    consumes: ClassVar[tuple[type[Message], ...]] = (Question,)

    def __init__(self, prefix: str = "", due_s: float | None = None) -> None:
        self.prefix, self.due_s = prefix, due_s
        self.fed: list[Message] = []
        self.closed = 0

    def feed(self, message: Message) -> Iterator[Message]:
        self.fed.append(message)
        if isinstance(message, Tick):
            self.due_s = None
        elif isinstance(message, Question):
            try:
                for word in message.text.split():
                    if word == "no":
                        raise AnswerError("answer.none", "no answer; ask again")
                    yield SpokenReply(utterance_id=message.utterance_id, text=self.prefix + word)
            finally:
                self.closed += 1

    def deadline_s(self) -> float | None:
        return self.due_s


class Loop:
    """A worker named "answer" over a script."""

    def __init__(
        self,
        *script: Turn,
        stage: Copy | None = None,
        rebuild: Callable[[], Copy] | None = None,
        load: Callable[[str, str], StageSwap] | None = None,
        prepare: Callable[[], object] | None = None,
        unfinished: Callable[[], str] | None = None,
    ) -> None:
        self.bus, self.beats, self.stage = Sent(*script), Beats(), stage or Copy()
        bus = cast(Bus, self.bus)
        self.worker = Worker(
            *("answer", self.stage, bus, self.beats, rebuild),
            clock=self.bus.clock,
            load=load,
            prepare=prepare,
            unfinished=unfinished,
        )
        self.bus.at_the_end = self.worker.stop

    def run(self) -> list[Message]:
        """All that was sent."""
        self.worker.run()
        return self.bus.sent

    def words(self) -> list[str]:
        return [m.text for m in self.run() if isinstance(m, SpokenReply)]


def question(text: str, utterance_id: str = "u1") -> Question:
    return Question(utterance_id=utterance_id, text=text)


def test_what_a_stage_gives_is_stamped_and_each_piece_is_a_beat() -> None:
    loop = Loop([question("one two")])
    assert loop.run() == [
        SpokenReply(utterance_id="u1", text="one", at_s=100.0),
        SpokenReply(utterance_id="u1", text="two", at_s=100.0),
    ]
    assert loop.beats.told == ["beat", "beat"]


def test_only_what_the_stage_consumes_is_fed_to_it() -> None:
    tick = Tick(at_s=7.0)
    loop = Loop([BargeIn(utterance_id="u1"), SelfTest(stage="answer"), tick, question("one")])
    loop.run()
    assert loop.stage.fed == [tick, question("one")]


def test_a_beat_is_a_self_test_that_came_back() -> None:
    loop = Loop([SelfTest(stage="answer")], [question("")])
    loop.run()
    assert loop.beats.told == ["beat"]


def test_it_tests_itself_once_a_second_and_waits_no_longer() -> None:
    loop = Loop(*[()] * 4)
    loop.run()
    assert SELF_TEST_EVERY_S == 1.0
    assert loop.bus.tests_at_s == [100.0, 101.0, 102.0, 103.0, 104.0]
    assert loop.bus.waited_s == [1.0] * 5


def test_it_waits_until_the_stage_is_due_and_then_ticks() -> None:
    loop = Loop((), (), stage=Copy(due_s=100.2))
    loop.run()
    assert loop.stage.fed == [Tick(at_s=100.2)]
    assert loop.bus.waited_s == [0.2, 0.8, 1.0]


def test_a_stage_that_is_due_later_waits_for_the_test() -> None:
    loop = Loop((), stage=Copy(due_s=107.0))
    loop.run()
    assert loop.stage.fed == []
    assert loop.bus.waited_s == [1.0, 1.0]


def test_a_fault_is_told_with_the_utterance_and_the_next_message_is_fed() -> None:
    loop = Loop([question("one no two", "u7"), question("three", "u8")])
    one, failed, three = loop.run()
    assert isinstance(failed, StageFailed)
    assert (failed.stage, failed.code, failed.utterance_id) == ("answer", "answer.none", "u7")
    assert failed.at_s == 100.0
    assert [m.text for m in (one, three) if isinstance(m, SpokenReply)] == ["one", "three"]


def test_what_is_no_message_is_told_and_the_loop_goes_on() -> None:
    loop = Loop(BusError("bus.odd", "a frame is no message"), [question("one")])
    failed, reply = loop.run()
    assert isinstance(failed, StageFailed)
    assert (failed.code, failed.utterance_id) == ("bus.odd", "")
    assert isinstance(reply, SpokenReply)


def test_a_fault_that_cannot_be_told_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    loop = Loop([question("one")])
    loop.bus.full = True
    assert loop.run() == []
    assert "answer: cannot tell of it: ear takes no Reply" in caplog.text
    assert "(bus.full)" in caplog.text


def test_a_barge_in_closes_the_stream_and_what_came_with_it_is_fed_later() -> None:
    loop = Loop([question("one two three")], ())
    loop.stage.consumes = (Question, Complete)  # type: ignore[misc]
    complete = Complete(utterance_id="u1", revision=0, complete=True)
    loop.bus.queued_broadcasts = [complete, BargeIn(utterance_id="u1")]
    assert loop.words() == ["one"]
    assert loop.stage.closed == 1
    assert loop.stage.fed == [question("one two three"), complete]


@pytest.mark.parametrize(
    "heard", [BargeIn(utterance_id="u2"), Complete(utterance_id="u1", revision=0, complete=True)]
)
def test_what_is_no_barge_in_of_this_utterance_stops_nothing(heard: Message) -> None:
    loop = Loop([question("one two three")])
    loop.bus.queued_broadcasts = [heard]
    assert loop.words() == ["one", "two", "three"]


def test_a_tick_is_never_barged_in_upon() -> None:
    class Rings(Copy):
        def feed(self, message: Message) -> Iterator[Message]:
            yield from (SpokenReply(utterance_id="u1", text=word) for word in ("ring", "ring"))

    loop = Loop([Tick(at_s=1.0)], stage=Rings())
    loop.bus.queued_broadcasts = [BargeIn(utterance_id="")]
    assert loop.words() == ["ring", "ring"]


def test_what_is_no_stream_is_left_alone_by_a_barge_in() -> None:
    class Lists(Copy):
        def feed(self, message: Message) -> Any:
            return [SpokenReply(utterance_id="u1", text=word) for word in ("one", "two")]

    loop = Loop([question("")], stage=Lists())
    loop.bus.queued_broadcasts = [BargeIn(utterance_id="u1")]
    assert loop.words() == ["one"]


def test_a_reload_waits_for_a_second_of_quiet() -> None:
    loop = Loop([question("one")], [Reload()], (), (), (), rebuild=lambda: Copy("new "))
    loop.run()
    (told,) = (m for m in loop.bus.sent if isinstance(m, Reloaded))
    assert told == Reloaded(stage="answer", error="", at_s=101.0)
    assert QUIET_BEFORE_RELOAD_S == 1.0
    assert loop.beats.told == ["beat", "reloading"]


def test_a_reload_takes_place_once() -> None:
    loop = Loop([Reload(), question("one")], (), (), (), (), [question("two")], (), ())
    loop.worker._rebuild = lambda: Copy("new ")
    assert loop.words() == ["one", "new two"]
    assert sum(isinstance(m, Reloaded) for m in loop.bus.sent) == 1


def test_settings_that_are_wrong_leave_the_stage_and_are_told(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def rebuild() -> Copy:
        raise ConfigError("config.unknown", "unknown key; did you mean another?")

    loop = Loop([Reload()], [question("one")], rebuild=rebuild)
    assert loop.words() == ["one"]
    (told,) = (m for m in loop.bus.sent if isinstance(m, Reloaded))
    assert told.error == "unknown key; did you mean another?"
    assert "answer: keeps its old settings" in caplog.text


def test_one_that_has_no_settings_says_that_it_has_them() -> None:
    loop = Loop([Reload()])
    assert loop.run() == [Reloaded(stage="answer", error="", at_s=100.0)]
    assert loop.beats.told == []


def loaded(_: str, version: str) -> StageSwap:
    if version == "bad":
        raise ModelError("model.canary", "too few come out as recorded")
    return lambda _: Copy(f"{version} ")


def wish(version: str, stage: str = "answer") -> Replace:
    return Replace(stage=stage, model="words", version=version)


def awaited(loop: Loop) -> None:
    """Wait for the candidates, so that time may go on as data."""
    for _, future in loop.worker._replacements._asked:
        future.exception()


def after(loop_of: list[Loop], *messages: Message) -> Iterator[Message]:
    """The messages, once all candidates have been loaded."""
    awaited(loop_of[0])
    yield from messages


def test_a_candidate_takes_over_with_the_next_utterance() -> None:
    made: list[Loop] = []
    asked = [question("one"), wish("2", stage="nlu"), wish("2")]
    loop = Loop(asked, after(made, question("two"), question("three", "u2")), load=loaded)
    made.append(loop)
    assert loop.words() == ["one", "two", "2 three"]
    (told,) = (m for m in loop.bus.sent if isinstance(m, Replaced))
    assert told == Replaced(stage="answer", model="words", version="2", error="", at_s=100.0)


def test_without_words_a_candidate_takes_over_after_a_second_and_is_looked_for_often() -> None:
    made: list[Loop] = []
    loop = Loop([question("one"), wish("2")], after(made), *[()] * 25, load=loaded)
    made.append(loop)
    loop.run()
    (told,) = (m for m in loop.bus.sent if isinstance(m, Replaced))
    assert LOOK_FOR_CANDIDATE_EVERY_S == 0.05
    assert told.at_s == pytest.approx(101.0)
    assert max(loop.bus.waited_s[1:20]) == 0.05


def test_a_bad_candidate_is_told_and_the_old_goes_on(caplog: pytest.LogCaptureFixture) -> None:
    made: list[Loop] = []
    loop = Loop([wish("bad")], after(made, question("one")), load=loaded)
    made.append(loop)
    assert loop.words() == ["one"]
    (told,) = (m for m in loop.bus.sent if isinstance(m, Replaced))
    assert told.error == "too few come out as recorded"
    assert "answer: keeps its words: too few" in caplog.text
    assert "(model.canary)" in caplog.text


def test_a_stage_without_a_model_refuses_one(caplog: pytest.LogCaptureFixture) -> None:
    made: list[Loop] = []
    loop = Loop([wish("2")], after(made, question("one")))
    made.append(loop)
    loop.run()
    (told,) = (m for m in loop.bus.sent if isinstance(m, Replaced))
    assert told.error == "this stage runs no words that could be replaced"
    assert "(model.fixed)" in caplog.text


def test_a_reload_waits_for_the_candidate() -> None:
    made: list[Loop] = []
    order = [wish("2"), Reload()]
    loop = Loop(order, after(made), *[()] * 5, load=loaded, rebuild=lambda: Copy("new "))
    made.append(loop)
    told = [type(m) for m in loop.run()]
    assert told == [Replaced, Reloaded]


def test_what_is_slow_in_a_reload_is_done_while_the_stage_goes_on(tmp_path: Path) -> None:
    go, made = tmp_path / "go", tmp_path / "made"
    os.mkfifo(go)

    def prepare() -> None:
        go.read_text()
        made.write_text("made")

    def rebuild() -> Copy:
        return Copy(f"{made.read_text()} ")

    def let_go() -> Iterator[Message]:
        go.write_text("go")
        while loop.worker._preparing is not None and not loop.worker._preparing.done:
            pass
        yield from ()

    script = ([Reload()], [question("one")], (), let_go(), *[()] * 25, [question("two")])
    loop = Loop(*script, prepare=prepare, rebuild=rebuild)
    assert loop.words() == ["one", "made two"]
    assert LOOK_FOR_CANDIDATE_EVERY_S in loop.bus.waited_s


def test_a_stage_that_cannot_reload_yet_says_now_and_then_that_it_will() -> None:
    loop = Loop([Reload()], *[()] * 500, prepare=threading.Event().wait, rebuild=Copy)
    told = [m for m in loop.run() if isinstance(m, ReloadProgress)]
    at_s = [100.0 + number * TELL_OF_RELOAD_EVERY_S for number in (1, 2)]
    assert [m.at_s for m in told] == pytest.approx(at_s)
    assert {m.stage for m in told} == {"answer"}


def test_a_fault_of_what_is_slow_is_told_by_the_rebuild() -> None:
    def refuse() -> Copy:
        raise ConfigError("config.unknown", "unknown key; did you mean another?")

    def wait() -> Iterator[Message]:
        while loop.worker._preparing is not None and not loop.worker._preparing.done:
            pass
        yield from ()

    loop = Loop([Reload()], (), wait(), (), (), prepare=refuse, rebuild=refuse)
    (told,) = (m for m in loop.run() if isinstance(m, Reloaded))
    assert told.error == "unknown key; did you mean another?"


def test_one_that_stops_ends_what_is_slow() -> None:
    loop = Loop([Reload()], (), prepare=threading.Event().wait)
    loop.run()
    assert multiprocessing.active_children() == []


def test_a_model_that_was_fitted_in_haste_is_loaded_whole_afterwards() -> None:
    asked: list[tuple[str, str]] = []

    def load(model: str, version: str) -> StageSwap:
        asked.append((model, version))
        return lambda stage: Copy("whole ")

    made: list[Loop] = []
    script = ([Reload()], (), after(made, question("one")))
    unfinished = iter(("", "words")).__next__  # at the start, and after the reload
    loop = Loop(*script, rebuild=Copy, load=load, unfinished=unfinished)
    made.append(loop)
    assert loop.words() == ["whole one"]
    assert asked == [("words", "")]
    assert not [m for m in loop.bus.sent if isinstance(m, Replaced)]  # nobody asked for it
    loop = Loop([Reload()], (), [question("one")], rebuild=Copy, load=load, unfinished=str)
    assert (loop.words(), len(asked)) == (["one"], 1)  # the control


def test_what_it_replaced_is_collected_once_when_all_is_quiet(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    collected: list[float] = []
    monkeypatch.setattr(
        "assistant.core.worker.collect_and_trim", lambda: collected.append(loop.bus.now_s)
    )
    made: list[Loop] = []
    script = (after(made, question("one")), *[()] * 5)
    unfinished = iter(("words",)).__next__  # at the start
    loop = Loop(*script, load=loaded, unfinished=unfinished)
    made.append(loop)
    loop.run()
    assert collected == [101.0]


def test_one_that_stops_finishes_the_message_at_hand() -> None:
    loop = Loop([question("one two")], [question("three")])
    loop.bus.receive = _stopping(loop)  # type: ignore[method-assign]
    assert loop.words() == ["one", "two"]


def _stopping(loop: Loop) -> Callable[[float], Iterator[Message]]:
    def receive(_: float) -> Iterator[Message]:
        yield question("one two")
        loop.worker.stop()

    return receive


def test_one_that_retires_does_so_after_a_second_of_quiet() -> None:
    loop = Loop([question("one")], (), (), (), (), [question("two")])
    loop.worker.retire()
    assert loop.words() == ["one"]
    assert loop.bus.now_s == 101.0


def test_one_that_stops_loads_no_further_candidate() -> None:
    may_go_on, asked = threading.Event(), list[str]()

    def slowly(_: str, version: str) -> StageSwap:
        asked.append(version)
        assert may_go_on.wait(60)
        return loaded("", version)

    loop = Loop([wish("2"), wish("3")], load=slowly)
    loop.run()
    may_go_on.set()
    for thread in threading.enumerate():
        if thread.name.startswith("candidate"):
            thread.join(60)
    assert asked in ([], ["2"])


def test_a_fault_of_a_tick_is_of_no_utterance() -> None:
    class Late(Copy):
        def feed(self, message: Message) -> Iterator[Message]:
            raise AnswerError("answer.late", "too late")

    (failed,) = Loop([Tick(at_s=1.0)], stage=Late()).run()
    assert isinstance(failed, StageFailed)
    assert (failed.code, failed.utterance_id) == ("answer.late", "")


def test_a_stage_that_takes_new_settings_itself_is_not_closed() -> None:
    class Open(Copy):
        def close(self) -> None:
            raise AssertionError("it still runs")

    stage = Open()
    loop = Loop([Reload()], [question("one")], stage=stage, rebuild=lambda: stage)
    assert loop.words() == ["one"]


def test_what_is_only_overheard_does_not_put_off_a_reload() -> None:
    loop = Loop([Reload(), BargeIn(utterance_id="u1")], rebuild=lambda: Copy("new "))
    loop.stage.consumes = (Question, BargeIn)  # type: ignore[misc]
    assert loop.run() == [Reloaded(stage="answer", error="", at_s=100.0)]


def test_a_stream_is_closed_by_a_barge_in_whoever_else_holds_it() -> None:
    class Held(Copy):
        def feed(self, message: Message) -> Iterator[Message]:
            self.stream = super().feed(message)
            return self.stream

    stage = Held()
    loop = Loop([question("one two")], stage=stage)
    loop.bus.queued_broadcasts = [BargeIn(utterance_id="u1")]
    assert loop.words() == ["one"]
    assert stage.closed == 1
