"""Files: replaced as a whole, held by one process at a time, and read within bounds."""

from __future__ import annotations

import errno
import os
import signal
from contextlib import closing, nullcontext
from pathlib import Path

import pytest

from assistant.core.files import (
    exchange,
    in_memory,
    made_once,
    make_private,
    mark_used,
    open_locked,
    read_private,
    read_text,
    replace_file,
    replacing,
    sync,
    tighten,
    try_lock,
)
from assistant.core.fork import Fork
from tests.support.full_disk import full_disk


def test_a_file_is_replaced_as_a_whole_with_its_mode(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("before")
    replace_file(file, b"after")
    assert (file.read_bytes(), file.stat().st_mode & 0o777) == (b"after", 0o644)
    replace_file(file, b"secret", mode=0o600)
    assert (file.read_bytes(), file.stat().st_mode & 0o777) == (b"secret", 0o600)
    assert list(tmp_path.iterdir()) == [file]
    (tmp_path / "folder").mkdir()
    with pytest.raises(IsADirectoryError):
        replace_file(tmp_path / "folder", b"x")
    assert len(list(tmp_path.iterdir())) == 2


def test_what_is_synced_leaves_no_descriptor(tmp_path: Path) -> None:
    before = os.listdir("/proc/self/fd")
    sync(tmp_path)
    with pytest.raises(FileNotFoundError):
        sync(tmp_path / "nowhere")
    assert os.listdir("/proc/self/fd") == before


def test_what_goes_to_the_disk_is_all_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes: list[int] = []
    monkeypatch.setattr(os, "fsync", lambda file: sizes.append(os.fstat(file).st_size))
    replace_file(tmp_path / "file", b"seven b")
    assert sizes[0] == 7


def test_what_need_not_last_waits_for_no_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def waits(_: int) -> None:
        raise AssertionError

    monkeypatch.setattr(os, "fsync", waits)
    replace_file(tmp_path / "file", b"seven b", durable=False)
    assert (tmp_path / "file").read_bytes() == b"seven b"


def test_a_full_disk_keeps_the_old_file_and_nothing_beside_it(tmp_path: Path) -> None:
    file = tmp_path / "file"
    replace_file(file, b"old")
    with full_disk(1000), pytest.raises(OSError, match="File too large"):
        replace_file(file, b"new" * 1000)
    assert file.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [file]


def test_a_file_is_held_by_one_until_it_is_closed(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    before = os.listdir("/proc/self/fd")
    first = open_locked(path)
    assert first is not None
    assert open_locked(path) is None
    with path.open() as other:
        assert not try_lock(other)
        first.close()
        assert try_lock(other)
    assert os.listdir("/proc/self/fd") == before


def test_what_cannot_be_locked_is_an_error_and_stays_closed(tmp_path: Path) -> None:
    before = os.listdir("/proc/self/fd")
    with pytest.raises(FileNotFoundError):
        open_locked(tmp_path / "nowhere" / "lock")
    with pytest.raises(OSError, match="Bad file descriptor"):
        try_lock(10_000)
    assert os.listdir("/proc/self/fd") == before


def test_a_file_may_have_a_mebibyte_and_no_byte_more(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_bytes(b"x" * (1 << 20))
    assert len(read_text(file)) == 1 << 20
    file.write_bytes(b"x" * ((1 << 20) + 1))
    with pytest.raises(OSError, match="is larger than 1024 KiB") as refused:
        read_text(file)
    assert refused.value.errno == errno.EFBIG


def test_a_caller_may_ask_for_more_or_less(tmp_path: Path) -> None:
    file = tmp_path / "home.yaml"
    file.write_text("grün")
    assert read_text(file, 5) == "grün"
    with pytest.raises(OSError, match="is larger than 0 KiB"):
        read_text(file, 4)


@pytest.mark.timeout(10)
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="is a pipe, not a file") as refused:
        read_text(tmp_path / "pipe")
    assert refused.value.errno == errno.EINVAL


def test_what_names_no_file_or_holds_no_text_is_told(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="a path holds no NUL character") as refused:
        read_text(Path("a\0b"))
    assert refused.value.errno == errno.EINVAL
    with pytest.raises(FileNotFoundError):
        read_text(tmp_path / "nowhere")
    (tmp_path / "picture").write_bytes(b"\xff\xd8")
    with pytest.raises(UnicodeDecodeError):
        read_text(tmp_path / "picture")


@pytest.mark.parametrize(("mode", "refused"), [(0o755, False), (0o1777, False), (0o777, True)])
def test_a_folder_below_one_that_every_user_may_write_is_refused(
    mode: int, refused: bool, tmp_path: Path
) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(mode)
    expected = pytest.raises(PermissionError, match=r"every user can write") if refused else None
    with expected or nullcontext():
        make_private(shared / "ours")
    assert (shared / "ours").stat().st_mode & 0o777 == 0o700


def test_what_is_in_memory_is_a_file_with_a_path() -> None:
    with in_memory(b"a model") as path:
        assert Path(path).read_bytes() == b"a model"
    assert not Path(path).exists()


def test_two_folders_are_exchanged_and_both_stay_as_they_were(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    for folder in (one, other):
        folder.mkdir()
        (folder / "name").write_text(folder.name)
    exchange(one, other)
    assert ((one / "name").read_text(), (other / "name").read_text()) == ("other", "one")
    with pytest.raises(FileNotFoundError, match="nowhere"):
        exchange(one, tmp_path / "nowhere")


def test_a_file_that_was_not_written_to_its_end_replaces_nothing(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("before")
    with pytest.raises(KeyboardInterrupt), replacing(file) as new:  # noqa: PT012
        new.write(b"half")
        assert [one for one in tmp_path.iterdir() if one.name[0] != "."] == [file]  # it is hidden
        raise KeyboardInterrupt
    assert file.read_text() == "before"
    assert list(tmp_path.iterdir()) == [file]


def test_what_one_process_makes_another_waits_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, lock = tmp_path / "folder" / "file", tmp_path / "folder" / "file.lock"
    with made_once(file) as waited:
        assert not waited
        assert open_locked(lock) is None  # the other's turn is not yet
    assert list(file.parent.iterdir()) == []

    others, slept = open_locked(lock), []

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        if len(slept) == 3 and others is not None:
            others.close()

    monkeypatch.setattr("assistant.core.files.time.sleep", sleep)
    with made_once(file) as waited:
        assert (waited, len(slept)) == (True, 3)


def test_a_fork_that_begins_meanwhile_holds_nobody_up(tmp_path: Path) -> None:
    file = tmp_path / "file"
    with made_once(file):
        next_one = (tmp_path / "file.lock").open("wb")
        fork = Fork(signal.pause)
    with closing(fork), next_one:
        assert try_lock(next_one)


def test_nobody_waits_for_ever_or_where_no_lock_can_be_put(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assistant.core.files.MOST_WAIT_S", 0.0)
    with (tmp_path / "file.lock").open("wb") as others:
        assert try_lock(others)
        with made_once(tmp_path / "file"):
            pass
    (tmp_path / "not a folder").touch()
    with made_once(tmp_path / "not a folder" / "file") as waited:
        assert not waited


def test_what_is_used_is_the_newest(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    os.utime(tmp_path / "file", (0, 0))
    mark_used(tmp_path / "file")
    assert (tmp_path / "file").stat().st_mtime > 0
    mark_used(tmp_path / "none")


def test_of_a_secret_no_more_is_read_than_is_asked_for(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_bytes(b"\xff secret")
    secret.chmod(0o600)
    assert read_private(secret, 100) == b"\xff secret"
    assert read_private(secret, 3) == b"\xff s"


@pytest.mark.parametrize("mode", [0o640, 0o620, 0o610, 0o604, 0o602, 0o601])
def test_a_secret_that_others_may_touch_is_refused_with_the_remedy(
    tmp_path: Path, mode: int
) -> None:
    secret = tmp_path / "secret"
    secret.touch()
    secret.chmod(mode)
    with pytest.raises(PermissionError, match=f"others may read this secret; .* 600 {secret}"):
        read_private(secret, 100)


@pytest.mark.timeout(10)
def test_a_secret_is_neither_a_link_nor_a_pipe(tmp_path: Path) -> None:
    secret, link, pipe = (tmp_path / name for name in ("secret", "link", "pipe"))
    secret.touch(mode=0o600)
    link.symlink_to(secret)
    with pytest.raises(OSError, match="symbolic links") as refused:
        read_private(link, 100)
    assert refused.value.errno == errno.ELOOP
    os.mkfifo(pipe, 0o600)
    with pytest.raises(PermissionError):
        read_private(pipe, 100)


def test_only_what_others_may_touch_is_closed_to_them(tmp_path: Path) -> None:
    files = [tmp_path / name for name in ("open", "group", "private", "read-only")]
    for file, mode in zip(files, (0o644, 0o620, 0o700, 0o400), strict=True):
        file.touch()
        file.chmod(mode)
    tighten(*files, tmp_path / "none")
    assert [file.stat().st_mode & 0o777 for file in files] == [0o600, 0o600, 0o700, 0o400]
