"""What several test files share."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest
from hypothesis.internal.conjecture import providers

from tests.support.network import raise_loopback
from tests.support.real_model import checked_folder, of_user

pytest_plugins = ["tests.support.sets", "tests.support.timing"]

REPOSITORY = Path(__file__).resolve().parent.parent

# A worker of the tests runs on each core already. Where more threads than cores calculate, those
# of OpenBLAS spend most of their time waiting for each other. NumPy reads this when it is imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# As the command does: sentences are compiled often here, and nearly all that is made then stays.
gc.set_threshold(100_000)

# An example's time on the clock says how busy the machine is, not how slow the code. The gate tries
# the same few examples each time; HYPOTHESIS_PROFILE=deep looks for new ones.
for profile, examples in (("gate", 40), ("deep", 500)):
    hypothesis.settings.register_profile(
        profile,
        deadline=None,
        suppress_health_check=[hypothesis.HealthCheck.too_slow],
        max_examples=examples,
        derandomize=profile == "gate",
    )
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "gate"))

# It would read the source of all our modules for constants to draw: up to four seconds a worker.
providers._get_local_constants = lambda: providers._local_constants


def pytest_collection_finish() -> None:
    """Leave all that is loaded by then, and stays, out of each collection of garbage after it."""
    gc.freeze()


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of third-party recordings and sentences, which the repository does not hold."""
    folder = Path(os.environ.get("ASSISTANT_DATA", REPOSITORY.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"no evaluation data at {folder}; set ASSISTANT_DATA to its folder")
    return folder


@pytest.fixture(scope="session")
def whisper_model() -> Path:
    """The folder of whisper-tiny.en as set-up pulled it; skips the test where it is not here."""
    return checked_folder(of_user())


@pytest.fixture(scope="session", autouse=True)
def loopback() -> None:
    """Also in a network namespace without a network the tests' own servers can be reached."""
    raise_loopback()


@pytest.fixture(scope="session", autouse=True)
def patient() -> Iterator[None]:
    """Synthesisers and skills have any time here: a busy machine says nothing of them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("audio.tts.program.STARTING_S", 60.0)
        patch.setattr("skills.deadline.MOVE_S", 60.0)
        yield


@pytest.fixture(scope="session")
def run_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of this run, which all its processes share."""
    folder = tmp_path_factory.getbasetemp()
    return folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder


@pytest.fixture(scope="session", autouse=True)
def cache(run_folder: Path) -> Iterator[Path]:
    """The cache of all tests that name no other: the same sentences are fitted once.

    What it keeps is named by a hash of what it was made from, and replaced in one step, so tests in
    several processes can share it. `make test` names its folder, for the stories and the others.
    """
    shared = Path(os.environ.get("ASSISTANT_TEST_CACHE", run_folder / "cache"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CACHE_DIRECTORY", str(shared))
        yield shared


@pytest.fixture
def sentences_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """No model guesses in this process, so none is fitted to the skills and the home of a test."""
    monkeypatch.setattr("nlu.build.Understanding.guesses", False)
