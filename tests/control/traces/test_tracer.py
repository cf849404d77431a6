"""When an utterance is traced, and what becomes of its line."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from assistant.control.metrics_store import MetricsStore
from assistant.control.recollection import Recollection
from assistant.control.server import ControlServer
from assistant.control.stage import ControlStage
from assistant.control.traces.otlp import read_line
from assistant.control.traces.ring import LineRing, lines_of
from assistant.control.traces.tracer import MOST_OPEN, SETTLED_S, UNHEARD_S, Tracer
from assistant.core.messages import (
    Commit,
    Message,
    PlaybackStarted,
    SpokenReply,
    Tick,
    TraceMade,
    Woke,
)
from assistant.core.traces.ids import trace_id_of
from tests.support.utterances import utterance

EVENTS = (
    Woke(at_s=8.6, utterance_id="u", wake_word="computer"),
    utterance(at_s=10.1),
    Commit(at_s=10.2, utterance_id="u", revision=0),
    SpokenReply(at_s=10.3, utterance_id="u", text="Yes."),
)
PLAYED = PlaybackStarted(at_s=10.5, utterance_id="u", made_at_s=10.4)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "traces"


def fed(tracer: Tracer, recollection: Recollection, *events: Message) -> None:
    for event in events:
        recollection.observe(event)
        tracer.observe(event)


def test_an_utterance_is_traced_once_its_first_sound_has_settled(folder: Path) -> None:
    recollection = Recollection()
    tracer = Tracer(recollection, LineRing(folder), epoch_ns=lambda: 5)
    assert tracer.deadline_s() is None
    fed(tracer, recollection, *EVENTS)
    assert tracer.deadline_s() == 10.2 + UNHEARD_S
    fed(tracer, recollection, PLAYED)
    assert tracer.deadline_s() == 10.5 + SETTLED_S
    assert list(tracer.tick(10.6)) == []
    assert list(lines_of(folder)) == []
    assert list(tracer.tick(10.5 + SETTLED_S)) == []
    assert tracer.deadline_s() is None
    (line,) = lines_of(folder)
    root = read_line(line).spans[0]
    assert (root.trace_id, root.name) == (trace_id_of("u"), "utterance")
    assert root.end_time_unix_nano == str(10_500_000_005)
    # A second reply to it, or its repetition, is not traced again.
    fed(tracer, recollection, PLAYED)
    assert tracer.deadline_s() is None


def test_what_nobody_hears_a_reply_to_is_traced_all_the_same(folder: Path) -> None:
    recollection = Recollection()
    tracer = Tracer(recollection, LineRing(folder))
    fed(tracer, recollection, *EVENTS)
    assert list(tracer.tick(10.2 + UNHEARD_S)) == []
    (line,) = lines_of(folder)
    assert [span.name for span in read_line(line).spans][-1] == "skill"


def test_a_reply_that_nobody_asked_for_is_not_traced(folder: Path) -> None:
    recollection = Recollection()
    tracer = Tracer(recollection, LineRing(folder))
    ring = SpokenReply(at_s=1.0, utterance_id="ring", text="Your timer is over.")
    fed(tracer, recollection, ring, PlaybackStarted(at_s=2.0, utterance_id="ring"))
    assert tracer.deadline_s() is None


def test_what_is_forwarded_is_what_is_kept(folder: Path) -> None:
    recollection = Recollection()
    tracer = Tracer(recollection, LineRing(folder), forwards=True)
    fed(tracer, recollection, *EVENTS, PLAYED)
    (made,) = tracer.tick(60.0)
    assert [made.export.encode()] == list(lines_of(folder))


def test_without_a_setting_nothing_is_traced() -> None:
    recollection = Recollection()
    tracer = Tracer(recollection)
    fed(tracer, recollection, *EVENTS, PLAYED)
    assert tracer.deadline_s() is None


def test_many_at_once_take_no_more_than_their_share(folder: Path) -> None:
    recollection = Recollection()
    tracer = Tracer(recollection, LineRing(folder))
    for number in range(MOST_OPEN + 100):
        fed(tracer, recollection, Commit(at_s=1.0, utterance_id=f"u{number}", revision=0))
    assert list(tracer.tick(60.0)) == []
    assert tracer.deadline_s() is None
    fed(tracer, recollection, *EVENTS, PLAYED)
    assert list(tracer.tick(60.0)) == []
    assert len(list(lines_of(folder))) == 1


def test_a_disk_that_cannot_be_written_is_told_once(
    folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder.write_text("in the way")
    recollection = Recollection(keep=3)
    tracer = Tracer(recollection, LineRing(folder), forwards=True)
    with caplog.at_level(logging.WARNING):
        for number in range(3):
            name = f"u{number}"
            said = (
                utterance(name, at_s=10.1),
                Commit(at_s=10.2, utterance_id=name, revision=0),
                SpokenReply(at_s=10.3, utterance_id=name, text="Yes."),
            )
            fed(tracer, recollection, *said)
            assert len(list(tracer.tick(60.0))) == 1
    (told,) = caplog.messages
    assert "traces.unwritable" in told
    assert "Yes" not in told


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ControlServer]:
    with closing(ControlServer(tmp_path / "control.sock", {})) as made:
        yield made


def test_the_control_process_traces_what_it_is_shown(
    server: ControlServer, tmp_path: Path, folder: Path
) -> None:
    recollection = Recollection()
    metrics = MetricsStore(tmp_path / "metrics.jsonl", keep=10)
    tracer = Tracer(recollection, LineRing(folder), forwards=True)
    stage = ControlStage(server, metrics, recollection, tracer=tracer)
    for event in (*EVENTS, PLAYED):
        assert list(stage.feed(event)) == []
    due_s = stage.deadline_s()
    assert due_s == 10.5 + SETTLED_S
    assert [type(one) for one in stage.feed(Tick(at_s=due_s))] == [TraceMade]
