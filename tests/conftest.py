"""What several test files share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of third-party recordings and sentences, which the repository does not hold."""
    folder = Path(os.environ.get("ASSISTANT_DATA", REPOSITORY.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"no evaluation data at {folder}; set ASSISTANT_DATA to its folder")
    return folder
