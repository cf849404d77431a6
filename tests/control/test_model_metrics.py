"""The models' processor time for Prometheus, which no restart takes back."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from assistant.control.metrics import Counts
from assistant.core.messages import ModelsUsed, ModelUse
from tests.control.test_sensor_metrics import samples


def told(
    began_s: float, cpu_s: float, runs: int, stage: str = "nlu", model: str = "ner"
) -> ModelsUsed:
    used = ModelUse(model=model, version="1", cpu_s=cpu_s, runs=runs)
    return ModelsUsed(stage=stage, began_s=began_s, models=(used,))


def test_a_lost_message_costs_nothing_and_a_repeated_one_does_not_count_twice() -> None:
    counts = Counts()
    for message in (told(1.0, 0.5, 1), told(1.0, 2.0, 4), told(1.0, 2.0, 4)):
        counts.observe(message)
    found = samples(counts)
    assert found["hark_model_cpu_seconds_total ner 1"] == 2.0
    assert found["hark_model_runs_total ner 1"] == 4


def test_a_process_that_was_started_again_adds_to_what_the_one_before_used() -> None:
    counts = Counts()
    # What the second tells is more than the first did: only its beginning tells them apart.
    for message in (told(1.0, 0.5, 1), told(9.0, 0.75, 2), told(9.0, 1.0, 3)):
        counts.observe(message)
    found = samples(counts)
    assert found["hark_model_cpu_seconds_total ner 1"] == 1.5
    assert found["hark_model_runs_total ner 1"] == 4


def test_what_two_processes_use_of_one_model_counts_together() -> None:
    counts = Counts()
    for message in (
        told(1.0, 0.5, 1),
        told(2.0, 0.25, 1, stage="answer"),
        told(2.0, 4.0, 9, stage="answer", model="reader"),
        told(1.0, 1.0, 2),
    ):
        counts.observe(message)
    found = samples(counts)
    assert found["hark_model_cpu_seconds_total ner 1"] == 1.25
    assert found["hark_model_runs_total ner 1"] == 3
    assert found["hark_model_cpu_seconds_total reader 1"] == 4.0


def test_without_a_run_there_are_no_such_metrics() -> None:
    assert "model" not in Counts().prometheus()


@given(
    st.lists(
        st.tuples(st.sampled_from(("nlu", "answer")), st.booleans(), st.integers(0, 9)), max_size=30
    )
)
def test_whatever_restarts_the_counters_only_grow(steps: list[tuple[str, bool, int]]) -> None:
    counts, now = Counts(), dict.fromkeys(("nlu", "answer"), (0.0, 0))
    done = 0
    for number, (stage, restarts, runs) in enumerate(steps, 1):
        began_s, so_far = (float(number), 0) if restarts else now[stage]
        now[stage] = (began_s, so_far + runs)
        done += runs
        counts.observe(told(*now[stage], runs=now[stage][1], stage=stage))
        assert samples(counts)["hark_model_runs_total ner 1"] == done
