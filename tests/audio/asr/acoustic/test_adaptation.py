"""What is learnt of a room: sums in a file, judged by the commands that follow."""

from __future__ import annotations

import logging
import stat
from pathlib import Path

import numpy as np
import pytest

from assistant.core.models.manifest import Library
from audio.asr.acoustic.adaptation import Adaptation, Base, load, own_map, read
from audio.asr.acoustic.alignment import Aligned
from audio.asr.acoustic.gaussians import STREAMS, WIDTH, Gaussians
from audio.asr.acoustic.transform import Transform, fit, transform_file

FRAMES = 60
COMMANDS = 22


@pytest.fixture(scope="module")
def model() -> Gaussians:
    return Gaussians.load()


@pytest.fixture(scope="module")
def base() -> Base:
    return Base.load(transform_file(Library(Path())))


@pytest.fixture(scope="module")
def room(base: Base) -> Transform:
    """One that moves all features further than the map that ships."""
    return Transform(0.9 * base.transform.matrices, base.transform.offsets + 0.3)


def said(model: Gaussians, room: Transform, seed: int) -> Aligned:
    """Frames that are drawn from states of the model in a room."""
    dice = np.random.default_rng(seed)
    books = dice.integers(3, 7, FRAMES)
    senones = dice.integers(0, model.weights.shape[2], FRAMES)
    means = room.moved(model.means)
    features = np.empty((FRAMES, STREAMS, WIDTH))
    for at, (book, senone) in enumerate(zip(books, senones, strict=True)):
        for stream in range(STREAMS):
            shares = model.weights[stream][:, senone]
            density = dice.choice(len(shares), p=shares / shares.sum())
            spread = np.sqrt(model.variances[book, stream, density])
            features[at, stream] = dice.normal(means[book, stream, density], spread)
    return Aligned(features, books, senones)


def learnt(model: Gaussians, base: Base, room: Transform, commands: int = COMMANDS) -> Adaptation:
    made = Adaptation(base)
    for seed in range(commands):
        made.add(said(model, room, seed), model)
    return made


@pytest.fixture(scope="module")
def there(model: Gaussians, base: Base, room: Transform) -> Adaptation:
    return learnt(model, base, room)


def test_a_room_s_map_is_used_once_commands_that_follow_are_likelier(
    there: Adaptation, model: Gaussians, base: Base, room: Transform, tmp_path: Path
) -> None:
    assert there.helps
    assert not learnt(model, base, room, 15).helps  # too few to tell
    file, made = tmp_path / "adaptation", tmp_path / "cache" / "asr"
    file.write_bytes(there.content())
    used = own_map(file, base, made)
    assert used is not None
    assert stat.S_IMODE(used.stat().st_mode) == 0o600
    moved = Transform.read(used.read_text())
    later, elsewhere = (said(model, place, COMMANDS) for place in (room, base.transform))
    assert fit(later, model, moved) > fit(later, model, base.transform) + 0.05
    assert fit(elsewhere, model, moved) < fit(elsewhere, model, base.transform)


def test_the_map_that_ships_stays_where_it_fits_as_well(
    model: Gaussians, base: Base, tmp_path: Path
) -> None:
    nothing_new = learnt(model, base, base.transform)
    assert len(nothing_new.gains) == COMMANDS - 1
    assert not nothing_new.helps
    file = tmp_path / "adaptation"
    file.write_bytes(nothing_new.content())
    assert own_map(file, base, tmp_path) is None
    assert own_map(tmp_path / "none", base, tmp_path) is None


def test_a_room_that_has_changed_loses_its_map(
    there: Adaptation, model: Gaussians, base: Base
) -> None:
    moved = Adaptation.of(there.content(), base)
    for seed in range(100, 100 + COMMANDS):
        moved.add(said(model, base.transform, seed), model)
    assert not moved.helps


def test_sums_are_read_as_they_were_written(there: Adaptation, base: Base) -> None:
    again = Adaptation.of(there.content(), base)
    assert np.array_equal(again.statistics.squares, there.statistics.squares)
    assert np.array_equal(again.statistics.products, there.statistics.products)
    assert (again.commands, again.statistics.frames) == (COMMANDS, COMMANDS * FRAMES)
    assert again.gains == there.gains
    assert len(again.content()) == len(Adaptation(base).content()) < 100_000


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda whole: whole[:-1], "damaged"),
        (lambda whole: whole + b"\0", "damaged"),
        (lambda whole: b"", "damaged"),
        (lambda whole: whole[:5000] + b"\1" + whole[5001:], "damaged"),
        (lambda whole: b"\1" + whole[1:], "damaged"),
    ],
)
def test_a_damaged_file_is_set_aside_with_a_warning_and_begun_anew(
    there: Adaptation,
    base: Base,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    change: object,
    why: str,
) -> None:
    file = tmp_path / "adaptation"
    file.write_bytes(change(there.content()))  # type: ignore[operator]
    for _ in range(2):
        assert load(file, base).commands == 0
    (warning,) = caplog.records
    assert warning.levelno == logging.WARNING
    assert why in warning.getMessage()
    assert [found.name for found in tmp_path.iterdir()] == ["adaptation.old"]


def test_a_file_for_another_map_is_set_aside_too(
    there: Adaptation, base: Base, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / "adaptation"
    file.write_bytes(there.content())
    assert load(file, base).commands == COMMANDS  # the control
    assert load(file, base._replace(key=bytes(32))).commands == 0
    assert "another acoustic model" in caplog.text
    assert not file.exists()


def test_a_file_that_cannot_be_read_stays(
    base: Base, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / "adaptation"
    file.mkdir()
    assert load(file, base).commands == 0
    assert "asr.adaptation" in caplog.text
    assert file.exists()
    with pytest.raises(OSError, match="directory"):
        read(file, base)


def test_what_was_learnt_long_ago_counts_less(model: Gaussians, base: Base) -> None:
    made = Adaptation(base)
    made.statistics.frames = 59_990
    made.statistics.squares += np.eye(WIDTH + 1)
    made.add(said(model, base.transform, 1), model)
    assert made.statistics.frames == (59_990 + FRAMES) // 2
