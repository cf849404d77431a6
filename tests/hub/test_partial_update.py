"""A pool on Ray of whose stages one was replaced alone: a failed update goes back to what ran."""

from __future__ import annotations

from contextlib import closing

import pytest

pytest.importorskip("assistant.hub.ray.engine", reason="the extra hub is not installed")

from assistant.core.messages import SpokenReply
from assistant.hub.ray.pool import RayPool
from assistant.pool.pool import PoolError
from tests.support.pool_stages import OwnedSpeller, asked, broken, newer

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")


def test_each_stage_goes_back_to_what_it_ran() -> None:
    with closing(RayPool({"a": OwnedSpeller, "b": OwnedSpeller}, tenants=("red", "blue"))) as pool:

        def says(stage: str, text: str) -> str:
            replies = pool.run(stage, asked("same", text), tenant="blue")
            return " ".join(m.text for m in replies if isinstance(m, SpokenReply))

        pool.update({"a": newer, "b": OwnedSpeller}, ("red", "blue"), ("a",))
        assert (says("a", "which"), says("b", "which")) == ("new-blue", "blue")
        before = says("b", "where")
        with pytest.raises(PoolError, match="a stage does not start"):
            pool.update({"a": OwnedSpeller, "b": broken}, ("red",))
        assert (says("a", "which"), says("b", "which")) == ("new-blue", "blue")
        assert says("b", "where") == before
