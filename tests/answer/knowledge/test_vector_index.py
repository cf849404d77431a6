"""The nearest passages, whether all are looked at or most lie compressed in a file."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from assistant.answer.knowledge.knowledge import Knowledge
from assistant.answer.knowledge.passages import Passage
from assistant.answer.knowledge.vector_index import VectorIndex
from assistant.answer.knowledge.vectors import Ids, Vectors

WIDTH, FEW, MANY = 32, 100, 1000
SOURCE = Path("/d/all.txt")


def clustered(count: int, seed: int = 1) -> Vectors:
    """Vectors of length 1 around 40 centres."""
    drawn = np.random.default_rng(seed)
    centres = np.random.default_rng(0).normal(size=(40, WIDTH))
    made = centres[drawn.integers(40, size=count)] + drawn.normal(size=(count, WIDTH))
    unit: Vectors = (made / np.linalg.norm(made, axis=1, keepdims=True)).astype(np.float32)
    return unit


ASKED = clustered(50, seed=2)


class Passages:
    """A knowledge whose passages are numbers, with vectors of their own."""

    def __init__(self, path: Path | None = None) -> None:
        self.knowledge = Knowledge(path)
        self.held: list[int] = []

    def hold(self, numbers: range, encoder: str = "e") -> tuple[Ids, Vectors]:
        """Make the passages just `numbers`; the ids and vectors that are new."""
        passages = [Passage(text=f"number {n}", title="All") for n in numbers]
        self.knowledge.sources.add(SOURCE, str(numbers), "All", "document", passages)
        waiting = self.knowledge.vectors.unencoded(encoder, MANY * 4)
        vectors = clustered(MANY * 4)[[int(text.split()[-1]) for _, text in waiting]]
        ids = np.array([number for number, _ in waiting], np.int64)
        self.knowledge.vectors.keep(encoder, ids.tolist(), vectors)
        return ids, vectors

    def exact(self, encoder: str = "e") -> list[list[int]]:
        """The true ten nearest of every question."""
        ids, vectors = self.knowledge.vectors.matrix(
            encoder, self.knowledge.vectors.encoded(encoder)
        )
        return [ids[np.argsort(-(vectors @ asked))[:10]].tolist() for asked in ASKED]


@pytest.fixture
def passages() -> Iterator[Passages]:
    made = Passages()
    yield made
    made.knowledge.close()


@pytest.fixture
def on_disk(tmp_path: Path) -> Iterator[Passages]:
    made = Passages(tmp_path / "knowledge.db")
    yield made
    made.knowledge.close()


def recall(index: VectorIndex, exact: list[list[int]]) -> float:
    found = [index.search(asked, 10)[0].tolist() for asked in ASKED]
    return float(np.mean([len({*f} & {*e}) / len(e) for f, e in zip(found, exact, strict=True)]))


def settled(index: VectorIndex) -> VectorIndex:
    for _ in index.settle():
        pass
    assert index.settled
    return index


def file_of(passages: Passages) -> Path:
    assert passages.knowledge.path is not None
    return passages.knowledge.path.with_name("knowledge.faiss")


def opened(passages: Passages, encoder: str = "e") -> VectorIndex:
    index = VectorIndex(passages.knowledge.vectors, encoder, file_of(passages), flat=FEW)
    assert index.kind in ("flat", "compressed")  # it is read on first use
    return index


def test_few_are_all_looked_at(passages: Passages) -> None:
    passages.hold(range(FEW))
    index = settled(VectorIndex(passages.knowledge.vectors, "e", flat=FEW))
    assert (index.kind, len(index)) == ("flat", FEW)
    assert recall(index, passages.exact()) == 1.0
    ids, scores = index.search(ASKED[0], 3)
    assert len(ids) == 3
    assert 1 >= scores[0] >= scores[1] >= scores[2]


def test_an_empty_index_finds_nothing(passages: Passages) -> None:
    index = VectorIndex(passages.knowledge.vectors, "e")
    assert [len(part) for part in index.search(ASKED[0], 5)] == [0, 0]


def test_fewer_than_wanted_are_given_where_there_are_fewer(passages: Passages) -> None:
    passages.hold(range(3))
    assert len(VectorIndex(passages.knowledge.vectors, "e").search(ASKED[0], 10)[0]) == 3


def test_many_are_compressed_and_found_nearly_as_well(passages: Passages) -> None:
    passages.hold(range(MANY))
    index = VectorIndex(passages.knowledge.vectors, "e", flat=FEW)
    assert settled(index).kind == "compressed"
    assert len(index) == MANY
    assert recall(index, passages.exact()) >= 0.98


def test_scores_of_compressed_passages_are_exact(passages: Passages) -> None:
    passages.hold(range(MANY))
    index = settled(VectorIndex(passages.knowledge.vectors, "e", flat=FEW))
    ids, scores = index.search(ASKED[0], 5)
    kept = passages.knowledge.vectors.read("e", ids.tolist())
    exact = [float(kept[number] @ ASKED[0]) for number in ids.tolist()]
    assert scores.tolist() == pytest.approx(exact, abs=1e-6)


def test_what_comes_and_goes_is_followed_without_a_rebuild(passages: Passages) -> None:
    passages.hold(range(MANY))
    index = settled(VectorIndex(passages.knowledge.vectors, "e", flat=FEW))
    index.add(*passages.hold(range(50, MANY + 50)))
    gone = passages.knowledge.sources.forgotten()
    index.remove(gone)
    assert len(gone) == 50
    assert index.settled
    assert len(index) == MANY
    assert recall(index, passages.exact()) >= 0.98
    everything, _ = index.search(ASKED[0], MANY)
    assert not {*gone} & {*everything.tolist()}


def test_what_has_just_come_can_go_again(passages: Passages) -> None:
    ids, vectors = passages.hold(range(10))
    index = VectorIndex(passages.knowledge.vectors, "e")
    assert len(index) == 10
    index.remove(ids[:4].tolist())
    assert len(index) == 6
    assert not {*ids[:4]} & {*index.search(vectors[0], 10)[0]}


def test_it_grows_and_shrinks(on_disk: Passages) -> None:
    on_disk.hold(range(MANY))
    index = settled(opened(on_disk))
    index.add(*on_disk.hold(range(MANY + 2 * FEW)))
    settled(index)
    index.add(*on_disk.hold(range(3 * MANY)))
    settled(index)
    assert len(index) == 3 * MANY
    assert recall(index, on_disk.exact()) >= 0.98
    on_disk.hold(range(FEW // 2))
    index.remove(on_disk.knowledge.sources.forgotten())
    assert settled(index).kind == "flat"
    assert len(index) == FEW // 2
    assert not file_of(on_disk).exists()
    assert recall(index, on_disk.exact()) == 1.0


def test_questions_are_answered_and_changes_taken_while_it_is_made_anew(passages: Passages) -> None:
    passages.hold(range(MANY))
    index = VectorIndex(passages.knowledge.vectors, "e", flat=FEW)
    turns = index.settle()
    next(turns)
    index.add(*passages.hold(range(10, MANY + 10)))
    index.remove(passages.knowledge.sources.forgotten())
    for _ in turns:
        assert len(index.search(ASKED[0], 10)[0]) == 10
    assert (index.kind, len(index)) == ("compressed", MANY)
    assert recall(index, passages.exact()) >= 0.98


def test_the_file_is_read_again_and_what_is_not_in_it_comes_from_the_database(
    on_disk: Passages, caplog: pytest.LogCaptureFixture
) -> None:
    on_disk.hold(range(MANY))
    settled(opened(on_disk))
    on_disk.hold(range(20, MANY + 20))
    index = opened(on_disk)
    assert (index.kind, len(index), index.settled) == ("compressed", MANY, True)
    assert recall(index, on_disk.exact()) >= 0.98
    assert caplog.records == []


@pytest.mark.parametrize("damage", ["cut", "flipped", "unlabelled", "garbled", "empty"])
def test_a_damaged_file_is_told_and_made_anew(
    on_disk: Passages, damage: str, caplog: pytest.LogCaptureFixture
) -> None:
    on_disk.hold(range(MANY))
    settled(opened(on_disk))
    file = file_of(on_disk)
    whole = file.read_bytes()
    label = file.with_name(f"{file.name}.json")
    match damage:
        case "cut":
            file.write_bytes(whole[: len(whole) // 2])
        case "flipped":
            file.write_bytes(whole[:-100] + bytes([whole[-100] ^ 1]) + whole[-99:])
        case "unlabelled":
            label.unlink()
        case "garbled":
            label.write_text("no label")
        case "empty":
            file.write_bytes(b"")
    with caplog.at_level(logging.WARNING):
        index = opened(on_disk)
    assert "(answer.vectors)" in caplog.text
    # So many are not read at once, for which a question would have to wait.
    assert not index.settled
    assert len(settled(index)) == MANY
    assert recall(index, on_disk.exact()) >= 0.98
    assert opened(on_disk).kind == "compressed"


def test_a_disk_that_takes_no_file_costs_no_answer(
    on_disk: Passages, caplog: pytest.LogCaptureFixture
) -> None:
    index = opened(on_disk)
    index.add(*on_disk.hold(range(MANY)))
    new = file_of(on_disk).with_name(f"{file_of(on_disk).name}.new")
    new.mkdir()  # nothing can be written there, as on a full disk
    settled(index)
    assert (index.kind, index.settled) == ("compressed", True)
    assert recall(index, on_disk.exact()) > 0.97
    assert "cannot be written" in caplog.text
    new.rmdir()
    index.add(*on_disk.hold(range(MANY + 2 * FEW)))
    settled(index)
    assert file_of(on_disk).is_file()
    assert recall(index, on_disk.exact()) > 0.97


def test_a_file_of_another_encoder_or_database_is_not_used(
    on_disk: Passages, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    on_disk.hold(range(MANY))
    settled(opened(on_disk))
    others = Passages(tmp_path / "other" / "knowledge.db")
    others.hold(range(MANY))
    assert VectorIndex(others.knowledge.vectors, "e", file_of(on_disk), flat=FEW).kind == "flat"
    assert "another database" in caplog.text
    others.knowledge.close()
    on_disk.hold(range(MANY), "f")
    opened(on_disk, "f")
    assert "another encoder" in caplog.text


def test_a_wide_filter_is_kept_to_as_well(
    passages: Passages, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assistant.answer.knowledge.vector_index.NARROW", 10)
    ids, vectors = passages.hold(range(MANY))
    index = settled(VectorIndex(passages.knowledge.vectors, "e", flat=FEW))
    even = ids % 2 == 0
    exact = ids[even][np.argsort(-(vectors[even] @ ASKED[0]))[:10]]
    found, _ = index.search(ASKED[0], 10, ids[even].tolist())
    assert len({*found.tolist()} & {*exact.tolist()}) >= 9


@pytest.mark.parametrize("size", [FEW, MANY])
def test_only_those_that_are_let_through_count(passages: Passages, size: int) -> None:
    passages.hold(range(size))
    index = settled(VectorIndex(passages.knowledge.vectors, "e", flat=FEW))
    among = [best[3] for best in passages.exact()]
    assert index.search(ASKED[0], 1, among)[0].tolist() == [
        max(
            among,
            key=lambda number: float(
                passages.knowledge.vectors.read("e", [number])[number] @ ASKED[0]
            ),
        )
    ]
    assert {*index.search(ASKED[0], 10, among)[0].tolist()} <= {*among}
