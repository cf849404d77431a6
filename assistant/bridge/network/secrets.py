"""The secrets by which skills prove themselves to servers; the bridge alone reads them.

`FOLDER/SKILL/NAME` is a file that its owner alone may read:

    origin = "https://api.example.org"
    authorization = "Bearer 1234"
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import msgspec

from assistant.core.errors import SkillError
from assistant.core.files import read_private
from assistant.core.network.origin import Origin

LARGEST_FILE_BYTES = 16_384
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_HEADER = re.compile(r"[!-~]([ -~]*[!-~])?")


class Secret(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What stands in a file: the server that it is for, and the header `Authorization`."""

    origin: str
    authorization: str

    def __repr__(self) -> str:
        return "Secret(…)"

    def is_in(self, body: bytes) -> bool:
        """Whether an answer repeats it, or its last word, which alone would do."""
        return self.authorization.rpartition(" ")[2].encode() in body


class Secrets:
    """The secrets in a folder; None for none."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder

    def of(self, skill: str, name: str, origin: Origin) -> Secret:
        """A skill's secret for a server; raises `SkillError`, which quotes nothing of the file."""
        if self._folder is None:
            raise SkillError("skill.secret", "network.secrets names no folder of secrets")
        if not (_NAME.fullmatch(skill) and _NAME.fullmatch(name)):
            raise SkillError("skill.secret", "a secret is named by letters, digits, - and _")
        file = self._folder / skill / name
        secret = _parsed(file)
        try:
            meant = Origin.read(secret.origin)
        except ValueError as error:
            raise SkillError("skill.secret", f"{file}: its origin is no server") from error
        if meant != origin:
            raise SkillError("skill.secret", f"{file} is for another server than {origin}")
        if not _HEADER.fullmatch(secret.authorization):
            raise SkillError("skill.secret", f"{file}: its authorization is no header")
        return secret


def _parsed(file: Path) -> Secret:
    try:
        return msgspec.convert(
            tomllib.loads(read_private(file, LARGEST_FILE_BYTES).decode()), Secret
        )
    except OSError as error:
        raise SkillError("skill.secret", f"{file}: {error.strerror}") from error
    except ValueError:
        message = f'{file}: write origin = "https://…" and authorization = "…" into it'
        raise SkillError("skill.secret", message) from None  # its text may quote the secret
