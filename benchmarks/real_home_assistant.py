"""Check the bridge against a real Home Assistant with its demonstration devices.

    python -m benchmarks.real_home_assistant [FOLDER]

It makes a virtual environment of Python 3.13 in FOLDER (build/home-assistant), which is used again,
starts Home Assistant there on loopback, makes an account and an access token by its own API, and
tries it out as `assistant setup` does. Then it reads the home, its forecast and a feed of news,
switches devices, changes a list, says a sentence for each kind of device to the assistant, and
restarts it. Without Python 3.13, or where it cannot be installed, it says so.
"""

from __future__ import annotations

import json
import select
import shutil
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import typer

from assistant.bridge.home_assistant.link import HomeAssistant
from assistant.bridge.home_assistant.trial import try_out
from assistant.bridge.stage import BridgeStage
from assistant.composition import Composition
from assistant.core.clock import boottime_s
from assistant.core.config import Config, HomeSettings
from assistant.core.errors import BridgeError
from assistant.core.home.lists import ListChange, Wanted
from assistant.core.messages import (
    DeviceChanged,
    HomeCommand,
    HomeDescribed,
    HomeForecasts,
    HomeLists,
    HomeReceipt,
    HomeStates,
    Message,
    PlaybackEnded,
    SlotValue,
    SpokenReply,
    Tick,
)
from assistant.core.settings.home_assistant import HomeAssistantSettings
from assistant.core.settings.mqtt import MqttSettings
from assistant.core.stage import Stage
from assistant.pipeline import run, typed
from assistant.skill.home import read_home
from benchmarks.home_assistant_demo import (
    ANSWERS_S,
    CONFIGURATION,
    HEADLINE,
    LIST,
    STARTS_S,
    URL,
    installed,
    new_token,
    news_feed,
    prepare,
    running,
)
from skills.state import open_state

ITEMS: tuple[tuple[Wanted, dict[str, bool]], ...] = (
    ("open", {"milk": False}),
    ("done", {"milk": True}),
    ("open", {"milk": False}),
    ("gone", {}),
)
"""What is to become of the milk, and what is then on the list: text → whether it is done."""
CHECKED, LISTED, SPOKEN = 10_000, 20_000, 30_000
"""First numbers of commands, other than those that the skills give."""
CHECKS: tuple[tuple[str, str, dict[str, Any], str], ...] = (
    ("light.bed_light", "on", {}, "on"),
    ("light.bed_light", "40%", {}, "on"),
    ("light.bed_light", "off", {}, "off"),
    ("switch.decorative_lights", "off", {}, "off"),
    ("lock.kitchen_door", "unlocked", {}, "unlocked"),
    ("fan.living_room_fan", "on", {"percentage": 66}, "on"),
    ("cover.hall_window", "", {"position": 60}, "open"),
    ("climate.heatpump", "", {"temperature": 21}, "heat"),
    ("media_player.walkman", "paused", {}, "paused"),
    ("media_player.walkman", "", {"volume_level": 0.3}, "paused"),
)
"""Device, state and attributes that are asked for, and the state that is then told."""

SAID: tuple[tuple[str, str, str], ...] = (
    ("turn on the bed light", "light.bed_light", "on"),
    ("turn on the decorative lights", "switch.decorative_lights", "on"),
    ("lock the kitchen door", "lock.kitchen_door", "locked"),
    ("turn off the living room fan", "fan.living_room_fan", "off"),
    ("close the living room window", "cover.living_room_window", "closed"),
    ("turn off the heat pump", "climate.heatpump", "off"),
    ("let the walkman go on", "media_player.walkman", "playing"),
    ("open the orchard valve", "valve.orchard", "open"),
    ("turn off the dehumidifier", "humidifier.dehumidifier", "off"),
    ("turn off the demo water heater", "water_heater.demo_water_heater", "off"),
    (
        *("put the demo water heater celsius on performance",),
        *("water_heater.demo_water_heater_celsius", "performance"),
    ),
    ("start the ground floor vacuum", "vacuum.0_ground_floor", "cleaning"),
)
"""What is said, the device that it is for, and the state that this tells then: one of each domain
that is switched."""
SET: tuple[tuple[str, str, str, SlotValue], ...] = (
    ("set the humidifier to fifty percent", "humidifier.humidifier", "humidity", 50),
    ("make the humidifier ten percent higher", "humidifier.humidifier", "humidity", 60),
    ("put the hygrostat on eco", "humidifier.hygrostat", "mode", "eco"),
    (
        *("set the demo water heater celsius to fifty five degrees",),
        *("water_heater.demo_water_heater_celsius", "temperature", 55),
    ),
    ("set the heat pump to twenty two degrees", "climate.heatpump", "temperature", 22),
)
"""What is said, the device that it is for, and an attribute that this tells then."""
ASKED = (
    ("what's the news", HEADLINE),
    ("what is the outside temperature", "15.6"),
    ("is there movement in the backyard", "on"),
    ("what's the weather", "sunny"),
    ("is the kitchen door locked", "Yes"),
    ("what is on the shopping list", "empty"),
)
"""What is asked of what is only read, and a word of the reply."""

T = TypeVar("T", bound=Message)


class Bench:
    """A bridge's stage on a link, pumped by hand."""

    def __init__(self, link: HomeAssistant) -> None:
        self.link, self._stage = link, BridgeStage(link)
        self._told: list[Message] = []
        self.numbers = count(SPOKEN)
        """Those of the commands that the skills give."""
        self.seen: list[Message] = []
        """All that the bridge has told."""

    def hears(self, wanted: type[T], fits: Callable[[T], object], within_s: float) -> T | None:
        """The next such message; None where none comes."""
        until_s = time.monotonic() + within_s
        while time.monotonic() < until_s:
            for message in self._told:
                if isinstance(message, wanted) and fits(message):
                    self._told.remove(message)
                    return message
            select.select([self.link], [], [], 0.1)
            list(self.link.read())
            told = list(self._stage.feed(Tick(at_s=boottime_s())))
            self._told += told
            self.seen += told
        return None

    def command(self, number: int, entity_id: str, **wanted: Any) -> bool:
        """Have a device, or a list, changed; whether Home Assistant says that it is."""
        return self.sent(HomeCommand(utterance_id="u", entity_id=entity_id, **wanted), number)

    def sent(self, command: HomeCommand, number: int) -> bool:
        """Send a command under a number; whether Home Assistant says that it is carried out."""
        list(self._stage.feed(msgspec.structs.replace(command, ids=(number,))))
        receipt = self.hears(HomeReceipt, lambda m: number in (*m.sent, *m.failed), ANSWERS_S)
        return receipt is not None and number in receipt.sent


def main() -> int:
    """Print one line for each check; status 1 when one fails."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "build/home-assistant").absolute()
    hass = installed(folder)
    if hass is None:
        return 0
    config = folder / "config"
    shutil.rmtree(config, ignore_errors=True)
    config.mkdir(parents=True)
    (config / "configuration.yaml").write_text(CONFIGURATION, "utf-8")
    token = config / "token"
    failed = 0
    with news_feed() as feed, running(hass, config):
        token.write_text(new_token(), "utf-8")
        token.chmod(0o600)
        prepare(token.read_text("utf-8"), feed)
        settings = HomeAssistantSettings(url=URL, token_file=str(token))
        failed += _tried(settings, token.read_text("utf-8"))
        with closing(HomeAssistant(settings)) as link:
            bench = Bench(link)
            failed += _told("connected", _is_there(bench))
            home = bench.hears(HomeDescribed, lambda m: True, STARTS_S)
            failed += _described(home)
            failed += _foretold(bench)
            failed += sum(_obeyed(bench, number) for number in range(len(CHECKS)))
            failed += sum(_listed(bench, number) for number in range(len(ITEMS)))
            if home is not None:
                (folder / "home.yaml").write_text(home.text, "utf-8")
                failed += _said(bench, folder / "home.yaml")
    # Another process on the same folder is a restart.
    with closing(HomeAssistant(settings)) as link:
        bench = Bench(link)
        away = bench.hears(DeviceChanged, lambda m: not m.present, ANSWERS_S)
        failed += _told("away", away is not None)
        with running(hass, config):
            failed += _told("connected again", _is_there(bench, STARTS_S))
    return int(failed > 0)


def _tried(settings: HomeAssistantSettings, token: str) -> int:
    """Try it out as `assistant setup` does, and with a wrong token; how many checks fail."""
    home, started = try_out(settings, token)
    failed = _told(f"tried out: {len(home.entities)} devices", started and bool(home.entities))
    try:
        try_out(settings, token[::-1])
        told = "it was taken"
    except BridgeError as error:
        told = error.code
    return failed + _told(f"tried out with a wrong token: {told}", told == "bridge.token")


def _is_there(bench: Bench, within_s: float = ANSWERS_S) -> bool:
    return bench.hears(DeviceChanged, lambda m: m.present, within_s) is not None


def _described(described: HomeDescribed | None) -> bool:
    home = read_home(json.loads(described.text), "the description") if described else None
    count = len(home.entities) if home else 0
    named = home is not None and any(e.name == "Bed Light" for e in home.entities)
    return _told(f"described: {count} devices", named)


def _obeyed(bench: Bench, number: int) -> bool:
    entity_id, state, attributes, wanted = CHECKS[number]
    sent = bench.command(CHECKED + number, entity_id, state=state, attributes=attributes)
    report = bench.hears(HomeStates, lambda m: m.states.get(entity_id) == wanted, 5.0)
    told = report.attributes.get(entity_id, {}) if report else {}
    asked = state or ", ".join(f"{name} {value}" for name, value in attributes.items())
    return _told(f"{entity_id} to {asked}: {told}", sent and report is not None)


def _foretold(bench: Bench) -> bool:
    told = bench.hears(HomeForecasts, lambda m: any(m.forecasts.values()), ANSWERS_S)
    counts = {device: len(days) for device, days in told.forecasts.items()} if told else {}
    return _told(f"days that are foretold: {counts}", told is not None)


def _listed(bench: Bench, number: int) -> bool:
    wanted, then = ITEMS[number]
    change = ListChange("", "milk", wanted)
    sent = bench.command(LISTED + number, LIST, items=(change,))

    def fits(message: HomeLists) -> bool:
        return {item.text: item.done for item in message.lists.get(LIST, ())} == then

    is_so = bench.hears(HomeLists, fits, 5.0) is not None
    return _told(f"milk on {LIST} is {wanted}", sent and is_so)


def _said(bench: Bench, home: Path) -> int:
    """Say sentences to understanding and the skills, in that home; how many of them fail."""
    composition = Composition(
        Config(home=HomeSettings(file=str(home)), mqtt=MqttSettings(host="localhost"))
    )
    failed = 0
    with closing(open_state(None)) as state:
        stages = (composition.nlu(), composition.skills(state), composition.answer())
        for text, entity_id, wanted in SAID:
            is_so = partial(_is_in, entity_id=entity_id, state=wanted)
            failed += _done(bench, stages, text, is_so)
        for text, entity_id, name, value in SET:
            is_so = partial(_has, entity_id=entity_id, name=name, value=value)
            failed += _done(bench, stages, text, is_so)
        for text, word in ASKED:
            replies, _ = _replied(stages, bench, text)
            failed += _told(f"“{text}”: {replies}", word in replies)
    return failed


def _is_in(told: HomeStates, entity_id: str, state: str) -> bool:
    return told.states.get(entity_id) == state


def _has(told: HomeStates, entity_id: str, name: str, value: SlotValue) -> bool:
    return told.attributes.get(entity_id, {}).get(name) == value


def _done(
    bench: Bench, stages: Sequence[Stage], text: str, is_so: Callable[[HomeStates], bool]
) -> bool:
    replies, commands = _replied(stages, bench, text)
    sent = [bench.sent(one, next(bench.numbers)) for one in commands]
    then = bench.hears(HomeStates, is_so, ANSWERS_S)
    return _told(f"“{text}”: {replies}", bool(sent) and all(sent) and then is not None)


def _replied(stages: Sequence[Stage], bench: Bench, text: str) -> tuple[str, list[HomeCommand]]:
    """The reply to a text, and what it has devices do, after all that the bridge has told."""
    news, bench.seen = bench.seen, []
    list(run(stages, (msgspec.structs.replace(one, at_s=boottime_s()) for one in news)))
    heard = PlaybackEnded(utterance_id=text, at_s=boottime_s())
    came = list(run(stages, (*typed(text, text, boottime_s()), heard)))
    replies = " ".join(m.text for m in came if isinstance(m, SpokenReply))
    return replies, [m for m in came if isinstance(m, HomeCommand)]


def _told(what: str, good: bool) -> bool:
    """Print the result of a check, and return whether it failed."""
    typer.echo(f"{'ok    ' if good else 'FAILED'} {what}")
    return not good


if __name__ == "__main__":
    raise SystemExit(main())
