"""Signed updates: an adapter is merged with the program's own model, and becomes a version."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from assistant.core.errors import ModelError
from assistant.core.models.adapter import ADAPTER, encoded
from assistant.core.models.manifest import Library
from assistant.model_files.acceptance import check_version, put_in_use
from assistant.model_files.signed import install, verify_bundle, verify_installed
from assistant.model_files.signing.bundle import Update, describe, write_bundle
from assistant.model_files.signing.opened import opened_tar
from tests.support.adapters import OWN, SCALES, adapter, int8_model, update_of, updated
from tests.support.signing import NAME, Maintainer, library_of, silent


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return library_of(tmp_path, own=OWN)


@pytest.fixture
def maintainer(tmp_path: Path) -> Maintainer:
    return Maintainer(tmp_path / "maintainer")


def refused(library: Library, maintainer: Maintainer, path: Path) -> str:
    """The code with which a bundle is refused, by both commands; no version has come."""
    with pytest.raises(ModelError) as refusal:
        install(library, maintainer.trusted, path, silent)
    assert "\n" not in refusal.value.message
    assert library.versions(NAME) == ("1",)
    with pytest.raises(ModelError) as verified:
        verify_bundle(library, maintainer.trusted, path)
    assert verified.value.code == refusal.value.code
    return refusal.value.code


@pytest.mark.parametrize("form", ["bundle", "layout"])
def test_an_update_becomes_a_version_that_works(
    library: Library, maintainer: Maintainer, form: str
) -> None:
    path = getattr(maintainer, form)(library, files=update_of(7))
    verify_bundle(library, maintainer.trusted, path)
    assert not library.pulled.exists()
    install(library, maintainer.trusted, path, silent)
    new = library.choosing(NAME, "2")
    assert new.read(NAME) == updated(7)
    check_version(new, NAME)
    assert verify_installed(new, NAME, maintainer.trusted) == maintainer.key.public
    put_in_use(new, NAME)
    assert Library(library.pulled, library.shipped).read(NAME) == updated(7)


def test_an_update_carries_only_what_is_new(library: Library, maintainer: Maintainer) -> None:
    with opened_tar(maintainer.bundle(library, files=update_of(7))) as members:
        assert [name for name in members if name.startswith("model/")] == [f"model/{ADAPTER}"]
    labels = b'["c"]\n'
    file = maintainer.bundle(library, 2, files={**update_of(7), "labels.json": labels})
    install(library, maintainer.trusted, file, silent)
    assert library.choosing(NAME, "2").read(NAME) == {**updated(7), "labels.json": labels}


def test_an_update_is_merged_with_the_programs_own_model_whichever_is_in_use(
    library: Library, maintainer: Maintainer
) -> None:
    install(library, maintainer.trusted, maintainer.bundle(library, files=update_of(7)), silent)
    put_in_use(library.choosing(NAME, "2"), NAME)
    later = Library(library.pulled, library.shipped)
    file = maintainer.bundle(library, 2, "3", files=update_of(9))
    install(later, maintainer.trusted, file, silent)
    assert later.choosing(NAME, "3").read(NAME) == updated(9)


def test_an_update_of_another_model_is_refused(
    library: Library, maintainer: Maintainer, tmp_path: Path
) -> None:
    file = maintainer.bundle(library, files=update_of(7))
    other = {**OWN, "model.onnx": int8_model(scales=SCALES * 2)}
    assert refused(library_of(tmp_path / "other", own=other), maintainer, file) == "model.base"
    later = library_of(tmp_path / "later", base="2", own=OWN)
    with pytest.raises(ModelError) as refusal:
        install(later, maintainer.trusted, file, silent)
    assert refusal.value.code == "model.base"


def test_an_update_is_not_merged_with_a_damaged_model(
    library: Library, maintainer: Maintainer
) -> None:
    file = maintainer.bundle(library, files=update_of(7))
    own = library.shipped / NAME / "model.onnx"
    own.write_bytes(OWN["model.onnx"][:-1] + b"?")
    assert refused(library, maintainer, file) == "model.corrupt"
    own.write_bytes(OWN["model.onnx"])
    (library.shipped / NAME / "labels.json").unlink()
    assert refused(library, maintainer, file) == "model.missing"


def test_a_signed_update_that_makes_another_file_than_it_says_is_refused(
    library: Library, maintainer: Maintainer
) -> None:
    wrong = msgspec.structs.replace(adapter(7), changes=adapter(8).changes)
    file = maintainer.bundle(library, files={ADAPTER: encoded(wrong)})
    assert refused(library, maintainer, file) == "model.corrupt"


def test_a_signed_adapter_that_does_not_fit_is_refused(
    library: Library, maintainer: Maintainer
) -> None:
    (only,) = adapter(7).changes
    for number, unfit in enumerate(({"name": "n"}, {"rank": 2}, {"steps": b"\0"}), 1):
        changes = (msgspec.structs.replace(only, **unfit),)
        wrong = msgspec.structs.replace(adapter(7), changes=changes)
        file = maintainer.bundle(library, number, files={ADAPTER: encoded(wrong)})
        assert refused(library, maintainer, file) == "model.adapter"


@pytest.mark.depth  # the same of a whole bundle is in test_signed.py
def test_every_changed_byte_is_refused(library: Library, maintainer: Maintainer) -> None:
    file = maintainer.bundle(library, files=update_of(7))
    whole = file.read_bytes()
    for at in (*range(11, len(whole), 211), len(whole) - 1):
        file.write_bytes(whole[:at] + bytes([whole[at] ^ 1 << at % 8]) + whole[at + 1 :])
        refused(library, maintainer, file)
    file.write_bytes(whole)
    install(library, maintainer.trusted, file, silent)


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({}, ""),
        ({"makes": "other.onnx"}, "model.bundle"),
        ({"makes": "labels.json"}, "model.base"),
        ({"kept": ("labels.json", "other.json")}, "model.bundle"),
        ({"adapter": "other.adapter"}, "model.bundle"),
    ],
)
def test_an_update_that_is_said_wrongly_is_refused(
    library: Library, maintainer: Maintainer, changes: dict[str, Any], code: str
) -> None:
    packed, folder = maintainer.packed(library, files=update_of(7))
    for name, content in {**updated(7), "other.adapter": update_of(7)[ADAPTER]}.items():
        (folder / name).write_bytes(content)
    update = packed.manifest.update
    assert isinstance(update, Update)
    if "adapter" in changes:
        changes = {"adapter": msgspec.structs.replace(update.adapter, name=changes["adapter"])}
    wrong = msgspec.structs.replace(update, **changes)
    signed = maintainer.sign(msgspec.structs.replace(packed.manifest, update=wrong))
    file = maintainer.folder / "wrong.hark"
    write_bundle(signed, folder, file)
    if code:
        assert refused(library, maintainer, file) == code
    else:
        install(library, maintainer.trusted, file, silent)


def test_an_adapter_that_is_too_large_is_not_read(
    library: Library, maintainer: Maintainer, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = maintainer.bundle(library, files=update_of(7))
    size = len(update_of(7)[ADAPTER])
    monkeypatch.setattr("assistant.model_files.signing.verification.LARGEST_BYTES", size - 1)
    assert refused(library, maintainer, file) == "model.bundle"
    monkeypatch.setattr("assistant.model_files.signing.verification.LARGEST_BYTES", size)
    install(library, maintainer.trusted, file, silent)


def test_an_adapter_of_no_file_of_the_model_is_not_signed(library: Library, tmp_path: Path) -> None:
    other = msgspec.structs.replace(adapter(7), base="0" * 64)
    (tmp_path / ADAPTER).write_bytes(encoded(other))
    with pytest.raises(ModelError) as refusal:
        describe(NAME, library.artefact(NAME), "2", 1, tmp_path)
    assert refusal.value.code == "model.base"


def test_the_manifest_of_a_whole_model_is_what_it_was(
    library: Library, maintainer: Maintainer
) -> None:
    """Bundles that were signed before there were updates are still taken."""
    packed, _ = maintainer.packed(
        library, files={**OWN, "model.onnx": int8_model(scales=SCALES * 2)}
    )
    assert b"update" not in packed.content
    packed, _ = maintainer.packed(library, 2, files=update_of(7))
    assert b'"update":' in packed.content
