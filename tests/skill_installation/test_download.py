"""Packages are fetched as wheels of pure Python alone, so that nothing of them runs."""

from __future__ import annotations

import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from assistant.core.errors import InputError, SkillError
from assistant.skill_installation import download
from assistant.skill_installation.download import dependencies
from assistant.skill_installation.source import gather
from tests.support.wheels import make_wheel, skill_files

SETUP = """
from pathlib import Path
from setuptools import setup
Path({marker!r}).touch()
setup(name="oldish", version="1.0", py_modules=[])
"""


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that stands for PyPI."""
    folder = tmp_path / "index"
    folder.mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    return folder


def plain(index: Path, name: str, *requires: str, **others: str) -> Path:
    files = {f"{name}/__init__.py": f"NAME = '{name}'".encode()}
    return make_wheel(index, files, name=name, points="", requires=requires, **others)  # type: ignore[arg-type]


def sdist(index: Path, marker: Path) -> Path:
    folder = index.parent / "oldish-1.0"
    folder.mkdir()
    (folder / "setup.py").write_text(SETUP.format(marker=str(marker)))
    archive = index / "oldish-1.0.tar.gz"
    with tarfile.open(archive, "w:gz") as tar:
        tar.add(folder, "oldish-1.0")
    return archive


@pytest.mark.parametrize(
    "source",
    ["tides==1.0", *(pytest.param(x, marks=pytest.mark.depth) for x in ("tides", "Tides"))],
)
def test_a_name_is_fetched_with_what_it_depends_on(index: Path, source: str) -> None:
    needs = ("moonlight>=1", "msgspec", "hark-assistant", 'winish; sys_platform == "win32"')
    make_wheel(index, skill_files(), requires=(*needs, 'extra; extra == "all"'))
    plain(index, "moonlight", "sunish")
    plain(index, "sunish")
    found = gather(source)
    assert {name.partition("/")[0] for name in found.files} == {"tides", "moonlight", "sunish"}
    assert sorted(found.wheels) == [
        f"{name}-1.0-py3-none-any.whl" for name in ("moonlight", "sunish", "tides")
    ]


def test_a_name_that_there_is_not_is_told(index: Path) -> None:
    with pytest.raises(InputError, match=r"tides: there is no wheel .*No matching distribution"):
        gather("tides")


def test_what_needs_native_code_is_refused(index: Path) -> None:
    wheel = make_wheel(index, skill_files(), requires=["numpyish"])
    plain(index, "numpyish", tag="cp311-cp311-manylinux_2_17_x86_64")
    with pytest.raises(InputError, match="numpyish: there is no wheel of pure Python"):
        gather(str(wheel))
    plain(index, "numpyish")
    assert gather(str(wheel)).name == "tides"  # the control


def test_what_must_be_built_is_refused_and_nothing_of_it_runs(index: Path) -> None:
    marker = index.parent / "marker"
    archive = sdist(index, marker)
    wheel = make_wheel(index, skill_files(), requires=["oldish"])
    for source in ("oldish", str(wheel)):
        with pytest.raises(InputError, match="no wheel of pure Python"):
            gather(source)
    with pytest.raises(SkillError, match="no wheel's name"):
        gather(str(archive))
    assert not marker.exists()
    # The control: what takes a source package runs it.
    pip = (sys.executable, "-m", "pip", "download", "-q", "--no-build-isolation", "--no-deps")
    subprocess.run([*pip, "-d", str(index.parent), str(archive)], check=True)
    assert marker.exists()


def test_a_package_that_a_skill_could_not_import_is_refused(index: Path) -> None:
    wheel = make_wheel(index, skill_files(), requires=["spaced"])
    files = {"spaced/inner/__init__.py": b"", "spaced/inner/x.py": b""}
    make_wheel(index, files, name="spaced", points="")
    with pytest.raises(SkillError, match=r"spaced has no __init__\.py"):
        gather(str(wheel))


def test_two_packages_bring_no_file_of_the_same_name(index: Path) -> None:
    wheel = make_wheel(index, skill_files(), requires=["wavish"])
    make_wheel(index, {"tides/words.py": b"", "tides/__init__.py": b""}, name="wavish", points="")
    with pytest.raises(SkillError, match="is in another package too"):
        gather(str(wheel))


def test_a_download_that_hangs_is_ended(index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(download, "FETCH_S", 0.0)
    with pytest.raises(InputError, match="the download hangs"):
        gather("tides")


def test_what_every_skill_finds_is_not_fetched() -> None:
    assert dependencies("x", ["msgspec>=0.20", "Hark_Assistant"]) == []
    assert [str(one) for one in dependencies("x", ['six>=1; python_version > "3"'])] == ["six>=1"]
