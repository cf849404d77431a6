"""The observations of a long attack so far, as lines of a file from which it continues."""

from __future__ import annotations

from pathlib import Path
from typing import IO, Any, Generic, TypeVar

import msgspec

Line = TypeVar("Line")


class Journal(Generic[Line]):
    """JSON values of `kind`, a line each; a line cut off by a kill is left out.

    `lines` are those of earlier sittings.
    """

    def __init__(self, path: Path, kind: Any) -> None:
        whole = path.read_bytes().rpartition(b"\n")[0] if path.exists() else b""
        decoder: msgspec.json.Decoder[Line] = msgspec.json.Decoder(kind)
        self.lines = [decoder.decode(line) for line in whole.splitlines()]
        path.write_bytes(whole + b"\n" if whole else b"")
        self._file: IO[bytes] = path.open("ab", buffering=0)

    def write(self, line: Line) -> None:
        """Add a line; it is in the file before this returns."""
        self._file.write(msgspec.json.encode(line) + b"\n")

    def close(self) -> None:
        """Close the file."""
        self._file.close()
