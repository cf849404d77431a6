"""Questions to the real daemon, many at once, and the alert when its answers get worse."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families

from assistant.answer.answerer import NOTHING_FOUND
from assistant.answer.generation.generator import MODEL as GENERATOR
from assistant.answer.retrieval.encoder import MODEL as READER
from assistant.core.bus import Address, Bus
from assistant.core.clock import boottime_s
from assistant.core.layout import BASELINE_FILE, MEMBERS
from assistant.core.messages import Question
from assistant.core.models.manifest import SHIPPED, Library
from assistant.core.quality.baseline import keep_baseline, models_at_work
from assistant.model_files.pull import import_version
from assistant.serving.processes import consumers
from benchmarks.endurance.versions import unchecked
from tests.support.scenario import Daemon, Expect, await_indexed, command_line, quiet, tell

pytestmark = pytest.mark.e2e

DOCUMENTS = Path(__file__).parents[2] / "examples" / "documents"
FIFTY, PATIENCE_S = 50, 60.0
REST_S = 5
TRIED, TOGETHER = 100, 4
"""Questions of a trial, and how many are asked at once: all of them are worded in time."""
JUDGED = 80
"""Questions that nothing answers; of so many an alert must come."""
KNOWN = ("how long does the guarantee of the dishwasher run", "when is the dentist")


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    folder = tmp_path_factory.mktemp("answers")
    models = models_at_work(Library(folder), (READER, GENERATOR))
    keep_baseline(folder / "state" / BASELINE_FILE, models, {"declined": 0.05})
    settings = f'[documents]\nfolders = ["{DOCUMENTS}"]\n'
    settings += f'[metrics]\ntextfile = "{folder / "hark.prom"}"\n[alerts]\nrest_s = {REST_S}\n'
    with quiet(folder, settings) as started:
        await_indexed(started, DOCUMENTS)
        yield started


def ask(
    daemon: Daemon, names: Sequence[str], texts: Sequence[str], apart: bool = False
) -> dict[str, dict[str, Any]]:
    """All at once; gives the reply to each utterance, and fails if one is missing or repeated.

    If `apart`, each is asked in a room of its own.
    """
    with (
        closing(Address(daemon.control.parent)) as address,
        closing(Bus("asker", address, MEMBERS, consumers(), ())) as bus,
    ):
        for name, text in zip(names, texts, strict=True):
            area = name if apart else ""
            bus.send(Question(utterance_id=name, text=text, at_s=boottime_s(), area=area))
        replies: dict[str, dict[str, Any]] = {}
        while len(replies) < len(names):
            reply = daemon.wait_for(
                lambda event: event["type"] == "Reply" and event["utterance_id"] in names,
                within_s=PATIENCE_S,
            )
            assert reply["utterance_id"] not in replies
            replies[reply["utterance_id"]] = reply
    return replies


def test_fifty_questions_at_once_are_all_answered(daemon: Daemon) -> None:
    names = [f"crowd-{number}" for number in range(FIFTY)]
    texts = [f"{KNOWN[number % 2]}{'?' * number}" for number in range(FIFTY)]
    replies = ask(daemon, names, texts)
    for number, name in enumerate(names):
        assert ("three years", "March 2, 2027")[number % 2] in replies[name]["text"]
    worded = [event for event in daemon.seen if event["type"] == "Generated"]
    assert worded
    for event in worded:
        assert event["utterance_id"] in names
        assert event["tokens"] > 0
        assert event["began_at_s"] < event["at_s"]
    # More was asked than could be worded: the simpler path is taken, and left again.
    taken = Expect("Simplify", {"stage": "answer", "why": "slow", "for_s": float(REST_S)})
    left = Expect("Simplify", {"stage": "answer", "for_s": 0.0}, within_s=PATIENCE_S)
    tell(daemon, [taken, left])
    assert "answer: takes its simpler path for 5 s (alerts.slow)" in daemon.log.read_text()
    assert "answer: takes its usual path again (alerts.over)" in daemon.log.read_text()


def test_answers_that_get_worse_are_told_to_who_watches_and_to_prometheus(daemon: Daemon) -> None:
    watch = command_line("watch", "--json", "--config", str(daemon.config))
    with subprocess.Popen(watch, stdout=subprocess.PIPE, text=True) as watching:
        assert watching.stdout is not None
        assert json.loads(watching.stdout.readline())["type"] == "Status"
        names = [f"worse-{number}" for number in range(JUDGED)]
        replies = ask(
            daemon, names, [f"who won the cup of Zembla in {1900 + n}?" for n in range(JUDGED)]
        )
        assert {reply["text"] for reply in replies.values()} == {NOTHING_FOUND}
        alert = next(e for e in map(json.loads, watching.stdout) if e["type"] == "QualityAlert")
        watching.kill()
    assert (alert["stage"], alert["what"], alert["over"]) == ("answer", "declined", False)
    assert alert["value"] > alert["expected"] == 0.05
    textfile = daemon.state_dir.parent / "hark.prom"
    ends_s = time.monotonic() + PATIENCE_S
    line = 'hark_quality_alert{stage="answer",what="declined"} 1'
    while line not in (textfile.read_text() if textfile.exists() else ""):
        assert time.monotonic() < ends_s, textfile.read_text()
        time.sleep(0.2)
    for process in ("answer", "asr", "skills"):
        assert f'hark_process_memory_bytes{{process="{process}"}} ' in textfile.read_text()
    assert "(quality.declined)" in daemon.log.read_text()


def used_by_models(textfile: Path) -> dict[tuple[str, str], float]:
    """(Metric, model) → its value, of the version that ships."""
    found = {}
    for family in text_string_to_metric_families(textfile.read_text()):
        for sample in family.samples:
            if sample.labels.get("version") == "1":
                found[sample.name, sample.labels["model"]] = sample.value
    return found


def test_what_the_models_use_is_told_and_goes_on_when_their_process_begins_anew(
    daemon: Daemon,
) -> None:
    textfile = daemon.state_dir.parent / "hark.prom"
    counters = [
        (f"hark_model_{what}_total", model)
        for what in ("cpu_seconds", "runs")
        for model in ("reader", "generator")
    ]

    def grown(before: Mapping[tuple[str, str], float], number: int) -> dict[tuple[str, str], float]:
        """The counters once all are greater, which a question brings about."""
        text = f"{KNOWN[0]}{'?' * number}"
        ask(daemon, [f"used-{number}"], [text])
        ends_s = time.monotonic() + PATIENCE_S
        while True:
            now = used_by_models(textfile)
            assert all(now[counter] >= value for counter, value in before.items())
            if all(now.get(counter, 0.0) > before.get(counter, 0.0) for counter in counters):
                return now
            assert time.monotonic() < ends_s, now
            time.sleep(0.2)

    first = grown({}, FIFTY + 1)
    os.kill(daemon.pid("answer"), signal.SIGKILL)
    daemon.wait_for(Expect("StageRestarted", {"stage": "answer"}).matches, PATIENCE_S)
    second = grown(first, FIFTY + 2)
    # Of the new process alone they are smaller: it has not read the documents.
    reader = ("hark_model_cpu_seconds_total", "reader")
    assert second[reader] - first[reader] < first[reader]


def test_a_generator_on_trial_takes_all_by_itself(daemon: Daemon) -> None:
    library, made = Library(daemon.state_dir / "models"), daemon.state_dir.parent / "made"
    shutil.copytree(SHIPPED / GENERATOR, made)
    import_version(library, GENERATOR, made, "2", unchecked)
    tried = ("models", "try", GENERATOR, "2", "--share", "0.5", "--utterances", str(TRIED))
    command = command_line(*tried, "--config", str(daemon.config))
    subprocess.run(command, check=True, capture_output=True, timeout=PATIENCE_S)
    asked = 0
    while "generator 2 taken" not in daemon.log.read_text():
        assert asked < 2 * TRIED, daemon.objects("models", "trials", "--json")
        names = [f"tried-{asked + number}" for number in range(TOGETHER)]
        texts = [f"{KNOWN[0]}{'!' * (asked + number)}" for number in range(TOGETHER)]
        ask(daemon, names, texts, apart=True)
        asked += TOGETHER
    Expect("Tried", {"stage": "answer", "model": GENERATOR, "taken": True}).run(daemon)
    (trial,) = daemon.objects("models", "trials", "--json")
    assert trial["old"]["utterances"] + trial["new"]["utterances"] == TRIED
    assert Library(library.pulled).in_use(GENERATOR).version == "2"
