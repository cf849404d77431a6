"""A wheel is read with nothing of it run, and one that is wrong is refused with the reason."""

from __future__ import annotations

import base64
import hashlib
import struct
from pathlib import Path
from typing import Any

import pytest

from assistant.core.errors import SkillError
from assistant.skill_installation.source import gather
from assistant.skill_installation.wheel import read_wheel
from tests.support.wheels import make_wheel, skill_files

FILES = skill_files()
INIT = "tides/__init__.py"
FACTS = "tides-1.0.dist-info"


def test_what_is_in_a_wheel(tmp_path: Path) -> None:
    wheel = make_wheel(tmp_path, FILES, requires=["six"])
    found = read_wheel(wheel)
    assert (found.name, found.version, found.source) == ("tides", "1.0", wheel.name)
    assert (dict(found.files), found.requires) == (FILES, ("six",))
    assert dict(found.points) == {"tides": "tides:skill"}


def test_one_whose_list_has_another_secure_hash_is_whole(tmp_path: Path) -> None:
    digest = base64.urlsafe_b64encode(hashlib.sha512(FILES[INIT]).digest()).decode().rstrip("=")
    assert read_wheel(make_wheel(tmp_path, FILES, record={INIT: f"sha512={digest}"})).files


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"more": {"tides.pth": b"import os"}}, r"tides\.pth would be run whenever Python starts"),
    ({"more": {"tides/fast.so": b"x"}}, r"tides/fast\.so is native code"),
    ({"more": {"tides/fast.so.1": b"x"}}, "is native code"),
    ({"more": {"tides/fast.pyd": b"x"}}, "is native code"),
    ({"more": {"tides/fast.txt": b"\x7fELF..."}}, r"tides/fast\.txt is native code"),
    *(
        ({"more": {f"tides-1.0.data/{section}/x": b"x"}}, "outside of the skill's own folder")
        for section in ("scripts", "data", "headers", "purelib", "platlib")
    ),
    ({"more": {"../evil.py": b""}}, "leads out of its folder"),
    ({"more": {"/etc/evil.py": b""}}, "leads out of its folder"),
    ({"more": {"tides/../../evil.py": b""}}, "leads out of its folder"),
    ({"more": {"tides\\evil.py": b""}}, "leads out of its folder"),
    ({"more": {"tides/a\nb.py": b""}}, "leads out of its folder"),
    ({"more": {f"tides/{'x' * 300}.py": b""}}, "too long a name"),
    ({"more": {"tides/link.py": b"/etc/passwd"}, "links": ("tides/link.py",)}, "is a link"),
    ({"more": {"Tides/__init__.py": b""}}, "differ in capitals alone"),
    ({"more": {"tides/large.txt": b"0" * 2_000_001}}, r"large\.txt has more than 2 MB"),
    ({"more": {f"tides/{n}.txt": b"" for n in range(2000)}}, "more than 2000 files"),
    ({"more": {f"tides/{n}.txt": b"0" * 1_900_000 for n in range(12)}}, "more than 20 MB unpacked"),
    ({"record": {INIT: "sha256=AAAA"}}, "is not what its RECORD says"),
    ({"record": {INIT: "md5=AAAA"}}, "no safe hash"),
    ({"record": {INIT: ""}}, "no safe hash"),
    ({"record": {INIT: None}}, "does not list tides/__init__.py"),
    ({"record": {"tides/gone.py": "sha256=AAAA"}}, r"lists 'tides/gone\.py', which is not there"),
    ({"tag": "cp311-cp311-linux_x86_64"}, "only pure Python"),
    ({"pure": "false"}, "Root-Is-Purelib"),
    ({"metadata": "Requires-Python: >=4\n"}, "needs Python >=4"),
    ({"metadata": "Requires-Python: new\n"}, "Requires-Python cannot be read"),
    ({"points": "[assistant.skills"}, "entry points cannot be read"),
    ({"more": {"other-1.0.dist-info/METADATA": b""}}, r"needs one \.dist-info folder"),
]


@pytest.mark.parametrize(("wrong", "why"), WRONG, ids=[why for _, why in WRONG])
def test_one_that_is_wrong_is_refused_with_the_reason(
    tmp_path: Path, wrong: dict[str, Any], why: str
) -> None:
    files = FILES | wrong.pop("more", {})
    with pytest.raises(SkillError, match=why) as refused:
        read_wheel(make_wheel(tmp_path, files, **wrong))
    assert "not installed" in refused.value.message


def test_a_bomb_is_not_unpacked(tmp_path: Path) -> None:
    """Its headers tell less than it unpacks to."""
    wheel = make_wheel(tmp_path, FILES | {"tides/bomb.txt": b"0" * 1_500_000})
    packed, told = bytearray(wheel.read_bytes()), struct.pack("<I", 1_500_000)
    while (place := packed.find(told)) >= 0:
        packed[place : place + 4] = struct.pack("<I", 10)
    wheel.write_bytes(packed)
    with pytest.raises(SkillError, match=r"not as large as it says|damaged"):
        read_wheel(wheel)


@pytest.mark.parametrize("content", [b"", b"PK", b"no archive at all" * 100])
def test_what_is_no_archive_is_refused(tmp_path: Path, content: bytes) -> None:
    wheel = tmp_path / "tides-1.0-py3-none-any.whl"
    wheel.write_bytes(content)
    with pytest.raises(SkillError, match="damaged"):
        read_wheel(wheel)


def test_a_damaged_or_encrypted_member_is_refused(tmp_path: Path) -> None:
    wheel = make_wheel(tmp_path, FILES)
    packed = bytearray(wheel.read_bytes())
    packed[60] ^= 0xFF
    wheel.write_bytes(packed)
    with pytest.raises(SkillError, match="damaged"):
        read_wheel(wheel)
    wheel = make_wheel(tmp_path, FILES)
    packed = bytearray(wheel.read_bytes())
    central = packed.find(b"PK\x01\x02")
    packed[central + 8] |= 1
    wheel.write_bytes(packed)
    with pytest.raises(SkillError, match="encrypted"):
        read_wheel(wheel)


@pytest.mark.parametrize("name", ["tides.whl", "tides-1.0.whl", "tides-1.0-py3-none-any.zip"])
def test_a_name_that_is_no_wheels_is_refused(tmp_path: Path, name: str) -> None:
    make_wheel(tmp_path, FILES).rename(tmp_path / name)
    with pytest.raises(SkillError, match="no wheel's name"):
        read_wheel(tmp_path / name)


def test_another_packages_facts_are_refused(tmp_path: Path) -> None:
    make_wheel(tmp_path, FILES).rename(tmp_path / "tides-2.0-py3-none-any.whl")
    with pytest.raises(SkillError, match="another package or version"):
        read_wheel(tmp_path / "tides-2.0-py3-none-any.whl")


def test_every_guard_of_a_path_lets_what_is_right_through(tmp_path: Path) -> None:
    """The control of the refusals above."""
    right = {
        "tides/so.py": b"", "tides/a.so.py": b"", "tides/data/x.txt": b"ELF", "tides/pth.txt": b"",
        "tides/..x": b"", "tides/large.txt": b"0" * 2_000_000,
    }  # fmt: skip
    wheel = make_wheel(tmp_path, FILES | right, metadata="Requires-Python: >=3.9\n")
    assert dict(read_wheel(wheel).files) == FILES | right


def test_a_skill_needs_one_entry_point_and_its_facts(tmp_path: Path) -> None:
    for points, why in (
        ("", "needs one entry point"),
        ("[assistant.skills]\na = tides:skill\nb = tides:skill\n", "needs one entry point"),
        ("[assistant.skills]\n../a = tides:skill\n", "no name for a skill"),
        ("[assistant.skills]\ntimer = tides:skill\n", "the assistant's own"),
        ("[assistant.skills]\ntides = waves:skill\n", r"waves/pyproject\.toml is not in it"),
    ):
        with pytest.raises(SkillError, match=why):
            gather(str(make_wheel(tmp_path, FILES, points=points)))
    assert gather(str(make_wheel(tmp_path, FILES))).name == "tides"  # the control


@pytest.mark.parametrize("name", ["random.py", "assistant/skill.py", "msgspec/__init__.py"])
def test_nothing_takes_the_place_of_what_every_skill_finds(tmp_path: Path, name: str) -> None:
    with pytest.raises(SkillError, match="would take the place of"):
        gather(str(make_wheel(tmp_path, FILES | {name: b""})))
