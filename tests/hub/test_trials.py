"""A new version of a model on real replicas: it takes a share, then all, or goes back."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

pytest.importorskip("assistant.hub.ray.engine", reason="the extra hub is not installed")

from assistant.core.messages import SpokenReply
from assistant.core.models.trial import FEWEST, Outcome, TrialSize
from assistant.hub.ray.engine import serve
from assistant.hub.ray.pool import RayPool
from assistant.pool.pool import PoolError
from tests.support.pool_stages import OwnedSpeller, asked, broken
from tests.support.processes import until
from tests.support.trying_hub import Callers, TryingHub, trying_hub
from tests.support.versioned_stages import BROKEN, MORTAL, WORSE

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")

SIZE = TrialSize(0.4, 2 * FEWEST + 40)


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TryingHub]:
    folder = tmp_path_factory.mktemp("hub")
    with trying_hub(folder, ("2", WORSE, BROKEN, MORTAL), SIZE) as hub:
        yield hub


def applications() -> set[str]:
    return set(serve.status().applications)


def test_versions_take_all_or_go_back_and_no_request_is_lost(hub: TryingHub) -> None:
    callers = Callers(hub.streams)
    with callers.of(4, 6):
        renewed, begun, taken = hub.try_out("2")
        assert renewed == "new workers serve red"
        assert begun == "reader 2 works on 40% of the requests, beside 1"
        assert taken.startswith("reader 2 takes all: 0 of its ")
        assert (hub.versions.pinned["reader"], callers.not_found) == ("2", 0)
        *_, back = hub.try_out(WORSE)
        assert back.startswith("reader worse goes back: ")
        assert back.endswith("; 2 is in use")
        assert callers.not_found > 0
        until(lambda: applications() == {"answer"})
        not_found = callers.not_found
        for version, code in ((BROKEN, "answer.test"), (MORTAL, "pool.lost")):
            *_, back = hub.try_out(version)
            assert back == f"reader {version} goes back: it failed: {code}; 2 is in use"
    assert (hub.in_use, callers.not_found) == ("2", not_found)
    assert callers.faults == callers.wrong == []
    assert len(callers.took_s) > SIZE.utterances
    first, *others = hub.versions.file.all()
    assert (first.version, first.outcome) == ("2", Outcome.TAKEN)
    assert {one.outcome for one in others} == {Outcome.BACK}
    until(lambda: applications() == {"answer"})


def said(pool: RayPool, name: str, text: str, area: str = "") -> str:
    replies = pool.run(name, asked(f"{name} {text}", text, area), tenant="red")
    return " ".join(reply.text for reply in replies if isinstance(reply, SpokenReply))


def test_a_conversation_goes_on_at_what_runs_beside_its_stage(hub: TryingHub) -> None:
    beside = hub.pool.beside("answer", OwnedSpeller, 0.5)
    assert (said(hub.pool, "answer", "which"), said(hub.pool, beside, "which")) == ("which", "red")
    assert said(hub.pool, "answer", "the first thing", "hall") == "the first thing"
    assert said(hub.pool, beside, "last", "hall") == "the first thing"
    assert said(hub.pool, beside, "last", "attic") == "nothing"
    hub.pool.drop(beside)
    with pytest.raises(PoolError, match=f"no {beside} runs here"):
        said(hub.pool, beside, "which")
    assert said(hub.pool, "answer", "last", "hall") == "last"


def test_where_it_cannot_be_made_nothing_runs_beside_a_stage(hub: TryingHub) -> None:
    with pytest.raises(PoolError, match="a stage does not start"):
        hub.pool.beside("answer", broken, 0.5)
    until(lambda: applications() == {"answer"})
    assert said(hub.pool, "answer", "and so on") == "and so on"
