"""The shipped models, one or the other of them damaged: what is still answered, and how."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from assistant.answer.generation.token_scheduler import finished
from assistant.answer.knowledge.passages import Passage
from assistant.composition import Composition
from assistant.core.config import Config, StorageSettings
from assistant.core.messages import OpenQuestion
from assistant.core.models.manifest import SHIPPED, Library

TEXT = "The filter is cleaned once a month under warm water, and the lid is dried. Salt is white."
QUESTION = "how often is the filter cleaned"
WHOLE = TEXT.removesuffix(" Salt is white.")


def damaged(folder: Path, *names: str) -> Library:
    """The shipped models, of which these are not what was recorded."""
    folder.mkdir()
    shutil.copy(SHIPPED / "manifest.toml", folder)
    for model in ("reader", "generator"):
        if model not in names:
            (folder / model).symlink_to(SHIPPED / model)
            continue
        shutil.copytree(SHIPPED / model, folder / model)
        with (folder / model / "model.onnx").open("r+b") as file:
            file.seek(-100, 2)
            file.write(b"\xff" * 100)
    return Library(folder / "pulled", shipped=folder)


@pytest.mark.parametrize(
    ("names", "tier"),
    [
        ((), "generator"),
        (("generator",), "extracted"),
        (("reader",), "extracted"),
        (("reader", "generator"), "extracted"),
    ],
)
def test_what_is_there_answers(tmp_path: Path, names: tuple[str, ...], tier: str) -> None:
    config = Config(storage=StorageSettings(state=str(tmp_path / "state")))
    composition = Composition(config, library=damaged(tmp_path / "models", *names))
    knowledge = composition.answering.knowledge(None)
    passage = Passage(text=TEXT, title="Dishwasher")
    knowledge.sources.add(Path("/d.txt"), "d", "Dishwasher", "document", [passage])
    answers = composition.answering.answers(knowledge, composition.answering.vectors(knowledge))
    for _ in range(2):
        answer = finished(answers.answering(QUESTION, OpenQuestion()))
        assert answer.sentence == WHOLE
        assert answer.tier == tier
    told = [(fault.part, fault.code) for fault in composition.answering.faults.take_reports()]
    assert told == [(name, "model.corrupt") for name in names]
    knowledge.close()
