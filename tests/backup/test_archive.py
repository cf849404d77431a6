"""A backup's archive: written as a whole, and trusted in nothing when it is read."""

from __future__ import annotations

import gzip
import io
import re
import stat
import tarfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest

from assistant.backup.archive import FORMAT, Manifest, read_archive, read_manifest, write_archive
from assistant.core.errors import InputError

MADE_AT = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
FILES = {"settings/own.toml": b"[log]\n", "state/heard": b"ring-1\n", "state/wake/hey.npz": b"12"}
Members = list[tuple[tarfile.TarInfo, bytes]]


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    folder, file = tmp_path / "folder", tmp_path / "hark.tar.gz"
    for name, content in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    write_archive(folder, file, MADE_AT)
    return file


def nowhere(_: str) -> None:
    return None


def members(archive: Path) -> Members:
    with tarfile.open(archive) as tar:
        return [(m, tar.extractfile(m).read()) for m in tar.getmembers()]  # type: ignore[union-attr]


def rewritten(archive: Path, change: Callable[[Members], Members]) -> Path:
    """The archive with changed members; the sizes are those of their contents."""
    changed = change(members(archive))
    with tarfile.open(archive, "w:gz") as tar:
        for member, content in changed:
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
    return archive


def listing(change: Callable[[str], str]) -> Callable[[Members], Members]:
    """A change of the manifest's text."""

    def changed(found: Members) -> Members:
        text = change(found[0][1].decode())
        assert text != found[0][1].decode()
        return [(found[0][0], text.encode()), *found[1:]]

    return changed


def renamed(old: str, new: str) -> Callable[[Members], Members]:
    """A member of another name, in the manifest too."""

    def changed(found: Members) -> Members:
        for member, _ in found:
            member.name = member.name.replace(old, new)
        return listing(lambda text: text.replace(old, new))(found)

    return changed


def as_kind(kind: bytes, link: str = "") -> Callable[[Members], Members]:
    """The member `state/heard` as another kind than a plain file."""

    def changed(found: Members) -> Members:
        for member, _ in found:
            if member.name == "state/heard":
                member.type, member.linkname = kind, link
        return found

    return changed


def test_what_was_written_is_read(archive: Path, tmp_path: Path) -> None:
    into = tmp_path / "into"
    manifest = read_archive(archive, lambda name: into / name)
    assert (manifest.format, manifest.made_at) == (FORMAT, MADE_AT)
    assert {name: (into / name).read_bytes() for name in FILES} == FILES
    assert {stat.S_IMODE(f.stat().st_mode) for f in into.rglob("*") if f.is_file()} == {0o600}
    assert stat.S_IMODE(archive.stat().st_mode) == 0o600
    rewritten(archive, lambda found: found)  # the control of what is changed below
    assert read_archive(archive, nowhere) == manifest


HOSTILE: dict[str, tuple[Callable[[Members], Members], str]] = {
    "upwards": (renamed("state/heard", "state/../heard"), "does not belong"),
    "upwards in wake": (renamed("wake/hey.npz", "wake/../../x.npz"), "does not belong"),
    "absolute": (renamed("state/heard", "/etc/passwd"), "does not belong"),
    "upwards in sentences": (renamed("state/heard", "sentences/../x.yaml"), "does not belong"),
    "upwards in tables": (renamed("heard", "skills/../x.db"), "does not belong"),
    "tables in a folder": (renamed("heard", "skills/a/x.db"), "does not belong"),
    "a file beside tables": (renamed("heard", "skills/x.db-wal"), "does not belong"),
    "elsewhere": (renamed("state/heard", "state/models/x"), "does not belong"),
    "a control character": (renamed("hey.npz", "h\\u0007.npz"), "does not belong"),
    "a link": (as_kind(tarfile.SYMTYPE, "/etc/passwd"), "no plain file"),
    "a hard link": (as_kind(tarfile.LNKTYPE, "manifest.json"), "no plain file"),
    "a device": (as_kind(tarfile.CHRTYPE), "no plain file"),
    "a pipe": (as_kind(tarfile.FIFOTYPE), "no plain file"),
    "a folder": (as_kind(tarfile.DIRTYPE), "no plain file"),
    "one more": (lambda found: [*found, (tarfile.TarInfo("../x"), b"x")], "more than"),
    "one less": (lambda found: found[:-1], "is not there"),
    "another order": (lambda found: [found[0], *found[:0:-1]], "is not there"),
    "other content": (
        lambda found: [(m, c.replace(b"ring-1", b"ring-2")) for m, c in found],
        "not what was stored",
    ),
    "listed twice": (
        listing(lambda text: text.replace("settings/own.toml", "state/heard")),
        "twice",
    ),
    "no manifest": (lambda found: found[1:], "is no backup"),
    "a later format": (listing(lambda text: text.replace('"format": 1', '"format": 2')), "update"),
    "an unknown fact": (listing(lambda text: text.replace('"format"', '"fromat"')), "no backup"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_what_does_not_belong_into_it_is_refused(archive: Path, name: str, tmp_path: Path) -> None:
    change, why = HOSTILE[name]
    into = tmp_path / "deep" / "deeper" / "into"
    with pytest.raises(InputError, match=re.escape(why)):
        read_archive(rewritten(archive, change), lambda found: into / found)
    outside = [f for f in tmp_path.rglob("*") if f.is_file() and into not in f.parents]
    assert sorted(f.name for f in outside) == ["hark.tar.gz", "heard", "hey.npz", "own.toml"]


def test_every_truncation_and_every_flipped_byte_is_noticed(archive: Path, tmp_path: Path) -> None:
    whole = archive.read_bytes()
    for length in range(0, len(whole), 7):
        archive.write_bytes(whole[:length])
        with pytest.raises(InputError):
            read_archive(archive, nowhere)
    noticed = 0
    for place in range(len(whole)):
        archive.write_bytes(whole[:place] + bytes([whole[place] ^ 0x55]) + whole[place + 1 :])
        into = tmp_path / str(place)
        try:
            read_archive(archive, lambda name, into=into: into / name)  # type: ignore[misc]
        except InputError:
            noticed += 1
        else:  # gzip has bytes without a meaning, such as its date
            assert {name: (into / name).read_bytes() for name in FILES} == FILES
    assert noticed > len(whole) - 12


def test_a_header_that_asks_for_all_memory_is_refused(archive: Path) -> None:
    huge = tarfile.TarInfo("pax")
    huge.type, huge.size = tarfile.XHDTYPE, 1 << 40
    archive.write_bytes(gzip.compress(huge.tobuf(tarfile.GNU_FORMAT)))
    with pytest.raises(InputError, match="too large"):
        read_manifest(archive)


def test_headers_without_end_are_refused(archive: Path) -> None:
    long = tarfile.TarInfo("x" * 90)
    long.type, long.size = tarfile.GNUTYPE_LONGNAME, 10
    archive.write_bytes(gzip.compress((long.tobuf() + b"y" * 10 + bytes(502)) * 3000))
    with pytest.raises(InputError, match="cannot be used"):
        read_manifest(archive)


@pytest.mark.parametrize(
    "content", [b"", b"hello", gzip.compress(b"", mtime=0), gzip.compress(b"hello", mtime=0)]
)
def test_another_file_is_no_backup_and_is_not_replaced(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "notes"
    file.write_bytes(content)
    with pytest.raises(InputError):
        write_archive(tmp_path, file, MADE_AT)
    assert file.read_bytes() == content


def test_a_backup_is_replaced_as_a_whole(
    archive: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = archive.read_bytes()

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(tarfile.TarFile, "addfile", full)
        with pytest.raises(InputError, match="No space left"):
            write_archive(tmp_path / "folder", archive, MADE_AT)
    assert archive.read_bytes() == before
    assert {f.name for f in tmp_path.iterdir()} == {"folder", "hark.tar.gz"}
    (tmp_path / "folder" / "state" / "heard").write_bytes(b"ring-2\n")
    write_archive(tmp_path / "folder", archive, MADE_AT)
    assert archive.read_bytes() != before


def test_the_manifest_is_readable_for_people(archive: Path) -> None:
    (_, content), *_ = members(archive)
    assert msgspec.json.decode(content, type=Manifest).files[0].name == "settings/own.toml"
    assert b"\n" in content
