"""`assistant batch` on documents, with a small network in the real one's place."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
import typer
from numpy.typing import NDArray
from typer.testing import CliRunner, Result

from assistant.answer.build import Answering
from assistant.answer.knowledge.knowledge import Knowledge
from assistant.answer.knowledge.passages import Passage
from assistant.answer.retrieval.encoder import Scored
from assistant.cli.batch import batch
from assistant.core.errors import AssistantError, InputError, ModelError
from assistant.core.layout import KNOWLEDGE_FILE
from tests.support.batches import write_questions
from tests.support.fake_encoder import FakeEncoder

MANUAL = """The filter is cleaned once a month under warm water.

Salt is filled in when the red lamp glows.
"""
QUESTIONS = [
    "When is salt filled in?",
    "Who invented dynamite?",
    "How often is the filter cleaned?",
]


class FakeReader(FakeEncoder):
    """Finds an answer in a passage that shares a long word with the question."""

    def score(self, question: str, passages: Sequence[str]) -> list[Scored]:
        asked = set(re.findall(r"\w{4,}", question.lower())) - {"when", "often", "once"}
        return [self._scored(asked, passage) for passage in passages]

    def _scored(self, asked: set[str], passage: str) -> Scored:
        words = list(re.finditer(r"\w+", passage))
        spans = np.array([[word.group().lower() in asked] * 2 for word in words], np.float32)
        return Scored(spans, [word.span() for word in words], none=0.5)


@pytest.fixture(autouse=True)
def small_network(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Answering, "encoder", FakeReader())
    # On a busy machine the generator's time is up now and then, and the sentence itself is said.
    monkeypatch.setattr(Answering, "phraser", None)


@pytest.fixture
def config(tmp_path: Path) -> Path:
    file = tmp_path / "config.toml"
    file.write_text(f'[storage]\nstate = "{tmp_path}/state"\nruntime = "{tmp_path}"\n')
    return file


@pytest.fixture
def asked(tmp_path: Path) -> Path:
    return write_questions(tmp_path / "questions.jsonl", QUESTIONS)


def run(config: Path, *arguments: object) -> Result:
    app = typer.Typer()
    app.command()(batch)
    return CliRunner().invoke(app, ["--config", str(config), *map(str, arguments)])


def refusal(result: Result) -> AssistantError:
    assert isinstance(result.exception, InputError)
    return result.exception


def test_questions_are_answered_from_a_folder(tmp_path: Path, config: Path, asked: Path) -> None:
    manual, out = tmp_path / "documents" / "washer.md", tmp_path / "answers.jsonl"
    manual.parent.mkdir()
    manual.write_text(MANUAL)
    arguments = (asked, "--out", out, "--documents", manual.parent, "--json")
    figures = json.loads(run(config, *arguments).stdout)
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert [row["answer"] for row in rows] == [
        "Salt is filled in when the red lamp glows.",
        "I don't know; I found no answer in your documents.",
        "The filter is cleaned once a month under warm water.",
    ]
    assert [row["source"] for row in rows] == [str(manual), "", str(manual)]
    assert figures["tiers"] == {"extracted": 2, "declined": 1}

    cut = out.read_text()[:-5]
    out.write_text(cut)
    assert json.loads(run(config, *arguments).stdout)["continued"] == 2
    assert [json.loads(line) for line in out.read_text().splitlines()] == rows
    told = run(config, *arguments[:-1]).stdout
    assert told.startswith(f"{out}: 3 answers (2 extracted, 1 declined); 3 were there already")
    assert not (tmp_path / "state").exists()  # the index proper is left alone


def test_without_documents_it_says_what_to_do(tmp_path: Path, config: Path, asked: Path) -> None:
    out = tmp_path / "answers.jsonl"
    assert "run assistant documents add PATH" in refusal(run(config, asked, "--out", out)).message
    empty = tmp_path / "documents"
    for there in (False, True):
        fault = refusal(run(config, asked, "--out", out, "--documents", empty))
        assert ("no document that can be read" in fault.message) is there
        empty.mkdir(exist_ok=True)
    assert not out.exists()


def test_while_the_daemon_has_the_index_it_says_what_to_do(
    tmp_path: Path, config: Path, asked: Path
) -> None:
    out = tmp_path / "answers.jsonl"
    daemons = Knowledge(tmp_path / "state" / KNOWLEDGE_FILE)
    fault = refusal(run(config, asked, "--out", out))
    assert "stop it meanwhile (sudo systemctl stop assistant), or name the" in fault.message
    daemons.close()
    assert not out.exists()


def test_the_index_is_answered_from(tmp_path: Path, config: Path, asked: Path) -> None:
    knowledge = Knowledge(tmp_path / "state" / KNOWLEDGE_FILE)
    knowledge.sources.add(
        tmp_path / "washer.md", "1", "Washer", "document", [Passage(text=MANUAL, title="Washer")]
    )
    knowledge.close()
    out = tmp_path / "answers.jsonl"
    assert run(config, asked, "--out", out).exception is None
    assert json.loads(out.read_text().splitlines()[0])["title"] == "Washer"


class Damaged(FakeReader):
    """A network whose file is not what it was."""

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        raise ModelError("model.corrupt", "its SHA-256 is another")


@pytest.mark.parametrize("network", [None, Damaged()])
def test_without_the_model_words_alone_find_the_answers(
    tmp_path: Path,
    config: Path,
    asked: Path,
    network: Damaged | None,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(Answering, "encoder", network)
    manual, out = tmp_path / "washer.md", tmp_path / "answers.jsonl"
    manual.write_text(MANUAL)
    assert run(config, asked, "--out", out, "--documents", manual).exception is None
    assert [json.loads(line)["answer"] for line in out.read_text().splitlines()] == [
        "Salt is filled in when the red lamp glows.",
        "I don't know; I found no answer in your documents.",
        "The filter is cleaned once a month under warm water.",
    ]
    assert caplog.text.count("(model.corrupt)") == (network is not None)
