"""A household at its computer: what is said goes through the skills and the bridge, and back."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from assistant.bridge import kept
from assistant.bridge.mpris.link import Mpris
from assistant.core.clock import boottime_s
from assistant.core.messages import DeviceChanged, HomeStates, Message
from assistant.core.settings.mpd import MpdSettings
from assistant.core.settings.mpris import PLAYER, MprisSettings
from assistant.skill.home import Home, with_players
from nlu.interpreter import Interpreter
from nlu.stage import NluStage
from skills.devices.ends import SESSION
from tests.support.grammars import templates_of
from tests.support.household import Household
from tests.support.mpris import Player, SessionBus, in_session
from tests.support.talking import EVENING, Talk

pytestmark = pytest.mark.skipif(shutil.which("dbus-daemon") is None, reason="no dbus-daemon")
HOME = with_players(Home(), MpdSettings(), MprisSettings(on=True))


@pytest.fixture
def bus(things: ExitStack, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SessionBus:
    return things.enter_context(closing(in_session(tmp_path, monkeypatch)))


@pytest.fixture
def player(things: ExitStack, bus: SessionBus) -> Player:
    return things.enter_context(closing(Player(bus, "vlc")))


@pytest.fixture
def household(
    things: ExitStack,
    player: Player,
    talks: Callable[..., Talk],
    monkeypatch: pytest.MonkeyPatch,
) -> Household:
    monkeypatch.setattr(kept, "RECONNECT_S", (0.05, 0.2))
    templates = templates_of(HOME, vocabulary=True)
    nlu = NluStage(templates, Interpreter(templates), lambda: EVENING)
    link = things.enter_context(closing(Mpris()))
    talk = talks(home=HOME, players={PLAYER: SESSION}, at_s=boottime_s())
    household = Household(talk, nlu, link)
    household.until(lambda message: isinstance(message, DeviceChanged))
    return household


def told(state: str) -> Callable[[Message], bool]:
    return lambda m: isinstance(m, HomeStates) and m.states.get(PLAYER) == state


def test_what_plays_is_told_paused_and_resumed(player: Player, household: Household) -> None:
    player.plays("So What", "Miles Davis")
    household.until(told("playing"))
    assert household.say("what song is this") == "It's So What by Miles Davis."
    assert household.say("pause the computer") == "I paused the computer."
    household.until(told("paused"))
    assert household.say("resume the computer") == "I let the computer go on."
    household.until(told("playing"))
    household.say("next track")
    household.until_so(lambda: ("Next",) in player.did)
    assert household.told == []


def test_a_session_that_ends_is_told(bus: SessionBus, player: Player, household: Household) -> None:
    player.plays("So What", "Miles Davis")
    household.until(told("playing"))
    bus.stop()
    household.until(told("unavailable"))
    assert household.say("pause the computer") == "I can't reach the computer now."
