"""The processes' stages, where what they need is not to be had."""

from __future__ import annotations

from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from assistant.answer.documents import Knowledge
from assistant.composition import Composition
from assistant.core.config import Config
from assistant.core.messages import DocumentsDone, DocumentsRequest, Question, Reply
from assistant.members import Answering

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
