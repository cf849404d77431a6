"""Installing signed bundles: whole and newer ones alone, in either form, in one step."""

from __future__ import annotations

import errno
import io
import os
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assistant.core.errors import ModelError
from assistant.core.models.manifest import Library
from assistant.core.models.versions import InUse
from assistant.model_files.acceptance import check_version, put_in_use
from assistant.model_files.incoming import INCOMING
from assistant.model_files.signed import install, verify_bundle, verify_installed
from assistant.model_files.signing.bundle import MANIFEST, header, write_bundle
from assistant.model_files.signing.minisign import make_key
from assistant.model_files.signing.oci import BLOBS, INDEX, write_layout
from assistant.model_files.signing.trust import FILE, holding, read_trust
from tests.support.signing import NAME, OWN, Maintainer, files_of, library_of, silent


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return library_of(tmp_path)


@pytest.fixture
def maintainer(tmp_path: Path) -> Maintainer:
    return Maintainer(tmp_path / "maintainer")


def refused(library: Library, maintainer: Maintainer, path: Path) -> str:
    """The code with which a bundle is refused; the models are as they were."""
    before = contents(library.pulled)
    with pytest.raises(ModelError) as refusal:
        install(library, maintainer.trusted, path, silent)
    assert "\n" not in refusal.value.message
    assert contents(library.pulled) == before
    return refusal.value.code


def contents(folder: Path) -> dict[str, bytes]:
    """Every file of the models but what is remembered of keys."""
    files = (file for file in folder.rglob("*") if file.is_file() and FILE not in file.name)
    return {str(f.relative_to(folder)): f.read_bytes() for f in files if f.suffix != ".lock"}


def test_a_bundle_becomes_a_version_that_works(library: Library, maintainer: Maintainer) -> None:
    found = install(library, maintainer.trusted, maintainer.bundle(library), silent)
    assert (found.manifest.version, found.signer) == ("2", maintainer.key.public)
    new = library.choosing(NAME, "2")
    assert new.read(NAME) == files_of(1)
    check_version(new, NAME)
    assert verify_installed(new, NAME, maintainer.trusted) == maintainer.key.public
    assert library.in_use(NAME).version == "1"


def test_a_layout_of_an_oci_image_is_installed_alike(
    library: Library, maintainer: Maintainer
) -> None:
    layout = maintainer.layout(library)
    verify_bundle(library, maintainer.trusted, layout)
    install(library, maintainer.trusted, layout, silent)
    assert library.choosing(NAME, "2").read(NAME) == files_of(1)


def test_to_verify_changes_nothing(library: Library, maintainer: Maintainer) -> None:
    verify_bundle(library, maintainer.trusted, maintainer.bundle(library))
    assert not library.pulled.exists()


def test_the_same_bundle_can_be_installed_again(library: Library, maintainer: Maintainer) -> None:
    file = maintainer.bundle(library)
    install(library, maintainer.trusted, file, silent)
    damaged = library.version_folder(NAME, "2") / "labels.json"
    damaged.write_bytes(b"?")
    install(library, maintainer.trusted, file, silent)
    assert library.choosing(NAME, "2").read(NAME) == files_of(1)


def test_an_older_bundle_is_refused_and_rollback_still_goes_back(
    library: Library, maintainer: Maintainer
) -> None:
    older = maintainer.bundle(library, 6, "2")
    install(library, maintainer.trusted, maintainer.bundle(library, 5, "1.5"), silent)
    put_in_use(library.choosing(NAME, "1.5"), NAME)
    install(library, maintainer.trusted, maintainer.bundle(library, 7, "3"), silent)
    put_in_use(library.choosing(NAME, "3"), NAME)
    assert refused(library, maintainer, older) == "model.older"
    now = library.in_use(NAME)
    assert now == InUse(version="3", before="1.5", manifest="1")
    put_in_use(library.choosing(NAME, now.before), NAME)
    assert Library(library.pulled, library.shipped).version(NAME) == "1.5"


def test_another_bundle_of_the_same_number_is_refused(
    library: Library, maintainer: Maintainer
) -> None:
    install(library, maintainer.trusted, maintainer.bundle(library, 5), silent)
    other = maintainer.bundle(library, 5, "3", files=files_of(9))
    assert refused(library, maintainer, other) == "model.older"


def test_what_is_in_use_is_not_replaced_under_its_name(
    library: Library, maintainer: Maintainer
) -> None:
    install(library, maintainer.trusted, maintainer.bundle(library, 5), silent)
    put_in_use(library.choosing(NAME, "2"), NAME)
    assert refused(library, maintainer, maintainer.bundle(library, 6)) == "model.in_use"


def test_a_key_that_is_on_no_list_is_refused(library: Library, maintainer: Maintainer) -> None:
    assert (
        refused(library, maintainer, maintainer.bundle(library, key=make_key()))
        == "model.key_revoked"
    )


def test_a_revoked_key_is_refused_and_what_it_signed_is_told(
    library: Library, maintainer: Maintainer
) -> None:
    old = maintainer.bundle(library, 5)
    install(library, maintainer.trusted, old, silent)
    later_by_old = maintainer.bundle(library, 6, "2.6")
    new = make_key()
    keys = maintainer.listed(2, [new])
    install(
        library, maintainer.trusted, maintainer.bundle(library, 7, "3", keys=keys, key=new), silent
    )
    maintainer.folder = maintainer.folder / "later"
    by_old = maintainer.bundle(library, 8, "4")
    assert refused(library, maintainer, by_old) == "model.key_revoked"
    assert refused(library, maintainer, later_by_old) == "model.key_revoked"
    with pytest.raises(ModelError, match="it was revoked"):
        verify_installed(library.choosing(NAME, "2"), NAME, maintainer.trusted)
    assert verify_installed(library.choosing(NAME, "3"), NAME, maintainer.trusted) == new.public


def test_a_newer_list_counts_even_where_its_bundle_is_refused(
    library: Library, maintainer: Maintainer
) -> None:
    keys = maintainer.listed(2, [make_key()])
    file = maintainer.bundle(library, 1, "3", keys=keys)
    assert refused(library, maintainer, file) == "model.key_revoked"
    assert read_trust(library.pulled).keys == keys
    assert refused(library, maintainer, maintainer.bundle(library, 2)) == "model.key_revoked"


def test_a_key_of_an_older_list_that_is_on_the_newer_one_still_signs(
    library: Library, maintainer: Maintainer
) -> None:
    keys = maintainer.listed(2, [maintainer.key, make_key()])
    install(library, maintainer.trusted, maintainer.bundle(library, 1, keys=keys), silent)
    install(library, maintainer.trusted, maintainer.bundle(library, 2, "3"), silent)
    keys_now = read_trust(library.pulled).keys
    assert keys_now == keys


def test_the_roots_of_another_maintainer_are_refused(
    library: Library, maintainer: Maintainer, tmp_path: Path
) -> None:
    stranger = Maintainer(tmp_path / "stranger")
    assert refused(library, maintainer, stranger.bundle(library)) == "model.keys"


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"base": "0"}, "model.base"),
        ({"kind": "voice"}, "model.base"),
        ({"inputs": {"x": "float32[3]"}}, "model.base"),
        ({"model": "other"}, "model.unknown"),
        ({"model": "../other"}, "model.unknown"),
        ({"version": "1"}, "model.shipped"),
        ({"version": "../../2"}, "model.version"),
        ({"version": "a/b"}, "model.version"),
    ],
)
def test_a_bundle_for_another_place_is_refused(
    library: Library, maintainer: Maintainer, changes: dict[str, Any], code: str
) -> None:
    packed, folder = maintainer.packed(library, **changes)
    file = maintainer.folder / "a.hark"
    write_bundle(packed, folder, file)
    assert refused(library, maintainer, file) == code


def test_a_bundle_for_an_earlier_program_is_refused(
    library: Library, maintainer: Maintainer, tmp_path: Path
) -> None:
    file = maintainer.bundle(library)
    assert refused(library_of(tmp_path / "later", base="2"), maintainer, file) == "model.base"


def test_a_signed_model_that_does_not_run_is_refused(
    library: Library, maintainer: Maintainer
) -> None:
    files = {**files_of(1), "model.onnx": b"no model"}
    assert refused(library, maintainer, maintainer.bundle(library, files=files)) == "model.not_onnx"


def test_every_changed_byte_is_refused(library: Library, maintainer: Maintainer) -> None:
    file = maintainer.bundle(library)
    whole = file.read_bytes()
    steps = (*range(7, len(whole), 331), len(whole) - 1)
    for at in steps:
        file.write_bytes(whole[:at] + bytes([whole[at] ^ 1 << at % 8]) + whole[at + 1 :])
        with pytest.raises(ModelError):
            install(library, maintainer.trusted, file, silent)
    assert library.versions(NAME) == ("1",)
    file.write_bytes(whole)
    install(library, maintainer.trusted, file, silent)


@pytest.mark.parametrize(
    "change",
    [
        lambda whole: whole[: len(whole) // 2],
        lambda whole: whole[:-1],
        lambda whole: whole[:-512],
        lambda whole: whole + b"\0",
        lambda whole: whole + bytes(10_240),
        lambda whole: b"",
        lambda whole: b"PK\3\4" + whole,
    ],
)
def test_what_is_cut_or_extended_is_refused(
    library: Library, maintainer: Maintainer, change: Callable[[bytes], bytes]
) -> None:
    file = maintainer.bundle(library)
    file.write_bytes(change(file.read_bytes()))
    assert refused(library, maintainer, file) == "model.bundle"


def rewritten(file: Path, change: Callable[[list[tuple[tarfile.TarInfo, bytes]]], None]) -> None:
    """Write the bundle again, with its members as `change` leaves them."""
    with tarfile.open(file) as tar:
        members = [(m, tar.extractfile(m).read()) for m in tar]  # type: ignore[union-attr]
    change(members)
    with tarfile.open(file, "w", format=tarfile.USTAR_FORMAT) as tar:
        for member, content in members:
            tar.addfile(member, io.BytesIO(content))


def _rename(members: list[tuple[tarfile.TarInfo, bytes]]) -> None:
    members[-1][0].name = "../../../etc/cron.d/x"


def _link(members: list[tuple[tarfile.TarInfo, bytes]]) -> None:
    members[-1][0].type, members[-1][0].linkname = tarfile.SYMTYPE, "/etc/shadow"
    members[-1][0].size = 0


def _twice(members: list[tuple[tarfile.TarInfo, bytes]]) -> None:
    members.append(members[-1])


def _added(members: list[tuple[tarfile.TarInfo, bytes]]) -> None:
    extra = tarfile.TarInfo("model/extra.bin")
    extra.size = 3
    members.append((extra, b"abc"))


def _missing(members: list[tuple[tarfile.TarInfo, bytes]]) -> None:
    members.pop()


def _swapped(members: list[tuple[tarfile.TarInfo, bytes]]) -> None:
    (one, a), (other, b) = members[-2:]
    one.size, other.size = len(b), len(a)
    members[-2:] = [(one, b), (other, a)]


def _reordered(members: list[tuple[tarfile.TarInfo, bytes]]) -> None:
    members[-2:] = reversed(members[-2:])


def _many(members: list[tuple[tarfile.TarInfo, bytes]]) -> None:
    members += [(tarfile.TarInfo(f"model/{n}"), b"") for n in range(100)]


@pytest.mark.parametrize(
    "change", [_rename, _link, _twice, _added, _missing, _swapped, _reordered, _many]
)
def test_other_members_than_were_signed_are_refused(
    library: Library,
    maintainer: Maintainer,
    change: Callable[[list[tuple[tarfile.TarInfo, bytes]]], None],
) -> None:
    file = maintainer.bundle(library)
    rewritten(file, change)
    assert refused(library, maintainer, file) in ("model.bundle", "model.corrupt")


def test_a_bundle_that_is_written_again_unchanged_is_taken(
    library: Library, maintainer: Maintainer
) -> None:
    """Else the refusals above might be for how the tests write."""
    file = maintainer.bundle(library)
    rewritten(file, lambda members: None)
    install(library, maintainer.trusted, file, silent)


def test_a_bomb_of_holes_is_refused(library: Library, maintainer: Maintainer) -> None:
    """Eight gigabytes that take no room on the stick are not read."""
    file, size = maintainer.bundle(library), (8 << 30) - 512
    with tarfile.open(file) as tar:
        at = tar.getmembers()[-1].offset
    with file.open("r+b") as bundle:
        bundle.seek(at)
        bundle.write(header("model/labels.json", size))
        bundle.truncate(at + 512 + size + 10_240)
    length = -(-(at + 512 + size + 1024) // tarfile.RECORDSIZE) * tarfile.RECORDSIZE
    os.truncate(file, length)
    assert refused(library, maintainer, file) == "model.corrupt"


def test_no_link_and_no_folder_is_opened(library: Library, maintainer: Maintainer) -> None:
    file = maintainer.bundle(library)
    link = maintainer.folder / "link.hark"
    link.symlink_to(file)
    pipe = maintainer.folder / "pipe.hark"
    os.mkfifo(pipe)
    for path in (link, pipe, maintainer.folder, maintainer.folder / "nothing.hark"):
        assert refused(library, maintainer, path) == "model.bundle"


def test_changed_blobs_of_a_layout_are_refused(library: Library, maintainer: Maintainer) -> None:
    layout = maintainer.layout(library)
    for blob in sorted((layout / BLOBS).iterdir()):
        whole = blob.read_bytes()
        if whole == b"{}":  # of no use
            continue
        for changed in (whole[:-1], bytes([whole[0] ^ 1]) + whole[1:]):
            blob.write_bytes(changed)
            assert refused(library, maintainer, layout).startswith("model.")
        blob.write_bytes(whole)
    install(library, maintainer.trusted, layout, silent)


def test_a_layout_names_no_blob_outside_itself(library: Library, maintainer: Maintainer) -> None:
    layout = maintainer.layout(library)
    index = (layout / INDEX).read_text()
    digest = index.partition('"digest":"')[2].partition('"')[0]
    for wrong in ("sha256:../../../../etc/passwd", "sha512:00", "sha256:" + "0" * 64):
        (layout / INDEX).write_text(index.replace(digest, wrong))
        assert refused(library, maintainer, layout) == "model.bundle"


def test_a_layout_is_never_written_over(library: Library, maintainer: Maintainer) -> None:
    layout = maintainer.layout(library)
    packed, folder = maintainer.packed(library)
    with pytest.raises(ModelError, match="there already"):
        write_layout(packed, folder, layout)


def test_a_file_that_changed_since_it_was_signed_is_not_bundled(
    library: Library, maintainer: Maintainer
) -> None:
    packed, folder = maintainer.packed(library)
    (folder / "labels.json").write_bytes(b"[]")
    file = maintainer.folder / "a.hark"
    with pytest.raises(ModelError, match="sign the model again"):
        write_bundle(packed, folder, file)
    assert not file.exists()


def test_what_is_remembered_damaged_stops_all(library: Library, maintainer: Maintainer) -> None:
    file = maintainer.bundle(library)
    install(library, maintainer.trusted, file, silent)
    (library.pulled / FILE).write_bytes(b"{}x")
    assert refused(library, maintainer, file) == "model.trust"


def test_an_installed_model_that_was_changed_is_told(
    library: Library, maintainer: Maintainer
) -> None:
    install(library, maintainer.trusted, maintainer.bundle(library), silent)
    new = library.choosing(NAME, "2")
    lock = library.version_folder(NAME, "2") / "lock.json"
    signed = new.expected(NAME)["labels.json"]
    lock.write_text(lock.read_text().replace(signed, "0" * 64))
    with pytest.raises(ModelError, match="another model than was signed"):
        verify_installed(new, NAME, maintainer.trusted)


def test_a_full_disk_is_told_and_nothing_changes(
    library: Library, maintainer: Maintainer, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = maintainer.bundle(library)
    monkeypatch.setattr("assistant.model_files.incoming.SPARE_BYTES", 1 << 60)
    assert refused(library, maintainer, file) == "model.disk_full"
    assert not list((library.pulled / INCOMING).glob("*/*"))


def test_where_the_disk_cannot_exchange_folders_the_old_one_stays(
    library: Library, maintainer: Maintainer, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(library, maintainer.trusted, maintainer.bundle(library, 1), silent)

    def unable(one: Path, other: Path) -> None:
        raise OSError(errno.EINVAL, "Invalid argument", str(other))

    newer = maintainer.bundle(library, 2)
    monkeypatch.setattr("assistant.model_files.incoming.exchange", unable)
    assert refused(library, maintainer, newer) == "model.disk"
    assert library.choosing(NAME, "2").read(NAME) == files_of(1)
    monkeypatch.undo()
    install(library, maintainer.trusted, newer, silent)
    assert library.choosing(NAME, "2").read(NAME) == files_of(2)


def test_one_command_installs_at_a_time(library: Library, maintainer: Maintainer) -> None:
    file = maintainer.bundle(library)
    library.pulled.mkdir(parents=True)
    with holding(library.pulled):
        assert refused(library, maintainer, file) == "model.busy"
    install(library, maintainer.trusted, file, silent)


def test_a_link_where_files_are_collected_is_not_followed(
    library: Library, maintainer: Maintainer, tmp_path: Path
) -> None:
    victim = tmp_path / "victim"
    victim.write_text("mine")
    folder = library.pulled / INCOMING / f"{NAME}@2"
    folder.mkdir(parents=True)
    for name in (*OWN, MANIFEST):
        (folder / name).symlink_to(victim)
    install(library, maintainer.trusted, maintainer.bundle(library), silent)
    assert victim.read_text() == "mine"


def test_two_bundles_are_the_same_file(library: Library, maintainer: Maintainer) -> None:
    """What is not signed has no date and no name of whoever made it."""
    packed, folder = maintainer.packed(library)
    one, other = maintainer.folder / "one.hark", maintainer.folder / "other.hark"
    write_bundle(packed, folder, one)
    for name in OWN:
        os.utime(folder / name, (1, 1))
    write_bundle(packed, folder, other)
    assert one.read_bytes() == other.read_bytes()
