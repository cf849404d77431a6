"""A pool on Ray whose replicas change while it serves: more, fewer, others."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from queue import SimpleQueue

import pytest

pytest.importorskip("assistant.hub.ray.engine", reason="the extra hub is not installed")

from assistant.core.errors import AssistantError
from assistant.core.messages import Message, SpokenReply
from assistant.hub.ray.pool import RayPool
from assistant.hub.tenants import KnownTenants, Tenant, load_tenants
from assistant.hub.updates import Updates, Wish
from assistant.pool.pool import PoolError
from assistant.pool.scaling import ScalingPolicy
from tests.support.pool_stages import OwnedSpeller, asked, broken, newer
from tests.support.processes import until

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")

STAGE = "answer"
POLICY = ScalingPolicy(least=1, most=2, down_after_s=2.0)


@pytest.fixture(scope="module")
def pool() -> Iterator[RayPool]:
    pool = RayPool({STAGE: OwnedSpeller}, tenants=("red",), scaling=POLICY)
    yield pool
    pool.close()


def said(pool: RayPool, text: str, tenant: str = "red") -> str:
    return " ".join(words(pool.run(STAGE, asked("same", text), tenant=tenant)))


def words(messages: Iterator[Message]) -> list[str]:
    return [m.text for m in messages if isinstance(m, SpokenReply)]


class Load:
    """Callers who ask one request after the other, and what becomes of it."""

    def __init__(self, pool: RayPool) -> None:
        self._pool, self._over = pool, threading.Event()
        self.right = 0
        self.wrong: list[str] = []
        self.faults: list[Exception] = []

    @contextmanager
    def of(self, callers: int, words: int) -> Iterator[None]:
        self._over.clear()
        threads = [threading.Thread(target=self._call, args=(words,)) for _ in range(callers)]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            self._over.set()
            for thread in threads:
                thread.join()

    def _call(self, words: int) -> None:
        text = " ".join(f"w{n}" for n in range(words))
        while not self._over.wait(0.05):
            try:
                told = said(self._pool, text)
            except Exception as fault:  # noqa: BLE001 - the test asserts that there is none
                self.faults.append(fault)
            else:
                self.right += told == text
                self.wrong += [told] * (told != text)


class Renewed:
    """The pool's workers, with nothing to try."""

    def __init__(self, pool: RayPool) -> None:
        self._pool = pool

    def renew(self, tenants: Mapping[str, Tenant]) -> None:
        self._pool.update({STAGE: OwnedSpeller}, tuple(tenants))

    def interrupt(self) -> None:
        return

    def attend(self) -> None:
        return


def where(pool: RayPool) -> set[str]:
    """The processes that answer."""
    replies = [pool.run(STAGE, asked("same", "where"), tenant="red") for _ in range(20)]
    return {words(reply)[0] for reply in replies}


def test_a_further_replica_serves_while_there_is_much_to_do_and_goes_after(pool: RayPool) -> None:
    load = Load(pool)
    assert len(where(pool)) == 1
    with load.of(1, 5):
        time.sleep(3.0)
        assert len(where(pool)) == 1  # one caller is not much
    with load.of(20, 20):
        until(lambda: len(where(pool)) == 2)
    with load.of(1, 5):
        until(lambda: len(where(pool)) == 1)
    assert load.right > 0
    assert load.faults == load.wrong == []


def test_all_are_replaced_and_nothing_is_lost(pool: RayPool) -> None:
    load, before = Load(pool), where(pool)
    assert said(pool, "which") == "red"
    with load.of(3, 10):
        pool.update({STAGE: newer}, ("red", "blue"))
        assert not where(pool) & before
    assert said(pool, "which") == "new-red"
    assert said(pool, "which", "blue") == "new-blue"
    assert load.right > 0
    assert load.faults == load.wrong == []


def test_where_new_ones_cannot_be_made_the_others_serve_on(pool: RayPool) -> None:
    load, before = Load(pool), where(pool)
    with load.of(3, 10):
        with pytest.raises(PoolError, match="a stage does not start"):
            pool.update({STAGE: broken}, ("red", "green"))
        with pytest.raises(PoolError, match="others take a new start"):
            pool.update({"other": OwnedSpeller}, ("red",))
        assert where(pool) == before
    with pytest.raises(PoolError, match="serves no green"):
        said(pool, "which", "green")
    assert said(pool, "which", "blue") == "new-blue"
    assert load.right > 0
    assert load.faults == load.wrong == []


def test_tenants_are_known_once_the_replicas_know_them_and_no_longer(pool: RayPool) -> None:
    one = Tenant()
    known, told = KnownTenants({"red": one, "blue": one}), list[str]()
    watched, over, refused = list[tuple[str, ...]](), threading.Event(), list[str]()

    def watch() -> None:
        while not over.wait(0.02):
            names = tuple(known)
            for name in names:
                try:
                    said(pool, "which", name)
                except AssistantError:
                    refused.extend({name} & set(known))  # unless it was removed meanwhile
            if names not in watched:
                watched.append(names)

    wishes, reread = SimpleQueue[Wish](), {"red": one, "green": one}
    Updates(Renewed(pool), known, lambda: reread, told.append, wishes).start()
    watcher = threading.Thread(target=watch)
    watcher.start()
    until(lambda: bool(watched))
    wishes.put(Wish.UPDATE)
    until(lambda: bool(told) and len(watched) == 3)
    over.set()
    watcher.join()
    assert told == ["new workers serve red, green"]
    assert watched == [("red", "blue"), ("red",), ("red", "green")]
    assert refused == []
    assert said(pool, "which", "green") == "green"
    with pytest.raises(PoolError, match="serves no blue"):
        said(pool, "which", "blue")


def test_what_is_wrong_in_the_file_is_told_once_and_changes_nothing(
    pool: RayPool, caplog: pytest.LogCaptureFixture
) -> None:
    known = KnownTenants({"red": Tenant()})
    read = iter((Path("/none.toml"),))
    before = where(pool)
    wishes = SimpleQueue[Wish]()
    Updates(Renewed(pool), known, lambda: load_tenants(next(read)), print, wishes).start()
    wishes.put(Wish.UPDATE)
    until(lambda: bool(caplog.messages))
    (line,) = caplog.messages
    assert line.startswith("hub: nothing is replaced: /none.toml: ")
    assert line.endswith("(hub.tenants)")
    assert list(known) == ["red"]
    assert where(pool) == before
