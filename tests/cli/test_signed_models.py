"""`assistant models keys`, `sign`, `bundle`, and bundles in `verify`, `import` and `pull`."""

from __future__ import annotations

import json
import shutil
import subprocess
import tarfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from assistant.cli import models
from assistant.core.config import load_config
from assistant.core.errors import AssistantError
from assistant.core.models.adapter import ADAPTER, encoded
from assistant.core.models.manifest import SHIPPED, Library
from tests.support.adapters import adapter_by_chance
from tests.support.local_server import Files

NAME, NER = "acoustic", "ner"


class Maintainer:
    """A folder in which keys, lists and bundles are made by the commands."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.config = folder, folder / "config.toml"
        for key in ("root-1", "root-2", "root-3", "signing"):
            self.do("keys", "make", folder / key, "--no-password")
        roots = [(folder / f"root-{number}.pub").read_text() for number in (1, 2, 3)]
        (folder / "roots.pub").write_text("".join(roots))
        self.trust(folder / "roots.pub")
        self.keys = folder / "keys.json"
        self.do("keys", "list", self.keys, folder / "signing.pub")
        for root in ("root-1", "root-3"):
            self.do("keys", "sign", self.keys, "--key", folder / f"{root}.key")

    def trust(self, roots: Path | str) -> None:
        settings = f'[storage]\nstate = "{self.folder}/state"\nruntime = "{self.folder}/run"\n'
        self.config.write_text(f'{settings}[models]\nroots = "{roots}"\n')

    def do(self, *arguments: object, settings: bool = False) -> Result:
        words = [*map(str, arguments), *(("--config", str(self.config)) if settings else ())]
        return CliRunner().invoke(models.app, words)

    def bundle(self, counter: int = 1, version: str = "2") -> Path:
        files = self.folder / f"files-{counter}"
        shutil.copytree(SHIPPED / NAME, files, dirs_exist_ok=True)
        of = ("--version", version, "--counter", counter, "--key", self.folder / "signing.key")
        assert self.do("sign", NAME, files, *of, settings=True).exit_code == 0
        file = self.folder / f"{counter}.hark"
        made = self.do("bundle", files, "--keys", self.keys, "--out", file)
        assert made.exit_code == 0, made.exception
        return file

    def update(self, number: int, step: float) -> Path:
        """An update of the NER model that adds multiples of `step` to all matrices."""
        files, model = self.folder / f"update-{number}", (SHIPPED / NER / "model.onnx").read_bytes()
        files.mkdir()
        (files / ADAPTER).write_bytes(encoded(adapter_by_chance(model, step)))
        of = ("--version", number, "--counter", number, "--key", self.folder / "signing.key")
        assert self.do("sign", NER, files, *of, settings=True).exit_code == 0
        file = self.folder / f"update-{number}.hark"
        assert self.do("bundle", files, "--keys", self.keys, "--out", file).exit_code == 0
        return file

    def library(self) -> Library:
        return Library(load_config((self.config,))[0].models_dir)


@pytest.fixture
def maintainer(tmp_path: Path) -> Maintainer:
    return Maintainer(tmp_path)


def fault(result: Result) -> AssistantError:
    assert isinstance(result.exception, AssistantError), result.output
    return result.exception


def one_line(result: Result) -> str:
    return " ".join(result.output.split())


def test_a_bundle_is_made_verified_imported_used_and_taken_back(maintainer: Maintainer) -> None:
    file = maintainer.bundle()
    verified = maintainer.do("verify", file, settings=True)
    assert (verified.exit_code, "acoustic 2: as recorded, signed by" in verified.output) == (
        0,
        True,
    )
    imported = maintainer.do("import", file, settings=True)
    assert "assistant models use acoustic 2" in one_line(imported)
    assert maintainer.do("use", NAME, "2", settings=True).exit_code == 0
    assert maintainer.library().in_use(NAME).version == "2"
    told = maintainer.do("verify", NAME, "--json", settings=True)
    rows = [json.loads(line) for line in told.stdout.splitlines()]
    assert [(row["version"], bool(row["signer"])) for row in rows] == [("1", False), ("2", True)]
    assert maintainer.do("rollback", NAME, settings=True).exit_code == 0
    assert maintainer.library().in_use(NAME).version == "1"


def test_an_update_is_merged_with_a_shipped_model_and_judged_by_its_canaries(
    maintainer: Maintainer,
) -> None:
    file = maintainer.update(2, 1e-9)
    assert file.stat().st_size < 0.05 * (SHIPPED / NER / "model.onnx").stat().st_size
    assert maintainer.do("verify", file, settings=True).exit_code == 0
    assert maintainer.do("import", file, settings=True).exit_code == 0
    used = maintainer.do("use", NER, "2", settings=True)
    assert (used.exit_code, maintainer.library().in_use(NER).version) == (0, "2")
    shipped, merged = (maintainer.library().choosing(NER, v).read(NER) for v in ("1", "2"))
    assert [name for name in shipped if shipped[name] != merged[name]] == ["model.onnx"]
    assert maintainer.do("import", maintainer.update(3, 1e-3), settings=True).exit_code == 0
    assert fault(maintainer.do("use", NER, "3", settings=True)).code == "model.canary"
    assert maintainer.library().in_use(NER).version == "2"


def test_an_oci_layout_is_made_and_imported(maintainer: Maintainer) -> None:
    maintainer.bundle()
    layout = maintainer.folder / "layout"
    files = maintainer.folder / "files-1"
    made = maintainer.do("bundle", files, "--keys", maintainer.keys, "--oci", layout)
    assert made.exit_code == 0
    assert (layout / "oci-layout").is_file()
    assert maintainer.do("verify", layout, settings=True).exit_code == 0
    assert maintainer.do("import", layout, settings=True).exit_code == 0


def test_a_damaged_bundle_is_told_and_the_status_is_2(maintainer: Maintainer) -> None:
    file = maintainer.bundle()
    model = (SHIPPED / NAME / "transform.mllr").read_bytes()
    file.write_bytes(file.read_bytes().replace(model, b"?" + model[1:]))
    told = maintainer.do("verify", file, settings=True)
    assert (told.exit_code, "SHA-256 differs" in one_line(told)) == (2, True)
    assert fault(maintainer.do("import", file, settings=True)).code == "model.corrupt"


def test_without_trusted_roots_no_bundle_is_taken(maintainer: Maintainer) -> None:
    file = maintainer.bundle()
    maintainer.trust("")
    refused = fault(maintainer.do("import", file, settings=True))
    assert (refused.code, "roots" in refused.message) == ("model.no_roots", True)


def test_a_key_that_is_left_out_of_the_next_list_is_revoked(maintainer: Maintainer) -> None:
    old, folder = maintainer.bundle(1), maintainer.folder
    assert maintainer.do("import", old, settings=True).exit_code == 0
    maintainer.do("keys", "make", folder / "next", "--no-password")
    listed = maintainer.do("keys", "list", maintainer.keys, folder / "next.pub")
    assert "is list 2" in one_line(listed)
    files = folder / "files-1"
    stale = maintainer.do("bundle", files, "--keys", maintainer.keys)
    assert fault(stale).code == "model.key_revoked"
    for root in ("root-1", "root-3"):
        maintainer.do("keys", "sign", maintainer.keys, "--key", folder / f"{root}.key")
    (folder / "signing.key").unlink()
    (folder / "next.key").rename(folder / "signing.key")
    assert maintainer.do("import", maintainer.bundle(2, "3"), settings=True).exit_code == 0
    assert fault(maintainer.do("import", old, settings=True)).code == "model.key_revoked"
    told = maintainer.do("verify", NAME, settings=True)
    assert (told.exit_code, "it was revoked" in one_line(told)) == (2, True)


@pytest.fixture
def server(maintainer: Maintainer) -> Iterator[str]:
    with closing(Files(maintainer.folder)) as there:
        yield there.origin


def test_a_bundle_is_pulled_from_any_server(maintainer: Maintainer, server: str) -> None:
    maintainer.bundle(3)
    pulled = maintainer.do("pull", f"{server}/3.hark", settings=True)
    assert pulled.exit_code == 0, pulled.exception
    assert "2" in maintainer.library().versions(NAME)
    assert not list((maintainer.library().pulled / ".incoming").glob("*.hark"))


def test_what_another_server_sends_is_refused(maintainer: Maintainer, server: str) -> None:
    (maintainer.folder / "4.hark").write_bytes(b"<html>")
    refused = fault(maintainer.do("pull", f"{server}/4.hark", settings=True))
    assert refused.code == "model.bundle"
    missing = fault(maintainer.do("pull", f"{server}/5.hark", settings=True))
    assert missing.code == "model.unreachable"
    assert fault(maintainer.do("pull", "hf:nobody", settings=True)).code == "model.source"


def test_a_version_is_not_given_to_a_signed_bundle(maintainer: Maintainer) -> None:
    given = maintainer.do("import", maintainer.bundle(), "--version", "9", settings=True)
    assert fault(given).code == "model.version"


def test_a_password_is_typed_at_a_terminal(maintainer: Maintainer) -> None:
    refused = fault(maintainer.do("keys", "make", maintainer.folder / "more"))
    assert (refused.code, "--no-password" in refused.message) == ("model.password", True)
    assert not list(maintainer.folder.glob("more.*"))


def test_a_model_may_be_signed_by_minisign_later(maintainer: Maintainer) -> None:
    files = maintainer.folder / "later"
    shutil.copytree(SHIPPED / NAME, files)
    told = maintainer.do("sign", NAME, files, "--version", "2", "--counter", "1", settings=True)
    assert "minisign -S -m" in one_line(told)
    unsigned = maintainer.do("bundle", files, "--keys", maintainer.keys)
    assert fault(unsigned).code == "model.missing"


needs_minisign = pytest.mark.skipif(
    shutil.which("minisign") is None, reason="minisign is not installed: apt install minisign"
)


def minisign(*arguments: object) -> int:
    words = ["minisign", *map(str, arguments)]
    return subprocess.run(words, capture_output=True, check=False).returncode


@needs_minisign
def test_minisign_checks_what_is_in_a_bundle(maintainer: Maintainer) -> None:
    folder = maintainer.folder / "unpacked"
    folder.mkdir()
    with tarfile.open(maintainer.bundle()) as tar:
        for member in tar.getmembers()[:5]:
            content = tar.extractfile(member)
            assert content is not None
            (folder / member.name).write_bytes(content.read())
    manifest, keys = folder / "bundle.json", folder / "keys.json"
    assert minisign("-V", "-p", maintainer.folder / "signing.pub", "-m", manifest) == 0
    assert minisign("-V", "-p", maintainer.folder / "root-1.pub", "-m", manifest) != 0
    roots = [maintainer.folder / f"root-{number}.pub" for number in (1, 2, 3)]
    for signature in sorted(folder.glob("keys.json.*.minisig")):
        signed = [minisign("-V", "-p", root, "-m", keys, "-x", signature) == 0 for root in roots]
        assert signed.count(True) == 1
        assert not signed[1]  # which has not signed


@needs_minisign
def test_what_minisign_has_signed_is_imported(maintainer: Maintainer) -> None:
    folder, files = maintainer.folder, maintainer.folder / "files"
    for signature in folder.glob("keys.json.*.minisig"):
        signature.unlink()
    for root in ("root-2", "root-3"):
        signature = folder / f"keys.json.{root}.minisig"
        key = folder / f"{root}.key"
        assert minisign("-S", "-W", "-s", key, "-m", maintainer.keys, "-x", signature) == 0
    shutil.copytree(SHIPPED / NAME, files)
    maintainer.do("sign", NAME, files, "--version", "2", "--counter", "1", settings=True)
    key = folder / "signing.key"
    assert minisign("-S", "-W", "-s", key, "-m", files / "bundle.json") == 0
    made = maintainer.do("bundle", files, "--keys", maintainer.keys, "--out", folder / "a.hark")
    assert made.exit_code == 0, made.exception
    imported = maintainer.do("import", folder / "a.hark", settings=True)
    assert imported.exit_code == 0, imported.exception


@pytest.mark.parametrize(
    ("version", "counter", "code"),
    [("../2", "1", "model.version"), ("2", "0", "model.bundle"), ("2", "-1", "model.bundle")],
)
def test_a_wrong_version_or_number_is_not_signed(
    maintainer: Maintainer, version: str, counter: str, code: str
) -> None:
    files = maintainer.folder / "wrong"
    shutil.copytree(SHIPPED / NAME, files)
    of = ("--version", version, "--counter", counter)
    assert fault(maintainer.do("sign", NAME, files, *of, settings=True)).code == code
