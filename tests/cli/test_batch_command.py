"""`assistant batch` on documents, with the real models in processes of their own."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner, Result

from assistant.answer.knowledge.knowledge import Knowledge
from assistant.answer.knowledge.passages import Passage
from assistant.cli.batch import batch
from assistant.core.errors import AssistantError, InputError
from assistant.core.layout import KNOWLEDGE_FILE
from assistant.core.models.manifest import Library
from assistant.model_files.acceptance import put_in_use
from assistant.model_files.pull import import_version
from benchmarks.endurance.versions import unchecked, variant
from tests.support.batches import write_questions

MANUAL = """The filter is cleaned once a month under warm water.

Salt is filled in when the red lamp glows.
"""
QUESTIONS = [
    "When is salt filled in?",
    "Who invented dynamite?",
    "How often is the filter cleaned?",
]


@pytest.fixture
def config(tmp_path: Path, cache: Path) -> Path:
    file = tmp_path / "config.toml"
    storage = f'state = "{tmp_path}/state"\nruntime = "{tmp_path}"\ncache = "{cache}"\n'
    # On a busy machine the generator's time is up now and then, and the sentence itself is said.
    file.write_text(f'[storage]\n{storage}[answer]\ngenerator = "gpt-neo-125m"\n')
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


def test_what_is_spoken_is_answered_as_well(tmp_path: Path, config: Path) -> None:
    """flite says it, and PocketSphinx hears it with the vocabulary of the built-in skills."""
    manual, out, asked = tmp_path / "washer.md", tmp_path / "out.jsonl", tmp_path / "asked.jsonl"
    manual.write_text(MANUAL)
    spoken = ("flite", "-voice", "slt", "-t", "what time is it ", "-o", tmp_path / "said.wav")
    subprocess.run(spoken, check=True)
    asked.write_text('{"id": "said", "recording": "said.wav"}\n"When is salt filled in?"\n')
    assert run(config, asked, "--out", out, "--documents", manual).exception is None
    said, written = (json.loads(line) for line in out.read_text().splitlines())
    assert (said["id"], said["recording"]) == ("said", "said.wav")
    assert said["question"].startswith("what time is")
    assert written["answer"] == "Salt is filled in when the red lamp glows."


def test_without_the_model_words_alone_find_the_answers(
    tmp_path: Path, config: Path, asked: Path
) -> None:
    manual, out = tmp_path / "washer.md", tmp_path / "answers.jsonl"
    manual.write_text(MANUAL)
    broken = Library(tmp_path / "state" / "models")
    import_version(broken, "reader", variant("reader", tmp_path / "made", 1), "2", unchecked)
    put_in_use(broken.choosing("reader", "2"), "reader")
    broken.version_folder("reader", "2").joinpath("model.onnx").write_bytes(b"no model")
    assert run(config, asked, "--out", out, "--documents", manual).exception is None
    assert [json.loads(line)["answer"] for line in out.read_text().splitlines()] == [
        "Salt is filled in when the red lamp glows.",
        "I don't know; I found no answer in your documents.",
        "The filter is cleaned once a month under warm water.",
    ]
