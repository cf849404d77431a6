"""A stream of answers in, the alerts out; time comes with the answers."""

from __future__ import annotations

import logging
import random
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from itertools import count, islice
from pathlib import Path

import msgspec
import pytest

from assistant.answer.answerer import Answer, AnswerTier
from assistant.answer.quality.monitor import AnswerMonitor, AnswerSample, sampled
from assistant.core.degraded import Degraded
from assistant.core.messages import QualityAlert
from assistant.core.quality.baseline import keep_baseline, read_baseline
from assistant.core.quality.drift import AGAIN_AFTER_S, LEARNED_FROM, WINDOW
from assistant.core.quality.monitor import Baseline
from tests.support.simpler import Switched

BUDGET_S = 0.5
EVERY_S = 30.0


def steady(
    seed: int = 1,
    declined: float = 0.2,
    ungrounded: float = 0.02,
    empty: float = 0.03,
    rushed: float = 0.01,
    certainty: float = 4.0,
    seconds: float = 0.15,
) -> Iterator[AnswerSample]:
    """Answers for ever, as good as the shares and means say."""
    chance = random.Random(seed)
    while True:
        nothing = chance.random() < declined
        yield AnswerSample(
            seconds=seconds * chance.lognormvariate(0.0, 0.3),
            certainty=None if nothing else chance.gauss(certainty, 2.0),
            declined=nothing,
            ungrounded=chance.random() < ungrounded,
            empty=chance.random() < empty,
            rushed=chance.random() < rushed,
        )


class Stream:
    """Feeds a monitor, an answer every half minute."""

    def __init__(self, monitor: AnswerMonitor) -> None:
        self.monitor, self._at_s = monitor, count(0.0, EVERY_S)

    def feed(self, samples: Iterator[AnswerSample], answers: int) -> list[tuple[str, bool]]:
        """What is told: the flaw, and whether that is over."""
        alerts = [
            alert
            for sample in islice(samples, answers)
            for alert in self.monitor.observe(next(self._at_s), sample)
        ]
        return [(alert.what, alert.over) for alert in alerts]


@pytest.fixture
def stream() -> Stream:
    """One that has learned how answers are."""
    stream = Stream(AnswerMonitor(BUDGET_S))
    assert stream.feed(steady(), 2 * LEARNED_FROM) == []
    return stream


DRIFTS: dict[str, Callable[[], Iterator[AnswerSample]]] = {
    "unsure": lambda: steady(2, certainty=2.0),
    "ungrounded": lambda: steady(2, ungrounded=0.2),
    "empty": lambda: steady(2, empty=0.2),
    "rushed": lambda: steady(2, rushed=0.2),
    "declined": lambda: steady(2, declined=0.5),
    "slow": lambda: steady(2, seconds=0.35),
}


def test_a_steady_stream_gives_no_alert(stream: Stream) -> None:
    assert stream.feed(steady(3), 5000) == []


@pytest.mark.parametrize("flaw", DRIFTS)
def test_a_drift_gives_one_alert_and_its_end_another(stream: Stream, flaw: str) -> None:
    assert stream.feed(DRIFTS[flaw](), 2 * WINDOW) == [(flaw, False)]
    assert stream.feed(DRIFTS[flaw](), 2000) == []
    assert stream.feed(steady(4), 3 * WINDOW) == [(flaw, True)]
    assert stream.feed(steady(5), 2000) == []


@pytest.mark.parametrize("flaw", DRIFTS)
def test_a_second_drift_is_told_again(stream: Stream, flaw: str) -> None:
    for _ in range(2):
        told = stream.feed(DRIFTS[flaw](), 2 * WINDOW) + stream.feed(steady(4), 3 * WINDOW)
        assert told == [(flaw, False), (flaw, True)]


def test_a_flood_of_questions_is_told_as_that_alone(stream: Stream) -> None:
    flood = steady(2, rushed=0.9, empty=0.9)
    assert stream.feed(flood, WINDOW) == [("rushed", False)]


def test_what_improves_is_no_drift(stream: Stream) -> None:
    better = steady(
        2, declined=0.0, ungrounded=0.0, empty=0.0, rushed=0.0, certainty=8.0, seconds=0.05
    )
    assert stream.feed(better, 1000) == []


def test_an_alert_that_has_ended_does_not_flap(stream: Stream) -> None:
    """As bad as good, in turn, quicker than `AGAIN_AFTER_S`."""
    hurried = count(1e6, AGAIN_AFTER_S / WINDOW / 4)
    good, bad = steady(2), steady(2, seconds=2.0)
    told = [
        alert
        for turn in range(40)
        for sample in islice((bad, good)[turn % 2], WINDOW)
        for alert in stream.monitor.observe(next(hurried), sample)
    ]
    spent_s = next(hurried) - 1e6
    begun = [alert for alert in told if not alert.over]
    assert 1 < len(begun) <= spent_s / AGAIN_AFTER_S + 1
    assert len(begun) < 20  # as often as it was bad


def test_what_is_bad_from_the_beginning_is_told_before_anything_is_learned() -> None:
    stream = Stream(AnswerMonitor(BUDGET_S))
    told = stream.feed(steady(ungrounded=0.5, empty=0.4, seconds=0.9), LEARNED_FROM // 2)
    assert sorted(told) == [("empty", False), ("slow", False), ("ungrounded", False)]
    assert stream.feed(steady(ungrounded=0.5, empty=0.4, seconds=0.9), 1000) == []


def test_a_budget_that_is_kept_hides_no_answers_that_have_become_slow() -> None:
    stream = Stream(AnswerMonitor(budget_s=10.0))
    assert stream.feed(steady(), 2 * LEARNED_FROM) == []
    assert stream.feed(steady(2, seconds=0.5), WINDOW) == [("slow", False)]


def test_the_alert_says_how_much_and_the_log_says_so_with_a_code(
    stream: Stream, caplog: pytest.LogCaptureFixture
) -> None:
    told: list[QualityAlert] = []
    with caplog.at_level(logging.INFO):
        for at_s, sample in zip(
            count(1e6, EVERY_S), islice(DRIFTS["slow"](), WINDOW), strict=False
        ):
            told += stream.monitor.observe(at_s, sample)
    (alert,) = told
    assert (alert.stage, alert.what, alert.expected, alert.over) == ("answer", "slow", 0.05, False)
    assert 0.1 < alert.value < 0.3
    (line,) = [record.message for record in caplog.records]
    assert line.startswith(f"answer: {100 * alert.value:.0f} % of the last 200 are slow, 5 % exp")
    assert line.endswith("ms (quality.slow)")


def test_the_figures_are_of_the_window() -> None:
    monitor = AnswerMonitor(BUDGET_S)
    for n in range(1000):
        monitor.observe(float(n), AnswerSample(seconds=n / 1000, declined=n % 4 == 0))
    figures = monitor.figures()
    assert figures.count == WINDOW
    assert (figures.p50_ms, figures.p95_ms, figures.p99_ms) == (899.5, 989.0, 997.0)
    assert figures.shares["declined"] == 0.25
    assert figures.shares["slow"] == 1.0
    assert AnswerMonitor(BUDGET_S).figures().count == 0


def test_what_was_learned_outlives_the_process(tmp_path: Path) -> None:
    file = tmp_path / "state" / "baseline.json"

    def begun(models: str = "reader 1") -> Stream:
        keep = partial(keep_baseline, file, models)
        return Stream(AnswerMonitor(BUDGET_S, read_baseline(file, models), keep))

    first = begun()
    first.feed(steady(), 2 * LEARNED_FROM)
    assert read_baseline(file, "reader 1") == first.monitor.baseline
    assert set(first.monitor.baseline) == set(DRIFTS)
    for flaw, drift in DRIFTS.items():
        assert begun().feed(drift(), WINDOW) == [(flaw, False)]
    # Another model's answers are judged anew, and what it teaches costs the first one nothing.
    assert begun("reader 2").feed(steady(certainty=2.0, declined=0.5), WINDOW) == []
    assert begun().feed(DRIFTS["unsure"](), WINDOW) == [("unsure", False)]
    file.write_text("{")
    assert begun().feed(DRIFTS["declined"](), WINDOW) == []  # the control: it has become usual


def test_a_baseline_that_cannot_be_kept_is_only_logged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").touch()
    keep_baseline(tmp_path / "file" / "baseline.json", "reader 1", {"slow": 0.2})
    assert ["(quality.unwritable)" in record.message for record in caplog.records] == [True]
    assert read_baseline(tmp_path / "none.json", "reader 1") == {}


def test_an_answer_is_judged_by_what_the_answerer_counted() -> None:
    worded = Answer(text="Monthly.", tier=AnswerTier.GENERATOR, certainty=3.0)
    extracted = msgspec.structs.replace(worded, tier=AnswerTier.EXTRACTED)

    def shown(answer: Answer, *outcomes: str) -> AnswerSample | None:
        return sampled(0.2, Counter(outcomes), answer)

    assert shown(worded, "generator") == AnswerSample(0.2, 3.0)
    assert shown(extracted, "ungrounded", "extracted") == AnswerSample(0.2, 3.0, ungrounded=True)
    assert shown(extracted, "answer.unfinished", "extracted") == AnswerSample(0.2, 3.0, empty=True)
    for code in ("answer.late", "answer.overloaded"):
        assert shown(extracted, code, "extracted") == AnswerSample(0.2, 3.0, rushed=True)
    assert shown(worded, "kept") is None
    nothing = Answer(text="Nothing.", tier=AnswerTier.DECLINED)
    assert shown(nothing, "declined") == AnswerSample(0.2, declined=True)
    assert shown(worded, "empty") == AnswerSample(0.2, 3.0, empty=True)


def test_a_baseline_of_unknown_flaws_is_passed_over() -> None:
    learned: Baseline = {"boring": 0.5, "declined": 0.25}
    assert AnswerMonitor(BUDGET_S, learned).baseline == {"declined": 0.25}


def test_on_the_simpler_path_words_are_not_judged_and_afterwards_anew() -> None:
    simpler = Switched()
    monitor = AnswerMonitor(BUDGET_S, faults=Degraded("answer", simpler.path))
    said = Answer(text="Monthly.", tier=AnswerTier.EXTRACTED, certainty=3.0)

    def answered(outcome: str, answer: Answer = said, times: int = 1) -> list[tuple[str, bool]]:
        sample = sampled(0.2, Counter([outcome]), answer)
        assert sample is not None
        told = [monitor.observe(1e6, sample) for _ in range(times)]
        return [(alert.what, alert.over) for alerts in told for alert in alerts]

    assert answered("ungrounded", times=WINDOW) == [("ungrounded", False)]
    simpler.on()
    assert answered("answer.resting", times=WINDOW) == []
    simpler.off()
    assert answered("generator") == [("ungrounded", True)]
    assert monitor.figures().shares["ungrounded"] == 0.0


def test_on_the_simpler_path_it_is_seen_that_nothing_is_found() -> None:
    simpler = Switched()
    learned = {"declined": 0.05}
    monitor = AnswerMonitor(BUDGET_S, learned, faults=Degraded("answer", simpler.path))
    simpler.on()
    nothing = AnswerSample(seconds=0.1, declined=True)
    told = [alert.what for _ in range(WINDOW) for alert in monitor.observe(1e6, nothing)]
    assert told == ["declined"]
