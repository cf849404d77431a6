"""Talks with the skills stage, on state in a file of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from nlu.interpreter import Interpreter
from nlu.stage import NluStage
from tests.support.conversation import FAR_APART, HOUSE, Conversation
from tests.support.grammars import templates_of
from tests.support.talking import EVENING, Talk


@pytest.fixture
def talks(tmp_path: Path) -> Iterator[Callable[..., Talk]]:
    """Makes talks whose state is a file in a fresh folder."""
    opened: list[Talk] = []

    def begin(**settings: object) -> Talk:
        talk = Talk(path=tmp_path / f"{len(opened)}" / "state.db", **settings)  # type: ignore[arg-type]
        opened.append(talk)
        return talk

    yield begin
    for talk in opened:
        talk.database.close()


@pytest.fixture
def things() -> Iterator[ExitStack]:
    """What is opened on it is closed when the test ends."""
    with ExitStack() as opened:
        yield opened


@pytest.fixture
def talk(talks: Callable[..., Talk]) -> Talk:
    return talks()


@pytest.fixture(scope="session")
def nlu() -> NluStage:
    """One for all, as it takes seconds to make."""
    templates = templates_of(HOUSE)
    return NluStage(templates, Interpreter(templates), lambda: EVENING)


@pytest.fixture
def say(talks: Callable[..., Talk], nlu: NluStage) -> Conversation:
    return Conversation(talks(home=HOUSE), nlu, float(next(FAR_APART)))
