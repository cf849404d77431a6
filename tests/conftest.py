"""What several test files share."""

from __future__ import annotations

import os
from pathlib import Path

import hypothesis
import pytest

from tests.support.network import raise_loopback

REPOSITORY = Path(__file__).resolve().parent.parent

# An example's time on the clock says how busy the machine is, not how slow the code.
hypothesis.settings.register_profile(
    "untimed", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("untimed")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of third-party recordings and sentences, which the repository does not hold."""
    folder = Path(os.environ.get("ASSISTANT_DATA", REPOSITORY.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"no evaluation data at {folder}; set ASSISTANT_DATA to its folder")
    return folder


@pytest.fixture(scope="session", autouse=True)
def loopback() -> None:
    """Also in a network namespace without a network the tests' own servers can be reached."""
    raise_loopback()
