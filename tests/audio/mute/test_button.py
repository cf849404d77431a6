"""The mute button and its light, at pins that gpiozero makes of software."""

from __future__ import annotations

import logging
import select
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from assistant.core.errors import AudioError, StorageError
from assistant.core.messages import Tick
from assistant.core.settings.button import ButtonSettings
from audio.mute.button import MuteButton, mute_button
from audio.mute.mute import Mute
from audio.mute.switch import MuteSwitch
from tests.audio.mute.test_muting import Microphones

mock = pytest.importorskip("gpiozero.pins.mock", reason="gpiozero is not installed")

BUTTON, LED = 17, 27
SETTINGS = ButtonSettings(mute_pin=BUTTON, led_pin=LED)


@pytest.fixture
def pins() -> Iterator[Any]:
    factory = mock.MockFactory()
    yield factory
    factory.reset()


@pytest.fixture
def switch(tmp_path: Path) -> MuteSwitch:
    return MuteSwitch(tmp_path / "state", tmp_path)


@pytest.fixture
def button(switch: MuteSwitch, pins: Any) -> Iterator[MuteButton]:
    made = MuteButton(SETTINGS, switch, pins, clock=lambda: 7.0)
    yield made
    made.close()


@pytest.fixture
def press(pins: Any, button: MuteButton) -> Callable[[], None]:
    """Presses the button, lets it go, and waits until that is noticed."""

    def pressed() -> None:
        pins.pin(BUTTON).drive_low()
        pins.pin(BUTTON).drive_high()
        assert select.select([button], [], [], 10.0)[0]

    return pressed


def test_a_press_mutes_and_the_next_one_ends_it(
    button: MuteButton, switch: MuteSwitch, press: Callable[[], None]
) -> None:
    assert list(button.read()) == []
    for muted in (True, False, True):
        press()
        assert switch.on is not muted
        assert list(button.read()) == [Tick(at_s=7.0)]
        assert switch.on is muted


def test_it_also_ends_what_the_command_began(
    button: MuteButton, switch: MuteSwitch, press: Callable[[], None]
) -> None:
    switch.mute()
    press()
    list(button.read())
    assert not switch.on


def test_the_light_shows_whether_the_microphones_are_closed(
    button: MuteButton, switch: MuteSwitch, pins: Any
) -> None:
    microphones = Microphones()
    mute = Mute(switch, microphones, button)
    shown = [(pins.pin(LED).state, microphones.paused)]
    for turn in (switch.mute, switch.unmute):
        turn()
        mute.follow()
        shown.append((pins.pin(LED).state, microphones.paused))
    assert shown == [(False, False), (True, True), (False, False)]


def test_after_a_restart_the_light_is_on_at_once(
    button: MuteButton, switch: MuteSwitch, pins: Any
) -> None:
    switch.mute()
    Mute(switch, Microphones(paused=True), button)
    assert pins.pin(LED).state


def test_a_press_that_cannot_be_kept_is_told(tmp_path: Path, pins: Any) -> None:
    file = tmp_path / "file"
    file.write_text("no folder")
    button = MuteButton(SETTINGS, MuteSwitch(file, file), pins)
    pins.pin(BUTTON).drive_low()
    assert select.select([button], [], [], 10.0)[0]
    with pytest.raises(StorageError):
        list(button.read())
    button.close()


def test_each_of_the_two_may_be_missing(switch: MuteSwitch, pins: Any, tmp_path: Path) -> None:
    for settings in (ButtonSettings(mute_pin=BUTTON), ButtonSettings(led_pin=LED)):
        made = MuteButton(settings, switch, pins)
        made.show(True)
        made.close()
    assert mute_button(ButtonSettings(), switch, tmp_path) is None


def test_pins_that_cannot_be_used_are_told_in_one_line(switch: MuteSwitch, pins: Any) -> None:
    with pytest.raises(AudioError, match="the mute button's pins"):
        MuteButton(ButtonSettings(mute_pin=BUTTON, led_pin=BUTTON), switch, pins)


def test_without_gpio_the_assistant_runs_on_and_says_what_is_missing(
    switch: MuteSwitch, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR):
        assert mute_button(SETTINGS, switch, tmp_path) is None
    assert "(button." in caplog.messages[0]
