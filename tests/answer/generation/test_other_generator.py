"""A GPT-Neo that the user imported and names in the settings: what answers, and what goes wrong."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from assistant.answer.answerer import Answer
from assistant.answer.generation.decoder_graph import Form, graph, interface
from assistant.answer.generation.plain_prompt import PlainNotation
from assistant.answer.generation.prompt import about_text
from assistant.answer.generation.token_scheduler import finished
from assistant.answer.knowledge.passages import Passage
from assistant.cli.shared.conversation import temporary_config
from assistant.composition import Composition
from assistant.core.config import AnswerSettings, Config, StorageSettings
from assistant.core.messages import OpenQuestion, StageFailed
from assistant.core.models.manifest import SHIPPED, Library
from assistant.doctor.checks import wording
from assistant.model_files.acceptance import check_version, put_in_use
from assistant.model_files.pull import import_model, import_version
from tests.support.tiny_decoder import NEO, WIDTH, tokenizer, weights

NAME = "gpt-neo-125m"
TEXT = "The filter is cleaned once a month, and the lid is dried."
QUESTION = "how often is the filter cleaned"
SPOKEN = "The filter is cleaned once a month"
PIECES = tokenizer([TEXT, QUESTION, SPOKEN, "Title: Text: Question: Answer:\n"], marks=False)
FORM = Form(heads=NEO.heads, positions=256, scaled=False, windows=NEO.windows, int8=False)

TINY = f"""
[{NAME}]
version = "1"
kind = "generator"
summary = ""
licence = ""
source = "an export"
inputs = {{{{ {{inputs}} }}}}
outputs = {{{{ {{outputs}} }}}}
files = [{{{{ name = "model.onnx" }}}}, {{{{ name = "tokenizer.json" }}}}]
"""


def random() -> dict[str, np.ndarray]:
    """Random weights."""
    made = weights(PIECES.get_vocab_size(), learned=True)
    made["positions.weight"] = np.tile(made["positions.weight"], (4, 1))
    return made


def of_one_mind(found: Answer) -> dict[str, np.ndarray]:
    """Weights that say `SPOKEN` after the prompt for `found`: places outweigh words."""
    notation = PlainNotation(PIECES)
    said = [*PIECES.encode(f" {SPOKEN}").ids, min(notation.stops)]
    begins = len(notation.ids(about_text(QUESTION, found.sentence, found.title, found.words))) - 1
    made = weights(PIECES.get_vocab_size(), learned=True)
    made["positions.weight"] = np.zeros((FORM.positions, WIDTH), np.float32)
    for place, token in enumerate(said, begins):
        made["positions.weight"][place] = 50 * made["words.weight"][token]
    return made


@pytest.fixture
def library(tmp_path: Path) -> Library:
    """The shipped models but for the generator, and what the manifest says of a tiny GPT-Neo."""
    folder = tmp_path / "models"
    folder.mkdir()
    (folder / "reader").symlink_to(SHIPPED / "reader")
    faces = interface(weights(PIECES.get_vocab_size(), learned=True), FORM.heads)
    inputs, outputs = (", ".join(f'"{n}" = "{shape}"' for n, shape in f.items()) for f in faces)
    shipped = (SHIPPED / "manifest.toml").read_text("utf-8").replace(NAME, "full-size")
    tiny = TINY.format(inputs=inputs, outputs=outputs)
    (folder / "manifest.toml").write_text(f"{shipped}\n{tiny}", "utf-8")
    return Library(tmp_path / "pulled", folder)


def export(
    folder: Path, made: dict[str, np.ndarray], damaged: Mapping[str, bytes] | None = None
) -> Path:
    """A folder with the files of a GPT-Neo as they are imported."""
    folder.mkdir()
    files = {"model.onnx": graph(made, FORM), "tokenizer.json": PIECES.to_str().encode()}
    for name, content in {**files, **(damaged or {})}.items():
        (folder / name).write_bytes(content)
    return folder


def asked(library: Library, generator: str) -> tuple[Answer, list[StageFailed]]:
    """The answer, and what was told of it, with these settings."""
    config = Config(
        answer=AnswerSettings(generator=generator),
        storage=StorageSettings(state=str(library.pulled / "state")),
    )
    composition = Composition(config, library=library)
    knowledge = composition.answering.knowledge(None)
    passage = Passage(text=TEXT, title="Dishwasher")
    knowledge.sources.add(Path("/d.txt"), "d", "Dishwasher", "document", [passage])
    answers = composition.answering.answers(knowledge, composition.answering.vectors(knowledge))
    answer = finished(answers.answering(QUESTION, OpenQuestion()))
    knowledge.close()
    return answer, composition.answering.faults.take_reports()


def test_the_generator_that_the_settings_name_words_the_answer(
    library: Library, tmp_path: Path
) -> None:
    found, _ = asked(library, NAME)
    import_model(library, NAME, export(tmp_path / "export", of_one_mind(found)))
    answer, told = asked(library, NAME)
    assert (answer.text, answer.tier, told) == (f"{SPOKEN}.", "generator", [])
    assert wording(NAME, library).ok


@pytest.mark.parametrize(
    ("name", "code", "remedy"),
    [
        (NAME, "model.missing", f"run: assistant models pull {NAME}"),
        ("gpt-nil", "model.unknown", "change answer.generator"),
        ("reader", "model.unfit", "change answer.generator"),
    ],
)
def test_one_that_is_not_there_or_none_is_told_once_and_the_sentence_said(
    library: Library, name: str, code: str, remedy: str
) -> None:
    answer, told = asked(library, name)
    assert (answer.text, answer.tier) == (TEXT, "extracted")
    assert [(fault.part, fault.code) for fault in told] == [("generator", code)]
    assert (wording(name, library).ok, wording(name, library).remedy) == (False, remedy)


@pytest.mark.parametrize(
    ("damaged", "code"),
    [("model.onnx", "model.not_onnx"), ("tokenizer.json", "model.unusable")],
)
def test_one_that_cannot_be_loaded_is_told_and_the_sentence_said(
    library: Library, tmp_path: Path, damaged: str, code: str
) -> None:
    import_model(library, NAME, export(tmp_path / "export", random(), {damaged: b"{}"}))
    answer, told = asked(library, NAME)
    assert (answer.text, answer.tier) == (TEXT, "extracted")
    assert [(fault.part, fault.code) for fault in told] == [("generator", code)]


def test_another_version_of_it_is_taken_into_use(library: Library, tmp_path: Path) -> None:
    found, _ = asked(library, NAME)
    import_model(library, NAME, export(tmp_path / "mute", random()))
    speaks = export(tmp_path / "speaks", of_one_mind(found))
    import_version(library, NAME, speaks, "2", lambda *_: None)
    assert asked(library, NAME)[0].tier == "extracted"
    newer = library.choosing(NAME, "2")
    check_version(newer, NAME)
    put_in_use(newer, NAME)
    assert asked(Library(library.pulled, library.shipped), NAME)[0].text == f"{SPOKEN}."


def test_say_and_hear_have_the_settings_that_they_are_given(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    home = tmp_path / "home.yaml"
    home.write_text("areas: [{name: Study, id: study}]\n")
    file.write_text(f'[answer]\ngenerator = "{NAME}"\n[home]\nfile = "{home}"\narea = "study"\n')
    config = temporary_config(None, None, file)
    assert (config.answer.generator, config.home.area) == (NAME, "study")
    assert temporary_config(None, None) == Config()
