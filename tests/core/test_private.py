"""In a shared folder anyone may have been first: what another user can touch is refused."""

from __future__ import annotations

import os
from contextlib import closing
from pathlib import Path

import pytest

from assistant.core.bus import Address, Bus
from assistant.core.config import Config, StorageSettings
from assistant.core.database import Database
from assistant.core.errors import BusError, ConfigError
from assistant.core.files import make_private
from assistant.supervision.folders import held

STRANGER = 65534


@pytest.fixture
def shared(tmp_path: Path) -> Path:
    """A folder like /tmp."""
    folder = tmp_path / "shared"
    folder.mkdir()
    folder.chmod(0o1777)
    return folder


def strangers(path: Path) -> None:
    """Give `path` to another user."""
    if os.geteuid():
        pytest.skip("only root can give something away")
    os.chown(path, STRANGER, STRANGER, follow_symlinks=False)


def test_it_is_made_with_all_above_it_for_this_user_alone(shared: Path) -> None:
    before = os.umask(0o077)
    make_private(shared / "hark-7" / "hark")
    os.umask(before)
    assert [f.stat().st_mode & 0o777 for f in (shared / "hark-7", shared / "hark-7" / "hark")] == [
        0o700,
        0o700,
    ]
    make_private(shared / "hark-7" / "hark")


def test_one_that_lets_a_group_pass_through_is_taken(shared: Path) -> None:
    (shared / "hark").mkdir(mode=0o750)
    make_private(shared / "hark")


@pytest.mark.parametrize("mode", [0o700, 0o777])
def test_one_that_another_user_made_first_is_refused(shared: Path, mode: int) -> None:
    (shared / "hark").mkdir()
    (shared / "hark").chmod(mode)
    strangers(shared / "hark")
    with pytest.raises(PermissionError, match="another user; remove it"):
        make_private(shared / "hark")


def test_one_below_a_folder_that_another_user_made_first_is_refused(shared: Path) -> None:
    (shared / "hark-7").mkdir()
    strangers(shared / "hark-7")
    with pytest.raises(PermissionError, match="hark-7 belongs to another user"):
        make_private(shared / "hark-7" / "hark")


def test_a_link_that_another_user_laid_is_refused(shared: Path, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir(mode=0o700)
    (shared / "hark").symlink_to(tmp_path / "mine")
    make_private(shared / "hark")
    strangers(shared / "hark")
    with pytest.raises(PermissionError, match="belongs to another user"):
        make_private(shared / "hark")


@pytest.mark.parametrize("mode", [0o770, 0o707, 0o777, 0o1777])
def test_one_that_others_can_write_is_refused_with_the_remedy(shared: Path, mode: int) -> None:
    (shared / "hark").mkdir()
    (shared / "hark").chmod(mode)
    with pytest.raises(PermissionError, match="chmod"):
        make_private(shared / "hark")


def test_one_in_a_folder_where_everybody_may_rename_is_refused(shared: Path) -> None:
    shared.chmod(0o777)
    with pytest.raises(PermissionError, match="every user can write"):
        make_private(shared / "hark")


def test_one_of_root_is_no_other_users(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What lies in root's folders is safe, but nobody else can keep anything in them."""
    if os.geteuid():
        pytest.skip("only root has folders of root")
    monkeypatch.setattr(os, "geteuid", lambda: STRANGER)
    with pytest.raises(PermissionError, match="belongs to another user; choose another folder"):
        make_private(tmp_path)


@pytest.mark.parametrize("setting", ["state", "runtime", "cache"])
def test_the_daemon_names_the_folder_and_the_setting(shared: Path, setting: str) -> None:
    names = {name: str(shared / name) for name in ("state", "runtime", "cache")}
    (shared / setting).mkdir()
    (shared / setting).chmod(0o777)
    config = Config(storage=StorageSettings(**names))
    with (
        pytest.raises(ConfigError, match=f"storage.{setting}: .*{setting}; run: chmod"),
        held(config),
    ):
        pass


def test_no_socket_is_made_in_a_folder_of_others(shared: Path) -> None:
    (shared / "hark").mkdir()
    (shared / "hark").chmod(0o777)
    with closing(Address(shared / "hark")) as address:
        with pytest.raises(BusError, match="cannot hold the sockets") as refused:
            Bus("nlu", address, (), {}, ())
        assert refused.value.code == "bus.folder"
    assert list((shared / "hark").iterdir()) == []


def test_the_folder_of_the_sockets_is_for_this_user_alone(shared: Path) -> None:
    with closing(Address(shared / "hark")) as address, closing(Bus("nlu", address, (), {}, ())):
        assert (shared / "hark").stat().st_mode & 0o777 == 0o700


def test_a_database_is_for_this_user_alone_also_one_that_was_not(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    for _ in range(2):
        with closing(Database(path, ())) as database:
            database.execute("CREATE TABLE IF NOT EXISTS t (x TEXT) STRICT")
            modes = {f.name: f.stat().st_mode & 0o777 for f in tmp_path.glob("state.db*")}
            assert {modes[n] for n in modes if not n.endswith(".lock")} == {0o600}
        path.chmod(0o644)
