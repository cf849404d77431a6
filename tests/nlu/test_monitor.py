"""A household's utterances in; what is told of how well they are understood."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.core.degraded import Degraded
from assistant.core.layout import MARK_WRONG
from assistant.core.messages import Command, Interpretation, QualityAlert, Transcript
from assistant.core.quality.drift import LEARNED_FROM, WINDOW
from nlu.monitor import UnderstandingMonitor
from nlu.readings import Readings
from tests.support.simpler import Switched

APART_S = 300.0


class Household:
    """Says one thing after the other, and guesses come out as they are told."""

    def __init__(self, monitor: UnderstandingMonitor) -> None:
        self._monitor, self._readings = monitor, Readings()
        self._at_s, self._number = 0.0, 0
        self.told: list[QualityAlert] = []

    def says(
        self,
        *intents: str,
        consulted: bool = True,
        new: bool = False,
        after_s: float = APART_S,
    ) -> None:
        self._at_s += after_s
        self._number += 1
        said = Transcript(
            utterance_id=f"u{self._number}", revision=0, text="words", at_s=self._at_s
        )
        reading = self._readings.of(said)
        reading.new = new
        commands = tuple(Command(intent=intent, slots=(), confidence=0.9) for intent in intents)
        meant = Interpretation(
            utterance_id=said.utterance_id, revision=0, text=said.text, commands=commands
        )
        reading.take(said, [meant], 0.01, consulted)
        for settled in self._readings.settled():
            self.told += self._monitor.observe(settled)

    def week(self, failing: int, **how: bool) -> list[str]:
        """Two windows, of which `failing` of ten are not understood; the alerts' beginnings."""
        before = len(self.told)
        for number in range(2 * WINDOW):
            self.says(*([] if number % 10 < failing else ["HassTurnOn"]), **how)
        return [alert.what for alert in self.told[before:] if not alert.over]


def test_what_is_misunderstood_more_often_than_at_first_is_told_and_when_it_is_over() -> None:
    household = Household(UnderstandingMonitor())
    assert household.week(failing=3) == []
    assert household.week(failing=6) == ["misunderstood"]
    assert household.week(failing=3) == []
    begun, ended = household.told
    assert (begun.stage, begun.expected) == ("nlu", pytest.approx(0.3, abs=0.01))
    assert begun.value > 0.4
    assert (ended.what, ended.over) == ("misunderstood", True)


def test_much_that_cannot_be_understood_at_first_is_no_alert() -> None:
    """How much of what is said here no model could understand is not known before."""
    assert Household(UnderstandingMonitor()).week(failing=9) == []


def test_what_is_put_right_counts() -> None:
    household = Household(UnderstandingMonitor({"misunderstood": 0.1}))
    for _ in range(WINDOW):
        household.says("HassTurnOn")
        household.says(MARK_WRONG, after_s=3.0, consulted=False)
    assert [alert.what for alert in household.told] == ["misunderstood"]
    late = Household(UnderstandingMonitor({"misunderstood": 0.1}))
    for _ in range(WINDOW):
        late.says("HassTurnOn")
        late.says(MARK_WRONG, consulted=False)
    assert late.told == []  # the control: it was something else that was wrong


@pytest.mark.parametrize("how", [{"consulted": False}, {"new": True}], ids=["no model", "trial"])
def test_only_what_the_models_in_use_guess_at_counts(how: dict[str, bool]) -> None:
    household = Household(UnderstandingMonitor({"misunderstood": 0.1}))
    assert household.week(failing=8, **how) == []
    assert household.week(failing=8) == ["misunderstood"]  # the control


def test_after_the_simpler_path_the_models_are_judged_anew() -> None:
    simpler = Switched()
    faults = Degraded("nlu", simpler.path)
    household = Household(UnderstandingMonitor({"misunderstood": 0.1}, faults=faults))
    assert household.week(failing=8) == ["misunderstood"]
    simpler.on()
    assert household.week(failing=8) == []
    simpler.off()
    household.says("HassTurnOn")
    household.says("HassTurnOn")
    assert household.told[-1].over


def test_what_was_learned_is_kept(tmp_path: Path) -> None:
    kept: list[dict[str, float]] = []
    household = Household(UnderstandingMonitor(keep=lambda learned: kept.append(dict(learned))))
    for number in range(LEARNED_FROM + 3):
        household.says(*([] if number % 4 == 0 else ["HassTurnOn"]))
    (learned,) = kept
    assert learned["misunderstood"] == pytest.approx(0.25, abs=0.01)
