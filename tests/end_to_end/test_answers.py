"""Questions about documents to the real daemon, more at once than it can word."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from assistant.core.clock import boottime_s
from assistant.core.messages import Question
from assistant.core.parts import Wording
from tests.support.scenario import (
    PATIENCE_S,
    Daemon,
    Expect,
    await_indexed,
    command_line,
    documents_of,
    quiet,
    tell,
)

pytestmark = pytest.mark.e2e

DOCUMENTS = Path(__file__).parents[2] / "examples" / "documents"
FIFTY = 50
REST_S = 5
KNOWN = ("how long does the guarantee of the dishwasher run", "when is the dentist")


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    folder = tmp_path_factory.mktemp("answers")
    settings = f'[documents]\nfolders = ["{DOCUMENTS}"]\n[alerts]\nrest_s = {REST_S}\n'
    with quiet(folder, settings) as started:
        await_indexed(started, DOCUMENTS)
        yield started


def ask(daemon: Daemon, names: Sequence[str], texts: Sequence[str]) -> dict[str, dict[str, Any]]:
    """All at once; gives the reply to each utterance, and fails if one is missing or repeated.

    The first has all the time for its words.
    """
    for name, text in zip(names, texts, strict=True):
        wording: Wording = "late" if name == names[0] else ""
        asked = Question(utterance_id=name, text=text, at_s=boottime_s(), wording=wording)
        daemon.bus.send(asked)
    replies: dict[str, dict[str, Any]] = {}
    while len(replies) < len(names):
        reply = daemon.wait_for(
            lambda event: event["type"] == "Reply" and event["utterance_id"] in names, PATIENCE_S
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
    left = Expect("Simplify", {"stage": "answer", "for_s": 0.0})
    tell(daemon, [taken, left])
    assert "answer: takes its simpler path for 5 s (alerts.slow)" in daemon.log.read_text()
    assert "answer: takes its usual path again (alerts.over)" in daemon.log.read_text()


def test_documents_are_added_while_it_runs(daemon: Daemon, tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "tea.md").write_text("# Tea\n\nGreen tea steeps for two minutes.\n", "utf-8")
    (folder / "torn.pdf").write_text("this is no PDF", "utf-8")
    added = _documents(daemon, "add", str(folder))
    assert "torn.pdf" in added
    tell(daemon, [Expect("DocumentsDone")])
    rows = {row["title"]: row["passages"] for row in documents_of(daemon)}
    assert (rows["Tea"], rows["torn"]) == (1, 0)
    assert _documents(daemon, "summarise", "tea") == "Green tea steeps for two minutes.\n"
    assert _documents(daemon, "remove", str(folder)).startswith("2 documents")


def _documents(daemon: Daemon, *arguments: str) -> str:
    command = command_line("documents", *arguments, "--config", str(daemon.config))
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout
