"""A skill reads the files and folders that it is granted, and none beside them."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from assistant.core.errors import SkillError
from assistant.skill.files import LARGEST_BYTES, FileEntry
from assistant.skill.testing import memory_context
from skills.isolation.host import Host
from skills.isolation.permissions import Permissions
from skills.isolation.readable_files import ReadableFiles
from tests.support.isolated_skills import call, written

CODE = """
from assistant.skill import Context, Reply, Skill

skill = Skill("cook", api=1)


@skill.intent("Cook", "cook something")
def cook(context: Context) -> Reply:
    names = " ".join(entry.name for entry in context.files.list_folder("FOLDER"))
    return Reply(f"{names}: " + context.files.read_file("FOLDER/soup.md").decode())


@skill.intent("Peek", "peek")
def peek(context: Context) -> Reply:
    return Reply(context.files.read_file("/etc/hostname").decode())
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "recipes"
    (folder / "soups").mkdir(parents=True)
    (folder / "soup.md").write_text("Boil it.")
    (folder / "soups" / "pea.md").write_text("Peas.")
    (tmp_path / "secret").write_text("hush")
    return folder


def test_it_reads_over_its_socket_what_it_is_granted(tmp_path: Path, folder: Path) -> None:
    permission = f"files:{folder}"
    code = CODE.replace("FOLDER", str(folder))
    skill = Host({"cook": (permission,)}).load(written(tmp_path, "cook", code, [permission]))
    assert call(skill, "Cook", memory_context()).text == "soup.md soups: Boil it."
    with pytest.raises(SkillError, match="may not read /etc/hostname"):
        call(skill, "Peek", memory_context())
    skill.close()


def test_without_the_permission_it_reads_nothing(tmp_path: Path, folder: Path) -> None:
    code = CODE.replace("FOLDER", str(folder))
    skill = Host().load(written(tmp_path, "cook", code))
    with pytest.raises(SkillError, match='needs the permission "files"'):
        call(skill, "Cook", memory_context())
    skill.close()


def test_files_and_folders_are_told(folder: Path) -> None:
    files = ReadableFiles([str(folder)])
    assert files.list_folder(str(folder)) == (
        FileEntry(name="soup.md", size_bytes=8),
        FileEntry(name="soups", folder=True, size_bytes=(folder / "soups").stat().st_size),
    )
    assert files.read_file(f"{folder}/soups/pea.md") == b"Peas."
    alone = ReadableFiles([f"{folder}/soup.md"])
    assert alone.read_file(f"{folder}/soup.md") == b"Boil it."
    with pytest.raises(SkillError, match="may not read"):
        alone.list_folder(str(folder))


Escape = Callable[[Path], str]


def to_link(folder: Path) -> str:
    (folder / "link").symlink_to(folder.parent / "secret")
    return f"{folder}/link"


def through_linked_folder(folder: Path) -> str:
    (folder / "up").symlink_to(folder.parent)
    return f"{folder}/up/secret"


@pytest.mark.parametrize(
    "escape",
    [
        to_link,
        through_linked_folder,
        lambda folder: f"{folder}/../secret",
        lambda folder: f"{folder}/soups/../../secret",
        lambda folder: f"{folder.parent}/secret",
        lambda folder: f"{folder}x/secret",
        lambda folder: "secret",
        lambda folder: "",
        lambda folder: f"{folder}/soup.md\0",
        lambda folder: f"{folder}/soups",
        lambda folder: f"{folder}/none",
    ],
)
def test_nothing_else_is_read(folder: Path, escape: Escape) -> None:
    (folder.parent / "recipesx").mkdir()
    (folder.parent / "recipesx" / "secret").write_text("hush")
    path = escape(folder)
    files = ReadableFiles([str(folder)])
    with pytest.raises(SkillError, match=r"may not read|levels|plain|no path|No such|Not a"):
        files.read_file(path)
    # The control: nothing but the guard keeps what is outside from being read.
    if "secret" in path and path.startswith("/"):
        assert Path(path).read_text() == "hush"


def test_a_pipe_or_a_device_is_not_waited_for(folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    files = ReadableFiles([str(folder), "/dev/zero"])
    for path in (f"{folder}/pipe", "/dev/zero"):
        with pytest.raises(SkillError, match="no plain file"):
            files.read_file(path)
    assert [one.name for one in files.list_folder(str(folder))] == ["soup.md", "soups"]


def test_a_large_file_is_refused(folder: Path) -> None:
    files = ReadableFiles([str(folder)])
    (folder / "large").write_bytes(b"0" * LARGEST_BYTES)
    assert len(files.read_file(f"{folder}/large")) == LARGEST_BYTES
    (folder / "large").write_bytes(b"0" * (LARGEST_BYTES + 1))
    with pytest.raises(SkillError, match="more than 1000000 bytes"):
        files.read_file(f"{folder}/large")


@pytest.mark.parametrize(
    "name",
    ["files", "files:", "files:/", "files:srv", "files:/srv/../etc", "files:/srv/", "files://srv"],
)
def test_a_permission_names_a_whole_path(name: str) -> None:
    with pytest.raises(SkillError, match="names no file or folder"):
        Permissions([name])


def test_a_wider_grant_covers_a_narrower_wish() -> None:
    granted = Permissions(["files:/srv"])
    assert granted.lacking(Permissions(["files:/srv/recipes", "files:/srv"])) == ()
    assert granted.lacking(Permissions(["files:/srv2", "timers"])) == ("files:/srv2", "timers")
    assert Permissions(["timers"]).lacking(Permissions(["files:/srv"])) == ("files:/srv",)
    assert Permissions(["files:/a"]).lacking(Permissions(["home"])) == ("home",)
