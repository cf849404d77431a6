"""What reads a foreign file's structure can reach nothing, and is ended when it takes too much."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

import pytest

from assistant.core.confinement.seccomp import may_filter
from assistant.core.errors import ModelError
from assistant.model_files.signing import confined as module
from assistant.model_files.signing.confined import confined
from assistant.model_files.signing.opened import Layout, Placed

OPEN: list[int] = []
"""Descriptors of a secret that is open in this process."""


@pytest.fixture
def file(tmp_path: Path) -> Iterator[IO[bytes]]:
    path = tmp_path / "file"
    path.write_bytes(b"content")
    secret = tmp_path / "secret"
    secret.write_text("swordfish")
    with path.open("rb") as opened, secret.open("rb") as also:
        OPEN[:] = [also.fileno()]
        yield opened


def told(text: str) -> Layout:
    return Layout((Placed(text, 0, 0),))


def honest(file: IO[bytes]) -> Layout:
    return told(file.read().decode())


def test_what_it_finds_is_told(file: IO[bytes]) -> None:
    assert confined(honest, file, Layout, "it") == told("content")


def opens_a_file(file: IO[bytes]) -> Layout:
    return told(Path("/etc/hostname").read_text())


def calls_out(file: IO[bytes]) -> Layout:
    socket.create_connection(("127.0.0.1", 9)).close()
    return told("")


def reads_what_is_open(file: IO[bytes]) -> Layout:
    return told(os.read(OPEN[0], 100).decode())


def writes_to_the_terminal(file: IO[bytes]) -> Layout:
    return told(str(os.write(1, b"x")))


def runs_a_program(file: IO[bytes]) -> Layout:
    return told(str(os.posix_spawn("/bin/true", ["true"], {})))


def crashes(file: IO[bytes]) -> Layout:
    os.abort()


def says_too_much(file: IO[bytes]) -> Layout:
    return told("x" * module.ANSWER_BYTES)


def says_something_else(file: IO[bytes]) -> Layout:
    return "?"  # type: ignore[return-value]


WAYS: tuple[Callable[[IO[bytes]], Layout], ...] = (
    *(opens_a_file, calls_out, reads_what_is_open, writes_to_the_terminal, runs_a_program),
    *(crashes, says_too_much, says_something_else),
)


@pytest.mark.skipif(not may_filter(), reason="this kernel filters no system calls")
@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_whatever_else_it_does_is_refused(
    file: IO[bytes], way: Callable[[IO[bytes]], Layout]
) -> None:
    with pytest.raises(ModelError, match="no bundle that can be read") as refusal:
        confined(way, file, Layout, "it")
    assert refusal.value.code == "model.bundle"


def test_the_same_can_be_done_outside(file: IO[bytes]) -> None:
    """Else the refusals above would say nothing."""
    assert reads_what_is_open(file) == told("swordfish")
    assert opens_a_file(file).members[0].name


def takes_memory(file: IO[bytes]) -> Layout:
    return told(str(len(bytearray(module.MEMORY_BYTES * 2))))


def test_it_gets_little_memory(file: IO[bytes]) -> None:
    assert takes_memory(file).members[0].name == str(module.MEMORY_BYTES * 2)
    with pytest.raises(ModelError, match="it takes too much memory"):
        confined(takes_memory, file, Layout, "it")


def hangs(file: IO[bytes]) -> Layout:
    while True:
        time.sleep(0.01)


def test_it_is_given_up_after_a_while(file: IO[bytes], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "WALL_S", 0.2)
    fork, children = os.fork, list[int]()

    def counted() -> int:
        children.append(fork())
        return children[-1]

    monkeypatch.setattr(os, "fork", counted)
    with pytest.raises(ModelError, match="its reader was ended over it"):
        confined(hangs, file, Layout, "it")
    (child,) = children
    with pytest.raises(ChildProcessError):
        os.waitpid(child, os.WNOHANG)


def refuses(file: IO[bytes]) -> Layout:
    raise ValueError("it is wrong")


def test_its_reason_is_told(file: IO[bytes]) -> None:
    with pytest.raises(ModelError, match="no bundle that can be read: it is wrong"):
        confined(refuses, file, Layout, "it")
