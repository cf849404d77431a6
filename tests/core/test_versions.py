"""Versions of a model side by side: which is read, which was before, and what a damage costs."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from assistant.core import durable
from assistant.core.errors import ModelError
from assistant.core.manifest import Library, State
from assistant.core.versions import Use, write_use
from assistant.downloads import import_version

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
    write_use(library.pulled, "words", Use(version=version, before=before, manifest=manifest))
    return anew(library)


def content(library: Library) -> str:
    return library.read("words")["weights"].decode()


def test_without_a_choice_the_version_of_the_manifest_is_read(library: Library) -> None:
    assert library.versions("words") == ("1", "2")
    assert library.use("words") == Use(version="1", manifest="1")
    assert content(library) == "one"


def test_what_is_chosen_is_read_after_a_restart_too(library: Library) -> None:
    assert content(use(library, "2")) == "two"
    assert use(library, "2").state("words") is State.SHIPPED


def test_a_library_reads_one_version_whatever_is_chosen_meanwhile(library: Library) -> None:
    assert content(library) == "one"
    use(library, "2")
    assert content(library) == "one"
    assert content(library.choosing("words", "2")) == "two"


def test_a_damaged_version_costs_a_line_in_the_log_and_the_one_before_is_read(
    library: Library, caplog: pytest.LogCaptureFixture
) -> None:
    bring(library, "3", "three")
    (library.place("words", "3") / "weights").write_text("thrEe")
    assert content(use(library, "3", before="2")) == "two"
    assert "words 3 is not used" in caplog.text
    (library.place("words", "2") / "weights").unlink()
    assert content(anew(library)) == "one"


@pytest.mark.parametrize("damage", [b"", b"{", b'{"version": 2}', b"\xff\xfe"])
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
    assert anew(library).use("words").version == "2"
    upgraded = grown(tmp_path, "1.1")
    assert upgraded.use("words").version == "1.1"
    assert content(upgraded) == "one"


def test_a_choice_that_cannot_be_written_leaves_the_old_one(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(library, "2")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(durable.os, "fsync", full)
    with pytest.raises(ModelError, match=r"No space left.*nothing was changed"):
        use(library, "1", before="2")
    assert anew(library).use("words").version == "2"
    assert not list(library.pulled.glob(".[!i]*"))


def test_a_choice_is_on_the_disk_before_it_counts(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    monkeypatch.setattr(durable.os, "fsync", lambda _: done.append("fsync"))
    replace = durable.os.replace
    monkeypatch.setattr(durable.os, "replace", lambda *a: (done.append("replace"), replace(*a)))
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
