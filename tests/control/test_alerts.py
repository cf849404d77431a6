"""A stage in trouble is told to take its simpler path, for a while, and longer when it is back."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from msgspec.structs import replace

from assistant.control.alerts import (
    FEWEST_SLOW,
    LAST_TIMES,
    LONGEST,
    LOST_S,
    QUEUED,
    QUEUED_S,
    SOON,
    Alerts,
    late_stage,
)
from assistant.control.metrics import Stopwatch
from assistant.core.messages import (
    BargeIn,
    Commit,
    Interpretation,
    Message,
    OpenQuestion,
    PlaybackStarted,
    QualityAlert,
    Question,
    Simplify,
    SpokenReply,
    StageFailed,
    StageRestarted,
    Transcript,
    Utterance,
)

REST_S = 60.0


class Observed:
    """Alerts that observe made-up utterances, one after the other."""

    def __init__(self, rest_s: float = REST_S) -> None:
        self.alerts, self._stopwatch = Alerts(rest_s), Stopwatch()
        self.at_s = 1000.0
        self._number = 0

    def take(self, message: Message) -> list[Simplify]:
        return list(self.alerts.observe(message, self._stopwatch.observe(message)))

    def pass_time(self, seconds: float) -> list[Simplify]:
        self.at_s += seconds
        return list(self.alerts.tick(self.at_s))

    def reply(self, **seconds: float) -> list[Simplify]:
        """What follows from one reply whose stages took so long, and else as long as usual."""
        took = {"asr": 0.1, "nlu": 0.01, "skills": 0.01, "voice": 0.05} | seconds
        self._number += 1
        u = f"u{self._number}"
        chain: list[tuple[str, Message]] = [
            ("asr", Transcript(utterance_id=u, revision=0, text="x", engine="")),
            ("nlu", Interpretation(utterance_id=u, revision=0, text="x", commands=())),
            ("skills", SpokenReply(utterance_id=u, text="y")),
            ("voice", PlaybackStarted(utterance_id=u)),
        ]
        if "answer" in took:
            chain[2:3] = [("skills", asked(u, 0.0)), ("answer", chain[2][1])]
        told = self.take(utterance(u, self.at_s))
        told += self.take(Commit(utterance_id=u, revision=0, at_s=self.at_s))
        for stage, message in chain:
            self.at_s += took[stage]
            told += self.take(replace(message, at_s=self.at_s))
        self.at_s += 5.0
        return told

    def replies(self, count: int, **seconds: float) -> list[Simplify]:
        return [order for _ in range(count) for order in self.reply(**seconds)]


def utterance(name: str, at_s: float, revision: int = 0) -> Utterance:
    return Utterance(
        utterance_id=name,
        revision=revision,
        wake_word="",
        duration_s=1.0,
        speech_s=1.0,
        speech_ended_at_s=at_s,
        at_s=at_s,
    )


def orders(told: Iterable[Simplify]) -> list[tuple[str, str, float]]:
    return [(order.stage, order.why, order.for_s) for order in told]


@pytest.fixture
def observed() -> Observed:
    return Observed()


def test_replies_that_come_in_time_change_nothing(observed: Observed) -> None:
    assert observed.replies(100) == []
    assert observed.replies(2, nlu=2.0) == []  # of a hundred and two that may happen
    assert observed.alerts.deadline_s() is None


def test_the_stage_that_makes_replies_late_takes_its_simpler_path_and_its_usual_one_again(
    observed: Observed,
) -> None:
    observed.replies(10)
    assert orders(observed.replies(FEWEST_SLOW, nlu=2.0)) == [("nlu", "slow", REST_S)]
    until_s = observed.alerts.deadline_s()
    assert until_s is not None
    assert observed.pass_time(until_s - observed.at_s - 0.1) == []
    assert orders(observed.pass_time(0.2)) == [("nlu", "slow", 0.0)]
    assert observed.alerts.deadline_s() is None
    assert observed.replies(FEWEST_SLOW - 1, nlu=2.0) == []  # what was before is forgotten


def test_as_many_late_replies_of_more_are_no_trouble(observed: Observed) -> None:
    few = int(0.05 * LAST_TIMES)
    for _ in range(5):
        assert observed.replies(LAST_TIMES - few) + observed.replies(few, asr=2.0) == []


def test_a_slow_stage_is_no_trouble_where_the_others_make_up_for_it(observed: Observed) -> None:
    assert observed.replies(50, nlu=0.3) == []
    assert late_stage({"nlu": 0.3, "asr": 0.05, "voice": 0.01}) == ""
    assert late_stage({"nlu": 0.5, "asr": 0.2, "voice": 0.2}) == "nlu"


def test_a_stage_without_a_simpler_path_is_not_made_up_for_by_another(observed: Observed) -> None:
    assert observed.replies(50, skills=5.0) == []


def test_the_generator_is_left_out_of_answers_that_are_late(observed: Observed) -> None:
    assert observed.replies(20, answer=0.9) == []
    assert orders(observed.replies(FEWEST_SLOW, answer=2.0)) == [("answer", "slow", REST_S)]


def test_trouble_that_is_back_soon_lasts_twice_as_long(observed: Observed) -> None:
    lengths = []
    for _ in range(6):
        (begun,) = observed.replies(FEWEST_SLOW, voice=2.0)
        lengths.append(begun.for_s / REST_S)
        assert len(observed.pass_time(begun.for_s)) == 1
    assert lengths == [1, 2, 4, 8, LONGEST, LONGEST]
    observed.pass_time(SOON * REST_S)
    (begun,) = observed.replies(FEWEST_SLOW, voice=2.0)
    assert begun.for_s == REST_S


def test_a_stage_that_fails_in_too_many_utterances_is_spared(observed: Observed) -> None:
    def failed(about: str = "u") -> list[Simplify]:
        failure = StageFailed(stage="nlu", code="nlu.x", message="x", utterance_id=about)
        return observed.take(failure)

    observed.replies(98)
    assert failed() == []
    assert failed("") == []  # nobody had spoken
    assert failed() == []  # two of a hundred
    assert orders(failed()) == [("nlu", "failing", REST_S)]
    assert failed() == []  # it is so already


def test_what_has_become_worse_is_simpler_where_that_mends_it(
    observed: Observed,
) -> None:
    def worse(what: str, over: bool = False, stage: str = "answer") -> list[Simplify]:
        alert = QualityAlert(stage=stage, what=what, value=0.4, expected=0.05, over=over)
        return observed.take(alert)

    assert worse("declined") == []  # nor does the simpler path find more
    assert worse("ungrounded", over=True) == []
    assert orders(worse("ungrounded")) == [("answer", "worse", REST_S)]
    observed.pass_time(REST_S + 1)
    assert orders(worse("rushed")) == [("answer", "slow", 2 * REST_S)]
    assert orders(worse("misunderstood", stage="nlu")) == [("nlu", "worse", REST_S)]


def asked(name: str, at_s: float) -> Question:
    return Question(utterance_id=name, text="x", task=OpenQuestion(), at_s=at_s)


def test_a_queue_that_grows_is_noticed_by_the_time_alone(observed: Observed) -> None:
    for number in range(QUEUED):
        assert observed.take(asked(f"q{number}", observed.at_s)) == []
    assert observed.alerts.deadline_s() == observed.at_s + QUEUED_S
    assert orders(observed.pass_time(QUEUED_S)) == [("answer", "queued", REST_S)]
    # It is as long when the rest is over, and then it is not.
    observed.pass_time(LOST_S - 2)
    for number in range(QUEUED):
        observed.take(asked(f"r{number}", observed.at_s + REST_S - LOST_S))
    (longer,) = observed.pass_time(REST_S - LOST_S + 2)
    assert (longer.for_s, longer.again) == (REST_S, True)
    for number in range(QUEUED):
        observed.take(SpokenReply(utterance_id=f"r{number}", text="y", at_s=observed.at_s))
    assert orders(observed.pass_time(REST_S)) == [("answer", "queued", 0.0)]


def test_what_is_served_broken_off_or_lost_waits_no_more(observed: Observed) -> None:
    now_s = observed.at_s
    ends: list[Message] = [
        SpokenReply(utterance_id="q0", text="y", at_s=now_s + 0.1),
        BargeIn(utterance_id="q1", at_s=now_s + 0.1),
        StageFailed(stage="answer", code="x", message="x", utterance_id="q2", at_s=now_s + 0.1),
    ]
    for end in ends:
        for number in range(QUEUED):
            observed.take(asked(f"q{number}", now_s))
        observed.take(end)
        assert observed.pass_time(0.0) == []
        assert observed.alerts.deadline_s() is None
    fresh = Observed()
    for number in range(QUEUED - 1):
        fresh.take(asked(f"q{number}", fresh.at_s))
    fresh.take(asked("late", fresh.at_s + LOST_S + 1))
    assert fresh.pass_time(LOST_S + 10) == []


def test_an_answer_that_is_told_before_its_question_leaves_nothing_waiting(
    observed: Observed,
) -> None:
    for number in range(QUEUED):
        name = f"u{number}"
        at_s = observed.at_s + 0.2
        observed.take(Transcript(utterance_id=name, revision=0, text="x", engine="", at_s=at_s))
        observed.take(utterance(name, observed.at_s))
    assert [stage for stage, _, _ in orders(observed.pass_time(QUEUED_S + 1))] == ["nlu"]
    # The control: a revision that comes after it waits.
    for number in range(QUEUED):
        observed.take(utterance(f"u{number}", observed.at_s, revision=1))
    assert orders(observed.pass_time(QUEUED_S)) == [("asr", "queued", REST_S)]


def test_a_stage_that_is_started_anew_is_told_again(observed: Observed) -> None:
    anew = StageRestarted(stage="nlu", reason="hung", at_s=observed.at_s)
    assert observed.take(anew) == []
    observed.replies(FEWEST_SLOW, nlu=2.0)
    (again,) = observed.take(StageRestarted(stage="nlu", reason="hung", at_s=observed.at_s))
    assert again.again
    assert 0 < again.for_s < REST_S


def test_nothing_is_simpler_where_the_settings_say_so() -> None:
    observed = Observed(rest_s=0.0)
    assert observed.replies(20, nlu=5.0) == []
    for number in range(2 * QUEUED):
        observed.take(asked(f"q{number}", observed.at_s))
    assert observed.pass_time(QUEUED_S) == []
    assert observed.alerts.deadline_s() is None
    observed.alerts.use(REST_S)
    assert orders(observed.pass_time(0.0)) == [("answer", "queued", REST_S)]
