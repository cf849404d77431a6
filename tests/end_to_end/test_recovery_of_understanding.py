"""Recovery of understanding and of skills: a process of theirs dies or hangs in mid-utterance."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.recovery import FAILURES, UNDERSTANDING, recovery
from tests.support.scenario import Daemon, quiet, tell

pytestmark = pytest.mark.e2e


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    with quiet(tmp_path_factory.mktemp("understanding")) as started:
        yield started


@pytest.mark.parametrize("failure", FAILURES)
@pytest.mark.parametrize("stage", UNDERSTANDING)
def test_the_next_utterance_is_served(daemon: Daemon, stage: str, failure: str) -> None:
    tell(daemon, recovery(stage, failure))
