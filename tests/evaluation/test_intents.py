"""Data sets are read as they come, fitted, judged; shuffled labels fall to chance."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assistant.core.errors import InputError
from assistant.core.models.manifest import Library
from assistant.evaluation.data_sets import DataSet, Sentence, read_data_set
from assistant.evaluation.intents import IntentFigures, evaluate_intents
from nlu.classifier.encoder import MODEL
from tests.cli.test_bad_input import assistant, refused
from tests.support.word_bag import WIDTH, WordBag

SUBJECTS = ("my car", "the cat", "a friend", "her boss", "our boat", "this shop", "the bus")
VERBS = {
    "wash": ("washes", "scrubs", "rinses", "soaps"),
    "sell": ("sells", "trades", "auctions", "pawns"),
    "paint": ("paints", "colours", "varnishes", "sprays"),
    "lift": ("lifts", "raises", "hoists", "heaves"),
    "break": ("breaks", "smashes", "shatters", "cracks"),
}
STRANGERS = ("sings", "dances", "whistles", "hums", "sleeps", "snores", "dreams", "yawns")


def data_set() -> DataSet:
    rng = random.Random(1)
    every = [
        Sentence(f"{subject} {verb} {rng.choice(SUBJECTS)}", intent)
        for intent, verbs in VERBS.items()
        for verb in verbs
        for subject in SUBJECTS * 3
    ]
    rng.shuffle(every)
    strange = [f"{subject} {verb}" for verb in STRANGERS for subject in SUBJECTS]
    rng.shuffle(strange)
    return DataSet(every[:240], every[240:330], every[330:], strange[:20], strange[20:])


def judged(data: DataSet) -> IntentFigures:
    return evaluate_intents(data, WordBag(), WordBag(), np.zeros((0, WIDTH), np.float32))


def test_words_tell_intents_apart_and_strangers_from_them() -> None:
    figures = judged(data_set())
    assert figures.accuracy > 0.97
    assert figures.oos_recall is not None
    assert figures.oos_recall > 0.8
    assert figures.false_oos < 0.12
    assert 0 < figures.ms_p50 <= figures.ms_p99
    assert min(figures.fit_s, figures.refit_s) >= 0


def test_shuffled_labels_fall_to_chance() -> None:
    data = data_set()
    labels = [sentence.intent for sentence in data.train]
    random.Random(2).shuffle(labels)
    train = [Sentence(s.text, label) for s, label in zip(data.train, labels, strict=True)]
    assert judged(data._replace(train=train)).accuracy < 0.4  # of five intents


def test_a_set_without_strangers_has_no_recall_of_them() -> None:
    figures = judged(data_set()._replace(oos_train=(), oos_test=()))
    assert figures.oos_recall is None
    assert figures.accuracy > 0.97


def test_progress_counts_every_text() -> None:
    told: list[tuple[int, int]] = []
    data = data_set()
    none = np.zeros((0, WIDTH), np.float32)
    evaluate_intents(data, WordBag(), WordBag(), none, lambda n, of: told.append((n, of)))
    assert told[-1] == (data.size, data.size)


def test_too_little_to_fit_is_told() -> None:
    data = data_set()
    few = [sentence for sentence in data.train if sentence.intent == "wash"]
    with pytest.raises(InputError, match="too few"):
        judged(data._replace(train=few))


def rasa(*pairs: tuple[str, str]) -> str:
    examples: list[Any] = [{"text": t, "intent": i, "entities": []} for t, i in pairs]
    return json.dumps({"rasa_nlu_data": {"common_examples": examples}})


def test_the_layouts(tmp_path: Path) -> None:
    clinc, hwu, snips = (tmp_path / name for name in ("clinc", "hwu", "snips"))
    clinc.mkdir()
    pair = [["a b", "x"]]
    (clinc / "data_full.json").write_text(
        json.dumps({"train": pair, "val": pair, "test": pair, "oos_test": [["c", "oos"]]})
    )
    assert read_data_set(clinc) == DataSet(*[[Sentence("a b", "x")]] * 3, [], ["c"])
    hwu.mkdir()
    (hwu / "train.json").write_text(rasa(*((f"t {n}", "x") for n in range(20))))
    (hwu / "test.json").write_text(rasa(("hello", "greet")))
    found = read_data_set(hwu)
    assert (len(found.train), len(found.dev), found.test) == (18, 2, [Sentence("hello", "greet")])
    assert not set(found.train) & set(found.dev)
    for split in ("train", "dev", "test"):
        (snips / split).mkdir(parents=True)
        (snips / split / "seq.in").write_text(f"{split} it \nand more\n")
        (snips / split / "label").write_text("A\nA#B\n")
    assert read_data_set(snips).dev == [Sentence("dev it", "A"), Sentence("and more", "A#B")]


def test_bad_sets_are_one_line(tmp_path: Path) -> None:
    (tmp_path / "data_full.json").write_text('{"train": [["only a text"]]}')
    for folder, words in ((tmp_path, "data_full.json"), (tmp_path / "none", "no such folder")):
        with pytest.raises(InputError, match=words):
            read_data_set(folder)
    (tmp_path / "data_full.json").write_text('{"train": [], "val": [], "test": []}')
    with pytest.raises(InputError, match="its train split holds no sentence"):
        read_data_set(tmp_path)
    (tmp_path / "data_full.json").unlink()
    (tmp_path / "train.json").write_text(rasa(("a", "b")))
    with pytest.raises(InputError, match=r"test\.json"):
        read_data_set(tmp_path)
    refused(assistant(tmp_path, "eval", "intents", tmp_path / "none"), "no such folder")


@pytest.mark.skipif(
    not Library(Path("/nowhere")).artefacts.get(MODEL), reason="the intent model is not here"
)
def test_the_command(tmp_path: Path) -> None:
    data = data_set()
    whole = {"train": data.train, "val": data.dev, "test": data.test}
    strange = {"oos_train": data.oos_train, "oos_test": data.oos_test}
    pairs = {name: [[text, "oos"] for text in texts] for name, texts in strange.items()}
    (tmp_path / "data_full.json").write_text(json.dumps(whole | pairs))
    shown = assistant(tmp_path, "eval", "intents", tmp_path, "--json")
    assert shown.returncode == 0, shown.stderr
    (line,) = shown.stdout.splitlines()
    keys = ["accuracy", "oos_recall", "false_oos", "fit_s", "refit_s", "ms_p50", "ms_p99"]
    assert list(json.loads(line)) == keys
    assert json.loads(line)["accuracy"] > 0.9
