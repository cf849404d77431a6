"""Stage times from a conversation's events, and what is kept of them."""

from __future__ import annotations

import errno
import logging
import os
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from prometheus_client.parser import text_string_to_metric_families

from assistant.control.metrics import OPEN_UTTERANCES, Counts, Stopwatch, Times, figures, percentile
from assistant.control.metrics_store import MetricsStore, read_times
from assistant.control.procfs import Usage
from assistant.core.messages import (
    Commit,
    Interpretation,
    Message,
    PlaybackStarted,
    QualityAlert,
    Question,
    Reloaded,
    Replaced,
    SafeModeEntered,
    Simplify,
    SpokenReply,
    StageFailed,
    StageRestarted,
    Transcript,
    Utterance,
)

SECRET = "unlock the cellar"


def utterance(at_s: float, revision: int = 0, of: str = "u1") -> Utterance:
    return Utterance(
        at_s=at_s,
        utterance_id=of,
        revision=revision,
        wake_word="computer",
        duration_s=2.0,
        speech_s=1.5,
        speech_ended_at_s=10.0,
    )


def understood(at_s: float, revision: int = 0, of: str = "u1") -> list[Message]:
    """The transcript at `at_s`, its interpretation 0.1 s later."""
    return [
        Transcript(at_s=at_s, utterance_id=of, revision=revision, text=SECRET),
        Interpretation(at_s=at_s + 0.1, utterance_id=of, revision=revision, text=SECRET),
    ]


def commit(at_s: float, revision: int = 0, of: str = "u1") -> Commit:
    return Commit(at_s=at_s, utterance_id=of, revision=revision)


def replied(at_s: float, of: str = "u1") -> list[Message]:
    """The reply at `at_s`, its first sound 0.3 s later."""
    return [
        SpokenReply(at_s=at_s, utterance_id=of, text="It is unlocked."),
        PlaybackStarted(at_s=at_s + 0.3, utterance_id=of),
    ]


SIMPLE = [utterance(10.7), commit(10.7), *understood(11.0), *replied(11.2)]


def measured(events: list[Message]) -> list[Times]:
    stopwatch = Stopwatch()
    found = [stopwatch.observe(event) for event in events]
    return [{k: round(v, 3) for k, v in times.items()} for times in found if times is not None]


def test_an_utterance_that_was_committed_at_once() -> None:
    assert measured(SIMPLE) == [
        {
            "endpointing": 0.7,
            "asr": 0.3,
            "nlu": 0.1,
            "commit": 0.0,
            "skills": 0.1,
            "voice": 0.3,
            "total": 1.5,
        }
    ]


def test_of_two_revisions_the_committed_one_counts_and_its_wait_is_shown() -> None:
    events = [
        utterance(10.1, revision=0),
        *understood(10.2, revision=0),
        utterance(10.3, revision=1),
        *understood(10.4, revision=1),
        commit(10.7, revision=1),
        *replied(10.8),
    ]
    assert measured(events) == [
        {
            "endpointing": 0.3,
            "asr": 0.1,
            "nlu": 0.1,
            "commit": 0.2,
            "skills": 0.1,
            "voice": 0.3,
            "total": 1.1,
        }
    ]


def test_an_answer_is_timed_from_its_question() -> None:
    asked = Question(at_s=11.15, utterance_id="u1", text=SECRET)
    (times,) = measured([*SIMPLE[:-2], asked, *SIMPLE[-2:]])
    assert (times["skills"], times["answer"]) == (0.05, 0.05)


def test_the_stages_sum_up_to_the_total() -> None:
    (times,) = measured(SIMPLE)
    assert sum(v for k, v in times.items() if k != "total") == pytest.approx(times["total"])


def test_a_reply_to_nobody_such_as_a_timer_is_no_utterance() -> None:
    assert measured(replied(20.0, of="timer")) == []


def test_a_second_playback_of_the_same_utterance_is_not_counted() -> None:
    assert len(measured([*SIMPLE, *replied(15.0)])) == 1


def test_utterances_without_an_end_are_forgotten_oldest_first() -> None:
    lost = [utterance(1.0, of=f"lost{n}") for n in range(OPEN_UTTERANCES)]
    assert measured([*SIMPLE[:-1], *lost[:-1], SIMPLE[-1]]) != []
    assert measured([*SIMPLE[:-1], *lost, SIMPLE[-1]]) == []


@given(st.permutations(SIMPLE[:-1]))
def test_the_order_in_which_processes_are_heard_does_not_matter(events: list[Message]) -> None:
    assert measured([*events, SIMPLE[-1]]) == measured(SIMPLE)


@given(st.lists(st.floats(0, 100), min_size=1), st.floats(0.01, 1))
def test_a_percentile_is_a_value_that_its_share_does_not_exceed(
    values: list[float], share: float
) -> None:
    found = percentile(values, share)
    assert found in values
    assert sum(v <= found for v in values) >= share * len(values) - 1e-9


def test_figures_are_per_stage_in_the_order_of_the_chain() -> None:
    rows = figures([{"asr": n / 100, "total": n / 10} for n in range(1, 101)])
    assert [(r.stage, r.utterances, r.p50_ms, r.p95_ms) for r in rows] == [
        ("asr", 100, 500.0, 950.0),
        ("total", 100, 5000.0, 9500.0),
    ]


def test_the_ledger_keeps_the_last_utterances_across_a_restart(tmp_path: Path) -> None:
    file = tmp_path / "metrics.jsonl"
    for turn in range(7):
        metrics = MetricsStore(file, keep=3)
        for event in SIMPLE:
            metrics.observe(event)
        assert metrics.figures()[-1].utterances == min(turn + 1, 3)
    assert 3 <= len(read_times(file)) <= 6


def test_no_word_is_kept(tmp_path: Path) -> None:
    metrics = MetricsStore(tmp_path / "metrics.jsonl", keep=3, textfile=tmp_path / "hark.prom")
    for event in SIMPLE:
        metrics.observe(event)
    metrics.tick()
    kept = "".join(file.read_text() for file in tmp_path.iterdir())
    assert "asr" in kept
    assert [word for word in (*SECRET.split(), "unlocked", "u1") if word in kept] == []


def test_a_line_cut_short_by_a_crash_costs_only_itself(tmp_path: Path) -> None:
    file = tmp_path / "metrics.jsonl"
    file.write_bytes(b'{"asr":0.1}\n{"asr":0.2}\n{"as')
    assert read_times(file) == [{"asr": 0.1}, {"asr": 0.2}]
    metrics = MetricsStore(file, keep=5)
    for event in SIMPLE:
        metrics.observe(event)
    assert len(read_times(file)) == 3


@pytest.mark.parametrize("line", [b'{"a\xff":0.1}', b"[" * 100_000, b"\0\0\0", b'{"asr":"x"}'])
def test_a_line_that_a_failing_disk_has_changed_costs_only_itself(
    tmp_path: Path, line: bytes
) -> None:
    file = tmp_path / "metrics.jsonl"
    file.write_bytes(b'{"asr":0.1}\n' + line + b'\n{"asr":0.2}\n')
    assert read_times(file) == [{"asr": 0.1}, {"asr": 0.2}]


def test_a_disk_that_takes_nothing_is_logged_once_and_costs_no_utterance(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    in_the_way = tmp_path / "state"
    in_the_way.touch()
    metrics = MetricsStore(in_the_way / "metrics.jsonl", keep=5)
    with caplog.at_level(logging.WARNING):
        for event in [*SIMPLE, *SIMPLE]:
            metrics.observe(event)
    assert metrics.figures()[-1].utterances == 2
    assert [r.message for r in caplog.records if "(metrics.unwritable)" in r.message] != []
    assert len(caplog.records) == 1


def test_the_text_file_is_due_after_events_and_replaced_whole(tmp_path: Path) -> None:
    textfile = tmp_path / "hark.prom"
    metrics = MetricsStore(tmp_path / "metrics.jsonl", keep=5, textfile=textfile)
    metrics.tick()
    assert metrics.deadline_s() is None
    for event in SIMPLE:
        metrics.observe(event)
    assert metrics.deadline_s() == SIMPLE[0].at_s + 5.0
    metrics.tick()
    assert "hark_utterances_total 1\n" in textfile.read_text()
    assert 'hark_stage_seconds_count{stage="total"} 1\n' in textfile.read_text()
    assert {f.name for f in tmp_path.iterdir()} == {"hark.prom", "metrics.jsonl"}


def test_the_text_file_has_the_models_and_waits_for_no_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "fsync", lambda _: pytest.fail("it was waited for"))
    textfile = tmp_path / "hark.prom"
    MetricsStore(tmp_path / "a.jsonl", keep=5, textfile=textfile).tick()
    assert "hark_model_bytes" not in textfile.read_text()
    MetricsStore(tmp_path / "a.jsonl", keep=5, textfile=textfile, models_dir=tmp_path).tick()
    assert 'hark_model_bytes{model="ner",version="1"}' in textfile.read_text()


def test_processes_of_one_name_count_together(tmp_path: Path) -> None:
    used = [
        Usage(name="asr", cpu_s=1.5, pss_bytes=100),
        Usage(name="asr", cpu_s=0.25, pss_bytes=20),
        Usage(name="nlu", cpu_s=0.0, pss_bytes=7),
    ]
    metrics = MetricsStore(tmp_path / "kept", 5, tmp_path / "hark.prom", lambda: used)
    metrics.tick()
    text = (tmp_path / "hark.prom").read_text()
    found = {
        (sample.name, sample.labels["process"]): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
        if "process" in sample.labels
    }
    assert found == {
        ("hark_process_cpu_seconds_total", "asr"): 1.75,
        ("hark_process_cpu_seconds_total", "nlu"): 0.0,
        ("hark_process_memory_bytes", "asr"): 120,
        ("hark_process_memory_bytes", "nlu"): 7,
    }


def test_without_a_text_file_nothing_is_ever_due(tmp_path: Path) -> None:
    metrics = MetricsStore(tmp_path / "metrics.jsonl", keep=5)
    metrics.observe(SIMPLE[0])
    assert metrics.deadline_s() is None


def test_a_stage_that_begins_anew_has_no_alert() -> None:
    counts = Counts()
    for what in ("slow", "empty"):
        counts.observe(QualityAlert(stage="answer", what=what, value=0.4, expected=0.05))
    counts.observe(StageRestarted(stage="voice", reason="hung"))
    assert counts.prometheus().count('{stage="answer",what="slow"} 1') == 1
    refused = Replaced(stage="answer", model="reader", version="2", error="it is corrupt")
    counts.observe(refused)
    counts.observe(Reloaded(stage="answer", error="the settings are wrong"))
    assert counts.prometheus().count('{stage="answer",what="slow"} 1') == 1
    counts.observe(msgspec.structs.replace(refused, error=""))
    assert counts.prometheus().count('{stage="answer",what="slow"} 0') == 1
    counts.observe(QualityAlert(stage="answer", what="slow", value=0.4, expected=0.05))
    counts.observe(StageRestarted(stage="answer", reason="hung"))
    assert counts.prometheus().count('{stage="answer",what="slow"} 0') == 1


def test_the_prometheus_text() -> None:
    counts = Counts()
    for event in (
        commit(1.0),
        StageFailed(stage="asr", code='asr."odd"', message="no"),
        StageRestarted(stage="asr", reason="hung"),
        SafeModeEntered(stage="asr"),
        QualityAlert(stage="answer", what="slow", value=0.4, expected=0.05),
        QualityAlert(stage="answer", what="empty", value=0.3, expected=0.02),
        QualityAlert(stage="answer", what="empty", value=0.02, expected=0.02, over=True),
    ):
        counts.observe(event)
    for stage, for_s, again in (("nlu", 60.0, False), ("nlu", 9.0, True), ("asr", 60.0, False)):
        counts.observe(Simplify(stage=stage, why="slow", for_s=for_s, again=again))
    counts.observe(Simplify(stage="asr", why="slow", for_s=0.0))
    counts.measured({"asr": 0.3})
    counts.measured({"asr": 0.02})
    lines = counts.prometheus().splitlines()
    assert lines[:3] == [
        "# HELP hark_utterances_total Utterances that were acted on.",
        "# TYPE hark_utterances_total counter",
        "hark_utterances_total 1",
    ]
    assert r'hark_failures_total{stage="asr",code="asr.\"odd\""} 1' in lines
    assert 'hark_restarts_total{stage="asr"} 1' in lines
    assert 'hark_safe_modes_total{stage="asr"} 1' in lines
    assert 'hark_quality_alert{stage="answer",what="empty"} 0' in lines
    assert 'hark_quality_alert{stage="answer",what="slow"} 1' in lines
    assert 'hark_simpler{stage="nlu"} 1' in lines
    assert 'hark_simpler{stage="asr"} 0' in lines
    assert 'hark_alerts_total{stage="nlu",why="slow"} 1' in lines
    assert 'hark_alerts_total{stage="asr",why="slow"} 1' in lines
    assert 'hark_stage_seconds_bucket{stage="asr",le="0.01"} 0' in lines
    assert 'hark_stage_seconds_bucket{stage="asr",le="0.025"} 1' in lines
    assert 'hark_stage_seconds_bucket{stage="asr",le="0.5"} 2' in lines
    assert lines[-3:] == [
        'hark_stage_seconds_bucket{stage="asr",le="+Inf"} 2',
        'hark_stage_seconds_sum{stage="asr"} 0.320000',
        'hark_stage_seconds_count{stage="asr"} 2',
    ]


def test_prometheus_own_reader_finds_every_sample() -> None:
    counts = Counts()
    counts.observe(commit(1.0))
    counts.observe(StageFailed(stage="asr", code='a\\b"c\nd', message="no"))
    counts.measured({"asr": 0.3})
    families = {f.name: f for f in text_string_to_metric_families(counts.prometheus())}
    assert {name: family.type for name, family in families.items()} == {
        "hark_utterances": "counter",
        "hark_failures": "counter",
        "hark_restarts": "counter",
        "hark_safe_modes": "counter",
        "hark_quality_alert": "gauge",
        "hark_simpler": "gauge",
        "hark_alerts": "counter",
        "hark_stage_seconds": "histogram",
    }
    (failure,) = families["hark_failures"].samples
    assert (failure.labels, failure.value) == ({"stage": "asr", "code": 'a\\b"c\nd'}, 1.0)
    *buckets, total, count = families["hark_stage_seconds"].samples
    assert [bucket.value for bucket in buckets if float(bucket.labels["le"]) < 0.3] == [0.0] * 5
    assert (buckets[-1].labels["le"], buckets[-1].value, total.value, count.value) == (
        *("+Inf", 1.0),
        *(0.3, 1.0),
    )


def test_the_file_is_begun_anew_before_it_is_twice_as_long(tmp_path: Path) -> None:
    file = tmp_path / "deep" / "state" / "metrics.jsonl"
    metrics = MetricsStore(file, keep=3)
    lengths = []
    for number in range(12):
        for event in [
            utterance(10.0 + number / 10),
            commit(11.0),
            *understood(12.0),
            *replied(13.0),
        ]:
            metrics.observe(event)
        lengths.append(len(read_times(file)))
    assert lengths == [1, 2, 3, 4, 5, 6, 3, 4, 5, 6, 3, 4]
    assert [times["endpointing"] for times in read_times(file)[-3:]] == [0.9, 1.0, 1.1]
    assert file.parent.stat().st_mode & 0o777 == 0o700


def test_only_the_last_are_read_again(tmp_path: Path) -> None:
    file = tmp_path / "metrics.jsonl"
    file.write_text("".join(f'{{"asr":{n}}}\n' for n in range(9)))
    (row,) = MetricsStore(file, keep=2).figures()
    assert (row.utterances, row.p50_ms, row.p95_ms) == (2, 7000.0, 8000.0)
    assert read_times(tmp_path) == []


def test_the_collector_may_read_the_text_file_and_seconds_have_four_places(tmp_path: Path) -> None:
    textfile = tmp_path / "hark.prom"
    metrics = MetricsStore(tmp_path / "metrics.jsonl", keep=5, textfile=textfile)
    assert metrics.deadline_s() == 0.0
    for event in [utterance(10.123456), *SIMPLE[1:]]:
        metrics.observe(event)
    assert metrics.deadline_s() == 0.0
    before = os.umask(0o077)  # as in the daemon
    try:
        metrics.tick()
    finally:
        os.umask(before)
    assert textfile.stat().st_mode & 0o777 == 0o644
    assert '"endpointing":0.1235' in (tmp_path / "metrics.jsonl").read_text()
    metrics.observe(SIMPLE[0])
    metrics.observe(SIMPLE[-1])
    assert metrics.deadline_s() == SIMPLE[0].at_s + 5.0


def test_a_disk_that_fails_again_is_logged_again(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder = tmp_path / "state"
    metrics = MetricsStore(folder / "metrics.jsonl", keep=5)
    for in_the_way in (True, False, True):
        if in_the_way:
            folder.touch()
        for event in SIMPLE:
            metrics.observe(event)
        if in_the_way:
            folder.unlink()
        else:
            (folder / "metrics.jsonl").unlink()
            folder.rmdir()
    told = [record.message for record in caplog.records]
    assert len(told) == 2
    assert all(str(folder) in line and "(metrics.unwritable)" in line for line in told)


def test_a_full_disk_is_logged_once_with_the_name_of_the_file(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("assistant.control.metrics_store.replace_file", full)
    textfile = tmp_path / "hark.prom"
    metrics = MetricsStore(tmp_path / "metrics.jsonl", keep=5, textfile=textfile)
    for _ in range(2):
        metrics.tick()
    (record,) = caplog.records
    assert record.message == f"metrics: {textfile}: No space left on device (metrics.unwritable)"


def test_a_folder_that_is_gone_is_logged_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    textfile = tmp_path / "gone" / "hark.prom"
    metrics = MetricsStore(tmp_path / "metrics.jsonl", keep=5, textfile=textfile)
    for _ in range(2):
        metrics.tick()
    (record,) = caplog.records
    assert record.message.startswith(f"metrics: {textfile}: ")
