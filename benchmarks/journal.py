"""What a long attack has seen so far, as lines of a file that it goes on from."""

from __future__ import annotations

from pathlib import Path
from typing import IO, Any, Generic, TypeVar

import msgspec

Line = TypeVar("Line")


class Journal(Generic[Line]):
    """JSON values of `kind`, a line each; one that was cut off by a kill is left out.

    `lines` are those of earlier sittings.
    """

    def __init__(self, path: Path, kind: Any) -> None:
        whole = path.read_bytes().rpartition(b"\n")[0] if path.exists() else b""
        decoder: msgspec.json.Decoder[Line] = msgspec.json.Decoder(kind)
        self.lines = [decoder.decode(line) for line in whole.splitlines()]
        path.write_bytes(whole + b"\n" if whole else b"")
        self._file: IO[bytes] = path.open("ab", buffering=0)

    def write(self, line: Line) -> None:
        """Keep a line; it is in the file before this returns."""
        self._file.write(msgspec.json.encode(line) + b"\n")

    def close(self) -> None:
        """Write no more."""
        self._file.close()
