"""A bridge's stage on the stand-in of Home Assistant, without the bus."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from assistant.bridge import kept
from assistant.bridge.home_assistant import link as link_module
from assistant.bridge.home_assistant import lists as lists_module
from assistant.bridge.home_assistant import responses as responses_module
from assistant.bridge.home_assistant.link import HomeAssistant as Link
from assistant.core.messages import HomeReceipt
from assistant.core.settings.home_assistant import HomeAssistantSettings
from tests.support.home_assistant import TOKEN, HomeAssistant
from tests.support.pumped_bridge import PumpedBridge


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "RECONNECT_S", (0.05, 0.2))
    monkeypatch.setattr(kept, "LOOK_S", 0.05)
    monkeypatch.setattr(link_module, "DESCRIBE_AFTER_S", 0.01)
    for module in (lists_module, responses_module):
        monkeypatch.setattr(module, "ANSWER_S", 60.0)  # the fake is slow on a busy machine


@pytest.fixture
def there(things: ExitStack) -> HomeAssistant:
    there = things.enter_context(closing(HomeAssistant()))
    there.start()
    return there


@pytest.fixture
def token(tmp_path: Path) -> Path:
    file = tmp_path / "token"
    file.write_text(f"{TOKEN}\n", "utf-8")
    file.chmod(0o600)
    return file


class Bench(PumpedBridge[Link]):
    """A bridge's stage on a link, pumped by hand as the worker would."""

    def becomes(self, number: int) -> str:
        """What became of a command."""
        kinds = ("sent", "unsent", "unsure", "failed")
        receipt = self.hears(
            HomeReceipt, lambda r: any(number in getattr(r, kind) for kind in kinds)
        )
        return next(kind for kind in kinds if number in getattr(receipt, kind))


@pytest.fixture
def join(things: ExitStack, there: HomeAssistant, token: Path) -> Callable[..., Bench]:
    def made(*entity_ids: str, url: str = "") -> Bench:
        settings = HomeAssistantSettings(url=url or there.url, token_file=str(token))
        return Bench(things.enter_context(closing(Link(settings, entity_ids or None))))

    return made


@pytest.fixture
def bench(join: Callable[..., Bench]) -> Bench:
    made = join()
    made.is_there()
    return made
