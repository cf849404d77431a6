"""A running Radicale, and the bridge's end of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest

from assistant.bridge import kept
from assistant.bridge.caldav.link import CalDav
from assistant.core.settings.calendar import CalendarSettings
from tests.support.on_calendar import Bench
from tests.support.radicale import USER, Radicale, password_file


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "RECONNECT_S", (0.05, 0.2))
    monkeypatch.setattr(kept, "LOOK_S", 0.05)


@pytest.fixture(scope="session")
def shared_radicale(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Radicale]:
    with Radicale.running(tmp_path_factory.mktemp("calendar")) as there:
        yield there


@pytest.fixture
def radicale(shared_radicale: Radicale) -> Radicale:
    shared_radicale.renew()
    return shared_radicale


@pytest.fixture
def join(things: ExitStack, tmp_path: Path) -> Callable[..., Bench]:
    file = password_file(tmp_path)

    def made(url: str, **settings: Any) -> Bench:
        given = {"username": USER, "password_file": str(file), "interval_s": 1.0, **settings}
        return Bench(things.enter_context(closing(CalDav(CalendarSettings(url=url, **given)))))

    return made


@pytest.fixture
def bench(join: Callable[..., Bench], radicale: Radicale) -> Bench:
    made = join(radicale.url)
    made.is_there()
    return made
