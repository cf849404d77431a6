"""Small text files: what is none is refused before it costs time or memory."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from assistant.core.files import read_text


def test_a_file_may_have_a_mebibyte_and_no_byte_more(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_bytes(b"x" * (1 << 20))
    assert len(read_text(file)) == 1 << 20
    file.write_bytes(b"x" * ((1 << 20) + 1))
    with pytest.raises(OSError, match="is larger than 1024 KiB") as refused:
        read_text(file)
    assert refused.value.errno == errno.EFBIG


def test_a_caller_may_ask_for_more_or_less(tmp_path: Path) -> None:
    file = tmp_path / "home.yaml"
    file.write_text("grün")
    assert read_text(file, 5) == "grün"
    with pytest.raises(OSError, match="is larger than 0 KiB"):
        read_text(file, 4)


@pytest.mark.timeout(10)
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="is a pipe, not a file") as refused:
        read_text(tmp_path / "pipe")
    assert refused.value.errno == errno.EINVAL


def test_what_names_no_file_or_holds_no_text_is_told(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="a path holds no NUL character") as refused:
        read_text(Path("a\0b"))
    assert refused.value.errno == errno.EINVAL
    with pytest.raises(FileNotFoundError):
        read_text(tmp_path / "nowhere")
    (tmp_path / "picture").write_bytes(b"\xff\xd8")
    with pytest.raises(UnicodeDecodeError):
        read_text(tmp_path / "picture")
