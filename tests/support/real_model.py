"""The model that tests of hearing need, which set-up pulls: whisper-tiny.en."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from assistant.core.config import config_files, load_config
from assistant.core.errors import ModelError
from assistant.core.models.manifest import Library, ModelState
from assistant.model_files.pull import pull

NAME = "whisper-tiny.en"
NEEDS = f"needs {NAME}"
"""How the reason of a test that is skipped for want of it begins."""


def of_user() -> Library:
    """The models of the user who runs the tests, set to the manifest's own version."""
    library = Library(load_config(config_files(None))[0].models_dir)
    return library.choosing(NAME, library.artefact(NAME).version)


def checked_folder(library: Library) -> Path:
    """The folder of the model; skips the test where it is absent.

    Raises `ModelError` where it is incomplete or damaged: that is no reason to skip.
    """
    if library.state(NAME) is ModelState.ABSENT:
        pytest.skip(f"{NEEDS}: {library.remedy(NAME)}")
    library.read(NAME)
    return library.folder(NAME)


def lost(library: Library, environment: Mapping[str, str]) -> str:
    """Why this run may not go without the model that `library` lacks; "" where it may.

    Continuous integration may where it was told not to pull, or where the index does not answer.
    """
    told_not_to = environment.get("PULL") == "no"
    if environment.get("CI") != "true" or told_not_to or library.state(NAME) is ModelState.PULLED:
        return ""
    with tempfile.TemporaryDirectory() as folder:
        try:
            pull(Library(Path(folder, "models")), NAME, lambda *_: None, patient=False)
        except ModelError as fault:
            return "" if fault.code == "model.unreachable" else fault.message
    return f"{NAME} can be pulled, and was not at set-up"
