"""The observations of a long attack so far, as lines of a file from which it continues."""

from __future__ import annotations

import argparse
import sys
from contextlib import closing
from pathlib import Path
from typing import IO, Any, Generic, Protocol, TypeVar

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


class Found(Protocol):
    """The figures of an attack."""

    @property
    def broken(self) -> bool:
        """Whether a promise was broken."""


class Attack(Protocol):
    """One sitting, which continues those that have left their journal in its folder."""

    def __init__(self, folder: Path, seed: int) -> None: ...

    def run(self, kills: int) -> Found:
        """Continue until there have been so many kills, or a promise was broken."""

    def close(self) -> None:
        """Close the journal."""


def attacked(description: str, kind: type[Attack], kills: int, folder: str) -> None:
    """Be the program of an attack: print the figures; exit status 1 when a promise was broken."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--kills", type=int, default=kills)
    parser.add_argument("--folder", type=Path, default=Path(folder))
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    with closing(kind(given.folder.resolve(), given.seed)) as attack:
        found = attack.run(given.kills)
    sys.stdout.write(msgspec.json.encode(found).decode() + "\n")
    sys.exit(1 if found.broken else 0)
