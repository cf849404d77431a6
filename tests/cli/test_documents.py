"""`assistant documents` by itself, and through the control socket of a daemon."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from typer.testing import CliRunner, Result

from assistant.answer.build import Answering
from assistant.answer.knowledge.knowledge import Knowledge
from assistant.cli.documents import app
from assistant.control.server import ControlServer
from assistant.core.errors import AssistantError, ControlError, InputError, StorageError
from assistant.core.messages import (
    DocumentsDone,
    DocumentsListed,
    DocumentsProgress,
    DocumentsRequest,
    DocumentSummary,
    ListedDocument,
    Message,
    StageRestarted,
)
from assistant.supervision.channel import ProcessStatus, Status
from tests.support.fake_encoder import FakeEncoder

RUNNING = Status(processes=(ProcessStatus(name="answer", state="ready", pid=1),))
MANUAL = ListedDocument(title="Manual", kind="document", path="/d/m.md", passages=3, unencoded=1)


@pytest.fixture
def config(tmp_path: Path) -> Path:
    file = tmp_path / "config.toml"
    folders = (f'{name} = "{tmp_path / name}"' for name in ("state", "runtime", "cache"))
    file.write_text("\n".join(("[storage]", *folders)))
    (tmp_path / "runtime").mkdir()
    return file


def invoke(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def test_without_a_daemon_it_is_done_here(tmp_path: Path, config: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "tea.md").write_text("# Tea\n\nGreen tea steeps for two minutes.\n")
    (folder / "torn.pdf").write_text("this is no PDF")
    added = invoke("add", folder, "--config", config, "--json")
    fault, done = map(json.loads, added.stdout.splitlines())
    assert fault["type"] == "Fault"
    assert "torn.pdf" in fault["message"]
    assert done == {"documents": 2, "passages": 1}
    listed = [
        json.loads(line)
        for line in invoke("list", "--config", config, "--json").stdout.splitlines()
    ]
    assert [(row["title"], row["passages"]) for row in listed] == [("Tea", 1), ("torn", 0)]
    assert "Tea" in invoke("list", "--config", config).stdout
    removed = invoke("remove", "tea", "--config", config)
    assert removed.stdout == "1 documents with 1 passages are forgotten\n"
    unknown = invoke("remove", "tea", "--config", config).exception
    assert isinstance(unknown, InputError)
    assert "assistant documents list" in unknown.message


def test_a_document_is_said_in_short(
    tmp_path: Path, config: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tea = tmp_path / "tea.md"
    tea.write_text("# Tea\n\n## Green\n\nIt steeps for two minutes.\n\n## Black\n\nFor four.\n")
    assert invoke("add", tea, "--config", config).exit_code == 0
    monkeypatch.setattr(Answering, "encoder", FakeEncoder())
    green = invoke("summarise", "the", "green", "part", "of", "tea", "--config", config)
    assert green.stdout == "It steeps for two minutes.\n"
    whole = json.loads(invoke("summarise", "tea", "--config", config, "--json").stdout)
    assert whole["sentences"] == ["It steeps for two minutes.", "For four."]
    unknown = invoke("summarise", "coffee", "--config", config).exception
    assert isinstance(unknown, InputError)
    assert "Tea" in unknown.message


def test_a_summary_of_a_wished_length(
    tmp_path: Path, config: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tea = tmp_path / "tea.md"
    sorts = ("Green", "Black", "White", "Red", "Yellow", "Dark")
    tea.write_text("# Tea\n\n" + " ".join(f"{s} tea steeps for some minutes." for s in sorts))
    assert invoke("add", tea, "--config", config).exit_code == 0
    monkeypatch.setattr(Answering, "encoder", None)
    assert len(invoke("summarise", "tea", "--config", config).stdout.split()) == 18
    told = invoke("summarise", "tea", "--words", "30", "--config", config).stdout
    assert told.split() == tea.read_text().split()[2:32]
    refused = invoke("summarise", "tea", "--words", "5", "--config", config).exception
    assert isinstance(refused, InputError)
    assert refused.message == "A summary has 20 to 1000 words."


def test_without_the_model_a_documents_first_sentences_are_said(
    tmp_path: Path, config: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Answering, "encoder", None)
    tea = tmp_path / "tea.md"
    tea.write_text("# Tea\n\nOne is green. Two are black. Three are white. Four are red.\n")
    assert invoke("add", tea, "--config", config).exit_code == 0
    said = invoke("summarise", "tea", "--config", config).stdout
    assert said == "One is green. Two are black. Three are white.\n"


def test_what_is_not_there_is_refused_before_anything_is_asked(config: Path) -> None:
    for path in ("/nowhere/at/all", ""):
        fault = invoke("add", path, "--config", config).exception
        assert isinstance(fault, InputError)
        assert "there is no such file or folder" in fault.message
    assert not (config.parent / "state").exists()


def test_a_name_that_is_no_utf_8_is_refused_before_anything_is_asked(
    tmp_path: Path, config: Path
) -> None:
    file = tmp_path / os.fsdecode(b"caf\xe9.txt")
    file.write_text("coffee")
    for command, name in (("add", file), ("remove", file), ("summarise", file.name)):
        fault = invoke(command, name, "--config", config).exception
        assert isinstance(fault, InputError)
        assert "is not in UTF-8" in fault.message
        fault.message.encode()
    assert not (tmp_path / "state").exists()


def test_nothing_is_no_document_to_be_removed_or_said(tmp_path: Path, config: Path) -> None:
    for command in ("remove", "summarise"):
        fault = invoke(command, "", "--config", config).exception
        assert isinstance(fault, AssistantError)
        assert "\n" not in fault.message


def test_a_database_that_someone_holds_is_told(tmp_path: Path, config: Path) -> None:
    held = Knowledge(tmp_path / "state" / "knowledge.db")
    fault = invoke("list", "--config", config).exception
    assert isinstance(fault, StorageError)
    assert fault.code == "storage.in_use"
    held.close()


class Daemon:
    """A control server whose answer process says what `tells` gives for a request."""

    def __init__(self, path: Path) -> None:
        self.server = ControlServer(path, {}, status=RUNNING)
        self.asked: list[DocumentsRequest] = []
        self.tells: list[Message] = []
        self.stopped = threading.Event()

    def serve(self) -> None:
        while not self.stopped.wait(0.002):
            for message in self.server.read():
                assert isinstance(message, DocumentsRequest)
                self.asked.append(message)
                for told in self.tells:
                    self.server.show(_of(message, told))


def _of(request: DocumentsRequest, told: Message) -> Message:
    match told:
        case DocumentsDone(request_id=""):
            return DocumentsDone(
                request_id=request.request_id,
                documents=told.documents,
                passages=told.passages,
                code=told.code,
                error=told.error,
            )
        case DocumentSummary():
            return msgspec.structs.replace(told, request_id=request.request_id)
        case DocumentsListed():
            return DocumentsListed(request_id=request.request_id, documents=told.documents)
    return told


@pytest.fixture
def daemon(tmp_path: Path, config: Path) -> Iterator[Daemon]:
    daemon = Daemon(tmp_path / "runtime" / "control.sock")
    thread = threading.Thread(target=daemon.serve)
    thread.start()
    yield daemon
    daemon.stopped.set()
    thread.join()
    daemon.server.close()


def test_a_daemon_is_asked_and_its_news_are_shown(daemon: Daemon, config: Path) -> None:
    daemon.tells = [
        DocumentsProgress(files_done=1, files=2, encoded=0, passages=3),
        DocumentsProgress(files_done=2, files=2, encoded=0, passages=3, fault="b.pdf is torn"),
        DocumentsDone(request_id="another's", documents=9, passages=9),
        DocumentsDone(request_id="", documents=2, passages=3),
    ]
    added = invoke("add", config, "--config", config)
    assert added.stdout == "b.pdf is torn\n2 documents with 3 passages are here\n"
    assert (daemon.asked[0].action, daemon.asked[0].arguments) == ("add", (str(config),))


def test_a_daemon_lists_what_it_has(daemon: Daemon, config: Path) -> None:
    daemon.tells = [
        DocumentsListed(request_id="", documents=(MANUAL,)),
        DocumentsDone(request_id="", documents=1, passages=3),
    ]
    assert json.loads(invoke("list", "--config", config, "--json").stdout) == {
        "title": "Manual",
        "kind": "document",
        "path": "/d/m.md",
        "passages": 3,
        "unencoded": 1,
        "fault": "",
    }


def test_a_daemon_says_a_document_in_short(daemon: Daemon, config: Path) -> None:
    daemon.tells = [
        DocumentSummary(
            request_id="",
            title="Manual",
            place="Cleaning",
            path="/d/m.md",
            sentences=("Clean the filter.", "Dry it."),
        ),
        DocumentsDone(request_id="", documents=1),
    ]
    told = invoke("summarise", "the", "cleaning chapter", "--config", config)
    assert told.stdout == "Clean the filter. Dry it.\n"
    assert daemon.asked[0].arguments == ("the cleaning chapter",)
    assert json.loads(invoke("summarise", "x", "--config", config, "--json").stdout) == {
        "title": "Manual",
        "place": "Cleaning",
        "path": "/d/m.md",
        "sentences": ["Clean the filter.", "Dry it."],
        "text": "Clean the filter. Dry it.",
    }


def test_what_the_daemon_refuses_is_told(daemon: Daemon, config: Path) -> None:
    daemon.tells = [DocumentsDone(request_id="", code="documents.unknown", error="no such title")]
    fault = invoke("remove", "x", "--config", config).exception
    assert isinstance(fault, InputError)
    assert fault.message == "no such title"


def test_an_answer_process_that_ends_is_told(daemon: Daemon, config: Path) -> None:
    daemon.tells = [
        StageRestarted(stage="asr", reason="hung"),
        StageRestarted(stage="answer", reason="killed"),
    ]
    fault = invoke("add", config, "--config", config).exception
    assert isinstance(fault, ControlError)
    assert "ask again" in fault.message
