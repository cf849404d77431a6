"""The processes' stages, where what they need is not to be had."""

from __future__ import annotations

import time
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from assistant.answer.documents import Knowledge
from assistant.composition import Composition
from assistant.core.clock import boottime_s
from assistant.core.config import Config
from assistant.core.messages import DocumentsDone, DocumentsRequest, Question, Reply, Tick
from assistant.members import Answering
from tests.answer.fake_encoder import FakeEncoder

LIST = DocumentsRequest(request_id="r", action="list")


def test_while_a_command_has_the_documents_the_rest_is_answered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, composition = tmp_path / "knowledge.db", Composition(Config())
    make = Answering(file)
    with ExitStack() as opened:

        def knowledge(_: Composition, path: Path) -> Knowledge:
            return opened.enter_context(closing(Knowledge(path)))

        monkeypatch.setattr(Composition, "knowledge", knowledge)
        with closing(Knowledge(file)):
            stage = make(composition)
            (reply,) = stage.feed(Question(utterance_id="u", text="sing"))
            assert isinstance(reply, Reply)
            assert reply.text.startswith("I can't do that yet.")
            (told,) = stage.feed(LIST)
            assert isinstance(told, DocumentsDone)
            assert "assistant reload" in told.error
        (told,) = make(composition).feed(LIST)
        assert isinstance(told, DocumentsDone)
        assert told.error == ""


def test_of_a_damaged_index_the_user_is_told_aloud_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, composition = tmp_path / "knowledge.db", Composition(Config())
    file.write_bytes(b"no database " * 1000)
    make = Answering(file)
    with ExitStack() as opened:

        def knowledge(_: Composition, path: Path) -> Knowledge:
            return opened.enter_context(closing(Knowledge(path)))

        monkeypatch.setattr(Composition, "knowledge", knowledge)
        stage = make(composition)
        assert stage.deadline_s() == 0.0
        (told,) = stage.feed(Tick(at_s=1.0))
        assert isinstance(told, Reply)
        assert told.text.startswith("The index of your documents was damaged.")
        assert told.text.endswith("with the command assistant documents add.")
        assert not any(isinstance(m, Reply) for m in make(composition).feed(Tick(at_s=2.0)))


def test_who_adds_documents_is_answered_though_the_stage_is_made_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes = tmp_path / "notes.txt"
    notes.write_text("The key lies under the pot.\n")
    composition, make = Composition(Config()), Answering(tmp_path / "knowledge.db")
    monkeypatch.setattr(Composition, "document_encoder", FakeEncoder())
    add = DocumentsRequest(request_id="r", action="add", arguments=(str(notes),))
    with ExitStack() as opened:

        def knowledge(_: Composition, path: Path) -> Knowledge:
            return opened.enter_context(closing(Knowledge(path)))

        monkeypatch.setattr(Composition, "knowledge", knowledge)
        told = list(make(composition).feed(add))
        stage = make(composition)
        for _ in range(1000):
            told += stage.feed(Tick(at_s=boottime_s()))
            if any(isinstance(message, DocumentsDone) for message in told):
                break
            time.sleep(0.01)
    (done,) = [message for message in told if isinstance(message, DocumentsDone)]
    assert (done.request_id, done.documents, done.passages, done.error) == ("r", 1, 1, "")
