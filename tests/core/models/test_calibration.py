"""A calibration is read whole, from the version that is read, or refused in one line."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

import msgspec
import pytest

from assistant.core.errors import ModelError
from assistant.core.models.calibration import FILE, Share, read_calibration
from assistant.core.models.manifest import SHIPPED, Library
from models.training.calibrate import KINDS, record


class Numbers(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A calibration of two numbers."""

    accepted: Share
    weight: float


@pytest.fixture
def models(tmp_path: Path) -> Path:
    """The shipped calibrations alone, which may be changed."""
    shutil.copy(SHIPPED / "manifest.toml", tmp_path)
    for name in KINDS:
        (tmp_path / name).mkdir()
        shutil.copy(SHIPPED / name / FILE, tmp_path / name)
    return tmp_path


class Whole(Library):
    """Vouches for whatever is there."""

    def expected(self, name: str) -> dict[str, str]:
        return {FILE: hashlib.sha256((self.folder(name) / FILE).read_bytes()).hexdigest()}


@pytest.mark.parametrize("name", KINDS)
def test_every_model_that_is_replaced_ships_one(name: str) -> None:
    assert read_calibration(Library(Path("/nowhere")), name, KINDS[name])


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "truncated"),
        (b"[]", "Expected `object`"),
        (b'{"accepted": 0.5}', "missing required field `weight`"),
        (b'{"accepted": 1.5, "weight": 3}', "<= 1.0 - at `$.accepted`"),
        (b'{"accepted": "0.5", "weight": 3}', "Expected `float`, got `str`"),
        (b'{"accepted": NaN, "weight": 3}', "malformed"),
        (b'{"accepted": 0.5, "weight": 3, "near": 1}', "unknown field `near`"),
        (b"\xff", "malformed"),
    ],
)
def test_what_is_no_calibration_is_told_in_one_line_with_the_mend(
    models: Path, content: bytes, told: str
) -> None:
    (models / "ner" / FILE).write_bytes(content)
    with pytest.raises(ModelError) as fault:
        read_calibration(Whole(models / "pulled", models), "ner", Numbers)
    assert fault.value.code == "model.calibration"
    assert str(models / "ner" / FILE) in fault.value.message
    assert told in fault.value.message
    assert fault.value.message.endswith("sudo make install, in the folder that it came in")
    assert "\n" not in fault.value.message


def test_one_that_is_missing_or_changed_is_told(models: Path) -> None:
    library, file = Library(models / "pulled", models), models / "ner" / FILE
    assert read_calibration(library, "ner", KINDS["ner"])
    file.write_bytes(file.read_bytes() + b" ")
    with pytest.raises(ModelError, match="is corrupt"):
        read_calibration(library, "ner", KINDS["ner"])
    file.unlink()
    with pytest.raises(ModelError, match="No such file"):
        read_calibration(library, "ner", KINDS["ner"])


def test_a_number_is_written_down_and_the_manifest_vouches_for_it(models: Path) -> None:
    record("ner", "sure_span", 0.65, models)
    read = read_calibration(Library(models / "pulled", models), "ner", KINDS["ner"])
    before = read_calibration(Library(Path("/nowhere")), "ner", KINDS["ner"])
    assert read == msgspec.structs.replace(before, sure_span=0.65)


@pytest.mark.parametrize(("number", "value"), [("sure_spam", 0.5), ("sure_span", 1.5)])
def test_what_is_no_number_of_it_is_not_written_down(
    models: Path, number: str, value: float
) -> None:
    before = (models / "ner" / FILE).read_bytes()
    with pytest.raises(ModelError, match="ner: "):
        record("ner", number, value, models)
    assert (models / "ner" / FILE).read_bytes() == before
