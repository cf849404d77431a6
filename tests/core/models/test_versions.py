"""Versions of a model side by side: which is read, which was before, and what a damage costs."""

from __future__ import annotations

import hashlib
from pathlib import Path

import msgspec
import pytest

from assistant.core import files
from assistant.core.errors import ModelError
from assistant.core.models.manifest import (
    INSTALL_AGAIN,
    File,
    Library,
    Lock,
    LockedFile,
    ModelState,
)
from assistant.core.models.versions import LOCK, InUse, imported, read_in_use, write_in_use
from assistant.model_files.pull import import_version

MANIFEST = """
[words]
version = "{version}"
kind = "intent"
summary = "a test"
licence = "CC0"
source = "shipped"
inputs = {{ x = "float32[1]" }}
outputs = {{ y = "float32[1]" }}
files = [{{ name = "weights", sha256 = "{sha256}" }}]
"""
ONE = hashlib.sha256(b"one").hexdigest()


@pytest.fixture
def library(tmp_path: Path) -> Library:
    """Ships version 1, "one"; version 2 is imported, "two"."""
    return grown(tmp_path, "1")


def grown(folder: Path, version: str) -> Library:
    shipped = folder / "shipped"
    (shipped / "words").mkdir(parents=True, exist_ok=True)
    (shipped / "words" / "weights").write_text("one")
    (shipped / "manifest.toml").write_text(MANIFEST.format(version=version, sha256=ONE))
    return bring(Library(folder / "pulled", shipped), "2", "two")


def bring(library: Library, version: str, content: str) -> Library:
    stick = library.shipped / "stick"
    stick.mkdir(exist_ok=True)
    (stick / "weights").write_text(content)
    import_version(library, "words", stick, version, lambda *_: None)
    return library


def anew(library: Library) -> Library:
    """As after a restart."""
    return Library(library.pulled, library.shipped)


def use(library: Library, version: str, before: str = "1", manifest: str = "1") -> Library:
    write_in_use(library.pulled, "words", InUse(version=version, before=before, manifest=manifest))
    return anew(library)


def content(library: Library) -> str:
    return library.read("words")["weights"].decode()


def test_without_a_choice_the_version_of_the_manifest_is_read(
    library: Library, caplog: pytest.LogCaptureFixture
) -> None:
    assert library.versions("words") == ("1", "2")
    assert library.in_use("words") == InUse(version="1", manifest="1")
    assert content(library) == "one"
    assert caplog.messages == []


def test_what_is_written_is_found_by_later_assistants_too(library: Library) -> None:
    use(library, "2")
    found = {str(file.relative_to(library.pulled)) for file in library.pulled.rglob("*.json")}
    assert found == {"words@2/lock.json", "words.in-use.json"}


def test_what_is_chosen_is_read_after_a_restart_too(library: Library) -> None:
    assert content(use(library, "2")) == "two"
    assert use(library, "2").state("words") is ModelState.SHIPPED


def test_a_library_reads_one_version_whatever_is_chosen_meanwhile(library: Library) -> None:
    assert content(library) == "one"
    use(library, "2")
    assert content(library) == "one"
    assert content(library.choosing("words", "2")) == "two"


def test_a_damaged_version_costs_a_line_in_the_log_and_the_one_before_is_read(
    library: Library, caplog: pytest.LogCaptureFixture
) -> None:
    bring(library, "3", "three")
    (library.version_folder("words", "3") / "weights").write_text("thrEe")
    assert content(use(library, "3", before="2")) == "two"
    assert "words 3 is not used" in caplog.text
    (library.version_folder("words", "2") / "weights").unlink()
    assert content(anew(library)) == "one"


@pytest.mark.parametrize(
    "damage", [b"", b"{", b'{"version": 2}', b"\xff\xfe", b'{"version": "\xff"}', b"[" * 9999]
)
def test_a_damaged_choice_is_none(
    library: Library, damage: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    use(library, "2")
    (library.pulled / "words.in-use.json").write_bytes(damage)
    assert content(anew(library)) == "one"
    assert "version 1 is used" in caplog.text


def test_a_choice_holds_until_the_model_that_ships_is_another(
    library: Library, tmp_path: Path
) -> None:
    use(library, "2")
    assert anew(library).in_use("words").version == "2"
    upgraded = grown(tmp_path, "1.1")
    assert upgraded.in_use("words").version == "1.1"
    assert content(upgraded) == "one"


def test_a_choice_that_cannot_be_written_leaves_the_old_one(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(library, "2")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files.os, "fsync", full)
    with pytest.raises(ModelError, match=r"No space left.*nothing was changed"):
        use(library, "1", before="2")
    assert anew(library).in_use("words").version == "2"
    assert not list(library.pulled.glob(".[!i]*"))


def test_a_choice_is_on_the_disk_before_it_counts(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    monkeypatch.setattr(files.os, "fsync", lambda _: done.append("fsync"))
    replace = files.os.replace
    monkeypatch.setattr(files.os, "replace", lambda *a: (done.append("replace"), replace(*a)))
    use(library, "2")
    assert done == ["fsync", "replace", "fsync"]


@pytest.mark.parametrize("version", ["../2", "a/b", "@", ".2", "x" * 65])
def test_what_names_no_version_names_no_folder(library: Library, version: str) -> None:
    with pytest.raises(ModelError, match="names no version"):
        bring(library, version, "evil")


@pytest.mark.parametrize("version", ["2", "3"])
def test_a_version_that_may_be_needed_is_not_overwritten(library: Library, version: str) -> None:
    bring(library, "3", "three")
    use(library, "2", before="3")
    with pytest.raises(ModelError, match="name it otherwise"):
        bring(library, version, "other")
    use(library, "1", before="")
    assert content(bring(library, version, "other").choosing("words", version)) == "other"


def test_the_version_that_ships_is_not_replaced(library: Library) -> None:
    with pytest.raises(ModelError, match="a version of its own"):
        bring(library, "1", "other")


def test_an_import_that_the_check_refuses_leaves_nothing(library: Library) -> None:
    def refuse(*_: object) -> None:
        raise ModelError("model.interface", "another model")

    with pytest.raises(ModelError, match="another model"):
        import_version(library, "words", library.shipped / "stick", "4", refuse)
    assert library.versions("words") == ("1", "2")


def test_what_there_is_not_is_told(library: Library) -> None:
    with pytest.raises(ModelError, match='no model is called "wrods"; there are: words') as fault:
        library.artefact("wrods")
    assert fault.value.code == "model.unknown"
    with pytest.raises(ModelError, match=r"manifest\.toml.*install the assistant again") as fault:
        Library(library.pulled, library.shipped / "nowhere").artefact("words")
    assert fault.value.code == "model.no_manifest"
    for damage in (b"[words]\nversion = 1\n", b'[words]\nversion = "\xff"', b"x = " + b"[" * 9999):
        (library.shipped / "manifest.toml").write_bytes(damage)
        with pytest.raises(ModelError) as fault:
            anew(library).artefact("words")
        assert fault.value.code == "model.manifest"


def test_each_version_has_its_place(library: Library) -> None:
    assert (
        library.version_folder("words", "1") == library.folder("words") == library.shipped / "words"
    )
    assert library.version_folder("words", "2") == library.pulled / "words@2"
    assert library.choosing("words", "2").folder("words") == library.pulled / "words@2"
    assert library.choosing("words", "2").version("words") == "2"
    pulled = of_a_hub(library)
    assert pulled.version_folder("words", "1") == pulled.folder("words") == library.pulled / "words"


def of_a_hub(library: Library, sha256: str = ONE) -> Library:
    """The same model, pulled in place of shipped."""
    manifest = MANIFEST.format(version="1", sha256=sha256)
    text = manifest.replace('"shipped"', '"hf:owner/words"')
    (library.shipped / "manifest.toml").write_text(text)
    return anew(library)


def test_whether_a_model_is_here_is_seen_at_a_glance(library: Library) -> None:
    weights = library.shipped / "words" / "weights"
    assert (library.state("words"), library.present("words")) == (ModelState.SHIPPED, True)
    weights.unlink()
    assert (library.state("words"), library.present("words")) == (ModelState.BROKEN, False)
    pulled = of_a_hub(library)
    assert pulled.state("words") is ModelState.ABSENT
    (library.pulled / "words").mkdir()
    assert pulled.state("words") is ModelState.BROKEN
    (library.pulled / "words" / "weights").write_text("one")
    assert pulled.state("words") is ModelState.PULLED


@pytest.mark.parametrize(
    ("version", "pulled", "remedy"),
    [
        ("1", False, INSTALL_AGAIN),
        ("1", True, "run: assistant models pull words"),
        ("2", False, "run: assistant models import words PATH --version 2"),
    ],
)
def test_whoever_lacks_a_file_is_told_how_to_have_it_again(
    library: Library, version: str, pulled: bool, remedy: str
) -> None:
    library = (of_a_hub(library) if pulled else library).choosing("words", version)
    (library.shipped / "words" / "weights").unlink()
    (library.pulled / "words@2" / "weights").unlink()
    with pytest.raises(ModelError) as fault:
        library.read("words")
    assert fault.value.code == "model.missing"
    assert fault.value.message.endswith(f"No such file or directory; {remedy}")


def test_what_is_not_as_recorded_is_corrupt(library: Library) -> None:
    (library.shipped / "words" / "weights").write_text("onE")
    with pytest.raises(ModelError, match="not the recorded one; install") as fault:
        library.read("words")
    assert fault.value.code == "model.corrupt"


def test_the_manifest_vouches_for_its_own_version_and_the_lock_for_others(
    library: Library,
) -> None:
    assert library.expected("words") == {"weights": ONE}
    two = library.choosing("words", "2")
    assert two.expected("words") == {"weights": hashlib.sha256(b"two").hexdigest()}
    (library.pulled / "words@2" / LOCK).unlink()
    with pytest.raises(ModelError, match="nothing vouches for weights; run:") as fault:
        two.expected("words")
    assert fault.value.code == "model.unlocked"


def test_what_only_the_hub_knew_stands_in_the_lock(library: Library) -> None:
    pulled = of_a_hub(library, sha256="")
    folder = library.pulled / "words"
    folder.mkdir()
    (folder / "weights").write_text("one")
    with pytest.raises(ModelError, match="nothing vouches for weights"):
        pulled.read("words")
    lock = Lock(source="s", revision="r", files={"weights": LockedFile(sha256=ONE, bytes=3)})
    (folder / LOCK).write_bytes(msgspec.json.encode(lock))
    assert content(pulled) == "one"
    other = Lock(source="s", revision="r", files={"other": LockedFile(sha256=ONE, bytes=3)})
    (folder / LOCK).write_bytes(msgspec.json.encode(other))
    with pytest.raises(ModelError, match="nothing vouches for weights"):
        pulled.read("words")


@pytest.mark.parametrize("damage", [b"", b"{", b'{"files": 3}', b"\xff\xfe"])
def test_a_damaged_lock_is_named(library: Library, damage: bytes) -> None:
    file = library.pulled / "words@2" / LOCK
    file.write_bytes(damage)
    with pytest.raises(ModelError, match=r"lock\.json.*; run: assistant models import") as fault:
        library.choosing("words", "2").read("words")
    assert fault.value.code == "model.lock"


def test_what_is_chosen_and_not_here_costs_a_line_in_the_log(
    library: Library, caplog: pytest.LogCaptureFixture
) -> None:
    assert content(use(library, "9", before="")) == "one"
    assert "words 9 is not used" in caplog.text
    assert "(model.unlocked)" in caplog.text or "(model.missing)" in caplog.text


def test_only_whole_imports_of_this_model_are_listed(library: Library) -> None:
    for name in ("words@10", "words@1a", "swords@5", "words"):
        (library.pulled / name).mkdir(exist_ok=True)
    for name in ("words@10", "swords@5"):
        (library.pulled / name / LOCK).write_text("{}")
    assert imported(library.pulled, "words") == ("10", "2")
    assert imported(library.pulled / "nowhere", "words") == ()


def test_a_folder_that_no_one_can_write_is_named(library: Library) -> None:
    (library.shipped / "file").touch()
    choice = InUse(version="2", manifest="1")
    assert choice.before == ""
    with pytest.raises(ModelError, match="cannot be written: Not a directory") as fault:
        write_in_use(library.shipped / "file" / "pulled", "words", choice)
    assert fault.value.code == "model.in_use"
    deep = library.shipped / "a" / "b"
    write_in_use(deep, "words", choice)
    assert (deep / "words.in-use.json").read_bytes().endswith(b"}\n")
    assert read_in_use(deep, "words", "1") == choice


def test_a_name_that_is_none_has_a_code(library: Library) -> None:
    with pytest.raises(ModelError) as fault:
        library.version_folder("words", "../2")
    assert fault.value.code == "model.version"


def test_what_is_shown_of_a_models_state() -> None:
    shown = ["shipped", "pulled", "not pulled", "incomplete"]
    assert [state.value for state in ModelState] == shown
    file = File(name="weights")
    assert (file.sha256, file.bytes, file.path) == ("", 0, "")


def test_in_a_checkout_what_ships_is_restored_from_it(library: Library, tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    assert library.remedy("words") == f"run: git -C {tmp_path} restore shipped/words"
