"""Check the bridge against a real Home Assistant with its demonstration devices.

    python -m benchmarks.real_home_assistant [FOLDER]

It makes a virtual environment of Python 3.13 in FOLDER (build/home-assistant), which is used again,
starts Home Assistant there on loopback, makes an account and an access token by its own API, and
then reads the home and its forecast, switches devices, changes a list, says a sentence for each
kind of device to the assistant, and restarts it. Without Python 3.13, or where it cannot be
installed, it says so.
"""

from __future__ import annotations

import json
import select
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, TypeVar

import httpx2
import msgspec
import typer
from websockets.sync.client import connect

from assistant.bridge.home_assistant.link import HomeAssistant
from assistant.bridge.stage import BridgeStage
from assistant.composition import Composition
from assistant.core.clock import boottime_s
from assistant.core.config import Config, HomeSettings
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
    SpokenReply,
    Tick,
)
from assistant.core.settings.home_assistant import HomeAssistantSettings
from assistant.core.settings.mqtt import MqttSettings
from assistant.core.stage import Stage
from assistant.pipeline import run, typed
from assistant.skill.home import read_home
from skills.state import open_state

RELEASE = "homeassistant==2025.4.4"
NEEDED = ("home-assistant-frontend", "hassil", "home-assistant-intents", "mutagen", "pymicro-vad")
NEEDED += ("pyspeex-noise", "ha-ffmpeg", "PyTurboJPEG")
"""What the demonstration needs besides, which Home Assistant itself would install as it starts."""
PORT = 8133
URL = f"http://127.0.0.1:{PORT}"
CONFIGURATION = f"""\
homeassistant:
  name: Home
api:
auth:
config:
demo:
http:
  server_host: 127.0.0.1
  server_port: {PORT}
onboarding:
websocket_api:
"""
WEATHER = "weather.demo_weather_south"
LIST = "todo.shopping_list"
ITEMS: tuple[tuple[Wanted, dict[str, bool]], ...] = (
    ("open", {"milk": False}),
    ("done", {"milk": True}),
    ("open", {"milk": False}),
    ("gone", {}),
)
"""What is to become of the milk, and what is then on the list: text → whether it is done."""
STARTS_S, ANSWERS_S = 120.0, 30.0
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
    ("start the ground floor vacuum", "vacuum.0_ground_floor", "cleaning"),
)
"""What is said, the device that it is for, and the state that this tells then: one of each domain
that is switched."""
ASKED = (
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
    hass = _installed(folder)
    if hass is None:
        return 0
    config = folder / "config"
    shutil.rmtree(config, ignore_errors=True)
    config.mkdir(parents=True)
    (config / "configuration.yaml").write_text(CONFIGURATION, "utf-8")
    token = config / "token"
    failed = 0
    with _running(hass, config):
        token.write_text(_token(), "utf-8")
        token.chmod(0o600)
        _prepare(token.read_text("utf-8"))
        settings = HomeAssistantSettings(url=URL, token_file=str(token))
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
        with _running(hass, config):
            failed += _told("connected again", _is_there(bench, STARTS_S))
    return int(failed > 0)


def _installed(folder: Path) -> Path | None:
    # Before the shim of that name, which is there for versions that are not chosen, too.
    own = sorted(map(str, Path.home().glob(".pyenv/versions/3.13.*/bin/python")))
    python = next(iter(own), None) or shutil.which("python3.13")
    hass = folder / "venv/bin/hass"
    if not hass.exists():
        if python is None:
            typer.echo("skipped: there is no Python 3.13, which Home Assistant needs")
            return None
        subprocess.run((python, "-m", "venv", str(folder / "venv")), check=True)
        if not (_added(folder, RELEASE) and _added(folder, *_pinned(folder))):
            shutil.rmtree(folder / "venv")
            typer.echo(f"skipped: {RELEASE} cannot be installed here")
            return None
    return hass


def _added(folder: Path, *packages: str) -> bool:
    uv = Path(sys.executable).with_name("uv")
    command = (uv, "pip", "install", "--quiet", "--python", folder / "venv/bin/python", *packages)
    return subprocess.run(command).returncode == 0


def _pinned(folder: Path) -> list[str]:
    """What is needed besides, in the releases that Home Assistant wants."""
    (pins,) = folder.glob("venv/lib/python3.*/site-packages/homeassistant/package_constraints.txt")
    lines = pins.read_text("utf-8").splitlines()
    return [line for line in lines if line.partition("==")[0] in NEEDED]


@contextmanager
def _running(hass: Path, config: Path) -> Iterator[None]:
    command = (str(hass), "--config", str(config), "--skip-pip")
    with (config / "log").open("ab") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log)
    try:
        _until_it_answers(process)
        yield
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(60)


def _until_it_answers(process: subprocess.Popen[bytes]) -> None:
    until_s = time.monotonic() + STARTS_S
    while time.monotonic() < until_s and process.poll() is None:
        try:
            httpx2.get(f"{URL}/api/onboarding")
            return
        except httpx2.HTTPError:
            time.sleep(0.5)
    raise SystemExit("Home Assistant does not start; see config/log")


def _token() -> str:
    """A long-lived access token of a new account."""
    client = f"{URL}/"
    account = {"name": "Owner", "username": "owner", "password": "owner", "language": "en"}
    code = _posted("/api/onboarding/users", json={**account, "client_id": client})["auth_code"]
    grant = {"grant_type": "authorization_code", "code": code, "client_id": client}
    access = _posted("/auth/token", data=grant)["access_token"]
    with connect(f"ws://127.0.0.1:{PORT}/api/websocket", proxy=None) as line:
        line.recv()
        line.send(json.dumps({"type": "auth", "access_token": access}))
        line.recv()
        wanted = {"client_name": "Hark", "lifespan": 365}
        line.send(json.dumps({"id": 1, "type": "auth/long_lived_access_token", **wanted}))
        return str(json.loads(line.recv())["result"])


def _prepare(token: str) -> None:
    """Set up a shopping list, and show the weather to voice assistants, as an owner does."""
    flows = "/api/config/config_entries/flow"
    proof = {"Authorization": f"Bearer {token}"}
    flow = _posted(flows, headers=proof, json={"handler": "shopping_list"})["flow_id"]
    _posted(f"{flows}/{flow}", headers=proof, json={})
    with connect(f"ws://127.0.0.1:{PORT}/api/websocket", proxy=None) as line:
        line.recv()
        line.send(json.dumps({"type": "auth", "access_token": token}))
        line.recv()
        shown = {"assistants": ["conversation"], "entity_ids": [WEATHER], "should_expose": True}
        line.send(json.dumps({"id": 1, "type": "homeassistant/expose_entity", **shown}))
        line.recv()


def _posted(path: str, **content: Any) -> dict[str, Any]:
    answer = httpx2.post(f"{URL}{path}", timeout=ANSWERS_S, **content).raise_for_status()
    found: dict[str, Any] = answer.json()
    return found


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
        failed += sum(_done(bench, stages, number) for number in range(len(SAID)))
        for text, word in ASKED:
            replies, _ = _replied(stages, bench, text)
            failed += _told(f"“{text}”: {replies}", word in replies)
    return failed


def _done(bench: Bench, stages: Sequence[Stage], number: int) -> bool:
    text, entity_id, wanted = SAID[number]
    replies, commands = _replied(stages, bench, text)
    sent = [bench.sent(one, SPOKEN + 10 * number + at) for at, one in enumerate(commands)]
    then = bench.hears(HomeStates, lambda m: m.states.get(entity_id) == wanted, ANSWERS_S)
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
