"""Talks with the skills stage, on state in a file of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support.talking import Talk


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
def talk(talks: Callable[..., Talk]) -> Talk:
    return talks()
